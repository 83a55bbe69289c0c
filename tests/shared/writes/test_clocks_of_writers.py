"""What a writer promises whatever its clock shows: set back, far ahead for a moment, stopped with its process."""

import os
import time
from contextlib import closing
from functools import partial

import attrs
import pytest

from shared.stores import connect
from shared.tables import InvalidRecord, create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at
from shared.writes import ClockSkew, IntentWriter, WriterClock, WriterUpkeep, claim, clock, forget, intents
from shared.writes import slots as slots_module
from shared.writes.intents import CLOCKS_APART_MS, FORGET_MS, KEEP_TOMBSTONES_MS, WINDOW_MS
from shared.writes.server_clock import MAX_SKEW_MS
from shared.writes.slots import Slots
from shared.writes.sources import WRITES_KEPT

from .notes import INTENTS, NOTES, OWNERS, STATES, TABLES, ById, ByState, Note

DAY_MS = 24 * 60 * 60 * 1000
A = Note("a", "ada")
DONE = attrs.evolve(A, state="done")


class Machine:
    """The clocks of a machine, which pass together; only the wall clock can be set."""

    def __init__(self):
        self.passed_ms = 0
        self._system_ns = time.time_ns
        self._monotonic_ns = time.monotonic_ns

    def time_ns(self):
        return self._system_ns() + self.passed_ms * 1_000_000

    def monotonic_ns(self):
        return self._monotonic_ns() + self.passed_ms * 1_000_000


class SetClock(WriterClock):
    """The writer's clock, which somebody sets."""

    set_by_ms = 0

    def read_ms(self):
        return super().read_ms() + self.set_by_ms


@pytest.fixture
def machine(monkeypatch):
    machine = Machine()
    monkeypatch.setattr(time, "time_ns", machine.time_ns)
    monkeypatch.setattr(clock, "_NEVER_SET", [machine.monotonic_ns])
    monkeypatch.setattr(intents, "SLOTS", Slots())
    return machine


@pytest.fixture
def connection(machine):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        yield connection


def lines_of(note):
    yield STATES, ByState(note.state, note.id)


def writer_on(connection, clock=None):
    return IntentWriter(
        connection, NOTES, INTENTS, [STATES], lines_of, moving=[STATES], clock=WriterClock() if clock is None else clock
    )


def store(writer, note):
    writer.write(ById(note.id), lambda _stored: note)


def delete(writer, note):
    writer.write(ById(note.id), lambda _stored: None)


def found(connection):
    return [*map(str, WriterUpkeep(writer_on(connection)).verify())]


def test_a_decision_is_not_sent_after_the_window_although_the_clock_was_set_back(connection, machine):
    clock = SetClock()
    store(writer_on(connection, clock), A)

    def meanwhile():
        machine.passed_ms += WINDOW_MS + 1000
        clock.set_by_ms = -WINDOW_MS

    paused = WatchedConnection(connection, paused_at(2, meanwhile))  # after the intent, before the moving line
    with pytest.raises(ClockSkew):
        store(writer_on(paused, clock), DONE)
    assert "checkAndPut" not in [call.name for call in paused.calls]
    clock.set_by_ms = 0
    assert writer_on(connection).recover(older_than_ms=0).failed == ()
    assert found(connection) == []


