"""A list that is created after its sources has a mark: its readers are refused until `repair` has put all lines.

In every interleaving of two processes, and after every crash, a reader gets all lines of the records or an error.
"""

import json
from contextlib import suppress
from itertools import product

import attrs
import pytest
from Hbase_thrift import IOError

from shared.intents import IntentWriter
from shared.intents.slots import intents_table
from shared.keys import EscapedText, KeyLayout
from shared.queries import Query, equal
from shared.tables import BoundTable, Column, RecordCells, TableLayout, UnfilledList, create_tables, drop_tables
from shared.tables import recorded_layouts as records
from shared.testing import WatchedConnection, WriterDied, paused_at, paused_at_call
from shared.upkeep.checkpoints import Checkpoint
from shared.upkeep.recovery import Recovery
from tests.shared.processes import Process, dying_before
from tests.shared.specimens import key_class

from .notes import CELLS, INTENTS, NOTES, OWNERS, STATES, ById, Note, Notes, is_decision, lines_of

ByText = key_class("ByText", text=EscapedText, id=EscapedText)
TEXTS = TableLayout("notes_by_text", "a line of a text", KeyLayout(ByText), RecordCells(ByText, {}, marker="n:x"))
"""The new list."""
SHOWN_CELLS = RecordCells(Note, {name: Column(f"s:{name}") for name in ("owner", "state", "text")})
SHOWN = TableLayout("notes", "what is compared", KeyLayout(ById), SHOWN_CELLS)
"""Computed columns in the row of the note."""
EARLIER = (NOTES, OWNERS, STATES, INTENTS)
LATER = (*EARLIER, TEXTS)
A, B = Note("a", "ada", text="x"), Note("b", "bob", "done", "y")


def notes_on(connection, *lists):
    """A repository of notes for one process: it has the lists of the earlier release, and the given ones."""

    def derived(note):
        yield from lines_of(note)
        if TEXTS in lists:
            yield TEXTS, ByText(note.text, note.id)
        if SHOWN in lists:
            yield SHOWN, note

    moving = [table for table in (STATES, *lists) if table is not SHOWN]
    return Notes(connection, IntentWriter(connection, NOTES, INTENTS, (OWNERS, STATES, *lists), derived, moving=moving))


earlier = notes_on


def later(connection):
    """The notes of the later release, which has the list by text."""
    return notes_on(connection, TEXTS)


def texts(notes):
    """The ids of all notes, from the list by text."""
    table = BoundTable(notes.connection, TEXTS)
    lines = Query(table, table.whole_table())
    return [note.id for note in lines.then(lambda page: notes.writer.reader.agreeing(TEXTS, page))]


def mark(connection, table=TEXTS):
    row = records.record_row(connection, table.name)
    return connection.table(records.RECORDS.name).row(row).get(records.UNFILLED)


def with_notes(connection):
    create_tables(connection, EARLIER)
    for note in (A, B):
        earlier(connection).store(note)


@pytest.fixture
def store(engine):
    """The earlier release has stored two notes."""
    with engine.store() as connection:
        with_notes(connection)
        yield connection


# ---- a new list ----------------------------------------------------------------------------------


@pytest.mark.parametrize("tables", [LATER, (TEXTS,)], ids=["all-tables", "alone"])
def test_readers_of_a_new_list_are_refused_until_repair_has_filled_it(store, tables):
    create_tables(store, tables)
    notes, reader = later(store), later(Process(store))
    wanted = (
        "^table notes_by_text: was created after notes had rows, and lacks their lines: run the repair of the upkeep"
    )
    for _ in range(2):
        with pytest.raises(UnfilledList, match=wanted):
            texts(reader)
        with pytest.raises(UnfilledList, match=wanted):
            reader.writer.reader.agreeing(TEXTS, [ByText("x", "a")])
    notes.store(Note("c", "ada", text="z"))
    notes.writer.recover(older_than_ms=0)
    assert [finding.kind for finding in notes.upkeep.verify()] == ["missing", "missing"]
    with pytest.raises(UnfilledList):
        texts(notes)
    assert [is_mended for _, is_mended in notes.repaired()] == [True, True]
    assert mark(store) is None
    for whose in (notes, reader, later(Process(store))):
        assert texts(whose) == ["a", "b", "c"]


