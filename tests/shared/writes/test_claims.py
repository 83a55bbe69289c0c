"""Sources that are created or removed without a write of their own: `claim` and `forget`."""

import time
from contextlib import suppress

import attrs
import pytest

from shared.tables import InvalidRecord
from shared.testing import Stop, WatchedConnection, WriterDied, dying_before, paused_at, paused_before, stopped_at
from shared.writes import claim, forget
from shared.writes.intents import FORGET_MS, WINDOW_MS

from .notes import (
    NOTES,
    STATES,
    TABLES,
    ByState,
    Note,
    delete,
    findings,
    is_decision,
    records,
    states_writer,
    store,
    writer_on,
)

A, B, C = (Note(name, "ada") for name in "abc")
DONE = attrs.evolve(A, state="done")


def test_claim_creates_what_never_existed_and_leaves_the_rest(on_each_engine):
    writer = states_writer(on_each_engine)
    store(writer, DONE)
    store(writer, B)
    delete(writer, B)
    assert claim(writer, [A, B, C]) == 1
    assert (records(on_each_engine), findings(writer)) == ({"a": DONE, "c": C}, [])
    assert claim(writer, [A, B, C]) == 0


def test_a_claimed_record_is_changed_and_deleted_like_any_other(on_each_engine):
    writer = states_writer(on_each_engine)
    claim(writer, [A, B])
    store(writer, DONE)
    delete(writer, B)
    claim(writer, [A, B])
    assert records(on_each_engine) == {"a": DONE}
    assert [row for row, _ in on_each_engine.table(STATES.name).scan()] == [STATES.row(ByState("done", "a"))]


def test_a_claim_that_died_at_any_call_is_completed_by_the_next(engine):
    for number in range(4):
        for stored in (frozenset(), frozenset({0}), frozenset({0, 1, 2})):
            with engine.store(*TABLES) as connection:
                with suppress(WriterDied):
                    claim(states_writer(WatchedConnection(connection, stopped_at(Stop(number, stored)))), [A, B, C])
                claim(states_writer(connection), [A, B, C])
                assert records(connection) == {"a": A, "b": B, "c": C}
                assert findings(states_writer(connection)) == []


def test_a_claim_that_is_delivered_late_brings_nothing_back(on_each_engine):
    late = WatchedConnection(on_each_engine, stopped_at(Stop(1, is_death=True)))
    with suppress(WriterDied):
        claim(states_writer(late), [A])
    writer = states_writer(on_each_engine)
    claim(writer, [A])
    delete(writer, A)
    late.deliver()
    assert records(on_each_engine) == {}


def test_a_source_that_only_a_recoverer_raised_is_claimed(on_each_engine):
    with suppress(WriterDied):
        store(states_writer(WatchedConnection(on_each_engine, dying_before(is_decision))), A)
    writer = states_writer(on_each_engine)
    assert writer.recover(older_than_ms=0).settled == writer.reader.read(NOTES.row(A)).revision == 1
    assert claim(writer, [A]) == 1
    assert (records(on_each_engine), findings(writer)) == ({"a": A}, [])


def test_claim_refuses_lists_that_do_not_move(connection):
    with pytest.raises(InvalidRecord, match="table notes_by_owner: claim needs lists that move"):
        claim(writer_on(connection), [A])
    assert records(connection) == {}


def test_a_source_that_cannot_be_read_is_left_and_the_others_are_claimed(connection):
    connection.table(NOTES.name).put(b"b", {b"n:note": b"damaged"})
    assert claim(states_writer(connection), [A, B, C]) == 2
    assert connection.table(NOTES.name).row(b"b") == {b"n:note": b"damaged"}


def test_a_tombstone_of_the_future_that_hides_what_is_claimed_is_an_error(connection):
    ahead_ms = time.time_ns() // 1_000_000 + 10 * FORGET_MS
    connection.table(NOTES.name).delete(b"a", [b"n:note"], timestamp=ahead_ms)
    with pytest.raises(InvalidRecord, match="notes: row 61: a tombstone of the future hides it"):
        claim(states_writer(connection), [A])


# ---- time passes


def test_what_a_deleted_record_left_goes_when_no_call_can_be_under_way(connection, machine):
    writer = states_writer(connection)
    store(writer, A)
    store(writer, B)
    delete(writer, B)
    rows, too_young = [NOTES.row(note) for note in (A, B, C)], []
    for milliseconds in (0, FORGET_MS - 1000, 2000):
        machine.passes(milliseconds)
        too_young.append(forget(writer, rows))
    assert too_young == [1, 1, 0]
    assert [row for row, _ in connection.table(NOTES.name).scan()] == [NOTES.row(A)]


def forgotten(connection, machine):
    """A writer whose only record was deleted so long ago that `forget` removes its source."""
    writer = states_writer(connection)
    store(writer, A)
    delete(writer, A)
    machine.passes(FORGET_MS + 10)
    return writer


@pytest.mark.parametrize("create", [store, lambda writer, note: claim(writer, [note])], ids=["write", "claim"])
def test_the_tombstones_of_a_forgotten_record_hide_no_line_of_a_new_one(connection, machine, create):
    writer = forgotten(connection, machine)
    forget(writer, [NOTES.row(A)])
    create(writer, A)
    assert (records(connection), findings(writer)) == ({"a": A}, [])


def test_forget_spares_a_record_that_is_stored_again_meanwhile(connection, machine):
    writer = forgotten(connection, machine)
    again = paused_before(lambda call: call.table == NOTES.name, lambda: store(writer, A))
    paused = WatchedConnection(connection, again)
    assert forget(states_writer(paused), [NOTES.row(A)]) == 0
    assert paused.calls[-1].table == NOTES.name, "the delete came after the pause"
    assert (records(connection), findings(writer)) == ({"a": A}, [])


def test_forget_wants_the_time_in_the_cell_to_be_old_too(connection, machine):
    writer = states_writer(connection)
    store(writer, A)
    delete(writer, A)
    cells = connection.table(NOTES.name).row(b"a")
    connection.table(NOTES.name).delete(b"a")
    connection.table(NOTES.name).put(b"b", cells, timestamp=1)  # restored, with another timestamp
    assert forget(writer, [b"b"]) == 1
    machine.passes(FORGET_MS + 10)
    assert forget(writer, [b"b"]) == 0
    assert connection.table(NOTES.name).row(b"b") == {}


def test_forget_keeps_what_it_cannot_read(connection, machine):
    connection.table(NOTES.name).put(b"b", {b"n:note": b"\xc1"})
    machine.passes(FORGET_MS + 1)
    assert forget(states_writer(connection), [b"b"]) == 0
    assert [row for row, _ in connection.table(NOTES.name).scan()] == [b"b"]


def test_a_decision_is_not_sent_after_the_window(connection, machine):
    store(states_writer(connection), A)
    paused = WatchedConnection(connection, paused_at(2, lambda: machine.passes(WINDOW_MS + 1)))
    store(states_writer(paused), DONE)
    calls = [call.name for call in paused.calls]
    assert calls.count("checkAndPut") == 3, "two raise the source, and one decides with the time of now"
    assert (records(connection), findings(states_writer(connection))) == ({"a": DONE}, [])
