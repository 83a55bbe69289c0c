"""Slots: one write at a time has one, a dead write keeps its own, and a forked process takes others."""

import os

import pytest

from shared.intents.slots import PROCESS_BYTES, Slots
from shared.testing import dying_at

from .notes import Note, die


def test_writes_at_once_have_slots_of_their_own_which_are_used_again_once_they_have_ended():
    slots = Slots()
    with slots.taken() as first, slots.taken() as second:
        assert first.process == second.process
        assert (first.slot, second.slot) == (0, 1)
    assert len(first.process) == PROCESS_BYTES
    with slots.taken() as third:
        assert third in (first, second)


def test_a_slot_is_never_used_again_after_an_exception():
    slots = Slots()
    with pytest.raises(KeyboardInterrupt), slots.taken() as first:
        raise KeyboardInterrupt
    with slots.taken() as second:
        assert second.slot != first.slot


def test_a_fork_within_a_write_does_not_give_the_slot_of_the_parent_to_the_child(monkeypatch):
    slots = Slots()
    with slots.taken() as ours:
        child = os.getpid() + 1
        monkeypatch.setattr(os, "getpid", lambda: child)
        with slots.taken() as of_child:
            assert of_child.process != ours.process
    with slots.taken() as next_of_child:  # the slot of the parent's write is not among the free ones of the child
        assert next_of_child is of_child


def test_many_writes_of_one_process_leave_one_slot(connection, notes):
    for number in range(5):
        notes.store(Note(str(number), "ada"))
    assert len(list(connection.table("notes_intents").scan())) == 2  # one of them is only for comparing the clocks
    assert notes.pending() == []
    die(connection, Note("5", "ada"), dying_at(2))
    (pending,) = notes.pending()
    notes.store(Note("6", "ada"))
    assert notes.pending() == [pending]  # the next write took another slot
