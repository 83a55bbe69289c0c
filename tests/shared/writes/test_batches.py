"""Many records in few calls: when `store_all` hands over what it has read, the same cells in many rows, deletes."""

from contextlib import closing

import attrs
import pytest

from shared.keys import Descending, EscapedText, Int64, KeyLayout, UInt32
from shared.queries import Query
from shared.records import LAST_MS
from shared.stores import connect
from shared.tables import BoundTable, Column, RecordCells, TableLayout, create_tables
from shared.testing import WatchedConnection
from shared.writes import NotAllStored, delete_all, delete_rows, put_all, store_all
from shared.writes.dated_cells import put_rows
from tests.engines import plain_table
from tests.shared.specimens import key_class

LINES = plain_table("lines")


def lines(connection):
    connection.create_table("lines", {"f": {}})
    return connection.table("lines")


@pytest.mark.parametrize(("count", "calls"), [(0, []), (1, [1]), (1_000, [1_000]), (2_001, [1_000, 1_000, 1])])
def test_each_row_gets_the_cells_with_the_timestamp_a_thousand_rows_in_a_call(count, calls):
    connection = connect("embedded:")
    lines(connection)
    watched = WatchedConnection(connection)
    keys = [b"%04d" % number for number in range(count)]
    same = {b"f:x": b"1", b"f:y": b""}
    put_rows(watched.table("lines"), ((key, same) for key in keys), 17)
    cells = {b"f:x": (b"1", 17), b"f:y": (b"", 17)}
    assert list(connection.table("lines").scan(include_timestamp=True)) == [(key, cells) for key in keys]
    assert [len(call.rows) for call in watched.calls] == calls


def stored(records, **when):
    batches = []
    assert store_all(records, batches.append, **when) == sum(map(len, batches))
    return [len(batch) for batch in batches]


def test_records_are_stored_so_many_at_once():
    assert stored(range(2500)) == [1000, 1000, 500]
    assert stored(range(25), at_once=10) == [10, 10, 5]


def test_records_that_waited_so_long_are_stored_with_the_next_one(monkeypatch):
    times_s = iter((0.0, 0.4, 1.0, 1.1, 1.5, 2.2))
    monkeypatch.setattr("shared.writes.batches.time.monotonic", lambda: next(times_s))
    assert stored(range(6), within_s=1.0) == [3, 3]


def test_a_store_that_fails_tells_how_many_records_are_stored_and_which_may_be():
    batches = []

    def fail_at_the_third(batch):
        if len(batches) == 2:
            raise OSError("no server")
        batches.append(batch)

    with pytest.raises(NotAllStored) as refused:
        store_all(range(25), fail_at_the_third, at_once=10)
    assert (refused.value.stored, refused.value.unconfirmed) == (20, [*range(20, 25)])
    assert str(refused.value) == "20 records stored; some of the next 5 may be stored too: no server"
    assert isinstance(refused.value.__cause__, OSError)


# ---- deletes


@attrs.frozen
class Note:
    author: str
    time_ms: int
    number: int = 0
    text: str = ""


NoteOfAuthor = key_class("NoteOfAuthor", author=EscapedText, time_ms=Descending(Int64), number=UInt32)
NOTES = TableLayout("notes", "a note", KeyLayout(NoteOfAuthor), RecordCells(Note, {"text": Column("n:t")}))


@pytest.fixture
def notes():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, [NOTES])
        yield BoundTable(WatchedConnection(connection), NOTES)


def of_author(notes, author):
    return Query(notes, notes.plan(author=author))


def test_all_records_of_a_query_are_deleted_a_thousand_in_a_call_whatever_their_time_and_neighbours_stay(notes):
    neighbours = [Note(author, time_ms) for author in ("ad", "ada_2", "adb") for time_ms in (0, LAST_MS)]
    put_all([Note("ada", LAST_MS - number // 1000, number) for number in range(2_500)] + neighbours, notes)
    notes.connection.calls.clear()
    assert delete_all(of_author(notes, "ada"), notes) == 0
    assert [len(call.rows) for call in notes.connection.calls] == [1000, 1000, 500]
    assert [*Query(notes, notes.whole_table()).newest_first(False)] == sorted(neighbours, key=NOTES.row)


def test_a_row_that_cannot_be_read_remains_and_is_counted(notes):
    put_all(written := [Note("ada", time_ms) for time_ms in (1, 2)], notes)
    notes.rows.put(notes.row(written[0]), {b"n:t": b"\xc1"}, timestamp=1)
    assert delete_all(of_author(notes, "ada"), notes) == 1
    with pytest.raises(ValueError, match=r"^notes: row 61 64 61 00 01 "):
        of_author(notes, "ada").page()


def test_a_row_is_deleted_with_what_is_dated_up_to_a_time_and_the_number_of_rows_is_returned(notes):
    put_all(written := [Note("ada", time_ms) for time_ms in (1, 2, 3)], notes)
    assert delete_rows(notes, map(notes.row, written), 2) == 3
    assert [*of_author(notes, "ada")] == [written[2]]
