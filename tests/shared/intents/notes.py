"""Notes, the specimen of these tests: a source, an in-place list by owner and a moving list by state."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import attrs

from shared.intents import IntentWriter, SourceRow, WriterUpkeep, forget
from shared.intents.intent_rows import Pending
from shared.intents.slots import intents_table
from shared.intents.source_cells import SourceCells
from shared.intents.without_intents import claim
from shared.keys import Code, EscapedText, KeyLayout, TrailingText, part, row_key
from shared.sources import DELETED
from shared.tables import Column, RecordCells, TableLayout
from shared.testing import Call, WatchedConnection, WriterDied, dying_at
from shared.testing.watched_connection import Script
from shared.upkeep import Finding, Instructions
from shared.upkeep.recovery import Recovery
from shared.writes import CLOCK, WriterClock


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


class Notes:
    """Stores notes, finds them by owner and by state, and mends their lists."""

    def __init__(
        self, connection: Any, writer: IntentWriter[Note] | None = None, *, clock: WriterClock = CLOCK
    ) -> None:
        self.connection = connection
        self.writer = writer or IntentWriter(
            connection, NOTES, INTENTS, (OWNERS, STATES), lines_of, moving=[STATES], clock=clock
        )
        self.upkeep = WriterUpkeep(self.writer)

    def store(self, note: Note) -> None:
        self.writer.write(ById(note.id), lambda _stored: note)

    def store_all(self, *notes: Note) -> None:
        self.writer.write_all([(ById(note.id), lambda _stored, note=note: note) for note in notes])

    def delete(self, note: Note) -> None:
        self.writer.write(ById(note.id), lambda _stored: DELETED)

    def claim(self, *notes: Note) -> int:
        return claim(self.writer, notes)

    def forget(self, *notes: Note) -> int:
        return forget(self.writer, map(NOTES.row, notes))

    def source(self, row: bytes = b"a") -> SourceRow[Note]:
        """The source of a note."""
        return self.writer.reader.read(row)

    def records(self) -> dict[str, Note]:
        """The stored notes, by id."""
        rows = self.connection.table(NOTES.name).scan()
        return {note.id: note for row, cells in rows for note in NOTES.records(row, cells)}

    def by_id(self) -> list[Note]:
        return [*self.records().values()]

    def by_owner(self) -> list[Note]:
        return [OWNERS.record(row, cells) for row, cells in self.connection.table(OWNERS.name).scan()]

    def by_state(self) -> list[ByState]:
        lines = [STATES.record(row, cells) for row, cells in self.connection.table(STATES.name).scan()]
        agreeing = self.writer.reader.agreeing(STATES, lines)
        return [line for line, note in zip(lines, agreeing, strict=True) if note is not None]

    def pending(self) -> list[Pending]:
        return self.writer.pending()

    def recover(self) -> Recovery:
        """Settles every write, however young it is."""
        return self.writer.recover(older_than_ms=0)

    def findings(self) -> list[Finding]:
        """What disagrees in the lists."""
        return [*self.upkeep.verify()]

    def repaired(self, **told: Any) -> list[tuple[Finding, bool]]:
        """Repairs all lists, with these instructions: the findings, and whether each was mended."""
        return [*self.upkeep.repair(instructions=Instructions(**told))]


def moving_notes(connection: Any, clock: WriterClock | None = None) -> Notes:
    """Notes with the moving list alone, as `claim` needs it; with a clock of their own if none is given."""
    writer = IntentWriter(connection, NOTES, INTENTS, [STATES], state_of, moving=[STATES], clock=clock or WriterClock())
    return Notes(connection, writer)


def is_decision(call: Call) -> bool:
    return call.name == "checkAndPut"


BEFORE_DECISION = dying_at(is_decision)
AFTER_DECISION = dying_at(lambda call: call.table == OWNERS.name)
"""The writer dies before it puts the lines of owners."""


def die(connection: Any, note: Any, script: Script = BEFORE_DECISION, opened: Callable[[Any], Notes] = Notes) -> None:
    """A writer of a note dies before its decision, or as a script says."""
    with suppress(WriterDied):
        opened(WatchedConnection(connection, script)).store(note)


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
