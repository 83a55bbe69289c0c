"""One record in a row: columns in several families, each with its packing, and a marker for rows without columns."""

import copy

import attrs
import pytest

from shared.keys import EscapedText, Int64, KeyLayout, Slice, TrailingText, part, row_key
from shared.keys.limits import MAX_CELL_BYTES
from shared.stores.thrift1.idl import IOError
from shared.tables import COUNTER, RAW, TEXT, Column, InvalidRecord, InvalidRow, RecordCells, TableLayout
from shared.tables.cells import check_cell_size
from tests.reference import without_reference
from tests.shared.specimens import key_class

ByPath = key_class("ByPath", path=TrailingText)


@attrs.frozen
class Document:
    path: str
    title: str
    body: bytes
    tags: list[str]
    views: int = 0


COLUMNS = {
    "title": Column("m:title", TEXT),
    "body": Column("b:", RAW),
    "tags": Column("m:t:all"),
    "views": Column("c:v", COUNTER),
}
DOCUMENT_CELLS = RecordCells(Document, COLUMNS)
DOCUMENTS = TableLayout("documents", "one document", KeyLayout(ByPath), DOCUMENT_CELLS)
MANUAL = Document("a/b", "Manual", b"\0\xff", ["x"])
CELLS = {b"m:title": b"Manual", b"b:": b"\0\xff", b"m:t:all": bytes.fromhex("91 a1 78")}

# ---- families and packings -----------------------------------------------------------------------


def test_cells_are_in_the_families_of_their_columns():
    assert DOCUMENT_CELLS.pack(MANUAL) == CELLS
    assert DOCUMENT_CELLS.pack(MANUAL, only=["body", "title"]) == {b"b:": b"\0\xff", b"m:title": b"Manual"}
    assert list(DOCUMENTS.families) == ["m", "b", "c"]
    assert DOCUMENT_CELLS.columns == (b"m:title", b"b:", b"m:t:all", b"c:v")


@pytest.mark.parametrize(("views", "cell"), [(0, "00 00000000000000"), (258, "00 00000000000102"), (-1, "ff" * 8)])
def test_a_counter_is_eight_bytes_signed_and_only_read(views, cell):
    row, record = DOCUMENTS.row(MANUAL), attrs.evolve(MANUAL, views=views)
    with without_reference(DOCUMENTS.record):
        assert DOCUMENTS.record(row, CELLS | {b"c:v": bytes.fromhex(cell)}) == record
    assert DOCUMENT_CELLS.pack(record) == CELLS
    with pytest.raises(InvalidRecord, match=r"^Document\.views: is a counter, which only counter_inc writes$"):
        DOCUMENT_CELLS.pack(record, only=["title", "views"])


# ---- claimed cells and others --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        (b"m:title", b"\xff", r"Document\.title: 'utf-8' codec can't decode .* \(got ff\)"),
        (b"m:t:all", b"\x05", r"Document\.tags: must be list\[str\] \(got 5\)"),
        (b"c:v", b"\0\0\0\1", r"Document\.views: must be the eight bytes of a counter \(got 4\) \(got 00 00 00 01\)"),
    ],
)
def test_a_claimed_cell_that_does_not_decode_is_damage(column, value, reason):
    with pytest.raises(InvalidRow, match=rf"^documents: row 61 2f 62: {reason}$"):
        DOCUMENTS.record(b"a/b", CELLS | {column: value})
    with pytest.raises(InvalidRow, match=rf"^documents: row 61 2f 62: {reason}$"):
        DOCUMENTS.records(b"a/b", CELLS | {column: value})


def test_cells_that_are_not_claimed_are_passed_over():
    others = {b"m:titles": b"\xff", b"m:t": b"\xc1", b"c:w": b"1", b"x:title": b"\xff"}
    assert DOCUMENTS.records(b"a/b", CELLS | others) == [MANUAL]
    assert DOCUMENTS.records(b"a/b", others) == []
    with pytest.raises(InvalidRow, match=r"^documents: row 61 2f 62: Document: none of its cells \(m:title, .*\)$"):
        DOCUMENTS.record(b"a/b", others)
    with pytest.raises(InvalidRow, match=r"^documents: row 61 2f 62: Document\.title: no cell m:title$"):
        DOCUMENTS.record(b"a/b", {b"c:v": bytes(8)})


# ---- markers -------------------------------------------------------------------------------------


@row_key
class Follower:
    followed: str = part(EscapedText, "who is followed")
    follower: str = part(EscapedText, "who follows")


FOLLOWERS = TableLayout("followers", "one follower", KeyLayout(Follower), RecordCells(Follower, {}, marker="f:x"))


