"""Stores that cannot be written: read where that is possible, with all that is in their logs, or refused."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import happybase
import pytest
from Hbase_thrift import IOError

from shared.stores import StoreError, connect
from tests.shared.stores.processes import Process, run

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that any user can reach; the tests' own is closed to others."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def store(folder) -> Path:
    """A closed store with a row."""
    path = folder / "store.db"
    connection = connect(f"embedded:{path}")
    connection.create_table("t", {"d": {}})
    connection.table("t").put(b"r", {b"d:a": b"1"})
    connection.close()
    return path


@contextlib.contextmanager
def read_only(path: Path, mode: int = 0o444) -> Iterator[None]:
    """In the block, the store may only be read. Root may write anywhere, and so becomes another user."""
    root = os.geteuid() == 0
    path.chmod(mode)
    path.parent.chmod(0o555)
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        path.parent.chmod(0o755)
        path.chmod(0o644)


def privileged(path: Path, work: Callable[[happybase.Table], None], *, then_die: bool = False) -> None:
    """Another process, that may write, does some work on the store and closes it, or dies."""

    def with_rights(report: Callable[[object], None]) -> None:
        if os.getuid() == 0:
            os.seteuid(0)
        modes = path.stat().st_mode, path.parent.stat().st_mode
        path.parent.chmod(0o755)
        path.chmod(0o644)
        connection = connect(f"embedded:{path}")
        work(connection.table("t"))
        if not then_die:
            connection.close()
        path.chmod(modes[0])
        path.parent.chmod(modes[1])
        os._exit(0)  # at once: Python would close the connection

    run(with_rights)


class Writer:
    """A process with rights that takes its steps when asked; made before the reader opens, for SQLite must not fork."""

    def __init__(self, path: Path, *steps: Callable[[], None]) -> None:
        question, self._ask = os.pipe()

        def take_steps(report: Callable[[object], None]) -> None:
            for step in steps:
                os.read(question, 1)
                step()
                report(None)

        self._process = Process(take_steps)
        self._reports = self._process.reports()

    def step(self) -> None:
        os.write(self._ask, b"x")
        next(self._reports)


def put(**rows: bytes) -> Callable[[happybase.Table], None]:
    def work(table: happybase.Table) -> None:
        for row, value in rows.items():
            table.put(row, {b"d:a": value})

    return work


def put_many(table: happybase.Table) -> None:
    """500 rows in one batch."""
    with table.batch() as batch:
        for number in range(500):
            batch.put(b"row-%04d" % number, {b"d:a": b"0", b"d:b": b"0"})


def values(connection: happybase.Connection) -> dict[bytes, bytes]:
    return {row: cells[b"d:a"] for row, cells in connection.table("t").scan()}


def test_a_store_in_a_folder_that_cannot_be_written_is_read_if_it_can_be_and_nothing_is_made_beside_it(store):
    with read_only(store):
        connection = connect(f"embedded:{store}")
        assert values(connection) == {b"r": b"1"}
        with pytest.raises(IOError, match="it cannot be written, make the file and its folder writable"):
            connection.table("t").put(b"r", {b"d:a": b"2"})
        connection.close()
        new = store.parent / "new.db"
        with pytest.raises(StoreError) as caught:
            connect(f"embedded:{new}")
        assert str(caught.value) == f"{new}: {new.parent} cannot be written, make it writable or choose another path"
        assert [file.name for file in store.parent.iterdir()] == ["store.db"]
    with read_only(store, mode=0), pytest.raises(StoreError, match=r"store.db: cannot be read, make it readable"):
        connect(f"embedded:{store}")


def without_index(store: Path) -> None:
    os.unlink(f"{store}-shm")  # as in a copy of the other two files


def closed_to_readers(store: Path) -> None:
    os.chmod(f"{store}-wal", 0)


@pytest.mark.parametrize("change", [without_index, closed_to_readers])
def test_a_log_that_cannot_be_read_without_rights_is_an_error_that_says_what_to_do(store, change):
    privileged(store, put(s=b"2"), then_die=True)
    change(store)
    advice = f"{store}: its log, {store}-wal, cannot be read from here: open the store once with rights"
    with read_only(store), pytest.raises(StoreError, match=advice):
        connect(f"embedded:{store}")
    privileged(store, put())
    with read_only(store):
        assert values(connect(f"embedded:{store}")) == {b"r": b"1", b"s": b"2"}


def test_a_write_that_was_killed_before_the_store_had_a_log_is_not_read_by_half(store):
    privileged(store, put_many)

    def change_some_pages(report: Callable[[object], None]) -> None:
        database = sqlite3.connect(store, isolation_level=None)
        database.execute("pragma journal_mode = delete")
        database.execute("pragma cache_size = 2")
        database.execute("begin")
        database.execute("update cells set value = x'31'")
        os._exit(0)

    run(change_some_pages)
    assert Path(f"{store}-journal").stat().st_size > 0
    with read_only(store), pytest.raises(StoreError, match=r"its log, .*-journal, cannot be read from here"):
        connect(f"embedded:{store}")
    assert set(values(connect(f"embedded:{store}")).values()) == {b"0", b"1"}
    assert values(connect(f"embedded:{store}"))[b"row-0000"] == b"0"


def test_a_reader_without_rights_sees_what_a_writer_with_rights_writes_afterwards(store):
    with read_only(store):
        writer = Writer(
            store,
            lambda: privileged(store, put(s=b"2")),  # its log is gone again
            lambda: privileged(store, put(t=b"3"), then_die=True),  # its log is still there
            lambda: privileged(store, put(r=b"4")),
        )
        connection = connect(f"embedded:{store}")
        assert values(connection) == {b"r": b"1"}
        writer.step()
        assert values(connection) == {b"r": b"1", b"s": b"2"}
        writer.step()
        assert values(connection) == values(connect(f"embedded:{store}")) == {b"r": b"1", b"s": b"2", b"t": b"3"}
        writer.step()
        assert values(connection) == {b"r": b"4", b"s": b"2", b"t": b"3"}
        connection.close()
        assert values(connect(f"embedded:{store}")) == {b"r": b"4", b"s": b"2", b"t": b"3"}
