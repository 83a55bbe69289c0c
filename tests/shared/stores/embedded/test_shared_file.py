"""Processes that share a file: nothing is lost, rows are seen whole, and waits end."""

import random
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from pathlib import Path

import happybase
import pytest
from Hbase_thrift import IOError
from thriftpy2.transport import TTransportException

from shared.stores import connect
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.server import thrift_server
from shared.stores.server.thrift_server import ThriftServer
from tests.shared.stores.processes import Process

COLUMNS = [b"d:%d" % number for number in range(3)]


def write(path: Path, writer: int, run_s: float, report: Callable[[int], None]) -> None:
    """Batches of own rows and of rows that all write, and a counter; reports each batch."""
    rng, ends_s = random.Random(writer), time.monotonic() + run_s
    table = connect(f"embedded:{path}").table("t")
    for number in count():
        with table.batch() as batch:
            batch.put(b"own-%d-%06d" % (writer, number), dict.fromkeys(COLUMNS, b"%d" % number))
            for row in rng.sample(range(20), 5):
                batch.put(b"shared-%02d" % row, dict.fromkeys(COLUMNS, b"%d-%d" % (writer, number)))
        table.counter_inc(b"counter", b"d:n")
        report(number)
        if time.monotonic() > ends_s:
            break


def scan(path: Path, run_s: float, report: Callable[[int], None]) -> None:
    """Scans, forwards and backwards; what one has seen, the next one must see too."""
    table = connect(f"embedded:{path}").table("t")
    ends_s, rows_before, counted_before = time.monotonic() + run_s, set(), 0
    for number in count():
        rows = set()
        for row, cells in table.scan(batch_size=100, reverse=number % 2 == 1):
            if row == b"counter":
                continue
            assert sorted(cells) == COLUMNS
            assert len(set(cells.values())) == 1, (row, cells)
            rows.add(row)
        counted = table.counter_get(b"counter", b"d:n")
        assert rows_before <= rows
        assert counted_before <= counted
        rows_before, counted_before = rows, counted
        report(number)
        if time.monotonic() > ends_s:
            break


@pytest.mark.parametrize(
    ("kill_one", "run_s"),
    [(True, 0.2), *(pytest.param(kill_one, 20.0, marks=pytest.mark.long) for kill_one in (True, False))],
)
def test_eight_processes_lose_nothing_and_see_each_row_whole_also_when_one_is_killed(path, kill_one, run_s):
    runs_s = [600 if kill_one else run_s, run_s, run_s, run_s]
    writers = [
        Process(lambda report, number=number: write(path, number, runs_s[number], report)) for number in range(4)
    ]
    scanners = [Process(lambda report: scan(path, run_s, report)) for _ in range(4)]
    if kill_one:
        time.sleep(run_s / 2)
        writers[0].kill()
    with ThreadPoolExecutor(8) as readers:  # all at once, for a pipe that is full would stop its process
        reports = list(readers.map(lambda process: list(process.reports()), writers + scanners))
    assert [process.wait() for process in writers + scanners] == [-9 if kill_one else 0, *[0] * 7]
    assert all(reports[4:])
    acknowledged = {
        b"own-%d-%06d" % (writer, number) for writer, batches in enumerate(reports[:4]) for number in batches
    }
    with closing(connect(f"embedded:{path}")) as connection:
        stored = {row for row, _ in connection.table("t").scan(row_prefix=b"own-")}
        assert acknowledged <= stored
        assert len(stored) <= len(acknowledged) + kill_one
        counted = connection.table("t").counter_get(b"counter", b"d:n")
        assert len(acknowledged) <= counted <= len(acknowledged) + kill_one
        connection.check()


# Two connections


def test_processes_that_open_a_new_file_at_once_all_find_it_ready(tmp_path):
    new = tmp_path / "new.db"

    def open_new(name: str) -> None:
        connection = connect(f"embedded:{new}")
        connection.create_table(name, {"d": {}})
        connection.table(name).put(b"r", {b"d:a": name})

    processes = [Process(lambda report, name=f"t{number}": open_new(name)) for number in range(5)]
    assert [process.wait() for process in processes] == [0] * 5
    assert connect(f"embedded:{new}").tables() == [b"t%d" % number for number in range(5)]


def test_readers_go_on_while_another_writes_and_a_second_writer_waits(path):
    first, second = EmbeddedConnection(str(path), wait_s=0.2), EmbeddedConnection(str(path), wait_s=0.2)
    first.table("t").put(b"r", {b"d:a": b"1"})
    with first.transport.writing():
        assert second.table("t").row(b"r") == {b"d:a": b"1"}
        begin = time.monotonic()
        with pytest.raises(IOError) as caught:
            second.table("t").put(b"r", {b"d:a": b"2"})
        assert time.monotonic() - begin > 0.15
    assert b"another process is writing to it, try again when that is done (waited 0.2 s)" in caught.value.message
    second.table("t").put(b"r", {b"d:a": b"2"})
    assert first.table("t").row(b"r") == {b"d:a": b"2"}


def test_a_writer_that_waits_for_another_process_leaves_reads_to_other_threads_and_is_dated_when_its_turn_comes(path):
    first, second = connect(f"embedded:{path}"), connect(f"embedded:{path}")
    first.table("t").put(b"r", {b"d:a": b"1"})
    with ThreadPoolExecutor(3) as pool:
        with first.transport.writing():
            writes = [pool.submit(second.table("t").put, b"r%d" % number, {b"d:a": b"2"}) for number in range(3)]
            time.sleep(0.1)
            assert second.table("t").row(b"r") == {b"d:a": b"1"}
            assert not any(write.done() for write in writes)
            ends_ms = time.time_ns() // 1_000_000
        for write in writes:
            write.result(10)
    written = [(row, *cells[b"d:a"]) for row, cells in first.table("t").scan(b"r0", include_timestamp=True)]
    assert [(row, value) for row, value, _ in written] == [(b"r0", b"2"), (b"r1", b"2"), (b"r2", b"2")]
    assert min(timestamp for *_, timestamp in written) >= ends_ms


@pytest.mark.long
def test_a_server_whose_clients_wait_for_another_process_stops_and_breaks_their_writes_off(path, monkeypatch):
    monkeypatch.setattr(thrift_server, "STOP_S", 0.5)
    direct, served = connect(f"embedded:{path}"), connect(f"embedded:{path}")
    with direct.transport.writing(), ThreadPoolExecutor(3) as pool, ThriftServer(served.service) as server:
        clients = [happybase.Connection(server.host, server.port) for _ in range(3)]
        writes = [pool.submit(client.table("t").put, b"r", {b"d:a": b"2"}) for client in clients]
        time.sleep(0.2)
        server.stop()
        assert not any(thread.name.startswith("rowbook") for thread in threading.enumerate())
        for write in writes:
            with pytest.raises((IOError, TTransportException)):
                write.result(1)
    assert direct.table("t").row(b"r") == {}


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
