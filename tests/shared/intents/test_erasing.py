"""An erasure ends once its sources are old enough, takes late lines with it, and spares what is new."""

import attrs
import msgpack
import pytest

from shared.intents import Erasure, Erasures, ErasuresTable, IntentWriter
from shared.intents.times import FORGET_MS
from shared.tables import InvalidRow, create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at
from shared.upkeep import Instructions
from shared.writes import ClockSkew

from .clocks import SetClock
from .notes import INTENTS, NOTES, STATES, ByState, Note, moving_notes

ERASURES = ErasuresTable("notes_erasures")
TABLE = ERASURES.layout
A, B = Note("a", "ada"), Note("b", "ada")
LINE = {b"n:x": b"\xc3"}
OTHERS = attrs.evolve(NOTES, name="notes_new")
"""A source that was given the table of the notes' erasures."""


@pytest.fixture
def notes(connection, machine):
    return moving_notes(connection)


@pytest.fixture
def erasures(connection, notes):
    create_tables(connection, ERASURES.tables)
    return erasures_of(connection, notes.writer)


def erasures_of(connection, writer, rows_of=lambda *_: [[]], *, ends_dead=True):
    """The erasures of persons whose records `rows_of` finds, and who have no other line."""
    return Erasures(connection, ERASURES, [writer], rows_of, lambda *_: 0, "notes", ends_dead=ends_dead)


def rows(connection, table):
    return [row for row, _ in connection.table(table.name).scan()]


def fail(invalid):
    raise invalid


def erase_ada(notes, erasures):
    """Erases both notes; returns the erasure."""
    for note in (A, B):
        notes.store(note)
    erasures.begin("ada")
    for note in (A, B):
        notes.delete(note)
    return erasures.end("ada", [[NOTES.row(A), NOTES.row(B)]])


def test_an_erasure_is_stored_before_it_ends_and_until_it_is_removed(connection, erasures, machine):
    erasures.begin("ada")
    machine.passes(10 * FORGET_MS)
    (begun,) = erasures.stored(fail)
    assert (begun.name, begun.is_ended, erasures.is_due(begun)) == ("ada", False, False), "due only once it has ended"
    ended = erasures.end("ada", [[b"r%d" % number for number in range(2500)]])
    assert list(erasures.stored(fail)) == [ended]
    assert len(connection.table(TABLE.name).row(b"ada")) == 2503
    erasures.remove(ended)
    assert list(erasures.stored(fail)) == rows(connection, TABLE) == []


@pytest.mark.parametrize("unreadable", [[], [b"a"]], ids=["all", "one that cannot be read"])
def test_sources_are_forgotten_once_they_are_old_enough_if_they_can_be_read(
    connection, machine, notes, erasures, unreadable
):
    erasure = erase_ada(notes, erasures)
    assert (erasures.is_due(erasure), erasures.forget(erasure, fail)) == (False, 2)
    for row in unreadable:
        connection.table(NOTES.name).put(row, {b"n:note": b"?"})
    machine.passes(FORGET_MS + 1000)
    reported = []
    assert (erasures.is_due(erasure), erasures.forget(erasure, reported.append)) == (True, len(unreadable))
    assert [invalid.row for invalid in reported] == rows(connection, NOTES) == unreadable


def test_only_old_lines_without_a_source_are_strays(connection, machine, notes, erasures):
    erasure = erase_ada(notes, erasures)
    machine.passes(FORGET_MS + 1000)
    notes.store(A)
    lines = connection.table(STATES.name)
    old_ms, under_way_ms = erasure.at_ms, erasure.at_ms + FORGET_MS // 2
    for line, time_ms in (("a", old_ms), ("b", under_way_ms), ("c", old_ms), ("d", old_ms), ("e", under_way_ms)):
        lines.put(STATES.row(ByState("done", line)), LINE, timestamp=time_ms)
    lines.put(b"no key", LINE)

    def names(line):
        return line.id != "d"

    kept = [("open", "a"), ("done", "a"), ("done", "b"), ("done", "d"), ("done", "e")]
    assert erasures.delete_strays(names, erasure.at_ms + FORGET_MS, fail) == 4
    assert rows(connection, STATES) == sorted([*(STATES.row(ByState(*line)) for line in kept), b"no key"])
    assert erasures.delete_strays(names, erasure.at_ms - 1, fail) == 4


def test_what_is_dated_after_an_erasure_is_not_its_line(connection, erasures):
    connection.table(STATES.name).put(STATES.row(ByState("done", "c")), LINE, timestamp=1000)
    assert erasures.delete_strays(lambda _line: True, 999, fail) == 1
    assert erasures.delete_strays(lambda _line: True, 1000, fail) == 0


def test_the_end_of_an_erasure_spares_a_later_one_of_the_same_name(erasures, machine):
    erasures.begin("ada")
    first = erasures.end("ada", [[b"r1"]])
    machine.passes(1000)
    erasures.begin("ada")
    second = erasures.end("ada", [[b"r2"]])
    machine.passes(1000)  # a tombstone of now is above it
    erasures.remove(first)
    assert list(erasures.stored(fail)) == [second]
    assert second == Erasure("ada", second.at_ms, is_ended=True, source_tables=(NOTES.name,))


