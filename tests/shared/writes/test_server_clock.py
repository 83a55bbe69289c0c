"""The comparison of the writer's clock with the region server's: a slow call is not a wrong clock."""

import os
from contextlib import nullcontext
from functools import partial

import pytest

from shared.intents import IntentWriter
from shared.intents.without_intents import claim
from shared.writes import ClockSkew
from shared.writes.server_clock import ATTEMPTS, CHECKED_FOR_MS, MAX_DRIFT_MS, MAX_SKEW_MS, checked_moment
from tests.shared.intents.clocks import SetClock
from tests.shared.intents.notes import INTENTS, NOTES, Note, Notes

CELLS = {b"n:a": b"1", b"n:b": b"2"}
WITHIN = "clock: must be within 60000 ms of the region server's"


class SlowTable:
    """A table whose first puts take so long, because its region moves, while time passes for everyone."""

    def __init__(self, table, machine, slow_ms, slow_puts):
        self.row = table.row
        self.puts = 0
        self._put = table.put
        self._delays_ms = [slow_ms] * slow_puts
        self._machine = machine

    def put(self, row, cells):
        self.puts += 1
        if self._delays_ms:
            self._machine.passes(self._delays_ms.pop())
        self._put(row, cells)


def compare_slowly(connection, machine, slow_ms, slow_puts=1, ahead_ms=0):
    """The number of comparisons, of a store whose first puts take so long."""
    rows = SlowTable(connection.table(NOTES.name), machine, slow_ms, slow_puts)
    checked_moment(connection, rows, lambda: (b"slot", CELLS), SetClock(ahead_ms))
    return rows.puts


def refused(message):
    return pytest.raises(ClockSkew, match=WITHIN + message)


TOO_SLOW = refused(r", but the store is too slow to tell \(got -120\d\d\d to \+\d+ ms, 3 times\)")


@pytest.mark.parametrize(
    ("slow_ms", "options", "comparisons"),
    [
        (2 * MAX_SKEW_MS, {}, 2),
        (MAX_SKEW_MS // 2, {"slow_puts": 100}, 1),
        (2 * MAX_SKEW_MS, {"slow_puts": ATTEMPTS}, TOO_SLOW),
        (2 * MAX_SKEW_MS, {"ahead_ms": -2 * MAX_SKEW_MS}, refused(r" \(got -")),
    ],
    ids=["a put that waits for a region server", "a store that takes seconds", "always too slow", "slow and behind"],
)
def test_what_is_slow_is_not_a_clock_that_is_behind(connection, machine, slow_ms, options, comparisons):
    with nullcontext() if isinstance(comparisons, int) else comparisons:
        assert compare_slowly(connection, machine, slow_ms, **options) == comparisons


def is_compared(connection, clock):
    """Takes a checked moment; returns whether anything was put for it."""
    rows, row = connection.table(NOTES.name), os.urandom(8)
    checked_moment(connection, rows, lambda: (row, CELLS), clock)
    return rows.row(row) != {}


@pytest.mark.parametrize(
    ("ahead_ms", "answer"),
    [
        (MAX_SKEW_MS - 5_000, nullcontext()),
        (5_000 - MAX_SKEW_MS, nullcontext()),
        (MAX_SKEW_MS + 5_000, refused(r" \(got \+6\d\d\d\d ms")),
        (-MAX_SKEW_MS - 5_000, refused(r" \(got -6\d\d\d\d ms")),
    ],
)
def test_a_clock_within_a_minute_is_right_and_any_other_is_refused_with_the_difference(connection, ahead_ms, answer):
    with answer:
        assert is_compared(connection, SetClock(ahead_ms))


@pytest.mark.parametrize("ahead_ms", [3_600_000, -3_600_000])
def test_upkeep_with_a_wrong_clock_changes_nothing(connection, ahead_ms):
    clock, note = SetClock(), Note("a", "ada")
    notes = Notes(connection, clock=clock)
    without_lists = IntentWriter(connection, NOTES, INTENTS, (), lambda _note: (), clock=clock)
    notes.store(note)
    notes.delete(note)
    before = list(connection.table("notes").scan(include_timestamp=True))
    clock.ahead_ms = ahead_ms
    for upkeep in (
        notes.writer.recover,
        partial(notes.forget, note),
        partial(notes.writer.repair, b"a", ()),
        partial(claim, without_lists, [Note("b", "bob")]),
    ):
        with pytest.raises(ClockSkew):
            upkeep()
    assert list(connection.table("notes").scan(include_timestamp=True)) == before


def test_the_clocks_are_compared_once_in_ten_minutes(connection, machine):
    compared = []
    for milliseconds in (0, 0, CHECKED_FOR_MS - 5_000, 5_000):
        machine.passes(milliseconds)
        compared.append(is_compared(connection, SetClock()))
    assert compared == [True, False, False, True]


@pytest.mark.parametrize("set_by_ms", [MAX_DRIFT_MS + 100, -MAX_DRIFT_MS - 100])
def test_a_clock_that_somebody_has_set_is_compared_again(connection, set_by_ms):
    clock = SetClock()
    assert is_compared(connection, clock)
    clock.ahead_ms = set_by_ms
    assert is_compared(connection, clock)
    assert not is_compared(connection, clock)
