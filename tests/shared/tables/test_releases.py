"""Rows of an older and of a newer release of a record: added columns take defaults, unknown ones are left alone."""

import attrs
import pytest

from shared.keys import EscapedText, Int64, InvalidKey, KeyLayout
from shared.queries import equal
from shared.records import one_of, text
from shared.tables import BIG_INT, Column, InvalidRecord, InvalidRow, RecordCells, TableLayout
from tests.reference import without_reference
from tests.shared.queries.paging import page
from tests.shared.specimens import key_class

ByShop = key_class("ByShop", shop=EscapedText, at_ms=Int64)


@attrs.frozen
class OldSale:
    """A sale as the first release had it."""

    shop: str
    at_ms: int
    item: str = attrs.field(validator=text())
    amount: int


@attrs.frozen
class Sale:
    """A sale as the second release has it."""

    shop: str
    at_ms: int
    item: str = attrs.field(validator=text())
    amount: int
    currency: str = attrs.field(default="EUR", validator=one_of("EUR", "USD"))
    tags: list[str] = attrs.field(factory=list)
    label: str = attrs.field(default=attrs.Factory(lambda sale: sale.item.upper(), takes_self=True))
    note: str | None = attrs.field(default=None, kw_only=True)


OLD = {"item": Column("s:i"), "amount": Column("s:a", BIG_INT)}
NEW = {**OLD, "currency": Column("s:c"), "tags": Column("s:t"), "label": Column("s:l"), "note": Column("s:n")}
LAYOUT = KeyLayout(ByShop)
OLD_SALES = TableLayout("sales", "one sale", LAYOUT, RecordCells(OldSale, OLD))
SALE_CELLS = RecordCells(Sale, NEW)
SALES = TableLayout("sales", "one sale", LAYOUT, SALE_CELLS)
OLD_SALE = OldSale("s-1", 1, "lamp", 499)
NEW_SALE = Sale("s-1", 2, "desk", 10**21, "USD", ["gift"], "big", note="fragile")


@pytest.fixture
def sales(engine):
    """A table with a sale of each release."""
    with engine.shared_store(SALES) as connection:
        table = connection.table("sales")
        table.put(OLD_SALES.row(OLD_SALE), OLD_SALES.cells.pack(OLD_SALE))
        table.put(SALES.row(NEW_SALE), SALES.cells.pack(NEW_SALE))
        yield table


def test_the_newer_release_reads_older_rows_with_the_defaults_of_what_they_lack(sales):
    with without_reference(SALES.record):
        records = page(sales, SALES, LAYOUT.plan(shop="s-1"), limit=5).records
    assert records == [Sale("s-1", 1, "lamp", 499, "EUR", [], "LAMP", note=None), NEW_SALE]


def test_the_older_release_reads_newer_rows_and_leaves_their_columns_alone(sales):
    with without_reference(OLD_SALES.record):
        records = page(sales, OLD_SALES, LAYOUT.plan(shop="s-1"), limit=5).records
    assert records == [OLD_SALE, OldSale("s-1", 2, "desk", 10**21)]
    sales.put(OLD_SALES.row(records[1]), OLD_SALES.cells.pack(attrs.evolve(records[1], item="table")))
    row = SALES.row(NEW_SALE)
    assert SALES.record(row, sales.row(row)) == attrs.evolve(NEW_SALE, item="table")


def test_a_row_that_its_records_validators_refuse_and_an_object_without_all_parts_are_named():
    with pytest.raises(InvalidRow, match=r"^sales: row .*: OldSale\.item: must be text, not empty"):
        OLD_SALES.record(OLD_SALES.row(OLD_SALE), OLD_SALES.cells.pack(OLD_SALE) | {b"s:i": b"\xa0"})
    with pytest.raises(InvalidKey, match=r"^ByShop: must be one, or have its parts \(got a int: "):
        OLD_SALES.row(7)


# ---- filters of the server ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "wanted"), [("currency", "EUR", [1]), ("currency", "USD", [2]), ("tags", [], [1])]
)
def test_a_filter_for_the_default_lets_rows_through_that_lack_the_column(sales, name, value, wanted):
    plan = LAYOUT.plan(shop="s-1")
    filtered = page(sales, SALES, plan, limit=5, filter=equal(SALE_CELLS, name, value)).records
    matching = page(sales, SALES, plan, limit=5, where={name: value}).records
    assert filtered == matching
    assert [sale.at_ms for sale in filtered] == wanted


def half(value, _field):
    return value // 2


def or_time(value, weight):
    return value or weight.at_ms


@attrs.frozen
class Weight:
    """A record whose defaults are other than they are declared, or than they compare."""

    shop: str
    at_ms: int
    name: str
    grams: int = attrs.field(default="5", converter=int)
    tare: int = attrs.field(default="5", converter=attrs.Converter(int))
    offset: float = 0.0
    drift: float = float("nan")
    rounded: int = attrs.field(default=7, converter=attrs.Converter(half, takes_field=True))
    net: int = attrs.field(default=0, converter=attrs.Converter(or_time, takes_self=True))


WEIGHT_CELLS = RecordCells(Weight, {name: Column(f"w:{name}") for name in [*attrs.fields_dict(Weight)][2:]})
WEIGHTS = TableLayout("weights", "one weight", LAYOUT, WEIGHT_CELLS)


@pytest.mark.parametrize(
    ("name", "value", "missing_too"),
    [
        ("grams", 5, True),
        ("grams", 6, False),
        ("tare", 5, True),
        ("offset", 0.0, True),
        ("offset", -0.0, False),
        ("drift", float("nan"), True),
        ("rounded", 3, True),
        ("rounded", 7, False),
    ],
)
def test_a_filter_lets_rows_through_that_lack_the_column_if_the_default_has_the_bytes_of_the_value(
    name, value, missing_too
):
    record = WEIGHTS.record(LAYOUT.encode(ByShop("s-1", 1)), {b"w:name": b"\xa1a"})
    packed = WEIGHT_CELLS.pack_value
    assert (packed(name, getattr(record, name)) == packed(name, value)) is missing_too
    assert equal(WEIGHT_CELLS, name, value).text.endswith(b",false,true)" if missing_too else b",true,true)")


def test_a_filter_for_an_attribute_whose_default_or_converter_takes_the_record_is_refused():
    for cells, attribute, value in ((SALE_CELLS, "label", "LAMP"), (WEIGHT_CELLS, "net", 1)):
        with pytest.raises(InvalidRecord, match=rf"\.{attribute}: its default depends on the rest of the record$"):
            equal(cells, attribute, value)
