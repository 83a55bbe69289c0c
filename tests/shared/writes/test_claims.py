"""Sources that are created or removed without a write of their own: `claim` and `forget`."""

import time
from contextlib import closing, suppress

import attrs
import pytest

from shared.stores import connect
from shared.tables import InvalidRecord, create_tables
from shared.testing import Stop, WatchedConnection, WriterDied, dying_before, paused_at, paused_before, stopped_at
from shared.writes import IntentWriter, WriterClock, WriterUpkeep, claim, forget
from shared.writes.intents import FORGET_MS, WINDOW_MS

from .notes import INTENTS, NOTES, STATES, ById, ByState, Note, writer_on

A, B, C = (Note(name, "ada") for name in "abc")
TABLES = (NOTES, STATES, INTENTS)


class Time:
    """The time of all clocks, of the writers and of the embedded store."""

    def __init__(self):
        self._passed_ns = 0
        self._now_ns = time.time_ns

    def time_ns(self):
        return self._now_ns() + self._passed_ns

    def passes(self, milliseconds):
        self._passed_ns += milliseconds * 1_000_000


@pytest.fixture
def clocks(monkeypatch):
    clocks = Time()
    monkeypatch.setattr(time, "time_ns", clocks.time_ns)
    return clocks


@pytest.fixture
def embedded():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        yield connection


def lines_of(note):
    yield STATES, ByState(note.state, note.id)


def moving_only(connection):
    """A writer with a clock of its own, which no other test shares."""
    return IntentWriter(connection, NOTES, INTENTS, [STATES], lines_of, moving=[STATES], clock=WriterClock())


def store(writer, note):
    writer.write(ById(note.id), lambda _stored: note)


def delete(writer, note):
    writer.write(ById(note.id), lambda _stored: None)


def is_decision(call):
    return call.name == "checkAndPut"


def records(connection):
    return {note.id: note for row, cells in connection.table(NOTES.name).scan() for note in NOTES.records(row, cells)}


def verified(connection):
    return [*WriterUpkeep(moving_only(connection)).verify()]


@pytest.fixture
def connection(new_store):
    return new_store(*TABLES)


def test_claim_creates_what_never_existed_and_leaves_the_rest(connection):
    writer = moving_only(connection)
    done = attrs.evolve(A, state="done")
    store(writer, done)
    store(writer, B)
    delete(writer, B)
    assert claim(writer, [A, B, C]) == 1
    assert records(connection) == {"a": done, "c": C}
    assert verified(connection) == []
    assert claim(writer, [A, B, C]) == 0


def test_a_claimed_record_is_changed_and_deleted_like_any_other(connection):
    writer = moving_only(connection)
    claim(writer, [A, B])
    store(writer, attrs.evolve(A, state="done"))
    delete(writer, B)
    claim(writer, [A, B])
    assert records(connection) == {"a": attrs.evolve(A, state="done")}
    assert [row for row, _ in connection.table(STATES.name).scan()] == [STATES.row(ByState("done", "a"))]


def test_a_claim_that_died_at_any_call_is_completed_by_the_next(engine):
    for number in range(4):
        for stored in (frozenset(), frozenset({0}), frozenset({0, 1, 2})):
            with engine.store(*TABLES) as connection:
                dying = WatchedConnection(connection, stopped_at(Stop(number, stored)))
                with suppress(WriterDied):
                    claim(moving_only(dying), [A, B, C])
                claim(moving_only(connection), [A, B, C])
                assert records(connection) == {"a": A, "b": B, "c": C}
                assert verified(connection) == []


def test_a_claim_that_is_delivered_late_brings_nothing_back(connection):
    late = WatchedConnection(connection, stopped_at(Stop(1, is_death=True)))
    with suppress(WriterDied):
        claim(moving_only(late), [A])
    writer = moving_only(connection)
    claim(writer, [A])
    delete(writer, A)
    late.deliver()
    assert records(connection) == {}


