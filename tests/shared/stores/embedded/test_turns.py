"""Calls take turns with the engine: whatever one of them asks for, the others go on."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import happybase
import pytest
from Hbase_thrift import IllegalArgument, IOError, TIncrement, TScan
from thriftpy2.thrift import TApplicationException

from shared.keys.limits import MAX_FILTER_BYTES
from shared.stores import connect
from shared.stores.embedded import reads, scanners, stored_rows, turns
from shared.stores.filters import comparators
from shared.stores.server.thrift_server import ThriftServer
from tests.shared.stores.conftest import rows_read


@pytest.fixture
def one_row_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TURN_S", -1.0)


@pytest.fixture
def filled(table: happybase.Table) -> happybase.Table:
    with table.batch() as batch:
        for number in range(500):
            batch.put(b"%03d" % number, {b"d:a": b"v"})
    return table


@pytest.fixture
def other(connection: happybase.Connection) -> Iterator[happybase.Connection]:
    """A client of the same store over TCP."""
    with ThriftServer(connection.service) as running:
        client = happybase.Connection(running.host, running.port)
        yield client
        client.close()


NONE = "ValueFilter(=, 'binary:none')"
LONG_READS = {
    "filter": lambda table: list(table.scan(filter=NONE)),
    "filter reverse": lambda table: list(table.scan(filter=NONE, reverse=True)),
    "one reply": lambda table: list(table.scan(batch_size=500)),
    "before all cells": lambda table: list(table.scan(timestamp=1)),
    "rows": lambda table: table.rows([b"001"] * 500),
}


@pytest.mark.usefixtures("one_row_turns")
@pytest.mark.parametrize("read", LONG_READS.values(), ids=LONG_READS)
def test_calls_of_others_are_answered_within_a_long_read(read, filled, monkeypatch):
    lock = filled.connection.service.engine.lock
    begun, answered = threading.Event(), threading.Event()
    pauses = []

    def answer():
        assert begun.wait(10)
        with lock:
            answered.set()

    def ends_turn():
        begun.set()
        return time.monotonic() - 1.0

    for module in (scanners, reads):
        monkeypatch.setattr(module, "turn_end_s", ends_turn)
        monkeypatch.setattr(module, "let_others_in", lambda: pauses.append(answered.wait(10)))
    with ThreadPoolExecutor(1) as pool:
        pool.submit(answer)
        read(filled)
    assert pauses
    assert all(pauses), "no other call was answered while the read was under way"


def test_the_pause_between_two_turns_is_long_enough_for_a_waiting_thread():
    lock, turns_waited = threading.RLock(), []
    for _ in range(20):
        gone, count = threading.Event(), 0

        def wait(gone=gone):
            with lock:
                gone.set()

        waiting = threading.Thread(target=wait)
        with lock:
            waiting.start()
            time.sleep(0.001)
        while not gone.is_set() and count < 1000:
            turns.let_others_in()
            with lock:
                count += 1
        waiting.join()
        turns_waited.append(count)
    assert sorted(turns_waited)[10] <= 20


# Patterns


def test_others_are_answered_while_a_pattern_without_end_is_matched_whose_scan_then_fails(table, other, monkeypatch):
    monkeypatch.setattr(comparators, "MATCH_S", 0.2)
    long = b"x" * 20_000 + b"!"
    table.put(b"1", {b"d:a": long})
    table.put(b"2", {b"d:a": b"short"})
    begun, text_of = threading.Event(), comparators.java_text

    def begins(cell):
        if cell == long:  # the last call before its search
            begun.set()
        return text_of(cell)

    monkeypatch.setattr(comparators, "java_text", begins)
    with ThreadPoolExecutor(1) as pool:
        matching = pool.submit(lambda: list(table.scan(filter="ValueFilter(=, 'regexstring:(x+x+)+y')")))
        assert begun.wait(10)
        answered = 0
        while not matching.done():
            assert other.table("t").row(b"2") == {b"d:a": b"short"}
            answered += 1
        assert answered > 5  # a search that keeps the interpreter lets other threads run only after its end
        with pytest.raises(IOError, match=rf"regexstring took more than 0.2 s.*cell of {len(long)} bytes"):
            matching.result(10)


@pytest.mark.parametrize("pattern", ["((a{1000}){1000}){1000}", "(a{300}){300}", "$" * 60_000, "a{70000}"])
def test_a_pattern_that_is_long_once_written_out_is_refused(table, pattern):
    with pytest.raises(TApplicationException, match="must be at most 65536 steps"):
        list(table.scan(filter=f"ValueFilter(=, 'regexstring:{pattern}')"))


def test_all_patterns_of_one_filter_share_the_steps(table):
    half = "ValueFilter(=, 'regexstring:(?:a{200}){150}')"
    assert list(table.scan(filter=f"{half} OR {half}")) == []
    with pytest.raises(TApplicationException, match="at most 65536 steps in all its regular expressions"):
        list(table.scan(filter=f"{half} OR {half} OR {half}"))


def test_a_filter_of_too_many_bytes_is_refused(table):
    most = MAX_FILTER_BYTES
    text = f"PrefixFilter('{'a' * (most - 16)}')"
    assert list(table.scan(filter=text)) == []
    with pytest.raises(TApplicationException, match=rf"filterString: must be at most {most} bytes \(got {most + 1}\)"):
        list(table.scan(filter=text + " "))


def test_a_failed_scan_stays_failed_and_returns_nothing_more(table, monkeypatch):
    monkeypatch.setattr(comparators, "MATCH_S", 0.05)
    table.put(b"1", {b"d:a": b"fine"})
    table.put(b"2", {b"d:a": b"x" * 20_000})
    scan = TScan(startRow=b"", filterString=b"ValueFilter(!=, 'regexstring:(x+x+)+y')")
    client = table.connection.client
    scanner = client.scannerOpenWithScan(b"t", scan, {})
    for _ in range(2):
        with pytest.raises(IOError, match="regexstring took more than"):
            client.scannerGetList(scanner, 10)


# Scanners


INVALID = "scanner ID is invalid"


def test_a_scanner_that_idles_120_seconds_is_dropped(filled, monkeypatch):
    clock_s = 0.0
    monkeypatch.setattr(scanners.time, "monotonic", lambda: clock_s)
    client = filled.connection.client
    scanner = client.scannerOpen(b"t", b"", None, {})
    for clock_s in (119.0, 230.0):  # noqa: B007 - the clock reads it
        assert len(client.scannerGet(scanner)) == 1
    clock_s = 350.0
    with pytest.raises(IllegalArgument, match=INVALID):
        client.scannerGet(scanner)


def test_beyond_the_bound_the_scanner_that_was_used_longest_ago_is_closed(table, monkeypatch):
    monkeypatch.setattr(scanners, "MAX_SCANNER_BYTES", 5 * 1100)
    client = table.connection.client
    first, second, *_ = [client.scannerOpen(b"t", b"", [], {}) for _ in range(5)]
    assert client.scannerGet(first) == []
    newest = client.scannerOpen(b"t", b"", [], {})
    assert client.scannerGet(first) == client.scannerGet(newest) == []
    with pytest.raises(IllegalArgument, match=INVALID):
        client.scannerGet(second)
    client.scannerClose(first)
    third = client.scannerOpen(b"t", b"", [], {})
    assert client.scannerGet(newest) == client.scannerGet(third) == []


HEAVY_SCANS = {
    "pattern": {"filterString": b"ValueFilter(=, 'regexstring:(?:a{200}){200}')"},
    "long filter": {"filterString": b" AND ".join([b"ValueFilter(=, 'binary:v')"] * 2_000)},
    "columns": {"columns": [b"d:%d" % number for number in range(50_000)]},
}


@pytest.mark.parametrize("fields", HEAVY_SCANS.values(), ids=HEAVY_SCANS)
def test_scanners_count_with_the_filters_and_columns_they_keep(fields, table, monkeypatch):
    monkeypatch.setattr(scanners, "MAX_SCANNER_BYTES", 2_000_000)
    with pytest.raises(IOError, match="a scanner must keep at most 2000000 bytes"):
        table.connection.client.scannerOpenWithScan(b"t", TScan(startRow=b"", **fields), {})


def test_scanners_count_with_the_parts_of_a_row_that_were_not_fetched_yet(table, monkeypatch):
    client = table.connection.client
    table.put(b"1", {b"d:%d" % number: b"v" for number in range(1_000)})
    scan = TScan(startRow=b"", batchSize=1, filterString=b"KeyOnlyFilter()")
    all_scanners = client.service._scanners

    first = client.scannerOpenWithScan(b"t", scan, {})
    before = all_scanners._bytes
    assert len(client.scannerGetList(first, 10)) == 10
    counted = all_scanners._bytes
    assert counted > before + 500_000
    assert len(client.scannerGetList(first, 10)) == 10
    assert all_scanners._bytes == counted  # a fetch that reads nothing does not count the rest again
    assert len(client.scannerGetList(first, 2_000)) == 980
    assert all_scanners._bytes == before

    monkeypatch.setattr(scanners, "MAX_SCANNER_BYTES", 400_000)
    second = client.scannerOpenWithScan(b"t", scan, {})
    with pytest.raises(IOError, match=r"a scanner must keep at most 400000 bytes \(got .*: ask for less of a row"):
        client.scannerGetList(second, 1)
    with pytest.raises(IllegalArgument, match=INVALID):
        client.scannerGetList(second, 1)
    client.scannerClose(first)
    assert all_scanners._bytes == 0


# Tombstones and tables


@pytest.mark.parametrize("reverse", [False, True])
def test_a_scan_past_many_tombstones_counts_each_row_once(table, monkeypatch, reverse):
    monkeypatch.setattr(stored_rows, "CELLS_PER_TURN", 7)
    table.delete(b"row", [b"d:%02d" % number for number in range(20)], timestamp=2)  # more than one turn reads
    for number in range(100):
        table.put(b"%02d" % number, {b"d:a": b"1", b"d:b": b"2"}, timestamp=1)
        if number % 10:
            table.delete(b"%02d" % number, timestamp=2)
    expected = sorted((b"%02d" % number for number in range(0, 100, 10)), reverse=reverse)
    read = lambda: [row for row, _ in table.scan(reverse=reverse)]  # noqa: E731
    assert rows_read(table.connection, read) == 101
    assert read() == expected


def test_a_table_is_dropped_with_all_its_rows_in_turns(monkeypatch):
    monkeypatch.setattr(stored_rows, "CELLS_PER_TURN", 7)
    connection = connect("embedded:")
    for name in ("a", "b"):
        connection.create_table(name, {"d": {}})
        for number in range(30):
            connection.table(name).put(b"%02d" % number, {b"d:a": b"1", b"d:b": b"2"})
            connection.table(name).delete(b"%02d" % number, columns=[b"d:a"])
    connection.delete_table("a", disable=True)
    database = connection.service.engine._database
    assert [name for (name,) in database.execute("select name from tables")] == [b"b"]
    for part in ("cells", "tombstones"):
        assert database.execute(f"select count(*) from {part} where table_id = 1").fetchone() == (0,)
        assert database.execute(f"select count(*) from {part} where table_id = 2").fetchone() == (30,)
    connection.close()


# Counters


def test_calls_of_others_are_answered_within_many_increments(table, other, monkeypatch):
    monkeypatch.setattr(turns, "TURN_S", -1.0)
    lock = table.connection.service.engine.lock
    counts: list[int] = []

    def look() -> None:
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(lock.acquire, timeout=10).result()
            pool.submit(lock.release)
        counts.append(other.table("t").counter_get(b"r", b"d:a"))

    monkeypatch.setattr("shared.stores.embedded.service.let_others_in", look)
    table.connection.client.incrementRows([TIncrement(b"t", b"r", b"d:a", 1)] * 5)
    assert counts[-1] == 4
    assert other.table("t").counter_get(b"r", b"d:a") == 5
