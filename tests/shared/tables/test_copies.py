"""Layouts, keys, plans, pages and what they are made of: pickled, copied, and taken to another process."""

import copy
import gc
import linecache
import pickle

import attrs
import pytest

from domains.logs import NotAllStored
from domains.orders.keys import BY_SELLER, ORDERS, OrderBySeller
from domains.orders.records import Order
from shared.keys import DecimalText, HashPrefix, KeyLayout, Modulo, Salt, TimeBucket, UInt32, between
from shared.queries import Page, equal
from shared.tables import COUNTER, InvalidRow, ItemCells
from tests.shared.keys.strategies import CASES
from tests.shared.tables.test_item_cells import POINTS, RECENT, OrderSlot, Point, Recent
from tests.shared.tables.test_other_columns import CHANGES, UPDATE
from tests.shared.tables.test_record_cells import DOCUMENTS, FOLLOWERS, MANUAL, Follower

KEY = OrderBySeller("s-17", 1_580_976_517_000, "n-42")
LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
LAYOUTS = [
    KeyLayout(OrderBySeller),
    KeyLayout(OrderBySeller, Salt(of="seller_id", buckets=16)),
    KeyLayout(OrderBySeller, HashPrefix(of=("seller_id",), bytes=2, hex=True, separator="_")),
    KeyLayout(OrderBySeller, Modulo(of="placed_ms", by=7), TimeBucket(of="placed_ms", every_ms=900_000, codec=UInt32)),
    KeyLayout(OrderBySeller, TimeBucket(of="placed_ms", every_ms=900_000, codec=DecimalText(12))),
]


def pickled(value):
    return pickle.loads(pickle.dumps(value, protocol=2))  # the oldest that needs no more from a class than later ones


every_copy = pytest.mark.parametrize("copied", [copy.deepcopy, pickled])


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_copied_layout_makes_the_same_rows_plans_and_cursors(layout):
    twin = pickled(layout)
    row = layout.encode(KEY)
    assert twin is not layout
    assert twin.encode(KEY) == twin.row_of(LAMP) == row
    assert twin.decode(row) == KEY
    assert repr(twin) == repr(layout)
    question = {"seller_id": "s-17", "placed_ms": between(0, 10_000_000)}
    assert twin.plan(**question) == layout.plan(**question)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_copied_codec_writes_the_same_bytes(case):
    twin = pickled(case.codec)
    value = case.keys[-1]
    assert repr(twin) == repr(case.codec)
    try:
        data = case.codec.encode(value)
    except ValueError:
        return
    assert twin.encode(value) == data
    assert twin.decode(data) == value


def test_a_copied_value_is_equal():
    plans = [
        BY_SELLER.layout.key.plan(seller_id="s-17", placed_ms=between(0, 9)),
        LAYOUTS[1].narrow(seller_id=between("a")),
    ]
    prefixes = [layout.prefixes for layout in LAYOUTS[:4]]
    of_tables = [
        ORDERS.layout.cells.cells.attributes,
        BY_SELLER.layout.families,
        BY_SELLER.layout.splits,
        equal(ORDERS.layout.cells.cells, "status", "paid"),
    ]
    for value in (KEY, LAMP, Page(BY_SELLER.shown([LAMP]), "AAAA", 2, ("status",), ()), plans, prefixes, of_tables):
        assert pickled(value) == value


@every_copy
@pytest.mark.parametrize(
    ("table", "record"),
    [
        (RECENT, Recent("ann", 7, "n-1", 499)),
        (POINTS, Point("cpu", -1, 0.5)),
        (DOCUMENTS, MANUAL),
        (CHANGES, UPDATE),
        (FOLLOWERS, Follower("bob", "ann")),
        (ORDERS.layout, LAMP),
    ],
    ids=["several values", "one value", "columns", "other columns", "marker", "source"],
)
def test_a_copied_table_packs_and_reads_the_same_cells(copied, table, record):
    twin = copied(table)
    row, cells = table.row(record), table.cells.pack(record)
    assert twin is not table
    for name in ("name", "holds", "families", "splits"):
        assert getattr(twin, name) == getattr(table, name)
    assert (twin.row(record), twin.cells.pack(record), repr(twin.cells)) == (row, cells, repr(table.cells))
    assert twin.records(row, cells) == [record]
    question = {name: getattr(record, name) for name in twin.key.part_named}
    assert twin.plan(**question) == table.plan(**question)


@every_copy
def test_copied_cells_keep_packing_and_label(copied):
    counted = ItemCells(Recent, "r", KeyLayout(OrderSlot), value="amount", packing=COUNTER)
    twin = copied(counted)
    assert (twin.packing.name, twin.label, twin.cell_attributes) == ("counter", b"order:", ("slot", "amount"))
    assert repr(twin) == repr(counted) == "ItemCells(Recent, 'r', KeyLayout(OrderSlot), 'amount', packing=counter)"


def test_a_copied_error_says_the_same():
    invalid = [InvalidRow("orders", b"\0n", "Order: bad", column) for column in (None, b"o:i")]
    for error in (*invalid, NotAllStored(2, [], "the store is gone")):
        twin = pickled(error)
        assert (type(twin), str(twin), attrs.asdict(twin)) == (type(error), str(error), attrs.asdict(error))


def test_layouts_that_are_deleted_leave_no_source_behind():
    gc.collect()
    before = len(linecache.cache)
    for _ in range(10):
        copy.copy(LAYOUTS[1])
    gc.collect()
    assert len(linecache.cache) == before