# ---- declarations --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [5, b"m:title", "", "title", ":title"])
def test_a_column_that_is_not_family_and_qualifier_is_refused(name):
    for declare in (lambda: Column(name), lambda: RecordCells(Follower, {}, marker=name)):
        with pytest.raises(InvalidRecord) as refused:
            declare()
        assert str(refused.value) == f"Column: must be family:qualifier (got {name!r})"


def test_cells_need_either_columns_or_a_marker():
    with pytest.raises(InvalidRecord, match=r"^Follower: needs a marker, because it has no columns$"):
        RecordCells(Follower, {})
    with pytest.raises(InvalidRecord, match=r"^Document: needs no marker, because it has columns$"):
        RecordCells(Document, COLUMNS, marker="m:x")


# ---- some of the cells ---------------------------------------------------------------------------

HAVE_COLUMNS = "(title, body, tags, views have)"


@pytest.mark.parametrize(
    ("only", "reason"),
    [
        (["titel"], f"Document.titel: has no column {HAVE_COLUMNS}"),
        (["title", "path"], f"Document.path: has no column {HAVE_COLUMNS}"),
        (["views", "titel"], "Document.views: is a counter, which only counter_inc writes"),
        ([5], f"Document.5: has no column {HAVE_COLUMNS}"),
        ("title", "Document: only must be several attributes, such as a list (got 'title')"),
        (b"title", "Document: only must be several attributes, such as a list (got b'title')"),
        (5, "Document: only must be several attributes, such as a list (got 5)"),
        ([], "Document: has no cell to write (columns: title, body, tags, views)"),
    ],
)
def test_only_must_name_attributes_with_a_column(only, reason):
    with pytest.raises(InvalidRecord) as refused:
        DOCUMENT_CELLS.pack(MANUAL, only=only)
    assert str(refused.value) == reason


# ---- sizes ---------------------------------------------------------------------------------------


def test_a_value_that_no_cell_can_hold_is_refused_by_the_name_of_its_attribute():
    largest = MAX_CELL_BYTES - 20 - len("b")  # of a row of no bytes, in the column b:
    assert len(DOCUMENT_CELLS.pack(attrs.evolve(MANUAL, body=bytes(largest)))[b"b:"]) == largest
    message = rf"^Document.body: must fit {largest} bytes, the rest of an HBase cell \(got {largest + 1} bytes\)$"
    with pytest.raises(InvalidRecord, match=message):
        DOCUMENT_CELLS.pack(attrs.evolve(MANUAL, body=bytes(largest + 1)))
    check_cell_size("Document.body", b"b:", bytes(largest - 3), b"a/b")
    with pytest.raises(InvalidRecord, match=f"^Document.body: must fit {largest - 3} bytes"):
        check_cell_size("Document.body", b"b:", bytes(largest - 2), b"a/b")


def test_the_size_of_a_cell_is_the_one_that_the_store_compares(engine):
    row, column = b"a/b", b"b:"
    largest = bytes(MAX_CELL_BYTES - 20 - len(row) - len(b"b"))
    check_cell_size("Document.body", column, largest, row)
    with engine.store(DOCUMENTS) as connection:  # a shared one puts bytes before each row
        rows = connection.table("documents")
        rows.put(row, {column: largest})
        with pytest.raises(IOError, match="exceeds limit of 10485760 bytes"):
            rows.put(row, {column: largest + b"x"})


DayOfUser = key_class("DayOfUser", user=EscapedText, time_ms=Slice(Int64, 1000))


@attrs.frozen
class DayCount:
    user: str
    day_ms: int
    count: int

    @property
    def time_ms(self):
        return self.day_ms


def test_an_attribute_may_have_another_name_in_the_row_key():
    cells = RecordCells(DayCount, {"count": Column("s:n")}, key_names={"day_ms": "time_ms"})
    table = TableLayout("sums", "one sum", KeyLayout(DayOfUser), copy.copy(cells))
    count = DayCount("ada", 3000, 7)
    assert table.row(count) == KeyLayout(DayOfUser).encode(DayOfUser("ada", 3000))
    assert (
        table.record(table.row(count), cells.pack(count))
        == count
        == table.records(table.row(count), cells.pack(count))[0]
    )
    assert "key_names={'day_ms': 'time_ms'}" in repr(table.cells)


@pytest.mark.parametrize("key_names", [{}, {"day_ms": "day"}, {"other": "time_ms"}])
def test_a_name_that_the_row_key_does_not_have_is_refused(key_names):
    cells = RecordCells(DayCount, {"count": Column("s:n")}, key_names=key_names)
    with pytest.raises(InvalidRecord) as refused:
        TableLayout("sums", "one", KeyLayout(DayOfUser), cells)
    assert str(refused.value) == "DayCount.day_ms: must be a column of table sums, or a part of DayOfUser"
