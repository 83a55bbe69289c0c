"""Rows that disagree with their sources are found in every list, nothing else is, and repair leaves none."""

import time
from contextlib import closing, suppress
from threading import Event, Thread

import attrs
import pytest

from shared.queries import BATCH_ROWS
from shared.stores import connect
from shared.tables import create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at, dying_before
from shared.writes import Finding, Instructions, WriterUpkeep
from shared.writes.intents import CLOCKS_APART_MS, WINDOW_MS

from .notes import INTENTS, NOTES, OWNERS, STATES, TABLES, ById, ByState, Note, put_all, writer_on

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


def written_ms(rows, table, row):
    return max(written_ms for _, written_ms in rows[table.name].row(row, include_timestamp=True).values())


def other_line(table, row):
    """The line of another owner or state, which the source of `row` does not want."""
    return row.replace(b"ada", b"eve") if table is OWNERS else row.replace(b"\x01", b"\x02", 1)


def found(connection):
    return list(WriterUpkeep(writer_on(connection)).verify())


def mended(connection, **told):
    return list(WriterUpkeep(writer_on(connection)).repair(instructions=Instructions(**told)))


def kinds_mended(connection, **told):
    return [(finding.kind, is_mended) for finding, is_mended in mended(connection, **told)]


def test_rows_that_agree_are_counted_and_nothing_is_found(connection):
    verifier = WriterUpkeep(writer_on(connection))
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
    other = other_line(table, row)
    rows[table.name].put(other, rows[table.name].row(row), timestamp=written_ms(rows, table, row))
    finding = Finding("dangling", table.name, other, b"a")
    assert found(connection) == [finding]
    assert mended(connection) == [(finding, True)]
    assert (found(connection), rows[table.name].row(other)) == ([], {})


def test_cells_that_differ_are_found_with_their_columns_and_put_again(connection, rows):
    other = OWNERS.cells.pack(attrs.evolve(A, text="other", state="done"))
    rows["notes_by_owner"].put(OWNERS_ROW, other, timestamp=written_ms(rows, OWNERS, OWNERS_ROW))
    rows["notes_by_state"].put(STATES_ROW, {b"n:x": b"other"}, timestamp=written_ms(rows, STATES, STATES_ROW))
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


@pytest.mark.parametrize(("table", "row"), [(OWNERS, b"no terminator"), (STATES, b"\x01a")])
def test_a_row_of_a_list_that_is_not_a_key_is_kept_and_discarded_if_told_to(connection, rows, table, row):
    rows[table.name].put(row, {table.cells.columns[0]: b"1"})
    (finding,) = found(connection)
    assert (finding.kind, finding.table, finding.row, finding.source_row) == ("undecodable", table.name, row, None)
    assert str(finding).startswith(f"{table.name}: undecodable row {row.hex(' ')}: By")
    for told in ({}, {"discards_orphaned": True}, {"discards_rows": frozenset({("notes", row)})}):
        assert mended(connection, **told) == [(finding, False)]
    assert mended(connection, discards_undecodable=True) == [(finding, True)]
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
    rows["notes_by_owner"].put(OWNERS.row(attrs.evolve(B, owner="eve")), OWNERS.cells.pack(B), timestamp=1)
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
    time_ms = writer_on(connection).reader.read(b"a").time_ms
    rows["notes_by_owner"].put(OWNERS_ROW, line, timestamp=time_ms + 1)  # above its tombstone
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


# ---- writes under way


def die(connection):
    """A note of ada's is done, and the writer dies after its decision."""
    stopped = WatchedConnection(connection, dying_before(lambda call: call.table == "notes_by_owner"))
    with suppress(WriterDied):
        writer_on(stopped).write(ById("a"), lambda stored: attrs.evolve(stored, state="done", text="new"))


def put_intent(rows, written_ms, **cells):
    """Puts the intent of the dead writer again, with another timestamp or with another cell; returns its row."""
    for row, stored in list(rows["notes_intents"].scan()):
        if stored[b"i:s"] != b"\xc0":
            rows["notes_intents"].delete(row)
            time.sleep(0.02)
            row = row[:-1] + bytes([row[-1] ^ 0x80])  # the tombstones of the other row hide earlier timestamps
            rows["notes_intents"].put(
                row, stored | {b"i:" + name.encode(): cell for name, cell in cells.items()}, timestamp=written_ms
            )
            return row
    raise AssertionError("no intent")


