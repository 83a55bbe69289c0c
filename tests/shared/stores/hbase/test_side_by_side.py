"""Queries of several ranges over the network, whose ranges helpers read side by side."""

import gc
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path

import pytest
from Hbase_thrift import IOError

from shared.designs import metered
from shared.events import set_hook
from shared.keys import Plan, any_of, between
from shared.keys.ranges import RowRange, Stream
from shared.queries import Query, ServerFilter, scan
from shared.queries.side_by_side import read_streams
from shared.stores import DeadlineExceeded, ScanBroken, deadline
from shared.stores.hbase import helper_threads, pool
from shared.stores.hbase.helper_threads import Helpers
from shared.tables import BoundTable, create_tables
from tests.shared.queries.wide import Point, Shape, put
from tests.shared.stocked import asked
from tests.shared.stores.processes import run
from tests.shared.stores.scripted_gateway import Fault, until

ROOT = Path(__file__).parents[4]
FAULTS = [Fault.LOST_REPLY, Fault.EXPIRED, Fault.LOST_CALL, Fault.CUT_REPLY]
STREAMS = 16
ROWS = [b"%02d-%03d" % (number % STREAMS, number) for number in range(320)]
BUCKETS = Plan(tuple(Stream((RowRange(b"%02d" % n, b"%02d." % n),), 3) for n in range(STREAMS)))
"""Sixteen buckets, which hold every sixteenth number each."""
IN_TURN = Plan((Stream(BUCKETS.ranges),))
"""The same ranges one after the other."""
COUNTS_ROWS = ServerFilter((), b"PageFilter(100)")
"""A scan with this filter cannot continue without its scanner."""


@pytest.fixture
def gateway(gateway):
    with gateway.table.batch() as batch:
        for row in ROWS:
            batch.put(row, {b"d:a": b"1"})
    return gateway


@pytest.fixture(autouse=True)
def _helpers_end_soon(monkeypatch):
    monkeypatch.setattr(helper_threads, "HELPER_IDLE_S", 0.2)
    monkeypatch.setattr(pool, "HELPER_IDLE_S", 0.0)
    yield
    assert until(lambda: not running_helpers())


def running_helpers():
    return [thread for thread in threading.enumerate() if thread.name == "rowbook helper"]


def numbers(rows):
    return [int(row[3:]) for row, _ in rows]


# ---- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "descending"),
    [
        ("wide", True),
        *(pytest.param(*shape, marks=pytest.mark.long) for shape in (("tall", False), ("tall", True), ("wide", False))),
    ],
)
def test_queries_are_answered_as_by_the_store_itself_whatever_is_lost(gateway, kind, descending):
    table = getattr(Shape(100, descending, buckets=8), kind)()
    create_tables(gateway.store, [table])
    metrics = [f"m-{number}" for number in range(23)]
    put(gateway.store.table(kind), table, [Point(metrics[n % 23], n * 7 % 500, n) for n in range(250)])
    here, there = (BoundTable(connection, table) for connection in (gateway.store, gateway.connect(in_flight=5)))
    dice = random.Random(descending)
    questions = [
        *({"metric": any_of(dice.sample(metrics, 9), merged=merged)} for merged in (False, True)),
        {"metric": any_of(dice.sample(metrics, 5), merged=True), "at_s": between(50, 300)},
        {"metric": any_of(["none", "m-3", "nobody"])},
        {},
    ]
    for question in questions:
        for options in ({}, {"newest_first": True}, {"where": {"value": between(100, 700)}}):
            if not question and "newest_first" in options:
                continue
            local, remote = (
                asked(Query(bound, bound.plan(**question) if question else bound.whole_table()), **options)
                for bound in (here, there)
            )
            gateway.goes_wrong("scannerGetList", *FAULTS)
            gateway.goes_wrong("scannerOpenWithScan", *FAULTS[::2])
            assert list(remote) == list(local)
            for limit in (1, 100):
                first, wanted = remote.page(limit), local.page(limit)
                assert (first.records, first.cursor) == (wanted.records, wanted.cursor)
                if wanted.cursor:
                    assert remote.page(limit, first.cursor).records == local.page(limit, wanted.cursor).records
    assert gateway.is_done


