"""Nothing names a buyer who was erased, whatever died before or meanwhile; the rest of each order remains."""

import time
from contextlib import closing, suppress

import attrs
import pytest

from domains.orders import BuyerLine, Order, OrderConflict, SellerLine
from domains.orders.design import DESIGN
from domains.orders.keys import OrderByNumber
from shared.stores import connect
from shared.tables import InvalidRow, create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at

ERASED, OTHER = "buyer-to-erase", "b-2"
ORDERS = [
    Order(f"n-{number}", "s-1", OTHER if number % 3 == 2 else ERASED, 1_000 + number, "lamp", 4_900 + number)
    for number in range(6)
]
WITH_INTENTS = [variant for variant in DESIGN.variants if variant.tables != variant.record_tables]


@pytest.fixture(params=WITH_INTENTS, ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def connection(variant):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        yield connection


@pytest.fixture
def orders(connection, variant):
    repository = variant.open(connection)
    for order in ORDERS:
        repository.place(order)
    return repository


def naming(connection, variant, name):
    """Table and row of all that names a buyer, in row keys or in cells."""
    return [
        (table.name, row)
        for table in variant.tables
        for row, cells in connection.table(table.name).scan()
        if name.encode() in b"".join([row, *cells, *cells.values()])
    ]


def stopped_after(connection, variant, mutations, action):
    with suppress(WriterDied):
        action(variant.open(WatchedConnection(connection, dying_at(mutations))))


def test_every_table_forgets_the_buyer_and_keeps_the_rest(connection, variant, orders):
    assert len(naming(connection, variant, ERASED)) == 4 * 2 + (4 if variant.name == "index-table" else 0)
    assert orders.erase(ERASED) == 0
    assert naming(connection, variant, ERASED) == []
    assert [orders.order(order.order_number) for order in ORDERS] == [
        order if order.buyer_id == OTHER else attrs.evolve(order, buyer_id=None) for order in ORDERS
    ]
    assert list(orders.of_buyer(ERASED)) == []
    assert {*orders.of_buyer(OTHER)} == {BuyerLine.of(order) for order in ORDERS if order.buyer_id == OTHER}
    assert {*orders.of_seller("s-1")} == {SellerLine.of(order) for order in ORDERS}
    assert len(list(orders.of_seller("s-1", status="placed"))) == 6
    assert list(orders.upkeep.verify()) == []


def test_a_second_call_finds_nothing(orders):
    orders.erase(ERASED)
    assert orders.erase(ERASED) == 0
    assert orders.erase("nobody") == 0


def test_an_order_without_buyer_goes_on(orders):
    orders.erase(ERASED)
    assert orders.cancel("n-0") == attrs.evolve(ORDERS[0], buyer_id=None, status="cancelled")
    assert list(orders.upkeep.verify()) == []


def test_placing_the_order_of_an_erased_buyer_again_is_a_conflict(connection, variant, orders):
    orders.erase(ERASED)
    with pytest.raises(OrderConflict, match=f"Order.buyer_id: order 'n-0' is stored with None .got '{ERASED}'."):
        orders.place(ORDERS[0])
    assert naming(connection, variant, ERASED) == []


@pytest.mark.parametrize("mutations", range(1, 9))
def test_an_order_whose_writer_died_is_erased_too(connection, variant, orders, mutations):
    late = Order("n-late", "s-1", ERASED, 9_000, "sofa", 1)
    stopped_after(connection, variant, mutations, lambda dying: dying.place(late))
    stopped_after(connection, variant, mutations, lambda dying: dying.cancel("n-1"))
    orders.erase(ERASED)
    assert naming(connection, variant, ERASED) == []
    assert list(orders.upkeep.verify()) == []
    assert orders.order("n-late") in (None, attrs.evolve(late, buyer_id=None))


@pytest.mark.parametrize("mutations", range(0, 30, 3))
def test_a_call_that_died_goes_on_when_it_is_repeated(connection, variant, orders, mutations):
    stopped_after(connection, variant, mutations, lambda dying: dying.erase(ERASED))
    orders.erase(ERASED)
    assert naming(connection, variant, ERASED) == []
    assert orders.upkeep.pending() == []
    assert list(orders.upkeep.verify()) == []
    assert orders.erase(ERASED) == 0


def test_a_line_that_no_order_has_is_removed(connection, variant, orders):
    table = variant.tables[2]
    line = BuyerLine(ERASED, 5, "n-never", "lamp", 7, "placed")
    connection.table(table.name).put(table.row(line), table.cells.pack(line), timestamp=1)
    orders.erase(ERASED)
    assert naming(connection, variant, ERASED) == []
    assert sources_of(connection, variant) == {order.order_number for order in ORDERS}, "no new cell outlives the line"


def sources_of(connection, variant):
    """The numbers that any row of the orders' own table names."""
    table = variant.tables[0]
    return {table.key.decode(row).order_number for row, _cells in connection.table(table.name).scan()}


def test_a_young_line_of_an_order_that_a_backup_does_not_have_is_removed(connection, variant, orders):
    """A restored backup lacks the order, and its line is of today."""
    orders.place(Order("n-today", "s-1", ERASED, 9_000, "sofa", 1))
    table = variant.tables[0]
    connection.table(table.name).delete(table.row(OrderByNumber("n-today")))
    orders.erase(ERASED)
    assert [row for name, row in naming(connection, variant, ERASED) if name == variant.tables[2].name] == []
    assert "n-today" not in sources_of(connection, variant)


def test_a_stray_line_is_removed_without_a_change_of_the_order_that_it_names(connection, variant, orders):
    table, by_buyer = variant.tables[0], variant.tables[2]
    line = attrs.evolve(BuyerLine.of(ORDERS[2]), buyer_id=ERASED)
    connection.table(by_buyer.name).put(by_buyer.row(line), by_buyer.cells.pack(line))
    before = connection.table(table.name).row(table.row(OrderByNumber("n-2")))
    orders.erase(ERASED)
    assert naming(connection, variant, ERASED) == []
    assert connection.table(table.name).row(table.row(OrderByNumber("n-2"))) == before
    assert list(orders.upkeep.verify()) == []


def test_a_stray_line_of_the_future_is_named_once_all_else_is_erased_and_hides_no_later_order(
    connection, variant, orders
):
    table = variant.tables[2]
    line = BuyerLine(ERASED, 5, "n-later", "lamp", 7, "placed")
    future_ms = time.time_ns() // 1_000_000 + 365 * 86_400_000
    connection.table(table.name).put(table.row(line), table.cells.pack(line), timestamp=future_ms)
    with pytest.raises(InvalidRow, match=f"^{table.name}: row .* kept, because it is dated {future_ms}, after what"):
        orders.erase(ERASED)
    assert naming(connection, variant, ERASED) == [(table.name, table.row(line))]
    assert [finding.kind for finding in orders.upkeep.verify()] == ["future"]
    orders.place(Order("n-later", "s-1", ERASED, 5, "lamp", 7))
    assert list(orders.of_buyer(ERASED)) == [line]
