"""Two releases of one design at work on one store: neither loses what the other one stores."""

import attrs
import msgpack
import pytest

from shared.intents import IntentWriter, intent_rows, write_steps
from shared.intents.slots import INTENT_CELLS, SOURCE_TABLE, Intent, Slots
from shared.intents.source_cells import SourceCells
from shared.keys import Code, EscapedText, KeyLayout
from shared.tables import Column, InvalidRecord, RecordCells, TableLayout
from shared.testing import dying_at
from shared.upkeep.recovery import Recovery
from tests.engines import HBASE
from tests.shared.specimens import key_class

from .notes import INTENTS, NOTES, OWNERS, STATES, ById, ByState, Note, Notes, die, lines_of


@attrs.frozen
class NoteOfLater:
    id: str
    owner: str
    state: str = "open"
    text: str = ""
    priority: int = 1


ByPriority = key_class("ByPriority", priority=Code({"1": 1, "2": 2, "3": 3}), id=EscapedText)
LATER_CELLS = RecordCells(
    NoteOfLater,
    {"owner": Column("n:o"), "state": Column("n:s"), "text": Column("n:t"), "priority": Column("n:p")},
)
LATER = TableLayout("notes", "a note", KeyLayout(ById), SourceCells(LATER_CELLS, "n:note"))
PRIORITIES = TableLayout(
    "notes_by_priority", "a line of a priority", KeyLayout(ByPriority), RecordCells(ByPriority, {}, marker="n:x")
)
TABLES = (NOTES, OWNERS, STATES, PRIORITIES, INTENTS)


def lines_of_later(note):
    yield OWNERS, Note(note.id, note.owner, note.state, note.text)
    yield STATES, ByState(note.state, note.id)
    yield PRIORITIES, ByPriority(str(note.priority), note.id)


def later_on(connection):
    lists = (OWNERS, STATES, PRIORITIES)
    writer = IntentWriter(connection, LATER, INTENTS, lists, lines_of_later, moving=[STATES, PRIORITIES])
    return Notes(connection, writer)


@pytest.fixture
def later(connection):
    return later_on(connection)


A = NoteOfLater("a", "ada", text="x", priority=3)


@pytest.fixture
def connection(new_store):
    return new_store(*TABLES)


def done(stored):
    return attrs.evolve(stored, state="done")


def test_an_earlier_release_keeps_the_column_that_it_does_not_know_and_so_do_its_recoverer_and_its_repair(
    connection, notes, later
):
    later.store(A)
    die(connection, Note("a", "ada", "done", "x"), dying_at(3))
    assert notes.recover().settled == 1
    notes.writer.repair(b"a", ())
    assert later.source().record == A
    notes.writer.write(ById("a"), done)
    assert later.source().record == attrs.evolve(A, state="done")


def test_a_column_that_a_release_drops_goes_with_the_next_revision(connection, moving, later):
    later.store(A)
    dropping = attrs.evolve(NOTES, cells=SourceCells(NOTES.cells.cells, "n:note", dropped=["n:p"]))
    writer = IntentWriter(connection, dropping, INTENTS, (OWNERS, STATES), lines_of, moving=[STATES])
    writer.write(ById("a"), done)
    cells = msgpack.unpackb(connection.table("notes").row(b"a")[b"n:note"], strict_map_key=False)[3]
    assert sorted(cells) == [b"o", b"s", b"t"]


def test_a_dropped_column_that_a_record_has_is_refused():
    with pytest.raises(InvalidRecord, match="Note: a dropped column must be unused"):
        SourceCells(NOTES.cells.cells, "n:note", dropped=["n:t"])


def test_a_cell_with_the_writes_as_an_array_is_read_as_before(connection, notes):
    note = Note("a", "ada")
    columns = {column.partition(b":")[2]: value for column, value in NOTES.cells.cells.pack(note).items()}
    cell = msgpack.packb([3, 1000, [b"writes 1", b"writes 2"], columns])
    connection.table("notes").put(b"a", {b"n:note": cell})
    source = notes.source()
    assert (source.revision, source.writes, source.record) == (3, (b"writes 1", b"writes 2"), note)


@pytest.mark.parametrize("mutations", range(7))
def test_an_intent_that_names_a_list_of_a_later_release_is_left_with_its_lines(connection, notes, later, mutations):
    later.store(A)
    die(connection, attrs.evolve(A, priority=2), dying_at(mutations), later_on)
    lines = dict(connection.table("notes_by_priority").scan())
    pending = later.pending()
    assert (len(lines), len(pending)) == (1 + (3 <= mutations < 5), 2 <= mutations < 6)
    recovery = notes.recover()
    assert (recovery.settled, recovery.waiting, len(recovery.failed)) == (0, 0, len(pending))
    refused = "must name lists of this release (got notes_by_priority); use a later one, or name in dropped"
    assert all(refused in failed for failed in recovery.failed)
    assert dict(connection.table("notes_by_priority").scan()) == lines
    assert later.recover().settled == len(pending)
    assert later.findings() == []


