r"""Statements of the HBase shell that create tables pre-split, which Thrift1, and so happybase, cannot do.

    # 4 buckets of Salt(of='host', buckets=4): one region each
    create 'logs', {NAME => 'l', VERSIONS => 1, BLOOMFILTER => 'ROW'}, SPLITS => ['\x01', '\x02', '\x03']

Printed to be pasted into `hbase shell`, or to be run from a file with `hbase shell -n FILE`.
"""

import string
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from ..keys import InvalidQuestion, KeyLayout, Splits, split_points
from ..keys.limits import BLOCK_BYTES, PURGE_DELETES
from .layouts import Family, PhysicalTable, TableLayout, physical_tables
from .recorded_layouts import RECORDS

_LINE = 100
"""A list of points with more characters goes on lines of its own; Ruby reads on until the bracket closes.

A point with more characters has its own line, which is longer."""
_LEGIBLE = frozenset(string.ascii_letters + string.digits + "-_:")


def create_statement(table: TableLayout[Any, Any], count: int | None = None) -> str:
    """The statement that creates the table as `create_tables` does; above it, as a comment, the reason for its splits.

    `count` is the number of split points; if omitted, they are those of the table, maybe none. Raises InvalidQuestion
    for a number that the layout of the keys cannot provide.
    """
    (physical,) = physical_tables([table])
    return statement_split_at(physical, _splits(physical, count))


def statement_split_at(table: PhysicalTable, splits: Splits) -> str:
    """The statement that creates the table with these split points; above it, as a comment, their reason."""
    families = (_family(name, family) for name, family in table.families.items())
    create = ", ".join([f"create {_quoted(table.name)}", *families])
    if splits.points:
        create += f", SPLITS => [{_list(splits.points)}]"
    return "\n".join([*(f"# {line}" for line in splits.reason.splitlines()), create])


def namespace_statements(tables: Iterable[PhysicalTable]) -> list[str]:
    """The statements that create the namespaces of some tables, unless they exist."""
    namespaces = dict.fromkeys(table.name.rpartition(":")[0] for table in tables)
    return [f"create_namespace {_quoted(namespace)} rescue nil" for namespace in namespaces if namespace]


def grant_statements(tables: Iterable[TableLayout[Any, Any]], user: str, prefix: str = "") -> list[str]:
    """The statements that give a user the least rights with which a service uses the tables, as a gateway does.

    The user reads and writes rows, and creates no table. The layouts of keys are only read; but where records expire,
    the clock is compared through a row beside them.
    """
    physical = physical_tables(tables)
    expire = any(family.ttl_seconds for table in physical for family in table.families.values())
    rights = {f"{prefix}{table.name}": "RW" for table in physical}
    rights[f"{prefix}{RECORDS.name}"] = "RW" if expire else "R"
    return [f"grant {_quoted(user)}, '{right}', {_quoted(table)}" for table, right in rights.items()]


def alter_statement(name: str, families: Mapping[str, Family]) -> str:
    """The statement that sets the options of a table's families as declared."""
    return ", ".join([f"alter {_quoted(name)}", *(_family(family, options) for family, options in families.items())])


def tables_with_splits(
    tables: Iterable[TableLayout[Any, Any]], count: int | None
) -> list[tuple[PhysicalTable, Splits]]:
    """The tables, each once, with `count` split points; a table whose key layout cannot provide any keeps its own.

    Raises InvalidQuestion if no table can be split, or if one can, but not at so many points.
    """
    refusals: list[InvalidQuestion] = []
    with_splits: list[tuple[PhysicalTable, Splits]] = []
    for table in physical_tables(tables):
        try:
            with_splits.append((table, _splits(table, count)))
        except InvalidQuestion as error:
            if _can_be_split(table.layouts[0].key):
                raise
            refusals.append(error)
            with_splits.append((table, table.splits))
    if refusals and len(refusals) == len(with_splits):
        raise refusals[0]
    return with_splits


def delete_statement(table: str, row: bytes, column: bytes, written_ms: int) -> str:
    """The statement that deletes one version of a cell, because Thrift1 deletes all versions up to a time."""
    return f"delete {_quoted(table)}, {_ruby_bytes(row)}, {_ruby_bytes(column)}, {written_ms}"


def _splits(table: PhysicalTable, count: int | None) -> Splits:
    return table.splits if count is None else split_points(table.layouts[0].key, count)


def _can_be_split(layout: KeyLayout[Any]) -> bool:
    try:
        split_points(layout, 1)
    except InvalidQuestion:
        return False
    return True


def _family(name: str, family: Family) -> str:
    options = [f"NAME => {_quoted(name)}", f"VERSIONS => {family.max_versions}"]
    if family.ttl_seconds is not None and family.ttl_seconds > 0:  # otherwise cells never expire, as through Thrift1
        options.append(f"TTL => {family.ttl_seconds}")
    options.append(f"BLOOMFILTER => {_quoted(family.bloom)}")
    if family.compression != "NONE":
        options.append(f"COMPRESSION => {_quoted(family.compression)}")
    if family.block_size_bytes != BLOCK_BYTES:
        options.append(f"BLOCKSIZE => {family.block_size_bytes}")
    if family.keep_tombstones_ms:
        options.append(f"CONFIGURATION => {{'{PURGE_DELETES}' => '{family.keep_tombstones_ms}'}}")
    return f"{{{', '.join(options)}}}"


def _list(points: tuple[bytes, ...]) -> str:
    legible = b"".join(points).isalnum()  # of bytes: ASCII letters and digits only
    line = ", ".join(f"'{point.decode()}'" if legible else _binary(point) for point in points)
    if len(line) <= _LINE:
        return line
    wrapped = textwrap.fill(
        line,
        _LINE,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,  # a newline between quotes would be part of a point
        break_on_hyphens=False,
    )
    return f"\n{wrapped}\n"


def _binary(point: bytes) -> str:
    r"""Bytes as the shell reads them: 00 27 5c ff -> '\x00\x27\x5C\xFF'.

    In single quotes, because the shell passes such text unchanged to Java's `Bytes.toBytesBinary`, which makes a byte
    of \x and two hex digits. In double quotes Ruby makes the bytes, and the conversion to Java's UTF-16 turns every
    byte from 80 on into FD. The digits are capitals: \xff would be the letters xff.
    """
    return "'" + "".join(f"\\x{byte:02X}" for byte in point) + "'"


def _ruby_bytes(data: bytes) -> str:
    """Bytes as Ruby reads them between double quotes; statements about a row pass them on unchanged."""
    return '"' + "".join(chr(byte) if chr(byte) in _LEGIBLE else f"\\x{byte:02X}" for byte in data) + '"'


def _quoted(name: str) -> str:
    """A name as Ruby reads it between single quotes, where only the backslash and the quote need a backslash."""
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
