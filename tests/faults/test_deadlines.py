"""Deadlines: what a gateway leaves unanswered ends with the block, and a late reply reaches no later call."""

import asyncio
import time

import pytest

from domains.reservations import TABLES, Hotel, Stay
from shared.queries import Query
from shared.stores import DeadlineExceeded, OutcomeUnknown, Unreachable, deadline
from shared.tables import BoundTable, create_tables
from tests.engines import plain_table
from tests.shared.stores.scripted_gateway import LATE_S, Fault, ScriptedGateway, until

WITHIN_MS = 150
CALLS_OF_BOOKING = 5
HANGS = [Fault.LATE_REPLY, Fault.STALLED_REPLY, Fault.NO_REPLY, Fault.HELD_CALL]
ROWS = [b"r-%d" % number for number in range(9)]
TABLE = plain_table("t", "d")


@pytest.fixture
def gateway():
    with ScriptedGateway() as gateway:
        for row in ROWS:
            gateway.table.put(row, {b"d:v": b""}, timestamp=5)
        yield gateway


@pytest.fixture
def table(gateway):
    """A table on a connection with a timeout that no test waits for."""
    return gateway.opened(timeout_ms=600_000, retry_ms=600_000)


READS = {
    "getRowWithColumns": lambda table: table.row(b"r-1"),
    "scannerOpenWithScan": lambda table: list(table.scan(batch_size=2)),
    "scannerGetList": lambda table: Query(BoundTable(table.connection, TABLE), TABLE.whole_table()).page(5),
}
WRITES = {
    "mutateRowsTs": lambda table: table.put(b"s", {b"d:v": b"1"}, timestamp=6),
    "atomicIncrement": lambda table: table.counter_inc(b"c", b"d:n"),
}


@pytest.mark.parametrize(
    ("fault", "call"),
    [
        *((fault, "getRowWithColumns") for fault in HANGS),
        *((Fault.NO_REPLY, "scannerOpenWithScan"), (Fault.STALLED_REPLY, "scannerGetList")),
    ],
)
def test_a_read_that_a_gateway_does_not_answer_ends_with_the_deadline(gateway, table, fault, call):
    expected = READS[call](table)
    gateway.goes_wrong(call, fault)
    with pytest.raises(DeadlineExceeded, match="no answer before the deadline, 1 attempt"), deadline(WITHIN_MS):
        READS[call](table)
    assert READS[call](table) == expected


@pytest.mark.parametrize(
    ("fault", "call"), [*((fault, "mutateRowsTs") for fault in HANGS), (Fault.NO_REPLY, "atomicIncrement")]
)
def test_a_write_that_was_sent_has_an_unknown_outcome(gateway, table, fault, call):
    gateway.goes_wrong(call, fault)
    with pytest.raises(OutcomeUnknown, match="outcome unknown: no reply before the deadline"), deadline(WITHIN_MS):
        WRITES[call](table)


@pytest.mark.parametrize("opening", [True, False])
def test_the_fetch_of_a_scan_ends_with_the_deadline_also_if_no_scanner_could_continue_it(gateway, table, opening):
    scan = table.scan(batch_size=2, filter="PageFilter(7)")
    rows = [] if opening else [next(scan)[0], next(scan)[0]]
    gateway.goes_wrong("scannerGetList", Fault.NO_REPLY)
    with pytest.raises(DeadlineExceeded, match="no reply before the deadline"), deadline(WITHIN_MS):
        rows += [row for row, _ in scan]
    assert rows == ([] if opening else ROWS[:2])
    assert [row for row, _ in table.scan()] == ROWS


def test_no_later_call_of_the_block_begins(table):
    with deadline(1):
        time.sleep(0.002)
        with pytest.raises(DeadlineExceeded, match=r"mutateRowsTs on t, 1 row .*: the deadline has passed"):
            table.put(b"s", {b"d:v": b"1"}, timestamp=6)
        with pytest.raises(Unreachable):  # DeadlineExceeded is one
            table.row(b"r-1")
    assert [row for row, _ in table.scan()] == ROWS


