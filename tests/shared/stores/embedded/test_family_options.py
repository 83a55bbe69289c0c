"""Options of families in the file of an embedded store: stored beside the families, without a new format."""

import sqlite3
from contextlib import closing

import pytest
from Hbase_thrift import IOError

from shared.stores.embedded import damage, schema
from shared.stores.embedded.connection import EmbeddedConnection

# An option: the table of SQLite that has it, a value of its own, the usual value, how it is read, what damages it.
OPTIONS = {
    "block_size": ("block_sizes", 8192, 65536, EmbeddedConnection.block_sizes, "bytes = 'x'"),
    "keep_tombstones_ms": ("kept_tombstones", 600_000, 0, EmbeddedConnection.keep_tombstones_ms, "ms = 'x'"),
}


@pytest.fixture(params=OPTIONS)
def option(request):
    return request.param, *OPTIONS[request.param]


@pytest.fixture
def connection(path):
    with closing(EmbeddedConnection(str(path))) as connection:
        yield connection


def names(path) -> list[str]:
    """The tables of SQLite in a file."""
    with closing(sqlite3.connect(path)) as database:
        return [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]


def test_an_option_is_there_in_another_process_after_a_restart_and_until_its_table_is_dropped(path, connection, option):
    name, table, own, usual, read, _ = option
    with closing(EmbeddedConnection(str(path))) as second:
        assert read(second, "t") == {b"d": usual}
        connection.create_split_table("s", {"d": {name: own}, "m": {}})
        assert read(second, "s") == {b"d": own, b"m": usual}
    connection.close()
    with closing(EmbeddedConnection(str(path))) as again:
        assert read(again, "s") == {b"d": own, b"m": usual}
        again.delete_table("s", disable=True)
        again.create_table("s", {"d": {}})
        assert read(again, "s") == {b"d": usual}
    with closing(sqlite3.connect(path)) as database:
        assert database.execute(f"select count(*) from {table}").fetchone() == (0,)


def test_a_file_is_as_it_was_until_a_family_has_an_unusual_option(path, connection, option):
    name, table, own, usual, _, _ = option
    connection.create_split_table("s", {"d": {name: usual}})
    before = names(path)
    assert table not in before
    connection.create_split_table("u", {"d": {name: own}})
    assert names(path) == [*before, table]
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("pragma user_version").fetchone() == (schema.FORMAT,)
        # As a rowbook that does not know the option has it.
        assert len(database.execute("select * from families").description) == 8


@pytest.mark.parametrize("checked_pages", [0, 1024])
def test_a_damaged_option_makes_the_store_refuse_its_file(path, connection, monkeypatch, checked_pages, option):
    name, table, own, _, _, damages = option
    monkeypatch.setattr(damage, "_CHECKED_PAGES", checked_pages)
    connection.create_split_table("s", {"d": {name: own}})
    connection.close()
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"update {table} set {damages}")
        database.commit()
    with closing(EmbeddedConnection(str(path))) as damaged, pytest.raises(IOError, match="the file is damaged"):
        damaged.tables()