@pytest.mark.parametrize("ends_dead", [True, False])
def test_of_two_erasures_at_once_the_later_one_is_not_forgotten_if_it_dies(
    connection, machine, notes, erasures, ends_dead
):
    """The earlier one has not read what was stored before the later one began."""

    def eraser(connection):
        writer = moving_notes(connection).writer
        return erasures_of(connection, writer, lambda *_: [rows(connection, NOTES)], ends_dead=ends_dead)

    def is_decision(call):
        return call.table == NOTES.name

    def store_and_die():
        notes.store(B)
        with pytest.raises(WriterDied):
            eraser(WatchedConnection(connection, dying_at(is_decision))).erase("ada")

    notes.store(A)
    assert eraser(WatchedConnection(connection, paused_at(is_decision, store_and_die))).erase("ada") == 1
    machine.passes(FORGET_MS + 1000)
    recovery = eraser(connection).recover()
    assert (recovery.settled, len(recovery.failed)) == ((1, 0) if ends_dead else (0, 1))
    if not ends_dead:
        assert eraser(connection).erase("ada") == 1
    machine.passes(FORGET_MS + 1000)
    assert eraser(connection).recover().settled == 1
    assert rows(connection, TABLE) == rows(connection, NOTES) == rows(connection, STATES) == []


def test_what_keeps_a_line_that_must_go_is_told(connection, machine, notes, erasures):
    notes.store(A)
    connection.table(NOTES.name).put(b"a", {b"n:note": b"?"})
    future_ms = machine.now_ms + 86_400_000
    connection.table(STATES.name).put(STATES.row(ByState("done", "c")), LINE, timestamp=future_ms)
    told = []
    assert erasures.delete_strays(lambda _line: True, future_ms, told.append) == 2
    assert [(kept.table, kept.row) for kept in told] == [
        (NOTES.name, b"a"),
        (STATES.name, STATES.row(ByState("done", "c"))),
    ]


def dated_by(connection, clock):
    return erasures_of(connection, IntentWriter(connection, NOTES, INTENTS, [], list, clock=clock))


def test_an_erasure_is_dated_by_a_clock_that_was_compared(connection, erasures, machine):
    clock = SetClock()
    dated = dated_by(connection, clock)
    dated.begin("ada")
    clock.ahead_ms = 3_600_000
    for call in (lambda: dated.begin("ada"), lambda: dated.end("ada", [[]])):
        with pytest.raises(ClockSkew):
            call()
    (begun,) = dated.stored(fail)
    assert begun.at_ms <= machine.now_ms


@pytest.mark.parametrize("call", ["begin", "end"])
def test_an_erasure_is_stored_although_a_host_whose_clock_is_ahead_ends_and_removes_one_meanwhile(
    connection, erasures, machine, call
):
    """The other erasure comes between the read and the put: the row shows it, until it is removed."""
    of_fast_host = dated_by(connection, SetClock(50_000))
    others = []
    slow = WatchedConnection(
        connection,
        paused_at(lambda put: put.table == TABLE.name, lambda: others.append(of_fast_host.end("ada", [[]]))),
    )
    of_slow_host = dated_by(slow, SetClock())
    of_slow_host.begin("ada") if call == "begin" else of_slow_host.end("ada", [[b"r2"]])
    of_fast_host.remove(*others)
    assert [erasure.is_ended for erasure in erasures.stored(fail)] == [call == "end"]
    assert (b"s0:r2" in connection.table(TABLE.name).row(b"ada")) == (call == "end")


def test_an_erasure_is_dated_above_that_of_a_host_whose_clock_is_ahead_and_not_above_the_future(
    connection, erasures, machine
):
    dated_by(connection, SetClock(50_000)).begin("ada")
    ended = erasures.end("ada", [[b"r1"]])
    assert list(erasures.stored(fail)) == [ended]
    future_ms = machine.now_ms + 86_400_000
    connection.table(TABLE.name).put(b"ada", {b"e:t": b"?"}, timestamp=future_ms)
    with pytest.raises(InvalidRow, match=f"must be dated at most 180000 ms after now .got {future_ms}."):
        erasures.begin("ada")


def test_an_erasure_of_another_source_is_kept_and_reported(connection, machine, notes, erasures):
    """Otherwise it would go, and the cells of deleted records that name the person would stay."""
    erase_ada(notes, erasures)
    machine.passes(FORGET_MS + 1000)
    recovery = erasures_of(connection, IntentWriter(connection, OTHERS, INTENTS, [], list)).recover()
    assert (recovery.settled, recovery.waiting) == (0, 0)
    assert "must be an erasure of notes_new (got notes); each needs a table of its own" in recovery.failed[0]
    assert rows(connection, TABLE) == [b"ada"]
    assert rows(connection, NOTES) == [b"a", b"b"]


def test_an_erasure_of_an_earlier_release_is_finished_as_before(connection, machine, notes, erasures):
    erasure = erase_ada(notes, erasures)
    connection.table(TABLE.name).delete(b"ada", [b"e:n"], timestamp=erasure.at_ms + 1000)  # whatever the clocks say
    assert [*erasures.stored(fail)] == [attrs.evolve(erasure, source_tables=())]
    machine.passes(FORGET_MS + 1000)
    assert erasures.recover().settled == 1
    assert rows(connection, TABLE) == rows(connection, NOTES) == []


@pytest.mark.parametrize("at_ms", [-1, 2**63, 2**64 - 1])
def test_an_erasure_whose_date_is_none_is_found_and_removed_if_told(connection, notes, erasures, at_ms):
    connection.table(TABLE.name).put(b"ada", {b"e:t": msgpack.packb(at_ms), b"e:e": msgpack.packb(True)})
    (failed,) = erasures.recover().failed
    assert "Erasure.at_ms: must be 0.." in failed
    assert [(finding.kind, is_mended) for finding, is_mended in erasures.repair()] == [("undecodable", False)]
    told = erasures.repair(instructions=Instructions(discards_undecodable=True))
    assert [is_mended for _, is_mended in told] == [True]
    assert rows(connection, TABLE) == list(erasures.verify()) == []