@pytest.mark.parametrize("mutations", range(7))
@pytest.mark.parametrize("is_deleted", [False, True], ids=["kept", "deleted"])
def test_an_intent_that_names_a_dropped_list_is_settled_whether_or_not_its_table_is_deleted(
    connection, later, mutations, is_deleted
):
    later.store(A)
    die(connection, attrs.evolve(A, text="y", priority=2), dying_at(mutations), later_on)
    text, pending = later.source().record.text, later.pending()
    if is_deleted:
        connection.delete_table(PRIORITIES.name, disable=True)
    lists = {"lists": (OWNERS, STATES), "derive": lines_of, "moving": [STATES], "dropped": [PRIORITIES.name]}
    dropping = Notes(connection, IntentWriter(connection, NOTES, INTENTS, **lists))
    recovery = dropping.recover()
    assert (recovery.settled, recovery.failed) == (len(pending), ())
    assert [note.text for note in dropping.by_owner()] == [text]
    assert (dropping.pending(), dropping.findings()) == ([], [])


def test_a_list_cannot_be_dropped_and_written(connection):
    with pytest.raises(InvalidRecord, match="table notes_by_owner: must be in lists or in dropped, not in both"):
        IntentWriter(connection, NOTES, INTENTS, [OWNERS], lines_of, dropped=[OWNERS.name])


def test_a_line_with_a_code_of_a_later_release_is_not_discarded_as_undecodable(connection, notes):
    row = STATES.row(ByState("done", "a")).replace(b"\x02", b"\x07", 1)
    connection.table(STATES.name).put(row, {b"n:x": b""}, timestamp=1)
    named = {"discards_rows": frozenset({(STATES.name, row)})}
    for told, is_discarded in (({"discards_undecodable": True}, False), (named, True)):
        ((finding, is_mended),) = notes.repaired(**told)
        assert (finding.kind, finding.row, is_mended) == ("unknown", row, is_discarded)
    assert list(connection.table(STATES.name).scan()) == []


# ---- the column of an intent that names its source's table


NEW_NOTES = attrs.evolve(NOTES, name="notes_new")
"""Another source that was given the intents table of the notes."""


def new_notes_on(connection):
    writer = IntentWriter(connection, NEW_NOTES, INTENTS, (OWNERS, STATES), lines_of, moving=[STATES])
    return Notes(connection, writer)


@pytest.mark.parametrize("mutations", range(7))
def test_a_write_of_another_source_is_refused_with_its_lines_and_reported(new_store, mutations):
    connection = new_store(*TABLES, NEW_NOTES)
    notes = Notes(connection)
    notes.store(Note("b", "bob"))
    die(connection, Note("a", "ada", "done"), dying_at(mutations), new_notes_on)
    pending, lines = notes.pending(), dict(connection.table(STATES.name).scan())
    assert [intent.source_row for intent in pending] == [b"a"] * (2 <= mutations < 6)
    recovery = notes.recover()
    assert (recovery.settled, recovery.waiting, len(recovery.failed)) == (0, 0, len(pending))
    refused = "must be a write of table notes (got 'notes_new'); each source needs an intents table of its own"
    assert all(refused in failed for failed in recovery.failed)
    assert [finding.kind for finding, _ in notes.repaired() if finding.kind == "unsettled"] == ["unsettled"] * len(
        pending
    )
    assert (notes.pending(), dict(connection.table(STATES.name).scan())) == (pending, lines)
    assert new_notes_on(connection).recover().settled == len(pending)


EARLIER_INTENTS = RecordCells(
    Intent,
    {name: Column(INTENT_CELLS.column(name).decode()) for name in ("source_row", "revision", "write_id", "touched")},
)
"""The cells of intents without the column of the source's table."""


@pytest.mark.parametrize("mutations", range(7))
def test_an_intent_of_an_earlier_release_is_settled_as_before(connection, notes, monkeypatch, mutations):
    notes.store(Note("a", "ada"))
    with monkeypatch.context() as patched:
        patched.setattr(intent_rows, "INTENT_CELLS", EARLIER_INTENTS)
        patched.setattr(write_steps, "SLOTS", Slots())
        die(connection, Note("a", "ada", "done"), dying_at(mutations))
    pending = notes.pending()
    assert [intent.intent.source_table for intent in pending] == [""] * (2 <= mutations < 7)
    assert notes.recover().settled == len(pending)
    assert (notes.pending(), notes.findings()) == ([], [])


def test_an_idle_slot_that_an_earlier_release_deleted_is_deleted_wholly(engine, connection, notes, machine):
    if engine.name == HBASE:
        pytest.skip("the time of a real server cannot be moved")
    notes.store(Note("a", "ada"))
    machine.passes(2 * 24 * 60 * 60 * 1000)
    rows = connection.table(INTENTS.name)
    for row, _ in rows.scan():
        rows.delete(row, [*EARLIER_INTENTS.columns])
    assert {column for _, cells in rows.scan() for column in cells} == {SOURCE_TABLE}
    assert (notes.pending(), notes.findings()) == ([], [])
    assert notes.recover() == Recovery(0, 0, ())
    assert not any(cells.keys() == {SOURCE_TABLE} for _, cells in rows.scan())