def test_the_mark_costs_a_reader_no_call_and_a_refusal_one_get(store):
    create_tables(store, LATER)
    calls = [0]
    later(connection := Process(store))
    for _ in range(2):
        with pytest.raises(UnfilledList):
            records.check_filled(connection, TEXTS)
        calls.append(connection.number_of_calls)
    assert calls[1] <= 2 + 4 + 4 + 1  # the tables, the record, scans of intents and sources, and the record again
    assert calls[2] == calls[1] + 1
    later(store).repaired()
    later(connection := Process(store))
    records.check_filled(connection, TEXTS)
    assert connection.number_of_calls == 2


def test_a_new_design_has_no_mark(engine):
    """Also beside tables of other designs, and if its tables are created one by one."""
    with engine.store() as connection:
        create_tables(connection, [TableLayout("others", "another one", KeyLayout(ById), CELLS)])
        for table in LATER:
            create_tables(connection, [table])
        later(connection).store(A)
        assert texts(later(connection)) == ["a"]
        assert mark(connection) is None


def test_a_table_that_is_no_list_is_read_with_a_mark(store):
    other = TableLayout("others", "another one", KeyLayout(ById), CELLS)
    create_tables(store, [*LATER, other])
    assert mark(store, other) == records.MARK + b"; sources: notes"
    table = BoundTable(store, other)
    assert Query(table, table.whole_table()).count() == 0


def test_a_store_without_sources_needs_no_repair(engine):
    """The list comes later than its sources' table, before the first source: every write puts its lines."""
    with engine.store() as connection:
        create_tables(connection, EARLIER)
        create_tables(connection, LATER)
        assert mark(connection) == records.MARK + b"; sources: notes"
        later(Process(connection)).store(A)
        assert texts(later(Process(connection))) == ["a"]
        assert mark(connection) is None


@pytest.mark.parametrize("has_both_writers", [False, True])
def test_a_writer_of_another_empty_source_leaves_the_mark_of_a_list_that_both_fill(store, has_both_writers):
    """As two variants of a design that share a list."""
    create_tables(store, LATER)
    connection = Process(store)
    if has_both_writers:
        later(connection)
    others, intents = TableLayout("others", NOTES.holds, NOTES.key, NOTES.cells), intents_table("work")
    create_tables(connection, [others, intents, TEXTS])
    writer = IntentWriter(connection, others, intents, [TEXTS], lambda note: [(TEXTS, ByText(note.text, note.id))])
    writer.write(ById("c"), lambda _stored: Note("c", "ada", text="z"))
    with pytest.raises(UnfilledList):
        texts(later(Process(store)))
    later(store).repaired()
    assert texts(later(Process(store))) == ["a", "b"]


# ---- computed columns ----------------------------------------------------------------------------


def having(notes, text):
    """The ids of the notes with a text, compared on the server, in a column of another layout."""
    table = BoundTable(notes.connection, NOTES)
    return [note.id for note in Query(table, table.whole_table()).filtered(equal(SHOWN_CELLS, "text", text))]


def test_new_computed_columns_are_a_new_list(engine):
    families = {"n": NOTES.families["n"], "s": SHOWN.families["s"]}
    with engine.store() as connection:
        both = TableLayout("notes", "a note", NOTES.key, NOTES.cells, families)
        create_tables(connection, [both, *EARLIER[1:]])
        earlier(connection).store(A)
        shown = notes_on(connection, SHOWN)
        create_tables(
            connection, [both, *EARLIER[1:], TableLayout("notes", SHOWN.holds, SHOWN.key, SHOWN.cells, families)]
        )
        reader = notes_on(Process(connection), SHOWN)
        for read in (
            lambda: having(reader, "x"),
            lambda: Query(t := BoundTable(reader.connection, SHOWN), t.whole_table()).count(),
        ):
            with pytest.raises(UnfilledList, match=r"^table notes: was created after notes had rows"):
                read()
        notes = BoundTable(reader.connection, NOTES)
        assert Query(notes, notes.whole_table()).count() == 1  # the source is whole
        shown.repaired()
        assert having(reader, "x") == ["a"]


