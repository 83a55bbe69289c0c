r"""Tables as HBase-shell statements, pre-split, which Thrift1 and so happybase cannot do.

    # 4 buckets of Salt(of='host', buckets=4): one region each
    create 'logs', {NAME => 'l', VERSIONS => 1, BLOOMFILTER => 'ROW'}, SPLITS => ['\x01', '\x02', '\x03']

Printed to be pasted into `hbase shell`, or to be run from a file with `hbase shell -n FILE`.
"""

import textwrap
from collections.abc import Iterable
from typing import Any

from ..keys import InvalidQuestion, KeyLayout, Splits, split_points
from ..keys.limits import BLOCK_BYTES
from .layouts import Family, TableLayout

_LINE = 100
"""Points beyond this many characters go on lines of their own; Ruby reads on until the bracket closes."""


def create_statement(table: TableLayout[Any, Any], splits: int | None = None) -> str:
    """The statement that creates the table, and above it, as a comment, why it is split as it is.

    `splits` is the number of split points, `InvalidQuestion` where the layout cannot serve it; without it they are
    those of the table, maybe none. It makes the table that `create_tables` makes.
    """
    return statement_with(table, _splits(table, splits))


def statement_with(table: TableLayout[Any, Any], found: Splits) -> str:
    """`create_statement` where the split points are known."""
    families = (_family(name, family) for name, family in table.families.items())
    create = ", ".join([f"create {_quoted(table.name)}", *families])
    if found.points:
        create += f", SPLITS => [{_list(found.points)}]"
    return "\n".join([*(f"# {line}" for line in found.reason.splitlines()), create])


def splits_each(
    tables: Iterable[TableLayout[Any, Any]], splits: int | None
) -> list[tuple[TableLayout[Any, Any], Splits]]:
    """Tables with their split points, `splits` of each; their own for those whose layout cannot tell any.

    `InvalidQuestion` where that is all of them, or where a table can be split, but not so often.
    """
    refused: list[InvalidQuestion] = []
    each: list[tuple[TableLayout[Any, Any], Splits]] = []
    for table in tables:
        try:
            each.append((table, _splits(table, splits)))
        except InvalidQuestion as error:
            if _can_be_split(table.layout):
                raise
            refused.append(error)
            each.append((table, table.splits))
    if refused and len(refused) == len(each):
        raise refused[0]
    return each


def _splits(table: TableLayout[Any, Any], splits: int | None) -> Splits:
    return table.splits if splits is None else split_points(table.layout, splits)


def _can_be_split(layout: KeyLayout[Any]) -> bool:
    try:
        split_points(layout, 1)
    except InvalidQuestion:
        return False
    return True


def _family(name: str, family: Family) -> str:
    options = [f"NAME => {_quoted(name)}", f"VERSIONS => {family.max_versions}"]
    if family.ttl_seconds is not None and family.ttl_seconds > 0:  # as through Thrift1: else for ever
        options.append(f"TTL => {family.ttl_seconds}")
    options.append(f"BLOOMFILTER => {_quoted(family.bloom)}")
    if family.compression != "NONE":
        options.append(f"COMPRESSION => {_quoted(family.compression)}")
    if family.block_size_bytes != BLOCK_BYTES:
        options.append(f"BLOCKSIZE => {family.block_size_bytes}")
    return f"{{{', '.join(options)}}}"


def _list(points: tuple[bytes, ...]) -> str:
    legible = b"".join(points).isalnum()  # of bytes: ASCII letters and digits only
    line = ", ".join(f"'{point.decode()}'" if legible else _binary(point) for point in points)
    if len(line) <= _LINE:
        return line
    return "\n" + textwrap.fill(line, _LINE, initial_indent="  ", subsequent_indent="  ") + "\n"


def _binary(point: bytes) -> str:
    r"""Bytes as the shell reads them: 00 27 5c ff -> '\x00\x27\x5C\xFF'.

    In single quotes, because the shell hands the text as it stands to Java's `Bytes.toBytesBinary`, which makes a byte
    of \x and two hex digits. In double quotes Ruby makes the bytes, and on the way to Java's UTF-16 all from 80 on
    become FD. The digits are capitals: \xff would be the letters xff.
    """
    return "'" + "".join(f"\\x{byte:02X}" for byte in point) + "'"


def _quoted(name: str) -> str:
    """A name as Ruby reads it between single quotes, where only these two characters mean more than themselves."""
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
