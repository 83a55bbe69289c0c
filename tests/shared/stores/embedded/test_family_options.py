"""Options of families in the file of an embedded store: stored beside the families."""

import sqlite3
from contextlib import closing

import pytest

from shared.stores import StoreError
from shared.stores.embedded import damage
from shared.stores.embedded.connection import EmbeddedConnection

# An option: the table of SQLite that has it, a value of its own, the usual value, how it is read, what damages it.
OPTIONS = {
    "block_size": ("block_sizes", 8192, 65536, EmbeddedConnection.block_sizes, "bytes = bytes + 1"),
    "keep_tombstones_ms": ("kept_tombstones", 600_000, 0, EmbeddedConnection.keep_tombstones_ms, "ms = ms + 1"),
}


@pytest.fixture(params=OPTIONS)
def option(request):
    return request.param, *OPTIONS[request.param]


@pytest.fixture
def connection(path):
    with closing(EmbeddedConnection(str(path))) as connection:
        yield connection


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


@pytest.mark.parametrize("checked_pages", [0, 1024])
def test_a_damaged_option_makes_the_store_refuse_its_file(path, connection, monkeypatch, checked_pages, option):
    name, table, own, _, _, damages = option
    monkeypatch.setattr(damage, "_CHECKED_PAGES", checked_pages)
    connection.create_split_table("s", {"d": {name: own}})
    connection.close()
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"update {table} set {damages}")
        database.commit()
    with pytest.raises(StoreError, match=f"the file is damaged.*a record of {table} does not match its checksum"):
        EmbeddedConnection(str(path))
