"""Deadlines: what a gateway leaves unanswered ends with the block, and a late reply reaches no later call."""

import asyncio
import time
from contextlib import closing

import pytest
from attrs import define

from domains.reservations import TABLES, Hotel, Stay
from shared.queries import Query
from shared.stores import DeadlineExceeded, OutcomeUnknown, Unreachable, connect, deadline
from shared.tables import BoundTable, create_tables
from tests.engines import plain_table
from tests.programs.faults.gateways import EmbeddedGateway
from tests.programs.faults.plans import Fault as PlannedFault
from tests.programs.faults.plans import Kind
from tests.programs.faults.proxy import Proxy
from tests.shared.stores.scripted_gateway import LATE_S, Fault, ScriptedGateway, until

WITHIN_MS = 150
LONG_MS = 10_000
CALLS_OF_BOOKING = 5
HANGS = [Kind.LATE_REPLY, Kind.STALLED_REPLY, Kind.NO_REPLY, Kind.NO_REQUEST, Kind.LATE_REQUEST]
ROWS = [b"r-%d" % number for number in range(9)]


TABLE = plain_table("faults", "d")


@define
class Hangs:
    """A plan in which all calls go wrong once `kind` is set, or those of one name."""

    kind: Kind | None = None
    call: str | None = None

    def fault(self, _number, call):
        return PlannedFault(self.kind, 0.5, reset=False) if self.kind and self.call in (None, call) else None


@pytest.fixture
def plan():
    return Hangs()


@pytest.fixture
def table(plan):
    """A table through the proxy, with a timeout that no test waits for."""
    with closing(EmbeddedGateway()) as gateway, Proxy(gateway, plan) as proxy:
        with gateway.direct().table("faults").batch(timestamp=5) as batch:
            for row in ROWS:
                batch.put(row, {b"d:v": b""})
        url = f"hbase://{proxy.host}:{proxy.port}?timeout_ms=600000&retry_ms=600000"
        with closing(connect(url)) as connection:
            assert len(connection.table("faults").row(ROWS[0])) == 1
            yield connection.table("faults")
        plan.kind = None
        proxy.clients_leave()


READS = {
    "get": lambda table: table.row(b"r-1"),
    "scan": lambda table: list(table.scan(batch_size=2)),
    "page": lambda table: Query(BoundTable(table.connection, TABLE), TABLE.whole_table()).page(5),
}
WRITES = {
    "put": lambda table: table.put(b"s", {b"d:v": b"1"}, timestamp=6),
    "count": lambda table: table.counter_inc(b"c", b"d:n"),
}


@pytest.mark.parametrize(("kind", "read"), [(Kind.NO_REPLY, "scan"), (Kind.STALLED_REPLY, "page")])
def test_no_read_waits_for_the_reply_to_a_close(plan, table, kind, read):
    plan.kind, plan.call = kind, "scannerClose"
    with deadline(LONG_MS):
        assert READS[read](table) == READS[read](table) == READS[read](table)


@pytest.mark.parametrize(
    ("kind", "read"), [*((kind, "get") for kind in HANGS), (Kind.NO_REPLY, "scan"), (Kind.STALLED_REPLY, "page")]
)
def test_a_read_that_a_gateway_does_not_answer_ends_with_the_deadline(plan, table, kind, read):
    expected = READS[read](table)
    plan.kind = kind
    with pytest.raises(DeadlineExceeded, match="no answer before the deadline, 1 attempt"), deadline(WITHIN_MS):
        READS[read](table)
    plan.kind = None
    assert READS[read](table) == expected


@pytest.mark.parametrize(("kind", "write"), [*((kind, "put") for kind in HANGS), (Kind.NO_REPLY, "count")])
def test_a_write_that_was_sent_has_an_unknown_outcome(plan, table, kind, write):
    plan.kind = kind
    with pytest.raises(OutcomeUnknown, match="outcome unknown: no reply before the deadline"), deadline(WITHIN_MS):
        WRITES[write](table)