def late(table):
    with deadline(1):
        time.sleep(0.002)
        table.row(b"r-1")


def test_the_same_call_again_completes_a_booking_that_a_deadline_has_ended_at_any_call(gateway):
    ended = set()
    create_tables(gateway.store, TABLES)
    hotel = Hotel(gateway.connect(timeout_ms=600_000))
    hotel.open_room("inn", "7")
    stays = [Stay(f"b-{call}", "ann", call, call + 1) for call in range(CALLS_OF_BOOKING)]
    for calls_before, stay in enumerate(stays):
        gateway.hangs_after(calls_before)
        with pytest.raises((Unreachable, OutcomeUnknown)) as caught, deadline(WITHIN_MS):
            hotel.book("inn", "7", stay)
        ended.add(caught.type)
        hotel.book("inn", "7", stay)
    assert [line.booking_id for line in hotel.of_guest("ann")] == [stay.booking_id for stay in stays]
    assert hotel.upkeep.recover(older_than_ms=0).failed == ()
    assert list(hotel.upkeep.verify()) == []
    assert ended == {DeadlineExceeded, OutcomeUnknown}


def test_a_block_within_another_ends_with_the_earlier_of_both(table):
    with deadline(60_000), pytest.raises(DeadlineExceeded):
        late(table)
    with deadline(1):
        time.sleep(0.002)
        with deadline(60_000), pytest.raises(DeadlineExceeded):
            table.row(b"r-1")
    assert table.row(b"r-1")


@pytest.mark.parametrize("in_flight", [1, 8])
def test_a_scanner_that_is_left_open_after_a_deadline_is_closed_by_a_helper_or_by_the_next_scan(gateway, in_flight):
    table = gateway.opened(in_flight=in_flight)
    scan = table.scan(batch_size=1)
    next(scan)
    with deadline(1):
        time.sleep(0.002)
        scan.close()
    if in_flight == 1:
        assert gateway.count("scannerClose") == 0
        assert [row for row, _ in table.scan()] == ROWS
    assert until(lambda: gateway.scanners == 0)
    assert gateway.sockets == 1


def test_a_socket_waits_as_long_as_ever_after_a_deadline_has_limited_it_and_after_the_reply_to_a_close(gateway):
    table = gateway.opened()
    with deadline(int(LATE_S * 900)):
        table.row(b"r")
    gateway.goes_wrong("getRowWithColumns", Fault.LATE_REPLY)
    table.row(b"r")
    next(table.scan(batch_size=1))  # and closes it
    pool = table.connection.client._pool
    assert until(lambda: all(gateway_socket.is_free() for gateway_socket in pool._connected))
    gateway.goes_wrong("getRowWithColumns", Fault.LATE_REPLY)
    table.row(b"r")
    assert (gateway.count("scannerClose"), gateway.count("getRowWithColumns"), gateway.sockets) == (1, 3, 1)


def test_a_deadline_holds_in_a_thread_of_asyncio(table):
    async def read():
        with deadline(1):
            await asyncio.sleep(0.002)
            return await asyncio.to_thread(table.row, b"r-1")

    with pytest.raises(DeadlineExceeded):
        asyncio.run(read())


def test_an_embedded_store_refuses_the_calls_that_begin_after_a_deadline(gateway):
    table = gateway.table
    scan = table.scan(batch_size=1)
    next(scan)
    with pytest.raises(DeadlineExceeded, match="getRowWithColumns: the deadline has passed"):
        late(table)
    with deadline(1):
        time.sleep(0.002)
        scan.close()
    assert table.row(b"r-1")


@pytest.mark.parametrize("within_ms", [0, -1, 1.5, True, 86_400_001, "800"])
def test_a_deadline_that_is_no_time_is_refused(within_ms):
    with pytest.raises(ValueError, match=r"^deadline: must be 1\.\.86400000 ms \(got "), deadline(within_ms):
        pass