def test_a_query_is_answered_if_no_helper_can_begin(gateway, monkeypatch):
    start = threading.Thread.start

    def no_helpers(thread):
        if thread.name == "rowbook helper":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", no_helpers)
    table = gateway.opened()
    assert numbers(scan(table, BUCKETS, limit=100)) == [*range(100)]
    assert until(lambda: gateway.scanners == 0)


def test_a_query_that_a_helper_reads_while_its_process_is_forked_is_broken_there(gateway):
    gateway.goes_wrong("scannerGetList", *[Fault.LATE_REPLY] * 8)
    work = gateway.opened().connection.helpers.begin(lambda: numbers(scan(gateway.opened(), IN_TURN)))
    assert until(lambda: work._first.locked())

    def forked(report):
        try:
            report(work.result())
        except ScanBroken as error:
            report(str(error)[:8])

    assert run(forked) == ["a helper"]
    assert len(work.result()) == 320


def socket_of_thread(table):
    """The socket that the scanners of this thread share."""
    return table.connection.client._scans._sockets._thread.shared


def test_a_forked_process_has_helpers_and_sockets_of_its_own_whatever_threads_of_its_parent_were_doing(gateway):
    table = gateway.opened()
    half_read, half_answered = table.scan(batch_size=10), scan(table, BUCKETS, buffer_rows=16)
    before = numbers(islice(half_read, 10)), numbers(islice(half_answered, 30))
    guard = table.connection.client._scans._sockets._pool._guard
    is_held, may_end = threading.Event(), threading.Event()

    def take_a_socket():
        with guard:
            is_held.set()
            may_end.wait()

    def forked(report):
        begun = table.connection.helpers.begin(list)
        report(until(begun._done.is_set))
        report([numbers(table.scan(limit=10)), numbers(half_read), numbers(scan(table, BUCKETS))])

    with ThreadPoolExecutor() as threads, socket_of_thread(table).lock:
        threads.submit(take_a_socket)
        is_held.wait()
        try:
            reports = run(forked)
        finally:
            may_end.set()
    rest, rest_of_answer = numbers(half_read), numbers(half_answered)
    assert reports == [True, [before[0], rest, [*range(320)]]]
    assert before[1] + rest_of_answer == [*range(320)]


def test_rows_that_were_read_before_an_error_come_before_it(gateway):
    def failing():
        yield from (1, 2, 3)
        raise ZeroDivisionError

    rows = []
    with (
        pytest.raises(ZeroDivisionError),
        read_streams(gateway.opened().connection, [[failing()], [failing()]], 5, 100) as (first, _),
    ):
        rows += (row for row in first)
    assert rows == [1, 2, 3]


HALF_READ = """
import sys, time
from shared.keys import Plan
from shared.keys.ranges import RowRange, Stream
from shared.queries import scan
from shared.stores import connect
from shared.stores.hbase import helper_threads

helper_threads.HELPER_IDLE_S = 0.0
buckets = Plan(tuple(Stream((RowRange(b"%02d" % number, b"%02d." % number),), 3) for number in range(16)))
rows = scan(connect(sys.argv[1]).table("t"), buckets, buffer_rows=16)
next(rows)
time.sleep(0.2)
"""


def test_a_process_ends_although_a_query_of_it_is_half_read(gateway):
    """Python 3.11 waits for ever for a thread that is started while it ends."""
    command = [sys.executable, "-c", HALF_READ, f"{gateway.url}?transport=framed"]
    assert subprocess.run(command, cwd=ROOT, timeout=20).returncode == 0
    assert gateway.count("scannerOpenWithScan") == STREAMS


def test_work_that_no_helper_has_begun_is_done_by_the_thread_that_needs_it():
    few = Helpers(1, list)
    ended = threading.Event()
    first, second = few.begin(lambda: ended.wait(5)), few.begin(lambda: 7)
    assert until(lambda: first._first.locked())
    assert second.result() == 7
    ended.set()
    assert first.result()


def test_a_deadline_holds_for_work_that_was_begun_without_one():
    ended = threading.Event()
    work = Helpers(1, list).begin(lambda: ended.wait(5))
    assert until(lambda: work._first.locked())
    with deadline(20), pytest.raises(DeadlineExceeded, match="sent earlier"):
        work.result()
    ended.set()
    assert work.result()


