"""Files: several processes, killed writers, and what is refused."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from Hbase_thrift import IOError

from shared.stores import EmbeddedConnection, StoreError, connect

ROOT = Path(__file__).resolve().parents[3]


def run(code: str, *arguments: object, **options: object) -> subprocess.Popen[str]:
    """A Python process at the repository's root; `code` finds the arguments in sys.argv[1:]."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, **options)


@pytest.fixture
def path(tmp_path) -> Path:
    """A store with an empty table."""
    path = tmp_path / "store.db"
    connection = connect(f"embedded:{path}")
    connection.create_table("t", {"d": {}})
    connection.close()
    return path


WRITER = """
import sys
from shared.stores import connect
table = connect("embedded:" + sys.argv[1]).table("t")
number = int(sys.argv[2])
while True:
    table.put(b"%08d" % number, {b"d:a": b"%d" % number, b"d:b": b"%d" % number})
    print(number, flush=True)
    number += 1
"""


def test_a_killed_writer_leaves_every_acknowledged_row_and_no_half_row(path):
    start = 0
    for _ in range(3):
        writer = run(WRITER, path, start)
        assert writer.stdout is not None
        assert str(start) == writer.stdout.readline().strip()
        time.sleep(random.uniform(0, 0.2))
        writer.send_signal(signal.SIGKILL)
        acknowledged = [start] + [int(line) for line in writer.stdout.read().split()]
        writer.wait()
        found = dict(connect(f"embedded:{path}").table("t").scan(row_start=b"%08d" % start))
        assert {b"%08d" % number for number in acknowledged} <= set(found)
        for row, cells in found.items():
            assert {b"d:a": b"%d" % int(row), b"d:b": b"%d" % int(row)} == cells
        start = acknowledged[-1] + 2


def test_processes_that_open_a_new_file_at_once_all_find_it_ready(tmp_path):
    code = """
import sys
from shared.stores import connect
connection = connect("embedded:" + sys.argv[1])
connection.create_table(sys.argv[2], {"d": {}})
connection.table(sys.argv[2]).put(b"r", {b"d:a": sys.argv[2]})
"""
    processes = [run(code, tmp_path / "new.db", f"t{number}") for number in range(4)]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]
    assert connect(f"embedded:{tmp_path / 'new.db'}").tables() == [b"t0", b"t1", b"t2", b"t3"]


def test_two_connections_see_each_other_s_tables_and_rows(path):
    one, other = connect(f"embedded:{path}"), connect(f"embedded:{path}")
    assert other.tables() == [b"t"]
    one.create_table("u", {"d": {}})
    assert other.tables() == [b"t", b"u"]
    other.table("u").put(b"r", {b"d:a": b"1"})
    assert one.table("u").row(b"r") == {b"d:a": b"1"}
    one.delete_table("u", disable=True)
    with pytest.raises(IOError, match="TableNotFound"):
        other.table("u").row(b"r")
    with pytest.raises(IOError, match="TableNotFound"):
        other.table("u").put(b"r", {b"d:a": b"1"})


def test_readers_go_on_while_another_writes_and_a_second_writer_waits(path):
    one, other = EmbeddedConnection(str(path), wait_s=0.2), EmbeddedConnection(str(path), wait_s=0.2)
    one.table("t").put(b"r", {b"d:a": b"1"})
    with one.transport.writing():
        assert other.table("t").row(b"r") == {b"d:a": b"1"}
        begin = time.monotonic()
        with pytest.raises(IOError) as caught:
            other.table("t").put(b"r", {b"d:a": b"2"})
        assert 0.15 < time.monotonic() - begin < 2
    assert b"another process is writing to it, try again when that is done (waited 0.2 s)" in caught.value.message
    other.table("t").put(b"r", {b"d:a": b"2"})
    assert one.table("t").row(b"r") == {b"d:a": b"2"}


def test_a_writer_gets_its_turn_when_the_other_is_done(path):
    one, other = connect(f"embedded:{path}"), connect(f"embedded:{path}")
    writing = threading.Event()

    def hold() -> None:
        with one.transport.writing():
            writing.set()
            time.sleep(0.2)

    holder = threading.Thread(target=hold)
    holder.start()
    writing.wait()
    other.table("t").put(b"r", {b"d:a": b"1"})
    holder.join()
    assert one.table("t").row(b"r") == {b"d:a": b"1"}


def test_threads_may_share_a_connection(path):
    connection = connect(f"embedded:{path}")
    table = connection.table("t")
    torn = []

    def write(thread: int) -> None:
        for number in range(50):
            table.put(b"shared", {b"d:a": b"%d-%d" % (thread, number), b"d:b": b"%d-%d" % (thread, number)})
            table.counter_inc(b"counter", b"d:n")

    def read() -> None:
        for _ in range(200):
            cells = table.row(b"shared", columns=[b"d:a", b"d:b"])
            if len(set(cells.values())) > 1:
                torn.append(cells)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    threads.append(threading.Thread(target=read))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert table.counter_get(b"counter", b"d:n") == 150
    assert torn == []


