"""Writes of notes that are stopped or meet another one, and what readers see, for the crash tests and the explorer.

A write changes some lines of the list by owner, keeps others, adds and removes some.
"""

from operator import attrgetter, methodcaller
from typing import Any

import attrs

from shared.testing import Store, View, Write

from .notes import Note, Notes

SMALL = Note("a", "ada")
GROWN = attrs.evolve(SMALL, owner="ada eve")
DONE = attrs.evolve(SMALL, state="done")
GROWN_AND_DONE = attrs.evolve(GROWN, state="done")
OTHER = Note("b", "ada bob")
"""A note that no write changes."""


put_grown, put_done, put_both = (methodcaller("store", note) for note in (GROWN, DONE, GROWN_AND_DONE))
remove = methodcaller("delete", SMALL)


def stored(*notes: Note) -> Any:
    """Stores these notes, and one that nobody changes."""

    def before(store: Store) -> None:
        for note in (OTHER, *notes):
            store.repository().store(note)

    return before


RIVALS = {"grows": put_grown, "is done": put_done, "removed": remove}
WRITES = (
    Write("grows", put_grown, stored(SMALL), RIVALS),
    Write("is done", put_done, stored(SMALL), RIVALS),
    Write("grows and is done", put_both, stored(SMALL), RIVALS),
    Write("shrinks and is done", put_done, stored(GROWN), RIVALS, removes_lines=True),
    Write("removed", remove, stored(GROWN), RIVALS, removes_lines=True),
    Write("new", put_grown, stored(), RIVALS),
    Write("again", put_grown, lambda store: (stored(GROWN)(store), remove(store.repository())), RIVALS),
)
VIEWS = (
    View("by id", Notes.by_id, attrgetter("id")),
    View("by state", Notes.by_state, attrgetter("id")),
    View("by owner", Notes.by_owner, attrgetter("id", "owner"), lags=True),
)
