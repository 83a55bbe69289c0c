"""Block sizes in the file of an embedded store: stored beside the families, without a new format."""

import sqlite3
from contextlib import closing

import pytest
from Hbase_thrift import IOError

from shared.stores.embedded import damage, schema
from shared.stores.embedded.connection import EmbeddedConnection

FAMILIES = {"d": {"block_size": 8192}, "m": {}}


def names(path) -> list[str]:
    """The tables of SQLite in a file."""
    with closing(sqlite3.connect(path)) as database:
        return [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]


def test_block_sizes_are_there_in_another_process_and_after_a_restart(path) -> None:
    with closing(EmbeddedConnection(str(path))) as first, closing(EmbeddedConnection(str(path))) as second:
        assert second.block_sizes("t") == {b"d": 65536}
        first.create_split_table("s", FAMILIES)
        assert second.block_sizes("s") == {b"d": 8192, b"m": 65536}
    with closing(EmbeddedConnection(str(path))) as again:
        assert again.block_sizes("s") == {b"d": 8192, b"m": 65536}
        assert again.block_sizes("t") == {b"d": 65536}


def test_a_file_is_as_it_was_until_a_family_has_another_size_than_hbases_own(path) -> None:
    with closing(EmbeddedConnection(str(path))) as connection:
        connection.create_split_table("s", {"d": {"block_size": 65536}})
        before = names(path)
        assert "block_sizes" not in before
        connection.create_split_table("u", FAMILIES)
    assert names(path) == [*before, "block_sizes"]
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("pragma user_version").fetchone() == (schema.FORMAT,)
        assert (
            len(database.execute("select * from families").description) == 8
        )  # as a rowbook without block sizes has it


def test_a_table_that_is_dropped_leaves_none(path) -> None:
    with closing(EmbeddedConnection(str(path))) as connection:
        connection.create_split_table("s", FAMILIES)
        connection.delete_table("s", disable=True)
        connection.create_table("s", {"d": {}, "m": {}})
        assert connection.block_sizes("s") == {b"d": 65536, b"m": 65536}
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("select count(*) from block_sizes").fetchone() == (0,)


@pytest.mark.parametrize("size", [0, 1023, 2**24 + 1])
def test_a_size_that_hbase_refuses_makes_no_table(connection, size) -> None:
    with pytest.raises(IOError, match="Block size for column family d  must be between 1K and 16MB"):
        connection.create_split_table("s", {"d": {"block_size": size}}, [b"m"])
    assert connection.tables() == []


@pytest.mark.parametrize("checked_pages", [0, 1024])
def test_damage_is_found(path, monkeypatch, checked_pages) -> None:
    monkeypatch.setattr(damage, "_CHECKED_PAGES", checked_pages)
    with closing(EmbeddedConnection(str(path))) as connection:
        connection.create_split_table("s", FAMILIES)
    with closing(sqlite3.connect(path)) as database:
        database.execute("update block_sizes set bytes = 'x'")
        database.commit()
    with closing(EmbeddedConnection(str(path))) as connection, pytest.raises(IOError, match="the file is damaged"):
        connection.tables()
