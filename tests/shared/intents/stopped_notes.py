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


NEW = Note("c", "ada eve")
"""A note that is stored together with others."""


put_grown, put_done, put_both, put_new = (methodcaller("store", note) for note in (GROWN, DONE, GROWN_AND_DONE, NEW))
put_all = methodcaller("store_all", OTHER, NEW, DONE)
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
BATCH = Write("several at once", put_all, stored(GROWN), RIVALS, removes_lines=True, one_by_one=(put_new, put_done))
"""A note again, a new one, and one that shrinks and is done."""
VIEWS = (
    View("by id", Notes.by_id, attrgetter("id")),
    View("by state", Notes.by_state, attrgetter("id")),
    View("by owner", Notes.by_owner, attrgetter("id", "owner"), lags=True),
)
