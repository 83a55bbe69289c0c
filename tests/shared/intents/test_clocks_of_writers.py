"""What a writer promises whatever its clock shows: set back, far ahead for a moment, stopped with its process."""

import os
import signal
from contextlib import closing
from operator import methodcaller

import attrs
import pytest

from shared.intents import IntentWriter
from shared.intents import slots as slots_module
from shared.intents.intent_rows import CLOCKS_APART_MS
from shared.intents.slots import Slots
from shared.intents.source_cells import WRITES_KEPT
from shared.intents.times import FORGET_MS, KEEP_TOMBSTONES_MS, WINDOW_MS
from shared.stores import connect
from shared.tables import InvalidRecord, create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at
from shared.upkeep.recovery import Recovery
from shared.writes import ClockSkew, WriterClock
from shared.writes import clock as clock_module
from shared.writes.server_clock import MAX_SKEW_MS

from .clocks import SetClock
from .notes import INTENTS, NOTES, OWNERS, STATES, TABLES, Note, Notes, die, moving_notes, state_of

DAY_MS = 24 * 60 * 60 * 1000
A = Note("a", "ada")
B = Note("b", "bob")
DONE = attrs.evolve(A, state="done")


@pytest.mark.parametrize(
    "write", [methodcaller("store", DONE), methodcaller("store_all", B, DONE)], ids=["one", "batch"]
)
def test_a_decision_is_not_sent_after_the_window_although_the_clock_was_set_back(connection, machine, moving, write):
    clock = SetClock()
    moving_notes(connection, clock).store(A)

    def meanwhile():
        machine.passes(WINDOW_MS + 1000)
        clock.ahead_ms = -WINDOW_MS

    paused = WatchedConnection(connection, paused_at(lambda call: call.table == STATES.name, meanwhile))
    with pytest.raises(ClockSkew):
        write(moving_notes(paused, clock))
    assert "checkAndPut" not in [call.name for call in paused.calls]
    clock.ahead_ms = 0
    assert (moving.recover().failed, moving.findings()) == ((), [])


@pytest.mark.parametrize("ahead_ms", [DAY_MS, -MAX_SKEW_MS - 20_000])
def test_one_wrong_reading_neither_stops_the_process_nor_gets_into_the_store(connection, machine, ahead_ms):
    clock = SetClock()
    notes = moving_notes(connection, clock)
    notes.store(A)
    clock.ahead_ms = ahead_ms
    with pytest.raises(ClockSkew):
        notes.store(DONE)
    clock.ahead_ms = 0
    notes.store(DONE)
    assert abs(notes.source().time_ms - machine.now_ms) < MAX_SKEW_MS
    assert notes.pending() == []


def test_a_slot_that_is_dated_by_a_clock_that_was_ahead_is_not_used_again(machine):
    slots = Slots()
    with slots.taken() as ahead:
        ahead.last_ms = machine.now_ms + DAY_MS
    with slots.taken(machine.now_ms) as taken:
        assert taken.slot != ahead.slot


@pytest.mark.parametrize(
    ("ahead_ms", "recovery"),
    [
        (CLOCKS_APART_MS - 1000, Recovery(0, 1, ())),
        (CLOCKS_APART_MS + 1000, Recovery(1, 0, ())),
        (DAY_MS, Recovery(1, 0, ())),
    ],
    ids=["a right clock", "a wrong clock", "a day"],
)
def test_only_an_intent_that_is_dated_later_than_right_clocks_differ_is_settled_at_once(
    connection, machine, moving, ahead_ms, recovery
):
    die(connection, A, dying_at(2), moving_notes)
    ((row, cells),) = [slot for slot in connection.table(INTENTS.name).scan() if slot[1][b"i:s"] != b"\xc0"]
    connection.table(INTENTS.name).put(row, cells, timestamp=machine.now_ms + ahead_ms)
    assert moving.writer.recover() == recovery
    assert len(moving.pending()) == recovery.waiting
    assert moving.recover().settled == recovery.waiting, "all, if told to"