def now_ms():
    return time.time_ns() // 1_000_000


AGES = pytest.mark.parametrize("age_ms", [WINDOW_MS + 1_000, -CLOCKS_APART_MS - 1_000], ids=["old", "of the future"])


@AGES
def test_only_young_writes_excuse_a_difference(connection, rows, age_ms):
    die(connection)
    assert found(connection) == []
    put_intent(rows, now_ms() - age_ms)
    assert {finding.kind for finding in found(connection)} == {"differing", "dangling"}
    assert mended(connection) == []
    assert found(connection) == []


@AGES
def test_a_write_that_cannot_be_settled_hides_no_damage(connection, rows, age_ms):
    die(connection)
    row = put_intent(rows, now_ms() - age_ms)
    rows["notes"].put(b"a", {b"n:note": b"damaged"})
    rows["notes_by_owner"].delete(OWNERS.row(B))
    finding = Finding("missing", "notes_by_owner", OWNERS.row(B), b"b")
    assert [(kind.kind, kind.table) for kind in found(connection)] == [
        ("undecodable", "notes"),
        ("missing", "notes_by_owner"),
    ]
    unsettled, undecodable, mended_line = mended(connection)
    assert (unsettled[0].kind, unsettled[0].table, unsettled[0].row, unsettled[1]) == (
        "unsettled",
        "notes_intents",
        row,
        False,
    )
    assert unsettled[0].reason.startswith("notes: row 61: Note: must be a msgpack array")
    assert (undecodable[0].kind, mended_line) == ("undecodable", (finding, True))
    kinds = [(kind.kind, is_mended) for kind, is_mended in mended(connection)]
    assert kinds == [("unsettled", False), ("undecodable", False)]


def test_a_damaged_intent_is_reported_and_the_others_go_on(connection, rows):
    die(connection)
    (young,) = writer_on(connection).pending()
    rows["notes_intents"].put(b"\x01" * 12, rows["notes_intents"].row(INTENTS.row(young.intent)) | {b"i:r": b"damaged"})
    rows["notes_intents"].put(b"no key", {b"i:s": b"\xc0"})
    invalid = []
    assert writer_on(connection).pending(invalid.append) == [young]
    assert {error.row for error in invalid} == {b"\x01" * 12, b"no key"}
    rows["notes_by_owner"].delete(OWNERS.row(B))
    lost = Finding("missing", "notes_by_owner", OWNERS.row(B), b"b")
    findings = found(connection)
    assert [(finding.kind, finding.row) for finding in findings[:2]] == [
        ("undecodable", b"\x01" * 12),
        ("undecodable", b"no key"),
    ]
    assert findings[0].reason.startswith("Intent.revision: ")
    assert findings[2:] == [lost]
    assert [(finding.kind, is_mended) for finding, is_mended in mended(connection)] == [
        ("undecodable", False),
        ("undecodable", False),
        ("missing", True),
    ]
    assert writer_on(connection).recover().failed
    assert kinds_mended(connection, discards_undecodable=True) == [("undecodable", True), ("undecodable", True)]
    assert (found(connection), writer_on(connection).recover().failed) == ([], ())


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
            end_s = time.monotonic() + 1
            while time.monotonic() < end_s:
                assert found(connection) == []
        finally:
            is_over.set()
            thread.join()
        assert failures == []
        assert len(list(connection.table("notes").scan())) == 20


def test_many_rows_are_compared_in_batches_and_those_at_their_edges_are_found(monkeypatch):
    count = BATCH_ROWS + 50
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        put_all(connection, notes := [Note(f"{number:04}", "ada") for number in range(count)])
        edges = [notes[number] for number in (0, BATCH_ROWS - 1, BATCH_ROWS, count - 1)]
        for note in edges:
            connection.table("notes_by_owner").delete(OWNERS.row(note))
            connection.table("notes_by_state").put(STATES.row(ByState("done", note.id)), {b"n:x": b""}, timestamp=0)
        sizes = []
        verifier = WriterUpkeep(writer_on(connection))
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
        assert progress[:2] == [(BATCH_ROWS, 0), (count, 0)]
        assert len(mended(connection)) == 8
        assert found(connection) == []
