"""Rows that disagree with their sources are found in every list, nothing else is, and repair leaves none."""

import time
from contextlib import closing, suppress
from threading import Event, Thread

import attrs
import pytest

from shared.queries import BATCH_ROWS
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import Finding, Verifier
from tests.watched_connection import WatchedConnection, WriterDied, dying_at

from .notes import NOTES, OWNERS, STATES, TABLES, ById, ByState, Note, put_all, writer_on

DAY_MS = 86_400_000
A, B = Note("a", "ada", "open", "x"), Note("b", "bob", "done", "y")
OWNERS_ROW, STATES_ROW = OWNERS.row(A), STATES.row(ByState("open", "a"))
LISTS = [(OWNERS, OWNERS_ROW), (STATES, STATES_ROW)]


def pause():
    """Lets the time of the last revision pass, which may be some milliseconds ahead, so that the server dates later."""
    time.sleep(0.02)


@pytest.fixture
def connection():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        writer = writer_on(connection)
        for note in (A, B):
            writer.write(ById(note.id), lambda _stored, note=note: note)
        pause()
        yield connection


@pytest.fixture
def rows(connection):
    return {table.name: connection.table(table.name) for table in TABLES}


def found(connection):
    return list(Verifier(writer_on(connection)).verify())


def mended(connection):
    return list(Verifier(writer_on(connection)).repair())


def test_rows_that_agree_are_counted_and_nothing_is_found(connection):
    verifier = Verifier(writer_on(connection))
    assert list(verifier.verify()) == []
    assert (verifier.sources, verifier.lines) == (2, 4)


@pytest.mark.parametrize(("table", "row"), LISTS)
def test_a_line_that_is_missing_is_found_and_put_again(connection, rows, table, row):
    before = rows[table.name].row(row)
    rows[table.name].delete(row)
    finding = Finding("missing", table.name, row, b"a")
    assert found(connection) == [finding]
    assert mended(connection) == [(finding, True)]
    assert (found(connection), rows[table.name].row(row)) == ([], before)


@pytest.mark.parametrize(("table", "row"), LISTS)
def test_a_line_of_no_record_is_found_and_deleted(connection, rows, table, row):
    other = row.replace(b"ada", b"eve") if table is OWNERS else row.replace(b"\x01", b"\x02", 1)
    rows[table.name].put(other, rows[table.name].row(row))
    finding = Finding("dangling", table.name, other, b"a")
    assert found(connection) == [finding]
    assert mended(connection) == [(finding, True)]
    assert (found(connection), rows[table.name].row(other)) == ([], {})


@pytest.mark.parametrize(("table", "row"), LISTS)
def test_a_line_whose_source_was_never_there_is_found_and_deleted(connection, rows, table, row):
    other = row.replace(b"a\0\x01", b"zz\0\x01") if table is STATES else OWNERS.row(Note("zz", "ada"))
    rows[table.name].put(other, rows[table.name].row(row))
    assert [(finding.kind, finding.source_row) for finding in found(connection)] == [("dangling", b"zz")]
    assert [is_mended for _, is_mended in mended(connection)] == [True]
    assert found(connection) == []


