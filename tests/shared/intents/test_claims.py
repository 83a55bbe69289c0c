"""Sources that are created or removed without a write of their own: `claim` and `forget`."""

import attrs
import pytest

from shared.intents.times import FORGET_MS
from shared.tables import InvalidRecord
from shared.testing import WatchedConnection, paused_at

from .clocks import now_ms
from .notes import NOTES, TABLES, Note, Notes, die, moving_notes

A, B, C = (Note(name, "ada") for name in "abc")
DONE = attrs.evolve(A, state="done")


@pytest.fixture
def store(new_store):
    """A store with the tables of notes, on a real HBase too."""
    return new_store(*TABLES)


@pytest.fixture
def notes(store):
    return moving_notes(store)


def test_claim_creates_what_never_existed_and_leaves_the_rest(notes):
    notes.store(DONE)
    notes.store(B)
    notes.delete(B)
    assert notes.claim(A, B, C) == 1
    assert (notes.records(), notes.findings()) == ({"a": DONE, "c": C}, [])
    assert notes.claim(A, B, C) == 0


def test_a_source_that_only_a_recoverer_raised_is_claimed(notes, store):
    die(store, A, opened=moving_notes)
    assert notes.recover().settled == notes.source().revision == 1
    assert notes.claim(A) == 1
    assert (notes.records(), notes.findings()) == ({"a": A}, [])


def test_claim_refuses_lists_that_do_not_move(connection):
    notes = Notes(connection)
    with pytest.raises(InvalidRecord, match="table notes_by_owner: claim needs lists that move"):
        notes.claim(A)
    assert notes.records() == {}


def test_a_source_that_cannot_be_read_is_left_and_the_others_are_claimed(connection, moving):
    connection.table(NOTES.name).put(b"b", {b"n:note": b"damaged"})
    assert moving.claim(A, B, C) == 2
    assert connection.table(NOTES.name).row(b"b") == {b"n:note": b"damaged"}


def test_a_tombstone_of_the_future_that_hides_what_is_claimed_is_an_error(connection, moving):
    ahead_ms = now_ms() + 10 * FORGET_MS
    connection.table(NOTES.name).delete(b"a", [b"n:note"], timestamp=ahead_ms)
    with pytest.raises(InvalidRecord, match="notes: row 61: a tombstone of the future hides it"):
        moving.claim(A)


# ---- time passes


def test_what_a_deleted_record_left_goes_when_no_call_can_be_under_way(connection, machine, moving):
    moving.store(A)
    moving.store(B)
    moving.delete(B)
    too_young = []
    for milliseconds in (0, FORGET_MS - 1000, 2000):
        machine.passes(milliseconds)
        too_young.append(moving.forget(A, B, C))
    assert too_young == [1, 1, 0]
    assert [row for row, _ in connection.table(NOTES.name).scan()] == [NOTES.row(A)]


@pytest.fixture
def forgotten(machine, moving):
    """Notes whose only record was deleted so long ago that `forget` removes its source."""
    moving.store(A)
    moving.delete(A)
    machine.passes(FORGET_MS + 10)
    return moving


@pytest.mark.parametrize("create", [Notes.store, Notes.claim], ids=["write", "claim"])
def test_the_tombstones_of_a_forgotten_record_hide_no_line_of_a_new_one(forgotten, create):
    forgotten.forget(A)
    create(forgotten, A)
    assert (forgotten.records(), forgotten.findings()) == ({"a": A}, [])


def test_forget_spares_a_record_that_is_stored_again_meanwhile(connection, forgotten):
    again = paused_at(lambda call: call.table == NOTES.name, lambda: forgotten.store(A))
    paused = WatchedConnection(connection, again)
    assert moving_notes(paused).forget(A) == 0
    assert paused.calls[-1].table == NOTES.name, "the delete came after the pause"
    assert (forgotten.records(), forgotten.findings()) == ({"a": A}, [])


def test_forget_wants_the_time_in_the_cell_to_be_old_too(connection, machine, moving):
    moving.store(A)
    moving.delete(A)
    cells = connection.table(NOTES.name).row(b"a")
    connection.table(NOTES.name).delete(b"a")
    connection.table(NOTES.name).put(b"b", cells, timestamp=1)  # restored, with another timestamp
    assert moving.forget(B) == 1
    machine.passes(FORGET_MS + 10)
    assert moving.forget(B) == 0
    assert connection.table(NOTES.name).row(b"b") == {}
