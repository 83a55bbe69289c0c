"""What `rowbook ddl` prints makes, in HBase's own shell, the tables that `create_tables` makes."""

import secrets
import subprocess
from contextlib import closing

import attrs
import happybase
import pytest

from shared.keys import EscapedText, HashPrefix, KeyLayout, Splits
from shared.stores import connect
from shared.stores.hbase.thrift2 import idl
from shared.tables import Family, RecordCells, TableLayout, create_tables
from shared.tables.ddl import create_statement, delete_statement, namespace_statements, statement_split_at
from shared.tables.layouts import physical_tables
from tests.designs import all_designs
from tests.programs.hbase.hbase_shell import run_in_shell
from tests.programs.hbase.stores import drop_all, named_with
from tests.shared.specimens import key_class

pytestmark = pytest.mark.hbase


Named = key_class("Named", name=EscapedText)
UNUSUAL = TableLayout(
    "unusual",
    "a name under all that can be declared",
    KeyLayout(Named, HashPrefix(of="name", bytes=4, hex=True)),
    RecordCells(Named, {}, marker="a:v"),
    {
        "a": Family(),
        "b": Family(3, ttl_seconds=60, bloom="NONE", compression="GZ", block_size_bytes=8192),
        "c": Family(2**31 - 1, ttl_seconds=2**31 - 1, bloom="ROWCOL", block_size_bytes=16 * 1024 * 1024),
        "d-é.1": Family(block_size_bytes=1024, keep_tombstones_ms=600_000),
        "e": Family(keep_tombstones_ms=2**63 - 1),
    },
)
POINTS = attrs.evolve(
    UNUSUAL,
    name="points",
    families={"a": Family()},
    splits=Splits((b"\0", b"'\\", b"\\x41", b"\x80\xff"), "awkward bytes"),
)


def named_once() -> dict[str, TableLayout]:
    """Every table of every variant of every design, and two with all that is awkward."""
    tables = [table for design in all_designs() for variant in design.variants for table in variant.tables]
    return {table.name: table for table in [*tables, UNUSUAL, POINTS]}


@pytest.fixture(scope="module")
def prefixes(tmp_path_factory):
    """Connections to the tables that `create_tables` made, and to those that the shell made."""
    named = named_with("thrift2_port", "info_url")
    prefix = f"ddl{secrets.token_hex(4)}"
    tables = named_once().values()
    statements = [create_statement(attrs.evolve(table, name=f"{prefix}shell_{table.name}")) for table in tables]
    # The longest that --splits can ask for, on lines of its own.
    many = attrs.evolve(UNUSUAL, name=f"{prefix}shell_many", families={"a": Family()})
    statements.append(create_statement(many, 40))
    with (
        closing(connect(named.url, table_prefix=f"{prefix}made")) as made,
        closing(connect(named.url, table_prefix=f"{prefix}shell")) as shell,
    ):
        try:
            create_tables(made, tables)
            printed = run_in_shell("\n".join(statements), named.info_url, tmp_path_factory.mktemp("shell"))
            assert printed.count("Created table") == len(statements)
            yield made, shell
        except subprocess.CalledProcessError as error:
            pytest.fail(f"the shell refused a statement:\n{error.stdout}{error.stderr}")
        finally:
            for connection in (made, shell):
                drop_all(connection)


def described(connection: happybase.Connection, name: str) -> dict[bytes, tuple[dict[bytes, bytes], ...]]:
    """All that HBase knows of a table's families, by its own names: their attributes, and their configuration."""
    with connection.beyond_thrift1() as gateway:
        table = gateway._client.getTableDescriptor(idl().TTableName(qualifier=connection.table(name).name))
    return {family.name: (family.attributes, family.configuration) for family in table.columns}


def regions(connection: happybase.Connection, name: str) -> list[bytes]:
    return [region["start_key"] for region in connection.table(name).regions()]


def test_both_ways_make_the_same_tables_with_as_many_regions_as_were_asked_for(prefixes) -> None:
    """One test, because a second process would make all these tables again."""
    made, shell = prefixes
    for name, table in named_once().items():
        assert described(shell, name) == described(made, name), name
        assert regions(shell, name) == regions(made, name) == [b"", *table.splits.points], name
    create_tables(shell, named_once().values())
    assert len(regions(shell, "many")) == 41


def test_thrift1_alone_makes_the_same_plain_table() -> None:
    named = named_with("thrift2_port")
    table = named_once()["logs"]
    assert not table.splits.points
    prefix = f"ddl{secrets.token_hex(4)}"
    with (
        closing(connect(named.url, table_prefix=f"{prefix}made")) as made,
        closing(connect(named.url, table_prefix=f"{prefix}plain")) as plain,
        closing(happybase.Connection(named.host, named.port, table_prefix=f"{prefix}plain")) as thrift1,
    ):
        try:
            create_tables(made, [table])
            create_tables(thrift1, [table])
            assert described(plain, table.name) == described(made, table.name)
        finally:
            drop_all(made)
            drop_all(thrift1)


def test_the_statements_for_a_namespace_make_it_once_and_its_tables(tmp_path) -> None:
    named = named_with("thrift2_port", "info_url")
    namespace = f"ddl{secrets.token_hex(4)}"
    (table,) = physical_tables([attrs.evolve(POINTS, name=f"{namespace}:points")])
    statements = [*namespace_statements([table, table]) * 2, statement_split_at(table, table.splits)]
    assert len(statements) == 3
    with closing(connect(named.url, table_prefix=f"{namespace}:")) as connection:
        try:
            run_in_shell("\n".join(statements), named.info_url, tmp_path)
            assert connection.tables() == [b"points"]
            assert regions(connection, "points") == [b"", *POINTS.splits.points]
            create_tables(connection, [attrs.evolve(POINTS, is_recorded=False)])
        finally:
            drop_all(connection)
            with connection.beyond_thrift1() as gateway:
                gateway._client.deleteNamespace(namespace)


def test_a_statement_deletes_one_version_of_a_cell_and_hides_no_later_put(tmp_path) -> None:
    named = named_with("info_url")
    row, last_ms = bytes(range(256)), 2**63 - 2
    with closing(connect(named.url, table_prefix=f"ddl{secrets.token_hex(4)}")) as connection:
        connection.create_table("cells", {"f": {}})
        try:
            cells = connection.table("cells")
            cells.put(row, {b"f:\x00\xff": b"future"}, timestamp=last_ms)
            statement = delete_statement(cells.name.decode(), row, b"f:\x00\xff", last_ms)
            run_in_shell(statement, named.info_url, tmp_path)
            assert cells.row(row) == {}
            cells.put(row, {b"f:\x00\xff": b"now"})
            assert cells.row(row) == {b"f:\x00\xff": b"now"}
        finally:
            drop_all(connection)
