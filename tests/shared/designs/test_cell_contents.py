"""What one cell holds, told from its column and value."""

from collections.abc import Mapping

import attrs
import pytest

from shared.designs.cell_contents import column_of, contents_of
from shared.intents.source_cells import SourceCells
from shared.keys import KeyLayout, Prefixed, TrailingText, UInt16
from shared.tables import BIG_INT, Column, InvalidRecord, ItemCells, OtherColumns, RecordCells, TableLayout
from tests.shared.specimens import key_class

Sale = key_class("Sale", number=TrailingText)
WithinHour = key_class("WithinHour", second=Prefixed("s", UInt16))


@attrs.frozen
class Order:
    number: str
    item: str
    amount: int = 1


@attrs.frozen
class Point:
    number: str
    second: int
    value: float


@attrs.frozen
class Follower:
    number: str


@attrs.frozen
class Profile:
    number: str
    name: str
    values: Mapping[str, str]


ORDER_CELLS = RecordCells(Order, {"item": Column("o:i"), "amount": Column("p:a", BIG_INT)})
ORDERS = TableLayout("orders", "one order", KeyLayout(Sale), ORDER_CELLS)
SOURCES = TableLayout("sources", "one order", KeyLayout(Sale), SourceCells(ORDER_CELLS, "o:order"))
POINTS = TableLayout("points", "an hour", KeyLayout(Sale), ItemCells(Point, "p", KeyLayout(WithinHour), "value"))
PROFILE_CELLS = RecordCells(Profile, {"values": OtherColumns("p"), "name": Column("p:name")})
PROFILES = TableLayout("profiles", "one profile", KeyLayout(Sale), PROFILE_CELLS)
FOLLOWERS = TableLayout("followers", "one", KeyLayout(Sale), RecordCells(Follower, {}, marker="f:x"))
KEY = Sale("n-1")
ORDER = Order("n-1", "lamp", 300)
POINT = Point("n-1", 7, 1.5)


@pytest.mark.parametrize(
    ("table", "cells", "wanted"),
    [
        (ORDERS, {b"p:a": ORDER_CELLS.pack_value("amount", 300)}, ("Order.amount", {"amount": 300})),
        (POINTS, POINTS.cells.pack(POINT), ("Point", attrs.asdict(POINT))),
        (
            SOURCES,
            {b"o:order": SOURCES.cells.pack_revision(3, 7, (), ORDER)},
            ("Order", {"revision": 3, "revision_ms": 7, **attrs.asdict(ORDER)}),
        ),
        (
            SOURCES,
            {b"o:order": SOURCES.cells.pack_revision(4, 9, (), None)},
            ("no Order: it is deleted, or never was", {"revision": 4, "revision_ms": 9}),
        ),
        (PROFILES, {b"p:id:fec": b"\xa1x"}, ("Profile.values", {"id:fec": "x"})),
        (PROFILES, {b"p:name": b"\xa3Ann"}, ("Profile.name", {"name": "Ann"})),
        (FOLLOWERS, {b"f:x": b"\xc3"}, ("Follower, whose attributes are all in the row key",)),
    ],
)
def test_a_cell_is_an_attribute_or_a_whole_record_of_a_row_or_of_its_source(table, cells, wanted):
    ((column, value),) = cells.items()
    explained = contents_of(table, KEY, column, value)
    assert (explained.holds, *explained.values) == wanted


@pytest.mark.parametrize(
    ("table", "column", "value", "said"),
    [
        (ORDERS, b"o:i", b"\x07", "Order.item: must be text (got 7)"),
        (SOURCES, b"o:order", b"\x07", "Order: must be a msgpack array of revision, time, writes and cells"),
        (POINTS, b"p:s\0", b"\xc0", "WithinHour.second: "),
        (POINTS, b"p:s\0\7", b"\xa1a", "Point.value: must be a float (got 'a')"),
    ],
)
def test_a_damaged_cell_is_refused_with_field_wanted_and_given(table, column, value, said):
    with pytest.raises(InvalidRecord) as refused:
        contents_of(table, KEY, column, value)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("table", "family", "qualifier", "column"),
    [
        (ORDERS, "o", b"i", b"o:i"),
        (SOURCES, None, b"order", b"o:order"),
        (POINTS, None, b"s\0\7", b"p:s\0\7"),
        (PROFILES, None, b"id:fec", b"p:id:fec"),
    ],
)
def test_a_column_is_a_qualifier_in_its_family_or_in_the_only_one(table, family, qualifier, column):
    assert column_of(table, family, qualifier) == column


@pytest.mark.parametrize(
    ("table", "family", "qualifier", "said"),
    [
        (ORDERS, None, b"i", "column: must be FAMILY:HEX, because its families are o and p"),
        (ORDERS, "o", b"x", "column: must be one of o:69, p:61 (got o:78)"),
        (SOURCES, None, b"", "column: must be o:6f72646572 (got o:)"),
        (POINTS, None, b"x", "column: must be p:73HEX (got p:78)"),
        (FOLLOWERS, "g", b"x", "column: must be f:78 (got g:78)"),
    ],
)
def test_a_column_that_no_record_has_is_refused_with_those_there_are(table, family, qualifier, said):
    with pytest.raises(InvalidRecord) as refused:
        column_of(table, family, qualifier)
    assert str(refused.value) == said
