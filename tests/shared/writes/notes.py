"""Notes: a source, a list by owner and a moving list by state."""

from collections.abc import Iterator
from typing import Any

import attrs

from shared.keys import Code, EscapedText, KeyLayout, TrailingText, part, row_key
from shared.tables import Column, RecordCells, TableLayout
from shared.writes import IntentWriter, SourceCells, intents_table


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
    yield OWNERS, note
    yield STATES, ByState(note.state, note.id)


def writer_on(connection: Any) -> IntentWriter[Note]:
    return IntentWriter(connection, NOTES, INTENTS, (OWNERS, STATES), lines_of, moving=[STATES])


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