def test_a_new_column_of_a_list_is_read_as_its_default(store):
    """As before: readers of the earlier release must not be refused."""
    cells = RecordCells(Note, {"state": Column("n:s"), "text": Column("n:t")})
    create_tables(store, [TableLayout(OWNERS.name, OWNERS.holds, OWNERS.key, cells)])
    assert mark(store, OWNERS) is None


# ---- what removes the mark -----------------------------------------------------------------------


def test_a_repair_that_does_not_end_leaves_the_mark(store):
    create_tables(store, LATER)
    for steps in range(2):
        findings = later(store).upkeep.repair()
        for _ in range(steps):
            next(findings)
        with pytest.raises(UnfilledList):
            texts(later(store))
    later(store).repaired()
    assert texts(later(store)) == ["a", "b"]


@pytest.mark.parametrize("is_dropped", [False, True])
def test_a_repair_that_is_continued_removes_the_mark_that_the_first_one_found(store, is_dropped):
    create_tables(store, LATER)
    reached = {}
    later(store).repaired(checkpoint=Checkpoint(reached, reached.update))
    records.replace_cell(store, TEXTS.name, cell := records.read_cell(store, TEXTS.name), cell or b"", marks=True)
    del reached["compared notes_by_text"]
    if is_dropped:
        drop_tables(store, [TEXTS])
        create_tables(store, LATER)
    notes = later(store)
    notes.repaired(checkpoint=Checkpoint(reached, reached.update))
    with pytest.raises(UnfilledList):  # the mark is later than that of the first repair
        texts(notes)


def test_a_repair_with_a_checkpoint_fills_the_list(store):
    create_tables(store, LATER)
    saved = []
    later(store).repaired(checkpoint=Checkpoint({}, lambda reached: saved.append(dict(reached))))
    assert texts(later(store)) == ["a", "b"]
    for reached in saved[:-1]:  # it died after each batch
        drop_tables(store, [TEXTS])
        create_tables(store, LATER)
        later(store).repaired()
        _mark_again(store, int(reached["marked notes_by_text"]))
        later(store).repaired(checkpoint=Checkpoint(reached, lambda _reached: None))
        assert texts(later(store)) == ["a", "b"]


def _mark_again(connection, put_ms):
    """Puts the mark back with the date that the first repair found, as if no repair had ended."""
    row = records.record_row(connection, TEXTS.name)
    connection.table(records.RECORDS.name).put(row, {records.UNFILLED: records.MARK}, timestamp=put_ms)


def test_a_release_without_marks_neither_loses_nor_minds_them(store):
    """It puts the record anew, in the column that it knows, and deletes only that column if it drops the table."""
    create_tables(store, LATER)
    row, rows = records.record_row(store, TEXTS.name), store.table(records.RECORDS.name)
    stored = json.loads(rows.row(row)[records.COLUMN])
    rows.put(row, {records.COLUMN: json.dumps(stored, indent=1).encode()})
    with pytest.raises(UnfilledList):
        texts(later(Process(store)))
    store.delete_table(TEXTS.name, disable=True)
    rows.delete(row, columns=[records.COLUMN])
    create_tables(Process(store), LATER)
    with pytest.raises(UnfilledList):
        texts(later(Process(store)))
    later(store).repaired()
    assert texts(later(Process(store))) == ["a", "b"]


def test_drop_tables_drops_the_mark(store):
    create_tables(store, LATER)
    drop_tables(store, LATER)
    assert [*store.table(records.RECORDS.name).scan()] == []