def test_claim_refuses_lists_that_do_not_move(connection):
    with pytest.raises(InvalidRecord, match="table notes_by_owner: claim needs lists that move"):
        claim(writer_on(connection), [A])
    assert records(connection) == {}


def test_what_a_deleted_record_left_goes_when_no_call_can_be_under_way(embedded, clocks):
    writer = moving_only(embedded)
    store(writer, A)
    store(writer, B)
    delete(writer, B)
    rows = [NOTES.row(A), NOTES.row(B), NOTES.row(C)]
    assert forget(writer, rows) == 1
    clocks.passes(FORGET_MS - 1000)
    assert forget(writer, rows) == 1
    clocks.passes(2000)
    assert forget(writer, rows) == 0
    assert [row for row, _ in embedded.table(NOTES.name).scan()] == [NOTES.row(A)]


@pytest.mark.parametrize("create", [store, lambda writer, note: claim(writer, [note])], ids=["write", "claim"])
def test_the_tombstones_of_a_forgotten_record_hide_no_line_of_a_new_one(embedded, clocks, create):
    writer = moving_only(embedded)
    store(writer, A)
    delete(writer, A)
    clocks.passes(FORGET_MS + 10)
    forget(writer, [NOTES.row(A)])
    create(writer, A)
    assert records(embedded) == {"a": A}
    assert verified(embedded) == []


def test_a_source_that_only_a_recoverer_raised_is_claimed(connection):
    with suppress(WriterDied):
        store(moving_only(WatchedConnection(connection, dying_before(is_decision))), A)
    writer = moving_only(connection)
    assert writer.recover(older_than_ms=0).settled == 1
    assert writer.reader.read(NOTES.row(A)).revision == 1
    assert claim(writer, [A]) == 1
    assert records(connection) == {"a": A}
    assert verified(connection) == []


def test_a_decision_is_not_sent_after_the_window(embedded, clocks):
    done = attrs.evolve(A, state="done")
    store(moving_only(embedded), A)
    paused = WatchedConnection(embedded, paused_at(2, lambda: clocks.passes(WINDOW_MS + 1)))
    store(moving_only(paused), done)
    calls = [call.name for call in paused.calls]
    assert calls.count("checkAndPut") == 3, "two raise the source, and one decides with the time of now"
    assert records(embedded) == {"a": done}
    assert verified(embedded) == []


def test_forget_spares_a_record_that_is_stored_again_meanwhile(embedded, clocks):
    writer = moving_only(embedded)
    store(writer, A)
    delete(writer, A)
    clocks.passes(FORGET_MS + 10)
    paused = WatchedConnection(embedded, paused_before(lambda call: call.table == NOTES.name, lambda: store(writer, A)))
    assert forget(moving_only(paused), [NOTES.row(A)]) == 0
    assert paused.calls[-1].table == NOTES.name, "the delete came after the pause"
    assert records(embedded) == {"a": A}
    assert verified(embedded) == []


def test_forget_keeps_what_it_cannot_read(embedded, clocks):
    embedded.table(NOTES.name).put(b"b", {b"n:note": b"\xc1"})
    clocks.passes(FORGET_MS + 1)
    assert forget(moving_only(embedded), [b"b"]) == 0
    assert [row for row, _ in embedded.table(NOTES.name).scan()] == [b"b"]


def test_a_source_that_cannot_be_read_is_left_and_the_others_are_claimed(connection):
    connection.table(NOTES.name).put(b"b", {b"n:note": b"damaged"})
    assert claim(moving_only(connection), [A, B, C]) == 2
    assert connection.table(NOTES.name).row(b"b") == {b"n:note": b"damaged"}


def test_a_tombstone_of_the_future_that_hides_what_is_claimed_is_an_error(connection):
    ahead_ms = time.time_ns() // 1_000_000 + 10 * FORGET_MS
    connection.table(NOTES.name).delete(b"a", [b"n:note"], timestamp=ahead_ms)
    with pytest.raises(InvalidRecord, match="notes: row 61: a tombstone of the future hides it"):
        claim(moving_only(connection), [A])