def test_a_scan_never_waits_for_a_call_of_another_thread_on_its_socket_longer_than_its_deadline(gateway):
    table = gateway.opened()
    half_read = table.scan(batch_size=10)
    next(half_read)
    shared, sockets_of_scans = socket_of_thread(table), table.connection.client._scans._sockets
    with sockets_of_scans._using(shared):  # as a call of another thread does
        assert len(list(table.scan(limit=3))) == 3
    with sockets_of_scans._using(shared), deadline(200), pytest.raises(DeadlineExceeded):
        list(half_read)
    assert until(lambda: gateway.scanners == 0)


# ---- what is under way ---------------------------------------------------------------------------


@pytest.mark.parametrize("in_flight", [1, 3])
def test_no_more_requests_are_under_way_than_the_url_says(gateway, in_flight):
    table = gateway.opened(in_flight=in_flight)
    gateway.takes_s = 0.02
    gateway.most_under_way = 0
    assert numbers(scan(table, BUCKETS, limit=100)) == [*range(100)]
    # The thread that merges does itself what no helper has begun when it needs it.
    assert in_flight <= gateway.most_under_way <= in_flight + (in_flight > 1)


def test_a_page_fetches_each_bucket_once_and_each_stream_at_most_one_batch_ahead(gateway):
    table = gateway.opened()
    with metered(table.connection) as page:
        assert len(list(scan(table, BUCKETS, limit=100))) == 100
        assert until(lambda: gateway.scanners == 0)
    assert [gateway.count(call) for call in ("scannerOpenWithScan", "scannerGetList", "scannerClose")] == [16, 16, 16]
    with closing(scan(table, BUCKETS, buffer_rows=160)) as rows:
        next(rows)
        table.connection.helpers.finish(5)
        assert gateway.count("scannerGetList") == 16 + 16
    assert page.rows_fetched <= 16 * 16