# ---- two processes, and crashes ------------------------------------------------------------------

REFUSALS = (UnfilledList, IOError)  # HBase's error of a table that is missing


def create(connection):
    create_tables(connection, LATER)


def create_and_write(connection):
    create(connection)
    later(connection).store(A)


def repair(connection):
    later(connection).repaired()


def create_and_repair(connection):
    create(connection)
    repair(connection)


def recreate(connection):
    drop_tables(connection, [TEXTS])
    create(connection)


PROGRAMS = {program.__name__: program for program in (create, create_and_write, repair, create_and_repair, recreate)}
STORES = {
    "with_notes": [with_notes],
    "with_a_new_list": [with_notes, create],
    "without_notes": [lambda connection: create_tables(connection, EARLIER)],
    "without_tables": [],
}
CRASH = "crash"
"""The first process dies, and no second one runs."""
MARKS = {
    ("with_notes", "create", CRASH): (),
    ("without_notes", "create", "create_and_write"): (),
    ("without_notes", "create_and_write", CRASH): pytest.mark.further,
    ("with_notes", "create", "create_and_repair"): pytest.mark.further,
}
"""The marks of the cases that run in `make test` or on HBase; all others are `long`."""


@pytest.mark.parametrize(
    ("before", "first", "second"),
    [
        pytest.param(*case, marks=MARKS.get(case, pytest.mark.long))
        for case in product(STORES, PROGRAMS, [CRASH, *PROGRAMS])
    ],
)
def test_whatever_dies_or_runs_at_once_a_reader_gets_all_lines_or_an_error(engine, before, first, second):
    """The first process dies before each of its calls, or the second one runs; readers read before, after, at last."""
    number = calls = 0
    while number <= calls:
        with engine.store() as connection:
            for prepare in STORES[before]:
                prepare(connection)
            reader = later(Process(connection))
            ids = ids_of(connection) if STORES[before] else []

            def meanwhile(connection=connection, reader=reader):
                check_reader(reader, connection)
                with suppress(*REFUSALS):
                    PROGRAMS[second](Process(connection))
                if "recreate" not in (first, second):  # otherwise it notices the other table ten minutes later
                    check_reader(reader, connection)
                check_reader(later(Process(connection)), connection)

            interrupt = dying_before(number) if second == CRASH else paused_at_call(number, meanwhile)
            process = Process(connection, before_call=interrupt)
            with suppress(WriterDied, *REFUSALS):
                PROGRAMS[first](process)
            calls, number = process.number_of_calls, number + 1
            check_reader(later(Process(connection)), connection)
            with suppress(*REFUSALS):
                create(Process(connection))
            check_reader(later(Process(connection)), connection)
            create_and_repair(Process(connection))
            assert texts(later(Process(connection))) == ids_of(connection)
            assert {*ids} <= {*ids_of(connection)}


def check_reader(reader, connection):
    with suppress(*REFUSALS):
        assert texts(reader) == ids_of(connection)


def ids_of(connection):
    """The ids of the notes that are stored, from their sources."""
    return [note.id for row, cells in connection.table(NOTES.name).scan() for note in NOTES.records(row, cells)]


# ---- writers that leave the line of a record as it is -----------------------------------------------


def test_repair_fills_the_line_of_a_record_that_is_being_written_in_other_lists(store):
    """Its intent names only the lines that the write changes."""
    create_tables(store, LATER)
    upkeep = later(Process(store)).upkeep

    def repair_without_recovering():
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(IntentWriter, "recover", lambda *_arguments, **_named: Recovery(0, 0, ()))  # it came before
            assert all(is_mended for _, is_mended in upkeep.repair())

    writer = later(WatchedConnection(store, paused_at(is_decision, repair_without_recovering)))
    writer.store(attrs.evolve(B, state="open"))
    assert mark(store) is None
    assert sorted(texts(later(Process(store)))) == ["a", "b"]
    assert later(store).writer.reader.read(b"b").record == attrs.evolve(B, state="open")
