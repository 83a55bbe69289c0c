"""The comparison of the writer's clock with the region server's: a slow call is not a wrong clock."""

import os
import time
from contextlib import closing
from functools import partial

import pytest

from domains.orders import OrderRepository
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import ClockSkew, IntentWriter, WriterClock, claim, forget
from shared.writes.server_clock import ATTEMPTS, CHECKED_FOR_MS, MAX_DRIFT_MS, MAX_SKEW_MS, checked_moment
from tests.engines import plain_table
from tests.shared.writes.changing import TABLES, numbered

from . import notes

TABLE = plain_table("t")
CELLS = {b"f:v": b"idle"}


class ClockOff(WriterClock):
    """The clock of a machine that is `off_ms` ahead."""

    def __init__(self, off_ms=0):
        super().__init__()
        self.off_ms = off_ms

    def read_ms(self):
        return super().read_ms() + self.off_ms


class SlowTable:
    """A table whose puts take so long, because its region moves, while time passes for everyone."""

    def __init__(self, table, monkeypatch, slow_ms, slow_puts=1):
        self._table = table
        self._monkeypatch = monkeypatch
        self._slow_ms = slow_ms
        self._slow_puts = slow_puts
        self.puts = 0

    def put(self, row, cells):
        self.puts += 1
        if self.puts <= self._slow_puts:
            system_ns = time.time_ns
            self._monkeypatch.setattr(time, "time_ns", lambda: system_ns() + self._slow_ms * 1_000_000)
        self._table.put(row, cells)

    def row(self, *arguments, **named):
        return self._table.row(*arguments, **named)


def compare_slowly(monkeypatch, slow_ms, slow_puts=1, clock=None):
    """The number of comparisons, of a store whose first puts take so long."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, [TABLE])
        rows = SlowTable(connection.table("t"), monkeypatch, slow_ms, slow_puts)
        checked_moment(connection, rows, lambda: (b"slot", CELLS), clock or WriterClock())
        return rows.puts


def test_a_put_that_waits_for_a_region_server_is_not_a_clock_that_is_behind(monkeypatch):
    assert compare_slowly(monkeypatch, slow_ms=2 * MAX_SKEW_MS) == 2


def test_a_store_that_takes_seconds_is_compared_once(monkeypatch):
    assert compare_slowly(monkeypatch, slow_ms=MAX_SKEW_MS // 2, slow_puts=100) == 1


def test_a_store_that_is_always_too_slow_is_named_after_three_comparisons(monkeypatch):
    wanted = r"clock: must be .* but the store is too slow to tell \(got -120\d\d\d to \+\d+ ms, 3 times\)"
    with pytest.raises(ClockSkew, match=wanted):
        compare_slowly(monkeypatch, slow_ms=2 * MAX_SKEW_MS, slow_puts=ATTEMPTS)


def test_a_clock_that_is_behind_is_refused_after_a_slow_put_too(monkeypatch):
    with pytest.raises(ClockSkew, match=r"clock: must be within 60000 ms of the region server's \(got -"):
        compare_slowly(monkeypatch, slow_ms=2 * MAX_SKEW_MS, clock=ClockOff(-2 * MAX_SKEW_MS))


@pytest.fixture
def connection():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, notes.TABLES)
        yield connection


def check(connection, clock):
    """Compares the clocks in a new row; returns whether anything was put there."""
    rows, row = connection.table("notes"), os.urandom(8)
    checked_moment(connection, rows, lambda: (row, {b"n:a": b"1", b"n:b": b"2"}), clock)
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


@pytest.mark.parametrize("off_ms", [3_600_000, -3_600_000])
def test_upkeep_with_a_wrong_clock_changes_nothing(connection, off_ms):
    writer = notes.writer_on(connection)
    writer.write(notes.ById("a"), lambda _stored: notes.Note("a", "ada"))
    writer.write(notes.ById("a"), lambda _stored: None)
    before = list(connection.table("notes").scan(include_timestamp=True))
    writer._clock = ClockOff(off_ms)
    of_moving = IntentWriter(connection, notes.NOTES, notes.INTENTS, (), lambda _note: (), clock=writer._clock)
    for upkeep in (
        writer.recover,
        partial(forget, writer, [b"a"]),
        partial(writer.repair, b"a", ()),
        partial(claim, of_moving, [notes.Note("b", "bob")]),
    ):
        with pytest.raises(ClockSkew):
            upkeep()
    assert list(connection.table("notes").scan(include_timestamp=True)) == before


def test_the_clocks_are_compared_once_in_ten_minutes(connection, monkeypatch):
    clock, passed_ns, now_ns = ClockOff(), [0], time.monotonic_ns
    monkeypatch.setattr("shared.writes.clock._NEVER_SET", [lambda: now_ns() + passed_ns[0]])
    assert check(connection, clock)
    assert not check(connection, clock)
    system_ns = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: system_ns() + passed_ns[0])
    passed_ns[0] = (CHECKED_FOR_MS - 5_000) * 1_000_000
    assert not check(connection, clock)
    passed_ns[0] = CHECKED_FOR_MS * 1_000_000
    assert check(connection, clock)


@pytest.mark.parametrize("set_by_ms", [MAX_DRIFT_MS + 100, -MAX_DRIFT_MS - 100])
def test_a_clock_that_somebody_has_set_is_compared_again(connection, set_by_ms):
    clock = ClockOff()
    assert check(connection, clock)
    clock.off_ms = set_by_ms
    assert check(connection, clock)
    assert not check(connection, clock)


@pytest.mark.parametrize("set_by_ms", [3_600_000, -3_600_000])
def test_a_clock_that_was_set_wrongly_while_a_writer_runs_is_refused_until_it_is_right_again(set_by_ms):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        clock = ClockOff()
        orders = OrderRepository(connection, clock=clock)
        orders.place(numbered(1))
        clock.off_ms = set_by_ms
        with pytest.raises(ClockSkew):
            orders.place(numbered(2))
        clock.off_ms = 0
        orders.place(numbered(2))
        assert orders.order(numbered(2).order_number) == numbered(2)


def test_another_connection_is_compared_again(connection):
    check(connection, ClockOff())
    with closing(connect("embedded:")) as other:
        create_tables(other, notes.TABLES)
        assert check(other, ClockOff())