@pytest.mark.parametrize(("plan", "limit", "waits"), [(BUCKETS, 100, 4), (IN_TURN, 15, 2), (IN_TURN, 100, 10)])
def test_the_round_trips_of_a_cost_are_those_that_the_network_makes_a_reader_wait_for(gateway, plan, limit, waits):
    with metered(gateway.store) as cost:
        expected = numbers(scan(gateway.table, plan, limit=limit))
    table = gateway.opened(in_flight=1)
    assert numbers(scan(table, plan, limit=limit)) == expected
    asked = [call for call in gateway.calls if call in ("scannerOpenWithScan", "scannerGetList")]
    if plan is IN_TURN:
        assert cost.round_trips == waits == len(asked)
    else:
        assert waits <= cost.round_trips <= -(-len(asked) // 8)
    assert cost.rpcs > cost.round_trips


def test_short_ranges_of_one_stream_are_read_side_by_side_and_long_ones_one_by_one(gateway):
    table = gateway.opened()
    assert len(list(scan(table, IN_TURN, limit=15))) == 15
    assert gateway.count("scannerOpenWithScan") == 1
    empty = [RowRange(b"x%03d" % number, b"x%03d." % number) for number in range(100)]
    gateway.takes_s = 0.01
    gateway.most_under_way = 0
    assert numbers(scan(table, Plan((Stream((*empty, *BUCKETS.ranges)),)), limit=15)) == [*range(0, 15 * 16, 16)]
    assert gateway.most_under_way >= 7


@pytest.mark.parametrize(
    ("needed", "limit", "taken_of_other", "taken", "read"),
    [
        *((15, None, 0, 1, 5), (16, None, 0, 1, 10)),  # three first batches may be enough
        *((100, 10, 0, 6, 10), (100, 11, 0, 6, 15), (100, 20, 6, 6, 10), (100, 21, 6, 6, 15)),
    ],
)
def test_a_batch_is_fetched_ahead_if_more_is_needed_than_all_streams_have_begun(
    gateway, needed, limit, taken_of_other, taken, read
):
    connection, numbers_read = gateway.opened().connection, []

    def counted():
        for number in range(40):
            numbers_read.append(number)
            yield number

    streams = [[counted()], [iter(())], [iter(range(40))]]
    with read_streams(connection, streams, 5, needed, limit) as (first, _, other):
        assert [*islice(other, taken_of_other)] == [*range(taken_of_other)]
        assert [*islice(first, taken)] == [*range(taken)]
        connection.helpers.finish(5)
        assert len(numbers_read) == read


@pytest.mark.parametrize("how", ["close", "forget", "fail", "late"])
def test_a_query_half_read_leaves_no_thread_no_scanner_and_no_socket(gateway, how):
    table = gateway.opened()
    before = gateway.links
    rows = scan(table, BUCKETS, buffer_rows=32)
    assert numbers(islice(rows, 40)) == [*range(40)]
    assert gateway.scanners
    if how == "fail":
        with pytest.raises(IOError):
            list(scan(table, BUCKETS, columns=(b"nosuch:a",)))
    if how == "late":
        with deadline(1):
            time.sleep(0.002)  # a fetch that the deadline cuts off leaves its scanner to the gateway
            with pytest.raises(DeadlineExceeded):
                list(rows)
    if how == "forget":
        del rows
        gc.collect()
    else:
        rows.close()
    assert until(lambda: not running_helpers())
    assert until(lambda: gateway.scanners == 0)
    assert until(lambda: set(gateway.links) <= set(before))


def test_a_scan_that_ends_while_helpers_read_it_closes_its_scanners_although_its_streams_are_kept(gateway):
    table = gateway.opened()
    gateway.takes_s = 0.05
    parts = [[table.scan(row_prefix=prefix, batch_size=5)] for prefix in (b"00", b"01")]
    with read_streams(table.connection, parts, 5, 100) as streams:
        assert until(lambda: gateway.count("scannerOpenWithScan") == 2)
    assert until(lambda: gateway.count("scannerClose") == 2)
    del streams


def test_close_of_the_connection_closes_the_scanners_before(gateway):
    table = gateway.opened()
    assert len(list(scan(table, BUCKETS, limit=20))) == 20
    table.connection.close()
    assert until(lambda: gateway.scanners == 0 and not gateway.links)


def test_no_write_is_the_first_call_on_a_socket(gateway):
    table = gateway.connect().table("t")
    with ThreadPoolExecutor(8) as threads:
        gateway.takes_s = 0.02
        list(threads.map(lambda number: table.put(b"w-%d" % number, {b"d:a": b"1"}), range(8)))
    assert gateway.first_calls == ["getThriftServerType"] * gateway.sockets


# ---- readers who stop ----------------------------------------------------------------------------


@pytest.mark.parametrize("filter", [None, COUNTS_ROWS])
@pytest.mark.parametrize(("plan", "buffer_rows", "stop_after"), [(BUCKETS, 160, 40), (IN_TURN, 12, 15)])
def test_a_reader_who_stops_for_minutes_loses_no_more_than_without_helpers(
    gateway, plan, buffer_rows, stop_after, filter
):
    expected = numbers(scan(gateway.table, plan, filter=filter))
    ends = []
    for in_flight in (1, 8):
        table, rows = gateway.opened(in_flight=in_flight), []
        with closing(scan(table, plan, filter=filter, buffer_rows=buffer_rows)) as read:
            rows += numbers(islice(read, stop_after))
            if in_flight > 1:
                table.connection.helpers.finish(5)
            gateway.forget_scanners()
            with suppress(ScanBroken):
                for row in read:
                    rows += numbers([row])
        assert rows == expected[: len(rows)]
        ends.append(rows == expected)
    assert ends[1] == (filter is None or ends[0])


# ---- replies that nobody waits for ---------------------------------------------------------------


def test_nothing_waits_for_the_reply_to_a_close(gateway):
    table = gateway.opened()
    gateway.goes_wrong("scannerClose", Fault.NO_REPLY)
    events = []
    set_hook(lambda event, _fields: events.append(event))
    try:
        for _ in range(2):
            assert len(list(table.scan())) == len(ROWS)
            assert table.row(ROWS[0])
    finally:
        set_hook(None)
    assert gateway.is_done
    assert {*events} == {"call"}  # a socket whose reply does not come would be replaced


@pytest.mark.parametrize("fault", [Fault.LOST_REPLY, Fault.WRONG_REPLY])
def test_a_write_after_a_close_whose_reply_is_lost_was_not_sent_and_is_sent_again(gateway, fault):
    table = gateway.opened(retry_ms=0)
    first, second = (table.scan(batch_size=1) for _ in range(2))
    next(first), next(second)
    gateway.goes_wrong("scannerClose", fault)
    first.close()
    assert until(lambda: gateway.is_done)
    assert numbers(second) == numbers(gateway.table.scan())[1:]
    for number in range(1, 4):
        assert table.counter_inc(b"c", b"d:n") == number