@pytest.mark.parametrize(("table", "row"), LISTS)
def test_a_line_of_the_future_is_deleted_too(connection, rows, table, row):
    other = row.replace(b"ada", b"eve") if table is OWNERS else row.replace(b"\x01", b"\x02", 1)
    rows[table.name].put(other, rows[table.name].row(row), timestamp=time.time_ns() // 1_000_000 + DAY_MS)
    assert [is_mended for _, is_mended in mended(connection)] == [True]
    assert found(connection) == []


def test_cells_that_differ_are_found_with_their_columns_and_put_again(connection, rows):
    rows["notes_by_owner"].put(OWNERS_ROW, OWNERS.cells.pack(attrs.evolve(A, text="other", state="done")))
    rows["notes_by_state"].put(STATES_ROW, {b"n:x": b"other"})
    assert list(map(str, found(connection))) == [
        f"notes_by_owner: differing row {OWNERS_ROW.hex(' ')}: in n:s and n:t",
        f"notes_by_state: differing row {STATES_ROW.hex(' ')}: in n:x",
    ]
    assert [is_mended for _, is_mended in mended(connection)] == [True, True]
    assert found(connection) == []


def test_a_cell_that_is_missing_is_a_difference(connection, rows):
    rows["notes_by_owner"].delete(OWNERS_ROW, columns=["n:t"])
    assert list(map(str, found(connection))) == [f"notes_by_owner: differing row {OWNERS_ROW.hex(' ')}: in n:t"]
    assert [is_mended for _, is_mended in mended(connection)] == [True]


@pytest.mark.parametrize(("table", "row"), [(OWNERS, b"no terminator"), (STATES, b"\x09a\0\x01")])
def test_a_row_of_a_list_that_is_not_a_key_is_found_with_the_reason_and_deleted(connection, rows, table, row):
    rows[table.name].put(row, {table.cells.columns[0]: b"1"})
    (finding,) = found(connection)
    assert (finding.kind, finding.table, finding.row, finding.source_row) == ("undecodable", table.name, row, None)
    assert str(finding).startswith(f"{table.name}: undecodable row {row.hex(' ')}: By")
    assert mended(connection) == [(finding, True)]
    assert found(connection) == []


def test_a_source_that_cannot_be_read_is_listed_and_kept_with_its_lines(connection, rows):
    rows["notes"].put(b"a", {b"n:note": b"damaged"})
    (finding,) = found(connection)
    assert (finding.kind, finding.table, finding.row, finding.source_row) == ("undecodable", "notes", b"a", None)
    assert finding.reason.startswith("Note: must be a msgpack array of revision")
    assert mended(connection) == [(finding, False)]
    assert rows["notes"].row(b"a") == {b"n:note": b"damaged"}
    assert found(connection) == [finding]
    assert rows["notes_by_owner"].row(OWNERS_ROW)
    assert rows["notes_by_state"].row(STATES_ROW)


def test_a_source_that_cannot_be_read_hides_nothing_of_the_others(connection, rows):
    rows["notes"].put(b"a", {b"n:note": b"damaged"})
    rows["notes"].put(b"\xff", {b"n:note": rows["notes"].row(b"b")[b"n:note"]})
    rows["notes_by_owner"].delete(OWNERS.row(B))
    rows["notes_by_owner"].put(OWNERS.row(attrs.evolve(B, owner="eve")), OWNERS.cells.pack(B))
    kinds = [(finding.kind, finding.row) for finding in found(connection)]
    assert sorted(kinds) == sorted(
        [
            ("undecodable", b"a"),
            ("undecodable", b"\xff"),
            ("missing", OWNERS.row(B)),
            ("dangling", OWNERS.row(attrs.evolve(B, owner="eve"))),
        ]
    )
    assert sorted(is_mended for _, is_mended in mended(connection)) == [False, False, True, True]


def test_a_line_that_somebody_deleted_in_the_future_stays_missing_and_says_so(connection, rows):
    rows["notes_by_owner"].delete(OWNERS_ROW, timestamp=time.time_ns() // 1_000_000 + DAY_MS)
    assert mended(connection) == [(Finding("missing", "notes_by_owner", OWNERS_ROW, b"a"), False)]


def test_a_record_that_was_deleted_must_not_have_lines(connection, rows):
    line = rows["notes_by_owner"].row(OWNERS_ROW)
    writer_on(connection).write(ById("a"), lambda _stored: None)
    assert found(connection) == []
    pause()
    rows["notes_by_owner"].put(OWNERS_ROW, line)
    assert [finding.kind for finding in found(connection)] == ["dangling"]
    assert [is_mended for _, is_mended in mended(connection)] == [True]


@pytest.mark.parametrize("mutations", range(2, 8))
def test_the_rows_of_a_pending_write_are_no_findings_and_repair_completes_it(connection, mutations):
    stopped = WatchedConnection(connection, dying_at(mutations))
    with suppress(WriterDied):
        writer_on(stopped).write(ById("a"), lambda stored: attrs.evolve(stored, state="done", text="new"))
    assert stopped.is_stopped == (mutations < 7)
    assert len(writer_on(connection).pending()) == (mutations < 7)
    assert found(connection) == []
    assert mended(connection) == []
    assert writer_on(connection).pending() == []
    assert found(connection) == []


def test_writers_at_work_are_no_findings(tmp_path):
    url = f"embedded:{tmp_path / 'a.db'}"
    is_over = Event()
    failures = []

    def work():
        try:
            with closing(connect(url)) as connection:
                writer = writer_on(connection)
                for number in range(100_000):
                    if is_over.is_set():
                        return
                    state = ("open", "done")[number // 20 % 2]
                    wanted = None if number % 37 == 0 else Note(str(number % 20), "ada", state, f"text {number}")
                    writer.write(ById(str(number % 20)), lambda _stored, wanted=wanted: wanted)
        except Exception as error:
            failures.append(error)

    with closing(connect(url)) as connection:
        create_tables(connection, TABLES)
        thread = Thread(target=work)
        thread.start()
        try:
            end_s = time.monotonic() + 3
            while time.monotonic() < end_s:
                assert found(connection) == []
        finally:
            is_over.set()
            thread.join()
        assert failures == []
        assert len(list(connection.table("notes").scan())) == 20


def test_many_rows_are_compared_in_batches_and_those_at_their_edges_are_found(monkeypatch):
    count = 2 * BATCH_ROWS + 500
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        put_all(connection, notes := [Note(f"{number:04}", "ada") for number in range(count)])
        edges = [notes[number] for number in (0, BATCH_ROWS - 1, BATCH_ROWS, count - 1)]
        for note in edges:
            connection.table("notes_by_owner").delete(OWNERS.row(note))
            connection.table("notes_by_state").put(STATES.row(ByState("done", note.id)), {b"n:x": b""})
        sizes = []
        verifier = Verifier(writer_on(connection))
        get_rows = connection.client.getRowsWithColumns
        monkeypatch.setattr(
            connection.client, "getRowsWithColumns", lambda *given: sizes.append(len(given[1])) or get_rows(*given)
        )
        progress = []
        findings = list(verifier.verify(lambda: progress.append((verifier.sources, verifier.lines))))
        assert [(finding.kind, finding.table) for finding in findings] == [
            *[("missing", "notes_by_owner")] * 4,
            *[("dangling", "notes_by_state")] * 4,
        ]
        assert {finding.source_row for finding in findings} == {NOTES.row(note) for note in edges}
        assert max(sizes) == BATCH_ROWS
        assert (verifier.sources, verifier.lines) == (count, 2 * count)
        assert progress[:3] == [(BATCH_ROWS, 0), (2 * BATCH_ROWS, 0), (count, 0)]
        assert len(mended(connection)) == 8
        assert found(connection) == []
