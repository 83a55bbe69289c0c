"""The comparison of the writer's clock with the region server's: a slow call is not a wrong clock."""

import os
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

from . import notes

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


class ClockOff(WriterClock):
    """The clock of a machine that is `off_ms` ahead."""

    def __init__(self, off_ms):
        super().__init__()
        self.off_ms = off_ms

    def read_ms(self):
        return super().read_ms() + self.off_ms


@pytest.fixture
def connection():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, notes.TABLES)
        yield connection


def check(connection, clock):
    """Compares the clocks in a new row; returns whether anything was put there."""
    rows, row = connection.table("notes"), os.urandom(8)
    check_clock(connection, rows, row, {b"n:a": b"1", b"n:b": b"2"}, clock)
    return rows.row(row) != {}


@pytest.mark.parametrize("off_ms", [0, MAX_SKEW_MS - 5_000, 5_000 - MAX_SKEW_MS])
def test_a_clock_within_a_minute_is_right(connection, off_ms):
    assert check(connection, ClockOff(off_ms))


@pytest.mark.parametrize(("off_ms", "sign"), [(MAX_SKEW_MS + 5_000, "+"), (-MAX_SKEW_MS - 5_000, "-")])
def test_a_clock_that_is_further_off_is_refused_with_the_difference(connection, off_ms, sign):
    with pytest.raises(ClockSkew) as refused:
        check(connection, ClockOff(off_ms))
    message = str(refused.value)
    assert message.startswith(
        f"clock: must be within {MAX_SKEW_MS} ms of the region server's (got {sign}{MAX_SKEW_MS // 10_000}"
    )


def test_a_write_with_a_wrong_clock_stores_nothing_but_an_idle_slot(connection):
    writer = notes.writer_on(connection)
    writer._clock = ClockOff(3_600_000)
    with pytest.raises(ClockSkew):
        writer.write(notes.ById("a"), lambda _stored: notes.Note("a", "ada"))
    assert [list(connection.table(table.name).scan()) for table in notes.TABLES[:-1]] == [[], [], []]
    assert writer.pending() == []


def test_the_clocks_are_compared_once_in_ten_minutes(connection):
    clock = ClockOff(0)
    assert check(connection, clock)
    assert not check(connection, clock)
    clock.off_ms = CHECKED_FOR_MS - 5_000
    assert not check(connection, clock)
    clock.off_ms = CHECKED_FOR_MS + 5_000  # the clock jumped ahead
    with pytest.raises(ClockSkew):
        check(connection, clock)


def test_another_connection_is_compared_again(connection):
    check(connection, ClockOff(0))
    with closing(connect("embedded:")) as other:
        create_tables(other, notes.TABLES)
        assert check(other, ClockOff(0))
