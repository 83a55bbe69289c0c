"""Scans over the network: what becomes of one whose fetch, scanner or gateway is lost."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice, product

import pytest
from Hbase_thrift import IllegalArgument, TScan

from shared.keys.limits import MAX_ROW_BYTES
from shared.stores import ScanBroken
from shared.stores.hbase.sockets import _LimitedSocket
from shared.stores.hbase.stateful_filters import keeps_state
from tests.shared.stores.scripted_gateway import Fault, until

LOSSES = [Fault.LOST_CALL, Fault.LOST_REPLY, Fault.CUT_REPLY, Fault.EXPIRED]
ROWS = [b"r-%02d" % number for number in range(10)]
PAGE = "PageFilter(7)"


@pytest.fixture
def gateway(gateway):
    for row in ROWS:
        gateway.table.put(row, {b"d:a": b"1", b"d:b": b"2"})
    return gateway


@pytest.fixture
def client(table):
    return table.connection.client


def rows_of(scan):
    return [row for row, _ in scan]


def fetched(client, scanner, count):
    return [row.row for row in client.scannerGetList(scanner, count)]


# A fetch is lost


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("fault", "fetch"), [*product(LOSSES, (1, 4)), (Fault.LOST_REPLY, 2), (Fault.NO_REPLY, 2)])
def test_a_scan_continues_after_the_last_row_with_each_row_once(gateway, fault, reverse, fetch):
    table = gateway.opened(fault)
    expected = ROWS[::-1] if reverse else ROWS
    scan = table.scan(batch_size=3, reverse=reverse)
    rows = rows_of(islice(scan, min(3 * (fetch - 1), len(ROWS))))
    gateway.goes_wrong("scannerGetList", fault)
    assert rows + rows_of(scan) == expected
    assert gateway.is_done
    assert gateway.count("scannerOpenWithScan") == 2


def test_a_scan_whose_socket_was_idle_for_too_long_goes_on_also_without_retries(gateway):
    scan = gateway.opened(retry_ms=0).scan(batch_size=2)
    next(scan)
    gateway.cut()
    assert rows_of(scan) == ROWS[1:]


def test_the_last_row_of_a_reversed_scan_may_be_gone_meanwhile(gateway, table):
    scan = table.scan(batch_size=1, reverse=True)
    assert [next(scan)[0], next(scan)[0]] == [b"r-09", b"r-08"]
    gateway.goes_wrong("scannerGetList", Fault.LOST_CALL)
    gateway.table.delete(b"r-08")
    assert rows_of(scan) == ROWS[7::-1]


def test_a_new_scanner_keeps_the_options_and_the_limit_of_its_scan(gateway, table):
    options = {"columns": ["d:a"], "filter": "PrefixFilter('r-')", "include_timestamp": True, "sorted_columns": True}
    expected = list(gateway.table.scan("r-02", "r-08", limit=5, **options))
    scan = table.scan("r-02", "r-08", batch_size=2, limit=5, **options)
    rows = [next(scan)]
    gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY, Fault.EXPIRED)
    assert rows + list(scan) == expected
    assert len(expected) == 5


def test_the_caller_may_change_what_it_opened_a_scan_with(gateway, client):
    request = TScan(startRow="r-01", stopRow="r-04")
    scanner = client.scannerOpenWithScan(b"t", request, {})
    request.stopRow = "r-09"
    client.scannerGetList(scanner, 1)
    gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY)
    assert fetched(client, scanner, 10) == [b"r-02", b"r-03"]


# Where a new scanner starts


@pytest.mark.parametrize(
    ("start", "stop", "reverse"),
    [
        *(("r-04", "r-05\0", False), ("r-05", "r-05\0", False), ("r-05", "r-04", True)),
        *(("r-05", "r-05", False), ("r-05", "r-05", True)),
    ],
)
def test_no_scanner_opens_where_its_start_would_be_the_stop(gateway, table, start, stop, reverse):
    expected = rows_of(gateway.table.scan(start, stop, reverse=reverse))
    scan = table.scan(start, stop, reverse=reverse, batch_size=1)
    rows = rows_of(islice(scan, len(expected)))
    gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY)
    gateway.table.put(b"r-05\0", {b"d:a": b"a scan from the stop to the stop would return this"})
    opened_before = gateway.count("scannerOpenWithScan")
    assert rows + rows_of(scan) == expected
    if not (reverse and start != stop):
        assert gateway.count("scannerOpenWithScan") == opened_before


def test_after_a_row_of_the_greatest_length_comes_its_successor(gateway, table):
    longest = b"s" * MAX_ROW_BYTES
    last = b"\xff" * MAX_ROW_BYTES
    for row in (longest, longest[:-1] + b"t", last):
        gateway.table.put(row, {b"d:a": b"1"})
    scan = table.scan(b"s", batch_size=1)
    rows = [next(scan)[0]]
    gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY)
    rows += [next(scan)[0], next(scan)[0]]
    assert rows == [longest, longest[:-1] + b"t", last]
    gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY)
    assert list(scan) == []  # nothing sorts behind the last row
    assert gateway.count("scannerOpenWithScan") == 2


# Scans that cannot go on

CANNOT_CONTINUE = [
    ({"filter": PAGE}, "because its filter depends on earlier rows"),
    ({"scan_batching": 1}, "because scan_batching may have split that row"),
]


@pytest.mark.parametrize("loss", [Fault.LOST_REPLY, Fault.EXPIRED, "restart", "cut"])
@pytest.mark.parametrize(("options", "why"), CANNOT_CONTINUE)
def test_a_scan_that_cannot_continue_says_after_which_row_and_why(gateway, table, loss, options, why):
    scan = table.scan(batch_size=2, **options)
    rows = rows_of(islice(scan, 2))
    if isinstance(loss, Fault):
        gateway.goes_wrong("scannerGetList", loss)
    else:
        getattr(gateway, loss)()
    with pytest.raises(ScanBroken) as caught:
        list(scan)
    text = str(caught.value)
    assert text.startswith(f"{gateway.url}: scannerOpenWithScan on t: ended after row {rows[-1]!r}: ")
    assert text.endswith(f"; a new scanner cannot continue there, {why}")
    assert isinstance(caught.value, OSError)
    assert table.row(ROWS[0])
    assert rows_of(table.scan(filter=PAGE)) == ROWS[:7]


def test_a_scan_that_is_broken_stays_broken(gateway, client):
    scanner = client.scannerOpenWithScan(b"t", TScan(filterString=PAGE), {})
    client.scannerGetList(scanner, 2)
    gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY)
    for _ in range(2):
        with pytest.raises(ScanBroken, match="ended after row b'r-01'"):
            client.scannerGetList(scanner, 2)
    assert gateway.count("scannerOpenWithScan") == 1
    client.scannerClose(scanner)


def test_a_scan_that_an_older_call_opened_can_only_start_again(gateway, client):
    scanner = client.scannerOpenWithPrefix(b"t", b"r-", [b"d"], {})
    gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY)
    assert fetched(client, scanner, 2) == ROWS[:2]
    gateway.goes_wrong("scannerGet", Fault.LOST_REPLY)
    with pytest.raises(ScanBroken, match="because scannerOpenWithPrefix opened it, not scannerOpenWithScan"):
        client.scannerGet(scanner)
    client.scannerClose(scanner)


FILTERS = {
    False: [
        "PrefixFilter('r') AND KeyOnlyFilter()",
        "SKIP ValueFilter(=, 'binary:1') OR ColumnPaginationFilter(1, 0)",
        "SingleColumnValueFilter('d', 'a', =, 'binary:1', true, true)",
    ],
    True: [
        *("PageFilter(1)", "SKIP PageFilter(1)", "InclusiveStopFilter('r')", "ColumnCountGetFilter(1)"),
        *("KeyOnlyFilter() AND (PrefixFilter('r') OR PageFilter(1))", "WHILE ValueFilter(=, 'binary:1')"),
        "a text that cannot be parsed",
    ],
}


@pytest.mark.parametrize("keeps", FILTERS)
def test_which_filters_remember_what_came_before(keeps):
    for text in FILTERS[keeps]:
        assert (keeps_state(text), keeps_state(text.encode())) == (keeps, keeps), text


# Errors and ends


def test_closing_a_scan_that_is_lost_is_quiet(gateway, client):
    scanners = [client.scannerOpenWithScan(b"t", TScan(), {}) for _ in range(3)]
    gateway.goes_wrong("scannerClose", Fault.LOST_REPLY)
    client.scannerClose(scanners[0])
    client.scannerClose(scanners[1])
    gateway.restart()
    client.scannerClose(scanners[2])
    assert gateway.is_done


def test_a_fetch_of_no_rows_is_empty_and_not_the_end(gateway, client):
    scanner = client.scannerOpenWithScan(b"t", TScan(reversed=True), {})
    client.scannerGetList(scanner, 3)
    gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY)
    assert client.scannerGetList(scanner, 0) == []
    assert fetched(client, scanner, 1) == [b"r-06"]


# Sockets


def test_a_scan_that_ends_inside_another_ones_call_does_not_touch_its_reply(gateway, table, monkeypatch):
    abandoned = table.scan(batch_size=1)
    next(abandoned)
    scan = table.scan(batch_size=1)
    next(scan)
    read = _LimitedSocket.read

    def collect_and_read(self, size):
        nonlocal abandoned
        abandoned = None  # as a garbage collection would, in the middle of a fetch
        return read(self, size)

    monkeypatch.setattr(_LimitedSocket, "read", collect_and_read)
    assert rows_of(scan) == ROWS[1:]
    assert until(lambda: gateway.count("scannerClose") == 2)
    assert gateway.sockets == 1


def test_a_scan_that_one_thread_closes_in_the_fetch_of_another_leaves_its_socket_clean(gateway, table, client):
    scanner = client.scannerOpenWithScan(b"t", TScan(), {})
    gateway.goes_wrong("scannerGetList", Fault.LATE_REPLY)
    with ThreadPoolExecutor() as threads:
        fetch = threads.submit(client.scannerGetList, scanner, 3)
        assert until(lambda: gateway.is_done)
        later = threads.submit(client.scannerGetList, scanner, 3)
        client.scannerClose(scanner)
        assert [row.row for row in fetch.result()] == ROWS[:3]
        with suppress(IllegalArgument):  # or it came before the end
            assert [row.row for row in later.result()] in ([], ROWS[3:6])
    assert until(lambda: gateway.count("scannerClose") == 1)
    assert rows_of(table.scan(batch_size=1)) == ROWS
    assert gateway.sockets <= 2
