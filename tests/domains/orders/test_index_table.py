"""What is different where the source is an index entry: it and the seller's list both hold the whole order."""

import attrs
import pytest

from domains.orders import Order
from domains.orders.design import DESIGN
from domains.orders.variants.index_table import INDEX, OF_SELLER
from shared.designs import metered
from shared.tables import InvalidRow

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
DESK = attrs.evolve(LAMP, order_number="n-43", placed_ms=LAMP.placed_ms + 1, item="desk", amount=10**21)
MUG = attrs.evolve(LAMP, order_number="n-44", seller_id="s-1", item="mug")


@pytest.fixture
def variant():
    (variant,) = (candidate for candidate in DESIGN.variants if candidate.name == "index-table")
    return variant


def orders_of_sellers(connection):
    return [OF_SELLER.record(row, cells) for row, cells in connection.table(OF_SELLER.name).scan()]


def test_the_sellers_list_holds_whole_orders(connection, orders):
    for order in (LAMP, DESK, MUG):
        orders.place(order)
    paid = orders.change_status("n-43", "paid")
    assert orders_of_sellers(connection) == [MUG, paid, LAMP]


def test_an_order_whose_buyer_was_erased_has_none_in_its_sellers_list(connection, orders):
    orders.place(LAMP)
    orders.erase("b-3")
    assert orders_of_sellers(connection) == [attrs.evolve(LAMP, buyer_id=None)] == [orders.order("n-42")]


def test_an_entry_makes_the_row_of_its_seller_again(connection, orders):
    orders.place(LAMP)
    time_ms = orders.writer.reader.read(INDEX.row(LAMP)).time_ms
    connection.table(OF_SELLER.name).delete(OF_SELLER.row(LAMP), timestamp=time_ms)
    assert orders.order("n-42") == LAMP
    assert [finding.kind for finding, is_mended in orders.upkeep.repair() if is_mended] == ["missing"]
    assert orders_of_sellers(connection) == [LAMP]


def test_an_entry_that_cannot_be_read_is_named_with_its_table(connection, orders):
    connection.table(INDEX.name).put(b"n-42", {b"o:order": b"x"})
    with pytest.raises(InvalidRow, match=r"orders_index: row 6e 2d 34 32: Order: must be a msgpack array"):
        orders.order("n-42")


def test_a_list_by_number_is_in_the_order_of_numbers_not_of_sellers_and_times(orders):
    for order in (MUG, DESK, LAMP):
        orders.place(order)
    assert list(orders.numbered("n-")) == [LAMP, DESK, MUG]


def test_a_list_by_number_costs_one_scan_of_the_entries(connection, orders):
    for order in (LAMP, DESK, MUG):
        orders.place(order)
    with metered(connection) as cost:
        orders.numbered("n-").page()
    assert [table for table, _ in cost.ranges] == [connection.table(INDEX.name).name]