@pytest.mark.parametrize("opening", [True, False])
def test_the_fetch_of_a_scan_ends_with_the_deadline_also_if_no_scanner_could_continue_it(plan, table, opening):
    scan = table.scan(batch_size=2, filter="PageFilter(7)")
    rows = [] if opening else [next(scan)[0], next(scan)[0]]
    plan.kind, plan.call = Kind.NO_REPLY, "scannerGetList"
    with pytest.raises(DeadlineExceeded, match="no reply before the deadline"), deadline(WITHIN_MS):
        rows += [row for row, _ in scan]
    assert rows == ([] if opening else ROWS[:2])
    plan.kind = None
    assert [row for row, _ in table.scan()] == ROWS


def test_no_later_call_of_the_block_begins(table):
    with deadline(1):
        time.sleep(0.002)
        with pytest.raises(DeadlineExceeded, match=r"mutateRowsTs on faults, 1 row .*: the deadline has passed"):
            table.put(b"s", {b"d:v": b"1"}, timestamp=6)
        with pytest.raises(Unreachable):  # DeadlineExceeded is one
            table.row(b"r-1")
    assert [row for row, _ in table.scan()] == ROWS


def late(table):
    with deadline(1):
        time.sleep(0.002)
        table.row(b"r-1")


@define
class HangsAt:
    """A plan in which one call gets no reply: the one after `calls_left` others."""

    calls_left: int = -1

    def fault(self, _number, _call):
        self.calls_left -= 1
        return PlannedFault(Kind.NO_REPLY, 0.5, reset=False) if self.calls_left == -1 else None


def test_the_same_call_again_completes_a_booking_that_a_deadline_has_ended_at_any_call():
    ended, plan = set(), HangsAt()
    with closing(EmbeddedGateway()) as gateway, Proxy(gateway, plan) as proxy:
        create_tables(gateway.direct(), TABLES)
        with closing(connect(f"hbase://{proxy.host}:{proxy.port}?timeout_ms=600000")) as connection:
            hotel = Hotel(connection)
            hotel.open_room("inn", "7")
            stays = [Stay(f"b-{call}", "ann", call, call + 1) for call in range(CALLS_OF_BOOKING)]
            for call, stay in enumerate(stays):
                plan.calls_left = call
                with pytest.raises((Unreachable, OutcomeUnknown)) as caught, deadline(WITHIN_MS):
                    hotel.book("inn", "7", stay)
                ended.add(caught.type)
                hotel.book("inn", "7", stay)
            assert [line.booking_id for line in hotel.of_guest("ann")] == [stay.booking_id for stay in stays]
            assert hotel.upkeep.recover(older_than_ms=0).failed == ()
            assert list(hotel.upkeep.verify()) == []
            proxy.clients_leave()
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
def test_a_scanner_that_is_left_open_after_a_deadline_is_closed_by_a_helper_or_by_the_next_scan(in_flight):
    with ScriptedGateway() as gateway:
        for row in ROWS:
            gateway.table.put(row, {b"d:a": b"1"})
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


def test_a_socket_that_a_deadline_has_limited_waits_as_long_as_ever_afterwards():
    with ScriptedGateway() as gateway:
        table = gateway.opened()
        with deadline(int(LATE_S * 900)):
            table.row(b"r")
        gateway.goes_wrong("getRowWithColumns", Fault.LATE_REPLY)
        table.row(b"r")
        assert gateway.count("getRowWithColumns") == 2


def test_a_socket_waits_as_long_as_ever_after_the_reply_to_a_close():
    with ScriptedGateway() as gateway:
        for row in ROWS:
            gateway.table.put(row, {b"d:a": b"1"})
        table = gateway.opened()
        next(table.scan(batch_size=1))  # and closes it
        pool = table.connection.client._pool
        assert until(lambda: all(gateway_socket.is_free() for gateway_socket in pool._connected))
        gateway.goes_wrong("getRowWithColumns", Fault.LATE_REPLY)
        table.row(b"r")
        assert (gateway.count("scannerClose"), gateway.count("getRowWithColumns"), gateway.sockets) == (1, 1, 1)


def test_a_deadline_holds_in_a_thread_of_asyncio(table):
    async def read():
        with deadline(1):
            await asyncio.sleep(0.002)
            return await asyncio.to_thread(table.row, b"r-1")

    with pytest.raises(DeadlineExceeded):
        asyncio.run(read())


def test_an_embedded_store_refuses_the_calls_that_begin_after_a_deadline(plan):
    with closing(EmbeddedGateway()) as gateway:
        table = gateway.direct().table("faults")
        table.put(b"r-1", {b"d:v": b""})
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
