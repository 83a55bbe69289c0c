"""The comparison of the writer's clock with the region server's: a slow call is not a wrong clock."""

import time
from contextlib import closing

import pytest

from domains.orders import OrderRepository
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import ClockSkew, WriterClock, intents
from shared.writes.server_clock import CHECKED_FOR_MS, MAX_SKEW_MS, check_clock
from shared.writes.slots import Slots
from tests.engines import plain_table
from tests.shared.writes.changing import TABLES, numbered

TABLE = plain_table("t")
CELLS = {b"f:v": b"idle"}


@pytest.fixture(autouse=True)
def own_slots(monkeypatch):
    """Slots of this test alone, because a slot remembers the latest time of its intents."""
    monkeypatch.setattr(intents, "SLOTS", Slots())


class SlowTable:
    """A table whose first put takes so long, because its region moves, while time passes for everyone."""

    def __init__(self, table, monkeypatch, slow_ms):
        self._table = table
        self._monkeypatch = monkeypatch
        self._slow_ms = slow_ms
        self.puts = 0

    def put(self, row, cells):
        self.puts += 1
        if self.puts == 1:
            system_ns = time.time_ns
            self._monkeypatch.setattr(time, "time_ns", lambda: system_ns() + self._slow_ms * 1_000_000)
        self._table.put(row, cells)

    def row(self, *arguments, **named):
        return self._table.row(*arguments, **named)


def test_a_put_that_waits_for_a_region_server_is_not_a_clock_that_is_behind(monkeypatch):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, [TABLE])
        rows = SlowTable(connection.table("t"), monkeypatch, slow_ms=2 * MAX_SKEW_MS)
        check_clock(connection, rows, b"slot", CELLS, WriterClock())
        assert rows.puts == 2


class ClockBehind(WriterClock):
    """The clock of a machine whose time is wrong."""

    def read_ms(self):
        return super().read_ms() - 2 * MAX_SKEW_MS


def test_a_clock_that_is_behind_is_refused_after_a_slow_put_too(monkeypatch):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, [TABLE])
        rows = SlowTable(connection.table("t"), monkeypatch, slow_ms=2 * MAX_SKEW_MS)
        with pytest.raises(ClockSkew):
            check_clock(connection, rows, b"slot", CELLS, ClockBehind())


class ClockThatGoesWrong(WriterClock):
    """The clock of a machine whose time jumps ahead."""

    ahead_ms = 0

    def read_ms(self):
        return super().read_ms() + self.ahead_ms


def test_a_clock_that_went_wrong_is_refused_although_the_slot_has_intents_of_that_clock():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        clock = ClockThatGoesWrong()
        orders = OrderRepository(connection, clock=clock)
        orders.place(numbered(1))
        clock.ahead_ms = CHECKED_FOR_MS - 10_000
        orders.place(numbered(2))  # within ten minutes of the comparison
        clock.ahead_ms += 20_000
        with pytest.raises(ClockSkew):
            orders.place(numbered(3))
