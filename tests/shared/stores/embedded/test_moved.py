"""A store's file that is moved, replaced or deleted while it is open: nothing acknowledged is lost with it."""

import os
from pathlib import Path

import happybase
import pytest
from Hbase_thrift import IOError

from shared.stores import connect

MOVED = "was moved, replaced or deleted while the store was open"


@pytest.fixture
def store(path: Path) -> happybase.Connection:
    connection = connect(f"embedded:{path}")
    for row in range(20):
        connection.table("t").put(b"%d" % row, {b"d:a": b"v"})
    return connection


def rows_in(path: Path) -> int:
    connection = connect(f"embedded:{path}")
    connection.check()
    count = len(list(connection.table("t").scan()))
    connection.close()
    return count


def move(path: Path) -> Path:
    return path.rename(path.with_name("elsewhere.db"))


def replace(path: Path) -> None:
    other = connect(f"embedded:{path}.other")
    other.create_table("t", {"d": {}})
    other.close()
    os.replace(f"{path}.other", path)


WRITES = {
    "put": lambda table: table.put(b"new", {b"d:a": b"v"}),
    "batch of deletes": lambda table: table.connection.client.mutateRows(b"t", [], {}) or table.delete(b"1"),
    "counter": lambda table: table.counter_inc(b"new", b"d:n"),
    "table": lambda table: table.connection.create_table("u", {"d": {}}),
}
CHANGES = {
    "moved": move,
    "replaced": replace,
    "folder moved": lambda path: path.parent.rename(f"{path.parent}-moved"),
    "deleted": os.unlink,
    "log deleted": lambda path: os.unlink(f"{path}-wal"),
    "index of the log deleted": lambda path: os.unlink(f"{path}-shm"),
}


@pytest.mark.parametrize(
    ("change", "write"), [*((change, "put") for change in CHANGES), *(("moved", write) for write in WRITES)]
)
def test_a_write_is_not_acknowledged_once_the_file_is_not_at_its_path(store, path, change, write):
    CHANGES[change](path)
    for _ in range(2):
        with pytest.raises(IOError, match=MOVED):
            WRITES[write](store.table("t"))
    assert store.table("t").row(b"7") == {b"d:a": b"v"}
    store.close()


def test_all_that_was_acknowledged_is_in_the_file_that_others_opened_and_that_was_put_back_or_moved(store, path):
    assert rows_in(path) == 20  # as another process opens and closes it
    store.table("t").put(b"first", {b"d:a": b"v"})
    elsewhere = move(path)
    with pytest.raises(IOError, match=MOVED):
        store.table("t").put(b"not acknowledged", {b"d:a": b"v"})
    elsewhere.rename(path)
    store.table("t").put(b"last", {b"d:a": b"v"})
    elsewhere = move(path)
    store.close()
    assert rows_in(elsewhere) == 23
