"""Rows that disagree with their sources are found in every list, nothing else is, and repair leaves none."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import attrs
import pytest

from shared.intents import IntentWriter
from shared.intents.intent_rows import CLOCKS_APART_MS
from shared.intents.times import WINDOW_MS
from shared.sources import DELETED
from shared.stores import connect
from shared.tables import create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at
from shared.upkeep import Finding

from .clocks import now_ms
from .conftest import BATCH_ROWS
from .notes import AFTER_DECISION, INTENTS, NOTES, OWNERS, STATES, TABLES, ById, ByState, Note, Notes, die, put_all

DAY_MS = 86_400_000
A, B = Note("a", "ada", "open", "x"), Note("b", "bob", "done", "y")
OWNERS_ROW, STATES_ROW = OWNERS.row(A), STATES.row(ByState("open", "a"))
CHANGED = attrs.evolve(A, state="done", text="new")
DAMAGED = {b"n:note": b"damaged"}
LOST_LINE = Finding("missing", "notes_by_owner", OWNERS.row(B), b"b")
each_list = pytest.mark.parametrize(("table", "row"), [(OWNERS, OWNERS_ROW), (STATES, STATES_ROW)])


@pytest.fixture
def connection(connection):
    """A store with two notes."""
    for note in (A, B):
        Notes(connection).store(note)
    time.sleep(0.02)  # the last revision may be some milliseconds ahead of the server, which dates what follows
    return connection


@pytest.fixture
def rows(connection):
    return {table.name: connection.table(table.name) for table in TABLES}


def written_ms(rows, table, row):
    return max(written_ms for _, written_ms in rows[table.name].row(row, include_timestamp=True).values())


def other_line(table, row):
    """The line of another owner or state, which the source of `row` does not want."""
    return row.replace(b"ada", b"eve") if table is OWNERS else row.replace(b"\x01", b"\x02", 1)


def kinds_repaired(notes, **told):
    return [(finding.kind, is_mended) for finding, is_mended in notes.repaired(**told)]


@each_list
def test_a_line_that_is_missing_is_found_and_put_again(notes, rows, table, row):
    before = rows[table.name].row(row)
    rows[table.name].delete(row)
    finding = Finding("missing", table.name, row, b"a")
    assert notes.findings() == [finding]
    assert notes.repaired() == [(finding, True)]
    assert (notes.findings(), rows[table.name].row(row)) == ([], before)


@each_list
def test_a_line_of_no_record_is_found_and_deleted(notes, rows, table, row):
    other = other_line(table, row)
    rows[table.name].put(other, rows[table.name].row(row), timestamp=written_ms(rows, table, row))
    finding = Finding("dangling", table.name, other, b"a")
    assert notes.findings() == [finding]
    assert notes.repaired() == [(finding, True)]
    assert (notes.findings(), rows[table.name].row(other)) == ([], {})


def test_cells_that_differ_are_found_with_their_columns_and_put_again(notes, rows):
    other = OWNERS.cells.pack(attrs.evolve(A, text="other", state="done"))
    rows["notes_by_owner"].put(OWNERS_ROW, other, timestamp=written_ms(rows, OWNERS, OWNERS_ROW))
    rows["notes_by_state"].put(STATES_ROW, {b"n:x": b"other"}, timestamp=written_ms(rows, STATES, STATES_ROW))
    of_owner = f"notes_by_owner: differing row {OWNERS_ROW.hex(' ')}: in "
    of_state = f"notes_by_state: differing row {STATES_ROW.hex(' ')}: in n:x"
    assert list(map(str, notes.findings())) == [f"{of_owner}n:s and n:t", of_state]
    assert kinds_repaired(notes) == [("differing", True), ("differing", True)]
    assert notes.findings() == []


def test_a_line_that_somebody_deleted_in_the_future_stays_missing_and_says_so(notes, rows):
    rows["notes_by_owner"].delete(OWNERS_ROW, timestamp=now_ms() + DAY_MS)
    assert notes.repaired() == [(Finding("missing", "notes_by_owner", OWNERS_ROW, b"a"), False)]


# ---- writes under way


@pytest.mark.parametrize("mutations", range(2, 8))
def test_the_rows_of_a_pending_write_are_no_findings_and_repair_completes_it(connection, notes, mutations):
    stopped = WatchedConnection(connection, dying_at(mutations))
    with suppress(WriterDied):
        Notes(stopped).store(CHANGED)
    assert stopped.is_stopped == (mutations < 7)
    assert len(notes.writer.pending()) == (mutations < 7)
    assert notes.findings() == notes.repaired() == notes.writer.pending() == notes.findings() == []


def put_intent(rows, written_ms):
    """Puts the intent of the dead writer again, with another timestamp; returns its row."""
    ((row, stored),) = [slot for slot in rows["notes_intents"].scan() if slot[1][b"i:s"] != b"\xc0"]
    rows["notes_intents"].delete(row)
    time.sleep(0.02)
    row = row[:-1] + bytes([row[-1] ^ 0x80])  # the tombstones of the other row hide earlier timestamps
    rows["notes_intents"].put(row, stored, timestamp=written_ms)
    return row


AGES = pytest.mark.parametrize("age_ms", [WINDOW_MS + 1_000, -CLOCKS_APART_MS - 1_000], ids=["old", "of the future"])


@AGES
def test_only_young_writes_excuse_a_difference(connection, notes, rows, age_ms):
    die(connection, CHANGED, AFTER_DECISION)
    assert notes.findings() == []
    put_intent(rows, now_ms() - age_ms)
    assert {finding.kind for finding in notes.findings()} == {"differing", "dangling"}
    assert notes.repaired() == []
    assert notes.findings() == []


@AGES
def test_a_write_that_cannot_be_settled_hides_no_damage(connection, notes, rows, age_ms):
    die(connection, CHANGED, AFTER_DECISION)
    row = put_intent(rows, now_ms() - age_ms)
    rows["notes"].put(b"a", DAMAGED)
    rows["notes_by_owner"].delete(OWNERS.row(B))
    undecodable, lost_line = notes.findings()
    assert (undecodable.kind, undecodable.table, lost_line) == ("undecodable", "notes", LOST_LINE)
    (unsettled, is_settled), *others = notes.repaired()
    assert (unsettled.kind, unsettled.table, unsettled.row, is_settled) == ("unsettled", "notes_intents", row, False)
    assert unsettled.reason.startswith("notes: row 61: Note: must be a msgpack array")
    assert others == [(undecodable, False), (lost_line, True)]
    assert kinds_repaired(notes) == [("unsettled", False), ("undecodable", False)]


def test_a_damaged_intent_is_reported_and_the_others_go_on(connection, notes, rows):
    die(connection, CHANGED, AFTER_DECISION)
    (young,) = notes.writer.pending()
    rows["notes_intents"].put(b"\x01" * 12, rows["notes_intents"].row(INTENTS.row(young.intent)) | {b"i:r": b"damaged"})
    rows["notes_intents"].put(b"no key", {b"i:s": b"\xc0"})
    invalid = []
    assert notes.writer.pending(invalid.append) == [young]
    assert {error.row for error in invalid} == {b"\x01" * 12, b"no key"}
    rows["notes_by_owner"].delete(OWNERS.row(B))
    *damaged, lost_line = notes.findings()
    assert [(finding.kind, finding.row) for finding in damaged] == [
        ("undecodable", b"\x01" * 12),
        ("undecodable", b"no key"),
    ]
    assert damaged[0].reason.startswith("Intent.revision: ")
    assert lost_line == LOST_LINE
    assert kinds_repaired(notes) == [("undecodable", False), ("undecodable", False), ("missing", True)]
    assert notes.writer.recover().failed
    assert kinds_repaired(notes, discards_undecodable=True) == [("undecodable", True)] * 2
    assert (notes.findings(), notes.writer.recover().failed) == ([], ())


def test_a_line_is_mended_although_a_writer_changes_its_source_meanwhile(connection, notes, rows, monkeypatch):
    rows["notes_by_owner"].delete(OWNERS_ROW)
    repair = IntentWriter.repair

    def repair_and_meet_a_writer(*arguments):
        repair(*arguments)
        die(connection, CHANGED, AFTER_DECISION)

    monkeypatch.setattr(IntentWriter, "repair", repair_and_meet_a_writer)
    assert kinds_repaired(notes) == [("missing", True)]
    assert [slot.source_row for slot in notes.writer.pending()] == [b"a"]


def write_notes(url):
    """Writes some notes again and again."""
    with closing(connect(url)) as connection:
        writer = Notes(connection).writer
        for number in range(80):
            note = Note(str(number % 20), "ada", ("open", "done")[number // 20 % 2], f"text {number}")
            wanted = DELETED if number % 37 == 0 else note
            writer.write(ById(note.id), lambda _stored, wanted=wanted: wanted)


def test_writers_at_work_are_no_findings(tmp_path):
    url = f"embedded:{tmp_path / 'a.db'}"
    with closing(connect(url)) as connection, ThreadPoolExecutor(1) as pool:
        create_tables(connection, TABLES)
        writing = pool.submit(write_notes, url)
        while not writing.done():
            assert Notes(connection).findings() == []
        writing.result()
        assert len(list(connection.table("notes").scan())) == 20


@pytest.mark.usefixtures("small_batches")
def test_many_rows_are_compared_in_batches_and_the_first_and_last_row_of_a_batch_are_compared_too():
    count = BATCH_ROWS + 5
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        put_all(connection, many := [Note(f"{number:04}", "ada") for number in range(count)])
        edges = [many[number] for number in (0, BATCH_ROWS - 1, BATCH_ROWS, count - 1)]
        for note in edges:
            connection.table("notes_by_owner").delete(OWNERS.row(note))
            connection.table("notes_by_state").put(STATES.row(ByState("done", note.id)), {b"n:x": b""}, timestamp=0)
        notes, progress = Notes(connection), []
        verifier = notes.upkeep
        findings = list(verifier.verify(lambda: progress.append(tuple(verifier.counts.values()))))
        assert [(finding.kind, finding.table) for finding in findings] == [
            *[("missing", "notes_by_owner")] * 4,
            *[("dangling", "notes_by_state")] * 4,
        ]
        assert {finding.source_row for finding in findings} == {NOTES.row(note) for note in edges}
        assert verifier.counts == {"source": count, "line": 2 * count}
        assert progress[:2] == [(BATCH_ROWS, 0), (count, 0)]
        assert len(notes.repaired()) == 8
        assert notes.findings() == []
