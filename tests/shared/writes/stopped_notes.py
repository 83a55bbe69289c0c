"""Writes of notes that are stopped or meet another one, and what readers see, for the crash tests and the explorer.

A write changes some lines of the list by owner, keeps others, adds and removes some.
"""

from functools import partial
from operator import attrgetter
from typing import Any

import attrs
import happybase

from shared.testing import Store, View, Write
from shared.writes import WriterUpkeep

from .notes import OWNERS, STATES, ByState, Note, delete, records, store, writer_on

SMALL = Note("a", "ada")
GROWN = attrs.evolve(SMALL, owner="ada eve")
DONE = attrs.evolve(SMALL, state="done")
GROWN_AND_DONE = attrs.evolve(GROWN, state="done")
OTHER = Note("b", "ada bob")
"""A note that no write changes."""


class Notes:
    """Stores notes, finds them by owner and by state."""

    def __init__(self, connection: happybase.Connection) -> None:
        self.connection = connection
        self.writer = writer_on(connection)
        self.upkeep = WriterUpkeep(self.writer)

    def by_id(self) -> list[Note]:
        return [*records(self.connection).values()]

    def by_owner(self) -> list[Note]:
        return [OWNERS.record(row, cells) for row, cells in self.connection.table(OWNERS.name).scan()]

    def by_state(self) -> list[ByState]:
        lines = [STATES.record(row, cells) for row, cells in self.connection.table(STATES.name).scan()]
        agreeing = self.writer.reader.agreeing(STATES, lines)
        return [line for line, note in zip(lines, agreeing, strict=True) if note is not None]


def put(note: Note, notes: Notes) -> None:
    store(notes.writer, note)


def remove(notes: Notes) -> None:
    delete(notes.writer, SMALL)


def stored(*notes: Note) -> Any:
    """Stores these notes, and one that nobody changes."""

    def before(store: Store) -> None:
        for note in (OTHER, *notes):
            put(note, store.repository())

    return before


RIVALS = {"grows": partial(put, GROWN), "is done": partial(put, DONE), "removed": remove}
WRITES = (
    Write("grows", partial(put, GROWN), stored(SMALL), RIVALS),
    Write("is done", partial(put, DONE), stored(SMALL), RIVALS),
    Write("grows and is done", partial(put, GROWN_AND_DONE), stored(SMALL), RIVALS),
    Write("shrinks and is done", partial(put, DONE), stored(GROWN), RIVALS, removes_lines=True),
    Write("removed", remove, stored(GROWN), RIVALS, removes_lines=True),
    Write("new", partial(put, GROWN), stored(), RIVALS),
    Write("again", partial(put, GROWN), lambda store: (stored(GROWN)(store), remove(store.repository())), RIVALS),
)
VIEWS = (
    View("by id", Notes.by_id, attrgetter("id")),
    View("by state", Notes.by_state, attrgetter("id")),
    View("by owner", Notes.by_owner, attrgetter("id", "owner"), lags=True),
)