def test_a_row_is_never_seen_half_written_by_another_process(path):
    code = """
import sys
from shared.stores import connect
table = connect("embedded:" + sys.argv[1]).table("t")
for number in range(int(sys.argv[2])):
    table.put(b"r", {b"d:a": b"%d" % number, b"d:z": b"%d" % number})
"""
    table = connect(f"embedded:{path}").table("t")
    writer = run(code, path, 200)
    while writer.poll() is None:
        assert len(set(table.row(b"r", columns=[b"d:a", b"d:z"]).values())) <= 1
        assert all(len(set(cells.values())) == 1 for _, cells in table.scan(reverse=True))
    assert table.row(b"r") == {b"d:a": b"199", b"d:z": b"199"}


def test_an_abandoned_scan_holds_back_no_checkpoint(path):
    connection = connect(f"embedded:{path}")
    table = connection.table("t")
    for number in range(10):
        table.put(b"%d" % number, {b"d:a": b"1"})
    scan = table.scan(batch_size=2)
    next(scan)
    table.put(b"x", {b"d:a": b"1"})
    database = sqlite3.connect(path)
    busy, _, _ = database.execute("pragma wal_checkpoint(truncate)").fetchone()
    assert busy == 0
    assert len(list(scan)) == 10


def test_an_error_of_sqlite_is_an_io_error_that_says_what_to_do(path):
    connection = connect(f"embedded:{path}")
    table = connection.table("t")
    database = connection.transport._database
    (pages,) = database.execute("pragma page_count").fetchone()
    database.execute(f"pragma max_page_count = {pages + 5}")
    with pytest.raises(IOError) as caught:
        table.put(b"big", {b"d:a": bytes(100_000), b"d:b": b"1"})
    assert f"{path}: the disk is full, free some space and try again: ".encode() in caught.value.message
    assert table.row(b"big") == {}
    table.put(b"small", {b"d:a": b"1"})
    assert table.row(b"small") == {b"d:a": b"1"}


def refusal(path: Path | str) -> str:
    with pytest.raises(StoreError) as caught:
        connect(f"embedded:{path}")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_not_a_store_is_refused_and_left_as_it_was(tmp_path):
    text, foreign = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("not a database, but long enough to be asked for its header\n" * 20)
    other = sqlite3.connect(foreign)
    other.execute("create table x (y)")
    other.close()
    before = text.read_bytes(), foreign.read_bytes()
    assert "it is not a store, choose another path: file is not a database" in refusal(text)
    assert "is an SQLite file but not a store of rowbook, choose another path" in refusal(foreign)
    assert (text.read_bytes(), foreign.read_bytes()) == before
    assert {"notes.txt", "other.db"} == {each.name for each in tmp_path.iterdir()}


def test_another_format_is_refused_by_its_number(path):
    database = sqlite3.connect(path)
    database.execute("pragma user_version = 2")
    database.close()
    assert f"{path}: has format 2 and this rowbook reads format 1, use the one that wrote it" == refusal(path)


def test_a_truncated_file_is_refused(path):
    table = connect(f"embedded:{path}").table("t")
    with table.batch() as batch:
        for number in range(500):
            batch.put(b"%d" % number, {b"d:a": bytes(100)})
    table.connection.close()
    whole = path.read_bytes()
    for kept in (len(whole) - 4096, len(whole) // 2, 5000, 4096, 100, 10):
        path.write_bytes(whole[:kept])
        message = refusal(path)
        assert "the file is damaged, restore it from a copy" in message or "it is not a store" in message


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "empty.db").touch()
    assert connect(f"embedded:{tmp_path / 'empty.db'}").tables() == []


def test_a_folder_and_a_folder_that_is_not_there(tmp_path):
    assert f"{tmp_path}: is a folder, name a file in it" == refusal(tmp_path)
    assert "does not exist, create it first" in refusal(tmp_path / "no" / "store.db")
    assert "is a folder" in refusal(f"{tmp_path}/")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user can reach; the tests' own is closed to others."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Root may write anywhere: the tests of permissions run as somebody else."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield
    if root:
        os.seteuid(0)


def test_a_file_that_cannot_be_written_is_refused(open_folder, path, request):
    read_only = open_folder / "store.db"
    shutil.copy(path, read_only)
    open_folder.chmod(0o777)
    read_only.chmod(0o444)
    request.getfixturevalue("as_nobody")
    assert f"{read_only}: {read_only} cannot be written, make it writable or choose another path" == refusal(read_only)


def test_a_folder_that_cannot_be_written_is_refused(open_folder, path, request):
    writable = open_folder / "store.db"
    shutil.copy(path, writable)
    writable.chmod(0o666)
    open_folder.chmod(0o555)
    request.getfixturevalue("as_nobody")
    for store in (writable, open_folder / "new.db"):
        assert f"{store}: {open_folder} cannot be written, make it writable or choose another path" == refusal(store)
