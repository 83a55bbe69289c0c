"""What is different where a number leads to the seller's row: entries that lead nowhere, writers that die, pages."""

import attrs
import pytest

from domains.orders import Order, OrderConflict, UnknownOrder
from domains.orders.design import DESIGN
from domains.orders.variants.index_table import INDEX, OF_SELLER, IndexEntry
from shared.designs import metered
from shared.tables import InvalidRow
from tests.dying import DyingConnection, WriterDied

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
DESK = attrs.evolve(LAMP, order_number="n-43", placed_ms=LAMP.placed_ms + 1, item="desk", amount=10**21)
MUG = attrs.evolve(LAMP, order_number="n-44", seller_id="s-1", item="mug")


@pytest.fixture
def variant():
    (variant,) = (candidate for candidate in DESIGN.variants if candidate.name == "index-table")
    return variant


@pytest.fixture
def dying(connection, variant):
    """Makes a repository whose writer dies after `puts` puts."""
    return lambda puts: variant.open(DyingConnection(connection, mutations=puts))


def visible_statuses(orders):
    """The status of the lamp by number, in its seller's list and in its buyer's; None if it is not there."""
    (of_seller,) = list(orders.of_seller("s-17")) or [None]
    (of_buyer,) = list(orders.of_buyer("b-3")) or [None]
    return tuple(line and line.status for line in (orders.order("n-42"), of_seller, of_buyer))


def lose(connection, order):
    """Deletes an order, but not its index entry."""
    connection.table(OF_SELLER.name).delete(OF_SELLER.row(order))


# ---- a writer that dies -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("puts", "what"),
    [
        (0, (None, None, None)),
        (1, (None, None, None)),
        (2, ("placed", "placed", None)),
        (3, ("placed", "placed", "placed")),
    ],
    ids=["before the entry", "before the seller's row", "before the buyer's line", "not at all"],
)
def test_nobody_sees_an_order_whose_writer_died_before_the_sellers_row(orders, dying, puts, what):
    if puts < 3:
        with pytest.raises(WriterDied):
            dying(puts).place(LAMP)
    else:
        dying(puts).place(LAMP)
    assert visible_statuses(orders) == what


@pytest.mark.parametrize(
    ("puts", "what"),
    [(0, ("placed", "placed", "placed")), (1, ("placed", "placed", "placed")), (2, ("paid", "paid", "placed"))],
    ids=["before the entry", "before the seller's row", "before the buyer's line"],
)
def test_seller_and_number_never_show_different_statuses(orders, dying, puts, what):
    orders.place(LAMP)
    with pytest.raises(WriterDied):
        dying(puts).change_status("n-42", "paid")
    assert visible_statuses(orders) == what


def test_an_entry_whose_writer_died_is_in_no_list_by_number_and_no_status_of_it_can_change(orders, dying):
    with pytest.raises(WriterDied):
        dying(1).place(LAMP)
    assert list(orders.numbered("n-")) == []
    with pytest.raises(UnknownOrder):
        orders.cancel("n-42")


@pytest.mark.parametrize("change", [{"placed_ms": LAMP.placed_ms + 1}, {"placed_ms": 5}, {"seller_id": "s-1"}], ids=str)
def test_a_number_is_taken_as_soon_as_its_entry_is_there(orders, dying, change):
    with pytest.raises(WriterDied):
        dying(1).place(LAMP)
    with pytest.raises(
        OrderConflict, match=r"Order.order_number: 'n-42' is taken by an order of seller 's-17' at 2020-"
    ):
        orders.place(attrs.evolve(LAMP, **change))
    assert visible_statuses(orders) == (None, None, None)
    orders.place(LAMP)
    assert visible_statuses(orders) == ("placed", "placed", "placed")


# ---- entries that lead nowhere ----------------------------------------------------------------------


def test_an_entry_whose_order_is_gone_is_no_order(connection, orders):
    orders.place(LAMP)
    lose(connection, LAMP)
    assert orders.order("n-42") is None
    with pytest.raises(UnknownOrder):
        orders.cancel("n-42")


def test_a_list_by_number_skips_missing_orders_and_goes_on(connection, orders):
    for order in (LAMP, DESK, MUG):
        orders.place(order)
    lose(connection, DESK)
    assert list(orders.numbered("n-4")) == [LAMP, MUG]
    first = orders.numbered("n-4").page(limit=1)
    second = orders.numbered("n-4").page(limit=1, cursor=first.cursor)
    third = orders.numbered("n-4").page(limit=1, cursor=second.cursor)
    assert [first.records, second.records, third.records] == [[LAMP], [], [MUG]]
    assert third.cursor is None


def test_an_entry_without_its_cell_is_named_with_its_table(connection, orders):
    connection.table(INDEX.name).put(b"n-42", {b"o:other": b"x"})
    with pytest.raises(InvalidRow, match=r"orders_index: row 6e 2d 34 32: IndexEntry: none of its cells \(o:k\)"):
        orders.order("n-42")


def test_an_entry_that_leads_to_no_order_of_a_seller_is_named_with_its_row(connection, orders):
    connection.table(INDEX.name).put(b"n-42", INDEX.cells.pack(IndexEntry("n-42", b"s-17\0\1short")))
    connection.table(OF_SELLER.name).put(b"s-17\0\1short", {b"o:i": b"\xa4lamp"})
    with pytest.raises(InvalidRow, match=r"orders_of_seller: row 73 2d 31 37 00 01 .*OrderBySeller.placed_ms"):
        orders.order("n-42")


# ---- lists by number --------------------------------------------------------------------------------


def test_a_list_by_number_is_in_the_order_of_numbers_not_of_sellers_and_times(orders):
    for order in (MUG, DESK, LAMP):
        orders.place(order)
    assert list(orders.numbered("n-")) == [LAMP, DESK, MUG]


def test_a_list_by_number_costs_one_scan_and_a_get_for_each_in_one_rpc(connection, orders):
    for order in (LAMP, DESK, MUG):
        orders.place(order)
    with metered(connection) as cost:
        orders.numbered("n-").page()
    index, of_seller = (connection.table(table.name).name for table in (INDEX, OF_SELLER))
    assert [table for table, _ in cost.ranges] == [index] + [of_seller] * 3
    with metered(connection) as scan:
        list(connection.table(INDEX.name).scan(batch_size=101))
    assert cost.rpcs == scan.rpcs + 1


def test_a_list_of_no_numbers_costs_no_get(connection, orders):
    with metered(connection) as cost:
        assert orders.numbered("n-").page().records == []
    assert [table for table, _ in cost.ranges] == [connection.table(INDEX.name).name]
