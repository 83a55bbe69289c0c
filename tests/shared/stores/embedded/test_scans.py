"""Scans: bounds in both directions, limits, partial rows, ids."""

import pytest
from Hbase_thrift import IllegalArgument, IOError, TScan
from hypothesis import given
from hypothesis import strategies as st
from thriftpy2.thrift import TApplicationException

from shared.stores import connect
from shared.stores.embedded import scanners

ROWS = [b"a", b"b", b"b\x00", b"c", b"\xff", b"\xff\xff"]


@pytest.fixture
def rows(table):
    for row in ROWS:
        table.put(row, {b"d:a": row})
    return table


def keys(scan) -> list[bytes]:
    return [row for row, _ in scan]


def test_start_is_inclusive_and_stop_exclusive_in_both_directions(rows):
    assert keys(rows.scan()) == ROWS
    assert keys(rows.scan(row_start=b"b", row_stop=b"c")) == [b"b", b"b\x00"]
    assert keys(rows.scan(row_start="b")) == ROWS[1:]
    assert keys(rows.scan(row_stop=b"b")) == [b"a"]
    assert keys(rows.scan(reverse=True)) == ROWS[::-1]
    assert keys(rows.scan(row_start=b"c", row_stop=b"b", reverse=True)) == [b"c", b"b\x00"]
    assert keys(rows.scan(row_start=b"bz", reverse=True)) == [b"b\x00", b"b", b"a"]
    assert keys(rows.scan(row_stop=b"c", reverse=True)) == [b"\xff\xff", b"\xff"]


def test_crossed_bounds_are_empty_and_equal_ones_a_get(rows):
    assert keys(rows.scan(row_start=b"c", row_stop=b"a")) == []
    assert keys(rows.scan(row_start=b"a", row_stop=b"c", reverse=True)) == []
    for reverse in (False, True):
        assert keys(rows.scan(row_start=b"b", row_stop=b"b", reverse=reverse)) == [b"b"]
        assert keys(rows.scan(row_start=b"bb", row_stop=b"bb", reverse=reverse)) == []


def test_a_prefix(rows):
    assert keys(rows.scan(row_prefix=b"b")) == [b"b", b"b\x00"]
    assert keys(rows.scan(row_prefix=b"\xff")) == [b"\xff", b"\xff\xff"]
    # As on HBase: happybase starts the reversed scan at b"c", inclusive, and stops before b"b".
    assert keys(rows.scan(row_prefix=b"b", reverse=True)) == [b"c", b"b\x00"]


@pytest.mark.parametrize("batch_size", [1, 2, 3, 1000])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_batch_size_changes_nothing_and_a_limit_stops(rows, batch_size, reverse):
    expected = ROWS[::-1] if reverse else ROWS
    assert keys(rows.scan(batch_size=batch_size, reverse=reverse)) == expected
    for limit in (1, 2, 6, 7):
        assert keys(rows.scan(batch_size=batch_size, reverse=reverse, limit=limit)) == expected[:limit]


def test_a_scan_returns_the_newest_version_in_both_directions(table):
    for timestamp in (1, 2, 3, 4, 5):
        table.put(b"r", {b"d:a": b"%d" % timestamp, b"m:a": b"m%d" % timestamp}, timestamp=timestamp)
    for reverse in (False, True):
        (row,) = table.scan(reverse=reverse)
        assert row == (b"r", {b"d:a": b"5", b"m:a": b"m5"})
        (row,) = table.scan(reverse=reverse, include_timestamp=True, timestamp=5)
        assert row == (b"r", {b"d:a": (b"4", 4), b"m:a": (b"m4", 4)})


def test_sorted_columns_are_in_the_order_of_families_first(connection):
    connection.create_table("o", {"cf": {}, "cf1": {}})
    table = connection.table("o")
    table.put(b"r", {b"cf1:a": b"1", b"cf:z": b"2", b"cf:b": b"3"})
    ((_, cells),) = table.scan(sorted_columns=True)
    assert list(cells) == [b"cf:b", b"cf:z", b"cf1:a"]


@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize("batch_size", [1, 2, 1000])
def test_scan_batching_cuts_rows_into_parts(table, in_order, batch_size):
    for row in (b"a", b"b"):
        table.put(row, {b"d:%d" % number: b"" for number in range(5)})
    parts = list(table.scan(scan_batching=2, sorted_columns=in_order, batch_size=batch_size))
    assert [(r, len(cells)) for r, cells in parts] == [(b"a", 2), (b"a", 2), (b"a", 1), (b"b", 2), (b"b", 2), (b"b", 1)]
    assert [column for row, cells in parts if row == b"a" for column in cells] == [
        b"d:0",
        b"d:1",
        b"d:2",
        b"d:3",
        b"d:4",
    ]
    assert len(list(table.scan(scan_batching=2, limit=4))) == 4


