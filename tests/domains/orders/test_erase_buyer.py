"""Erasing a buyer, beyond what every design promises: dead writers, lines of no order, and what an order keeps."""

import time
from contextlib import suppress
from operator import attrgetter

import attrs
import pytest

from domains.orders import BuyerLine, Order, OrderConflict
from domains.orders.keys import BY_BUYER, OrderByNumber
from shared.tables import InvalidRow
from shared.testing import WatchedConnection, WriterDied, dying_at
from shared.testing.erased_person import ErasureTests

from .erased import ERASED, ERASED_BUYER, ORDERS, six_orders

VARIANTS = [variant for variant in ERASED.variants if variant.name != "thin-index"]
"""Those whose lists hold lines; see `test_thin_index.py`."""


@pytest.fixture
def orders(connection, variant):
    six_orders(lambda: variant.open(connection))
    return variant.open(connection)


@pytest.fixture
def named(engine, connection, variant):
    """Returns table and row of all that names the buyer, in row keys or in cells."""
    return lambda: ErasureTests(engine, ERASED, variant).naming(connection)


def put_line(connection, variant, line, **timestamp):
    """Puts a line into the buyer's list that no order has; returns its table and row."""
    table = next(table for table in variant.tables if "by_buyer" in table.name)
    connection.table(table.name).put(table.row(line), table.cells.pack(line), **timestamp)
    return table.name, table.row(line)


def stored_orders(connection, variant):
    table = variant.tables[0]
    return dict(connection.table(table.name).scan())


def test_an_order_without_buyer_goes_on_and_placing_it_again_is_a_conflict(orders, named):
    orders.erase(ERASED_BUYER)
    assert orders.cancel("n-0") == attrs.evolve(ORDERS[0], buyer_id=None, status="cancelled")
    conflict = f"Order.buyer_id: order 'n-1' is stored with None .got '{ERASED_BUYER}'."
    with pytest.raises(OrderConflict, match=conflict):
        orders.place(ORDERS[1])
    assert (named(), list(orders.upkeep.verify())) == ([], [])


@pytest.mark.parametrize("mutations", range(1, 9))
@pytest.mark.parametrize(
    "variant",
    [pytest.param(variant, marks=[pytest.mark.further] * (number > 0)) for number, variant in enumerate(VARIANTS)],
    ids=attrgetter("name"),
)
def test_an_order_whose_writer_died_is_erased_too(connection, variant, orders, named, mutations):
    late = Order("n-late", "s-1", ERASED_BUYER, 9_000, "sofa", 1)
    for write in (lambda dying: dying.place(late), lambda dying: dying.cancel("n-1")):
        with suppress(WriterDied):
            write(variant.open(WatchedConnection(connection, dying_at(mutations))))
    orders.erase(ERASED_BUYER)
    assert (named(), list(orders.upkeep.verify())) == ([], [])
    assert orders.order("n-late") in (None, attrs.evolve(late, buyer_id=None))


@pytest.mark.parametrize(
    "line",
    [
        BuyerLine(ERASED_BUYER, 5, "n-never", "lamp", 7, "placed"),
        attrs.evolve(*BY_BUYER.shown(ORDERS[2:3]), buyer_id=ERASED_BUYER),
    ],
    ids=["of no order", "of an order of somebody else"],
)
def test_a_line_that_no_order_has_is_removed_without_a_cell_that_outlives_it(connection, variant, orders, named, line):
    orders.erase(ERASED_BUYER)
    before = stored_orders(connection, variant)
    put_line(connection, variant, line)
    assert orders.erase(ERASED_BUYER) == 0
    assert (named(), list(orders.upkeep.verify())) == ([], [])
    assert stored_orders(connection, variant) == before


def test_a_young_line_of_an_order_that_a_backup_does_not_have_is_removed(connection, variant, orders, named):
    """A restored backup lacks the order, and its line is of today."""
    orders.place(Order("n-today", "s-1", ERASED_BUYER, 9_000, "sofa", 1))
    row = variant.tables[0].row(OrderByNumber("n-today"))
    connection.table(variant.tables[0].name).delete(row)
    orders.erase(ERASED_BUYER)
    assert variant.tables[2].name not in dict(named())
    assert row not in stored_orders(connection, variant)


def test_a_line_of_the_future_is_named_once_all_else_is_erased_and_hides_no_later_order(
    connection, variant, orders, named
):
    line = BuyerLine(ERASED_BUYER, 5, "n-later", "lamp", 7, "placed")
    future_ms = time.time_ns() // 1_000_000 + 365 * 86_400_000
    stray = put_line(connection, variant, line, timestamp=future_ms)
    with pytest.raises(InvalidRow, match=f"^{stray[0]}: row .* kept, because it is dated {future_ms}, after what"):
        orders.erase(ERASED_BUYER)
    assert named() == [stray]
    assert [finding.kind for finding in orders.upkeep.verify()] == ["future"]
    orders.place(Order("n-later", "s-1", ERASED_BUYER, 5, "lamp", 7))
    assert list(orders.of_buyer(ERASED_BUYER)) == [line]
