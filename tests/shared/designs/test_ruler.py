"""The byte ruler, as it is printed."""

from datetime import date

import attrs
import pytest
from rich.cells import cell_len

from shared.designs.ruler import BYTES, VALUES, cell_lines, ruler, ruler_lines, show_value
from shared.intents.source_cells import SourceCells
from shared.keys import Descending, EscapedText, Int64, KeyLayout, TrailingText, UInt16
from shared.tables import BIG_INT, Column, ItemCells, RecordCells, TableLayout
from tests.shared.specimens import key_class

Sale = key_class("Sale", seller_id=EscapedText, placed_ms=Descending(Int64), order_number=EscapedText)
Note = key_class("Note", text=TrailingText)
SALES = KeyLayout(Sale)
NOTES = KeyLayout(Note)
SALE = Sale("s-17", 1_580_976_517_000, "n-42")


@pytest.mark.parametrize("text", ["abcdefghijklmnopqrstuvwxyz" * 10, "店" * 80], ids=["narrow", "wide"])
@pytest.mark.parametrize("width", [0, 1, 2, 20, 80])
def test_a_part_longer_than_a_line_is_cut_and_nothing_of_it_is_lost(width, text):
    lines = ruler_lines(NOTES, NOTES.encode(Note(text)), width)
    assert "".join(line for kind, line in lines if kind == VALUES) == text
    assert bytes.fromhex("".join(line for kind, line in lines if kind == BYTES)) == text.encode()
    assert max(cell_len(line) for _kind, line in lines) <= max(width, len("text"))


def test_wide_characters_keep_columns_in_line():
    names, values, data = ruler(SALES, SALES.encode(Sale("店-1", 0, "🐘"))).splitlines()
    assert names.index("placed_ms") == cell_len(values[: values.index("1970")]) == data.index("7f ff")


def test_an_empty_last_part_is_named():
    tag = key_class("Tag", name=EscapedText, rest=TrailingText)
    assert "(no bytes)" in ruler(KeyLayout(tag), b"a\x00\x01")


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("placed_ms", 0, "1970-01-01T00:00:00.000Z"),
        ("every_ms", 600_000, "10m"),
        ("item", "lamp", "lamp"),
        ("item", "", "''"),
        ("item", " lamp", "' lamp'"),
        ("item", "\x1b[31m", r"'\x1b[31m'"),
        ("item", "a\nb", r"'a\nb'"),
        ("item", "\u202eabc", r"'\u202eabc'"),
        ("item", "茶", "茶"),
        ("digest", b"\x00\xff", "00 ff"),
        ("from_day", date(2027, 5, 3).toordinal(), "2027-05-03"),
        ("from_day", date(2200, 1, 1).toordinal(), str(date(2200, 1, 1).toordinal())),
        ("week_day", 7, "7"),
    ],
)
def test_values_are_shown_as_a_person_reads_them(name, value, shown):
    assert show_value(name, value) == shown


def test_an_int_that_python_does_not_write_is_shown_by_its_size():
    assert show_value("amount", 10**4299) == "1" + "0" * 4299
    assert show_value("amount", 10**4300) == show_value("placed_ms", 10**4300) == "an int of 14285 bits"


@attrs.frozen
class Line:
    number: str
    item: str
    amount: int
    placed_ms: int


Numbered = key_class("Numbered", number=TrailingText)
LINE_CELLS = RecordCells(Line, {"item": Column("o:i"), "amount": Column("o:a", BIG_INT), "placed_ms": Column("o:t")})
LINES = TableLayout("lines", "a line", KeyLayout(Numbered), LINE_CELLS)


def test_a_cell_wider_than_a_line_is_cut_and_nothing_of_it_is_lost():
    text = "lamp" * 75
    lines = cell_lines(LINES, LINE_CELLS.pack(Line("n-1", text, 7, 0)), width=80)
    assert max(len(line) for _kind, line in lines) <= 80
    assert "".join(line for kind, line in lines if kind == VALUES).startswith(text)
    assert lines[0] == (0, "item")
    assert (2, "o:i") in lines


@pytest.mark.parametrize(
    ("column", "data", "shown"),
    [
        (b"o:i", "c1", "c1 (damaged: FormatError)"),
        (b"o:i", "07 08", "07 08 (damaged: unpack(b) received extra data.)"),
        (b"o:i", "a2 61", "a2 61 (damaged: Unpack failed: incomplete input)"),
        (b"o:a", "07", "07 (damaged: must be "),
        (b"o:i", "", "(damaged: Unpack failed: incomplete input)"),
    ],
)
def test_a_damaged_cell_is_shown_as_its_bytes_with_the_reason(column, data, shown):
    _names, (_kind, value), _columns = cell_lines(LINES, {column: bytes.fromhex(data)}, width=80)
    assert value.startswith(shown)


def test_a_marker_is_shown_as_the_record_that_it_stands_for():
    table = TableLayout("sales", "a sale", SALES, RecordCells(Sale, {}, marker="s:v"))
    assert cell_lines(table, table.cells.pack(SALE), width=80) == [(0, "(there is a record)"), (2, "s:v")]
    assert cell_lines(table, {b"s:w": b"1"}, width=80) == []


def test_a_source_shows_its_revision_over_its_cell_and_then_its_record():
    source = SourceCells(LINE_CELLS, "o:line")
    table = TableLayout("lines", "a line", KeyLayout(Numbered), source)
    line = Line("n-1", "lamp", 7, 0)
    assert cell_lines(table, {b"o:line": source.pack_revision(3, 5, (b"w",), line)}, width=80) == [
        (0, "revision  item  amount  placed_ms"),
        (1, "3         lamp  7       1970-01-01T00:00:00.000Z"),
        (2, "o:line"),
    ]
    assert cell_lines(table, {b"o:line": source.pack_revision(4, 5, (), None)}, width=80) == [
        (0, "revision"),
        (1, "4"),
        (2, "o:line"),
    ]
    assert cell_lines(table, {}, width=80) == []
    assert cell_lines(table, {b"o:line": b"1"}, width=200)[0] == (0, "(damaged)")


# ---- rows that hold many records -----------------------------------------------------------------


@attrs.frozen
class Point:
    metric: str
    at_s: int
    host: str
    value: int
    unit: str = ""


Metric = key_class("Metric", metric=TrailingText)
At = key_class("At", at_s=UInt16, host=TrailingText)


def points_table(value, record=Point):
    return TableLayout("points", "points", KeyLayout(Metric), ItemCells(record, "p", KeyLayout(At), value))


def test_three_cells_of_many_are_shown_in_the_order_of_their_qualifiers_and_the_others_are_counted():
    table = points_table(("value", "unit"))
    cells = {}
    for at_s in (9, 7, 8, 300, 10):
        cells |= table.cells.pack(Point("cpu", at_s, "a", 5))
    assert cell_lines(table, cells, width=200) == [
        (0, "at_s   host  value, unit  at_s   host  value, unit  at_s   host  value, unit  and 2 more cells"),
        (1, "7      a     [5, '']      8      a     [5, '']      9      a     [5, '']"),
        (2, "00 07  61    92 05 a0     00 08  61    92 05 a0     00 09  61    92 05 a0"),
    ]


def test_a_damaged_qualifier_is_shown_as_its_bytes_with_the_reason():
    lines = cell_lines(points_table(("value", "unit")), {b"p:\x07": b"\x92\x05\xa0"}, width=80)
    assert lines[0] == (0, "(damaged)")
    assert lines[1][1].startswith("At.at_s: needs 2 bytes, 1 left")
    assert lines[2] == (2, "07")
