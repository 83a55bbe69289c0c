"""Notes, the specimen of these tests: a source, an in-place list by owner and a moving list by state."""

from collections.abc import Iterator
from typing import Any

import attrs

from shared.keys import Code, EscapedText, KeyLayout, TrailingText, part, row_key
from shared.tables import Column, RecordCells, TableLayout
from shared.testing.watched_connection import Call
from shared.writes import (
    CLOCK,
    Finding,
    Instructions,
    IntentWriter,
    SourceCells,
    WriterClock,
    WriterUpkeep,
    intents_table,
)


@row_key
class ById:
    id: str = part(TrailingText, "which note")


@row_key
class ByOwner:
    owner: str = part(EscapedText, "whose note")
    id: str = part(EscapedText, "which note")


@row_key
class ByState:
    state: str = part(Code({"open": 1, "done": 2}), "what is to do")
    id: str = part(EscapedText, "which note")


@attrs.frozen
class Note:
    id: str
    owner: str
    """Words: each owner's list has a line, which shows one of them."""
    state: str = "open"
    text: str = ""


CELLS = RecordCells(Note, {"owner": Column("n:o"), "state": Column("n:s"), "text": Column("n:t")})
NOTES = TableLayout("notes", "a note", KeyLayout(ById), SourceCells(CELLS, "n:note"))
OWNERS = TableLayout(
    "notes_by_owner",
    "a line of an owner",
    KeyLayout(ByOwner),
    RecordCells(Note, {"state": Column("n:s"), "text": Column("n:t")}),
)
STATES = TableLayout(
    "notes_by_state",
    "a line of a state",
    KeyLayout(ByState),
    RecordCells(ByState, {}, marker="n:x"),
)
INTENTS = intents_table("notes_intents")
TABLES = (NOTES, OWNERS, STATES, INTENTS)


def lines_of(note: Note) -> Iterator[tuple[TableLayout[Any, Any], Any]]:
    for owner in note.owner.split():
        yield OWNERS, attrs.evolve(note, owner=owner)
    yield from state_of(note)


def state_of(note: Note) -> Iterator[tuple[TableLayout[Any, Any], Any]]:
    yield STATES, ByState(note.state, note.id)


def writer_on(connection: Any, clock: WriterClock = CLOCK) -> IntentWriter[Note]:
    return IntentWriter(connection, NOTES, INTENTS, (OWNERS, STATES), lines_of, moving=[STATES], clock=clock)


def states_writer(connection: Any, clock: WriterClock | None = None) -> IntentWriter[Note]:
    """A writer with the moving list alone, as `claim` needs it; with a clock of its own if none is given."""
    return IntentWriter(connection, NOTES, INTENTS, [STATES], state_of, moving=[STATES], clock=clock or WriterClock())


def store(writer: IntentWriter[Any], note: Any) -> None:
    writer.write(ById(note.id), lambda _stored: note)


def delete(writer: IntentWriter[Any], note: Any) -> None:
    writer.write(ById(note.id), lambda _stored: None)


def is_decision(call: Call) -> bool:
    return call.name == "checkAndPut"


def records(connection: Any) -> dict[str, Note]:
    """The stored notes, by id."""
    return {note.id: note for row, cells in connection.table(NOTES.name).scan() for note in NOTES.records(row, cells)}


def findings(writer: IntentWriter[Any]) -> list[Finding]:
    """What disagrees in the lists of a writer."""
    return [*WriterUpkeep(writer).verify()]


def repaired(connection: Any, **told: Any) -> list[tuple[Finding, bool]]:
    """Repairs all lists, with these instructions: the findings, and whether each was mended."""
    return [*WriterUpkeep(writer_on(connection)).repair(instructions=Instructions(**told))]


def put_all(connection: Any, notes: list[Note]) -> None:
    """Stores many notes at once, as their writers would have, in few calls."""
    for table, records in (
        (NOTES, notes),
        (OWNERS, notes),
        (STATES, [ByState(note.state, note.id) for note in notes]),
    ):
        with connection.table(table.name).batch(timestamp=1, batch_size=1000) as batch:
            for record in records:
                batch.put(table.row(record), table.cells.pack(record))