def test_errors_come_from_the_fetch_and_again_from_the_next(table, connection):
    client = connection.client
    for name, columns, error in ((b"nope", None, "TableNotFound"), (b"t", [b"x:a"], "NoSuchColumnFamily")):
        scanner = client.scannerOpenWithScan(name, TScan(columns=columns), {})
        for _ in range(2):
            with pytest.raises(IOError, match=error):
                client.scannerGetList(scanner, 1)
        client.scannerClose(scanner)


@pytest.mark.parametrize(
    "scan", [TScan(filterString=b"KeyOnlyFilter"), TScan(startRow=b"x" * 32_768), TScan(timestamp=-1)]
)
def test_what_the_open_refuses(table, connection, scan):
    with pytest.raises(TApplicationException, match="Internal error processing scannerOpenWithScan"):
        connection.client.scannerOpenWithScan(b"t", scan, {})


def test_a_bad_filter_is_refused_when_the_scan_opens(table, connection):
    with pytest.raises(TApplicationException, match="NoSuchFilter"):
        connection.client.scannerOpenWithScan(b"t", TScan(filterString=b"NoSuchFilter()"), {})


def test_ids_count_up_and_a_closed_one_is_invalid(rows, connection):
    client = connection.client
    first, second = (client.scannerOpenWithScan(b"t", TScan(), {}) for _ in range(2))
    assert (first, second) == (0, 1)
    assert [result.row for result in client.scannerGet(first)] == [b"a"]
    assert client.scannerGetList(first, 0) == []
    assert [result.row for result in client.scannerGetList(first, 2)] == [b"b", b"b\x00"]
    with pytest.raises(TApplicationException):
        client.scannerGetList(first, -1)
    client.scannerClose(first)
    for call in (lambda: client.scannerGetList(first, 1), lambda: client.scannerClose(first)):
        with pytest.raises(IllegalArgument, match="scanner ID is invalid"):
            call()


def test_a_scanner_that_idles_120_seconds_is_dropped(rows, connection, monkeypatch):
    clock_s = 0.0
    monkeypatch.setattr(scanners.time, "monotonic", lambda: clock_s)
    scanner = connection.client.scannerOpen(b"t", b"", None, {})
    for clock_s in (119.0, 230.0):  # noqa: B007 - the clock reads it
        assert len(connection.client.scannerGet(scanner)) == 1
    clock_s = 350.0
    with pytest.raises(IllegalArgument, match="scanner ID is invalid"):
        connection.client.scannerGet(scanner)


def test_the_other_ways_to_open_a_scan(rows, connection):
    client = connection.client

    def scan(scanner: int) -> list[bytes]:
        return [result.row for result in client.scannerGetList(scanner, 100)]

    assert ROWS[1:] == scan(client.scannerOpen(b"t", b"b", [], {}))
    assert scan(client.scannerOpenWithStop(b"t", b"b", b"c", [b"d"], {})) == [b"b", b"b\x00"]
    assert scan(client.scannerOpenWithPrefix(b"t", b"b", [], {})) == [b"b", b"b\x00"]
    assert scan(client.scannerOpenWithPrefix(b"t", b"\xff", [], {})) == [b"\xff", b"\xff\xff"]
    assert scan(client.scannerOpenTs(b"t", b"", [], 5, {})) == []
    assert scan(client.scannerOpenWithStopTs(b"t", b"", b"c", [], 5, {})) == []


def test_rows_written_after_the_open_are_seen_and_the_end_stays_the_end(rows, connection):
    scanner = connection.client.scannerOpen(b"t", b"", None, {})
    rows.put(b"0", {b"d:a": b"1"})
    assert connection.client.scannerGet(scanner)[0].row == b"0"
    assert len(connection.client.scannerGetList(scanner, 100)) == 6
    rows.put(b"\xff\xff\xff", {b"d:a": b"1"})
    assert connection.client.scannerGetList(scanner, 100) == []


def test_a_table_may_change_under_its_scan(rows):
    scanned = []
    for row, _ in rows.scan(batch_size=1):
        scanned.append(row)
        rows.delete(row)
    assert scanned == ROWS
    assert list(rows.scan()) == []


@given(
    st.sets(st.binary(min_size=1, max_size=4)),
    st.binary(max_size=4),
    st.binary(max_size=4),
    st.booleans(),
    st.integers(min_value=1, max_value=4),
)
def test_a_scan_is_the_sorted_rows_between_its_bounds(stored, start, stop, reverse, batch_size):
    connection = connect("embedded:")
    connection.create_table("t", {"d": {}})
    table = connection.table("t")
    with table.batch() as batch:
        for row in stored:
            batch.put(row, {b"d:a": row})
    if start and start == stop:
        expected = [start] if start in stored else []
    elif reverse:
        expected = [row for row in sorted(stored, reverse=True) if (not start or row <= start) and row > stop]
    else:
        expected = [row for row in sorted(stored) if row >= start and (not stop or row < stop)]
    rows = table.scan(row_start=start or None, row_stop=stop or None, reverse=reverse, batch_size=batch_size)
    assert expected == keys(rows)