@pytest.mark.parametrize("set_by_ms", [DAY_MS, -3_600_000])
def test_one_wrong_reading_neither_stops_the_process_nor_gets_into_the_store(connection, machine, set_by_ms):
    clock = SetClock()
    writer = writer_on(connection, clock)
    store(writer, A)
    clock.set_by_ms = set_by_ms
    with pytest.raises(ClockSkew):
        store(writer, DONE)
    clock.set_by_ms = 0
    store(writer, DONE)
    assert abs(writer.reader.read(b"a").time_ms - machine.time_ns() // 1_000_000) < MAX_SKEW_MS
    assert writer.pending() == []


def test_a_slot_that_is_dated_by_a_clock_that_was_ahead_is_not_used_again(machine):
    slots = Slots()
    with slots.taken() as ahead:
        ahead.last_ms = machine.time_ns() // 1_000_000 + DAY_MS
    with slots.taken(machine.time_ns() // 1_000_000) as taken:
        assert taken.slot != ahead.slot


def test_an_intent_that_is_dated_by_a_clock_that_was_ahead_is_settled_at_once(connection, machine):
    with pytest.raises(WriterDied):
        store(writer_on(WatchedConnection(connection, dying_at(2))), A)
    ((row, cells),) = [slot for slot in connection.table(INTENTS.name).scan() if slot[1][b"i:s"] != b"\xc0"]
    connection.table(INTENTS.name).put(row, cells, timestamp=machine.time_ns() // 1_000_000 + DAY_MS)
    assert writer_on(connection).recover().settled == 1
    assert writer_on(connection).pending() == []


@pytest.mark.parametrize(("ahead_ms", "waiting"), [(CLOCKS_APART_MS - 1000, 1), (CLOCKS_APART_MS + 1000, 0)])
def test_a_write_of_a_right_clock_is_not_settled_at_once_however_right_clocks_differ(
    connection, machine, ahead_ms, waiting
):
    with pytest.raises(WriterDied):
        store(writer_on(WatchedConnection(connection, dying_at(2))), A)
    ((row, cells),) = [slot for slot in connection.table(INTENTS.name).scan() if slot[1][b"i:s"] != b"\xc0"]
    connection.table(INTENTS.name).put(row, cells, timestamp=machine.time_ns() // 1_000_000 + ahead_ms)
    assert writer_on(connection).recover().waiting == waiting


def test_forget_wants_the_time_in_the_cell_to_be_old_too(connection, machine):
    writer = writer_on(connection)
    store(writer, A)
    delete(writer, A)
    cells = connection.table(NOTES.name).row(b"a")
    connection.table(NOTES.name).delete(b"a")
    connection.table(NOTES.name).put(b"b", cells, timestamp=1)  # restored, with another timestamp
    assert forget(writer, [b"b"]) == 1
    machine.passed_ms += FORGET_MS + 10
    assert forget(writer, [b"b"]) == 0
    assert connection.table(NOTES.name).row(b"b") == {}


def stopped_before_its_decision(connection, machine, run, erased):
    """A process that is stopped between its look at the clock and its `checkAndPut`; others erase and forget then."""

    def meanwhile():
        others = writer_on(connection)
        others.recover(older_than_ms=0)
        delete(others, erased)
        machine.passed_ms += FORGET_MS + 1000
        assert forget(others, [NOTES.row(erased)]) == 0

    script = paused_at(decision_of(connection, run), meanwhile)
    paused = WatchedConnection(connection, script)
    run(writer_on(paused))
    return paused


def decision_of(connection, run):
    """The number of the call that decides, from a run on a store of its own."""
    with closing(connect("embedded:")) as other:
        create_tables(other, TABLES)
        watched = WatchedConnection(other)
        run(writer_on(watched))
    return [call.name for call in watched.calls].index("checkAndPut")


@pytest.mark.parametrize(
    "run", [lambda writer: store(writer, A), lambda writer: claim(writer, [A])], ids=["write", "claim"]
)
def test_a_process_that_was_stopped_before_its_decision_leaves_no_record_without_its_line(connection, machine, run):
    paused = stopped_before_its_decision(connection, machine, run, A)
    assert [call.name for call in paused.calls].count("checkAndPut") >= 2
    assert writer_on(connection).reader.read(b"a").record == A
    assert found(connection) == []


def test_a_recoverer_puts_the_lines_of_a_process_that_was_stopped_and_died(connection, machine):
    run = partial(store, note=A)
    number = decision_of(connection, run)

    def meanwhile():
        others = writer_on(connection)
        delete(others, A)
        lines = list(connection.table(STATES.name).scan())
        for row, _ in lines:
            connection.table(STATES.name).delete(row)
        machine.passed_ms += FORGET_MS + 1000
        forget(others, [NOTES.row(A)])

    paused = WatchedConnection(connection, paused_at(number, meanwhile, dying_at(number + 1)))
    with pytest.raises(WriterDied):
        run(writer_on(paused))
    assert writer_on(connection).reader.read(b"a").record == A
    assert writer_on(connection).recover(older_than_ms=0).failed == ()
    assert found(connection) == []


def test_a_write_that_changes_nothing_and_was_stopped_puts_back_no_line_that_others_removed(connection, machine):
    writer = IntentWriter(
        connection, NOTES, INTENTS, [OWNERS], lambda note: [(OWNERS, note)] if note.owner else [], clock=WriterClock()
    )
    store(writer, A)
    put = writer.put

    def stopped(cells, time_ms):
        writer.put = put
        store(writer, attrs.evolve(A, owner=""))
        machine.passed_ms += KEEP_TOMBSTONES_MS + 1000
        connection.compact(OWNERS.name)
        put(cells, time_ms)

    writer.put = stopped
    store(writer, A)
    assert list(connection.table(OWNERS.name).scan()) == []
    assert [*WriterUpkeep(writer).verify()] == []


def test_a_write_that_never_sent_its_decision_starts_again_however_many_others_were_accepted(connection, machine):
    store(writer_on(connection), A)

    def meanwhile():
        others = writer_on(connection)
        for number in range(WRITES_KEPT + 2):
            store(others, attrs.evolve(A, text=str(number)))
        machine.passed_ms += WINDOW_MS + 1

    paused = WatchedConnection(connection, paused_at(2, meanwhile))
    store(writer_on(paused), DONE)
    assert writer_on(connection).reader.read(b"a").record == DONE
    assert found(connection) == []


def test_a_list_whose_line_moves_must_be_declared_moving(connection):
    writer = IntentWriter(connection, NOTES, INTENTS, [STATES], lines_of, clock=WriterClock())
    store(writer, A)
    before = [list(connection.table(table.name).scan(include_timestamp=True)) for table in TABLES]
    with pytest.raises(
        InvalidRecord, match="table notes_by_state: must be in moving, because a write moves a line of it"
    ):
        store(writer, DONE)
    assert [list(connection.table(table.name).scan(include_timestamp=True)) for table in TABLES] == before
    delete(writer, A)
    store(writer, DONE)


def test_a_record_that_no_cell_can_hold_is_refused_before_its_intent(connection):
    half = "x" * 6_000_000
    with pytest.raises(InvalidRecord, match=r"Note in row 61: must fit \d+ bytes.* \(got 12\d+ bytes\)"):
        store(writer_on(connection), Note("a", half, "open", half))
    assert writer_on(connection).pending() == []
    assert list(connection.table(STATES.name).scan()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_that_is_forked_while_a_thread_reads_clock_and_slots_does_not_hang():
    slots, writers_clock = Slots(), WriterClock()
    with clock._lock, slots_module._lock:
        child = os.fork()
        if child == 0:
            writers_clock.now_ms()
            with slots.taken():
                os._exit(7)
    deadline = time.monotonic() + 10
    while (waited := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    if waited[0] == 0:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(waited[1]) == 7