def decision_of(run):
    """The number of the call that decides, from a run on a store of its own."""
    with closing(connect("embedded:")) as other:
        create_tables(other, TABLES)
        watched = WatchedConnection(other)
        run(moving_notes(watched))
    return [call.name for call in watched.calls].index("checkAndPut")


@pytest.mark.parametrize("run", [methodcaller("store", A), methodcaller("claim", A)], ids=["write", "claim"])
def test_a_process_that_was_stopped_before_its_decision_leaves_no_record_without_its_line(
    connection, machine, moving, run
):
    def meanwhile():
        moving.recover()
        moving.delete(A)
        machine.passes(FORGET_MS + 1000)
        assert moving.forget(A) == 0

    paused = WatchedConnection(connection, paused_at(decision_of(run), meanwhile))
    run(moving_notes(paused))
    assert [call.name for call in paused.calls].count("checkAndPut") >= 2
    assert (moving.records(), moving.findings()) == ({"a": A}, [])


def test_a_recoverer_puts_the_lines_of_a_process_that_was_stopped_and_died(connection, machine, moving):
    run = methodcaller("store", A)
    number = decision_of(run)

    def meanwhile():
        moving.delete(A)
        for row, _ in list(connection.table(STATES.name).scan()):
            connection.table(STATES.name).delete(row)
        machine.passes(FORGET_MS + 1000)
        moving.forget(A)

    with pytest.raises(WriterDied):
        run(moving_notes(WatchedConnection(connection, paused_at(number, meanwhile, dying_at(number + 1)))))
    assert moving.recover().failed == ()
    assert (moving.records(), moving.findings()) == ({"a": A}, [])


def test_a_write_that_changes_nothing_and_was_stopped_puts_back_no_line_that_others_removed(connection, machine):
    writer = IntentWriter(
        connection, NOTES, INTENTS, [OWNERS], lambda note: [(OWNERS, note)] if note.owner else [], clock=WriterClock()
    )
    notes = Notes(connection, writer)
    notes.store(A)
    put = writer.put

    def stopped(*dated):
        writer.put = put
        notes.store(attrs.evolve(A, owner=""))
        machine.passes(KEEP_TOMBSTONES_MS + 1000)
        connection.compact(OWNERS.name)
        put(*dated)

    writer.put = stopped
    notes.store(A)
    assert list(connection.table(OWNERS.name).scan()) == notes.findings() == []


def test_a_write_that_never_sent_its_decision_starts_again_however_many_others_were_accepted(
    connection, machine, moving
):
    moving.store(A)

    def meanwhile():
        for number in range(WRITES_KEPT + 2):
            moving.store(attrs.evolve(A, text=str(number)))
        machine.passes(WINDOW_MS + 1)

    moving_notes(WatchedConnection(connection, paused_at(2, meanwhile))).store(DONE)
    assert (moving.records(), moving.findings()) == ({"a": DONE}, [])


def test_a_list_whose_line_moves_must_be_declared_moving(connection, moving):
    notes = Notes(connection, IntentWriter(connection, NOTES, INTENTS, [STATES], state_of, clock=WriterClock()))
    notes.store(A)
    before = [list(connection.table(table.name).scan(include_timestamp=True)) for table in TABLES]
    message = "table notes_by_state: must be a moving list, because a write changes the key of a line"
    with pytest.raises(InvalidRecord, match=message):
        notes.store(DONE)
    assert [list(connection.table(table.name).scan(include_timestamp=True)) for table in TABLES] == before
    notes.delete(A)
    notes.store(DONE)


def test_a_record_that_no_cell_can_hold_is_refused_before_its_intent(connection, moving):
    half = "x" * 6_000_000
    with pytest.raises(InvalidRecord, match=r"Note in row 61: must fit \d+ bytes.* \(got 12\d+ bytes\)"):
        moving.store(Note("a", half, "open", half))
    assert moving.pending() == list(connection.table(STATES.name).scan()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_that_is_forked_while_a_thread_reads_clock_and_slots_does_not_hang():
    slots, writers_clock = Slots(), WriterClock()
    with clock_module._lock, slots_module._lock:
        child = os.fork()
        if child == 0:
            signal.alarm(60)  # ends a child that hangs
            writers_clock.now_ms()
            with slots.taken():
                os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
