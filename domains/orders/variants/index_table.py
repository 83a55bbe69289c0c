"""An index from the number to the order, and a seller's list that holds the order whole, as published.

The index entry is the source: a writer claims a number where the number is the row key, and a recoverer that finds the
claim after a crash must be able to make the seller's row from it. So the entry holds the whole order, not
only the key of that row.
"""

from collections.abc import Iterator
from functools import partial

from shared.keys import KeyLayout
from shared.tables import BIG_INT, Column, RecordCells, TableLayout
from shared.writes import Derived, SourceCells, intents_table

from ..keys import (
    BY_BUYER,
    BY_SELLER,
    BY_STATUS,
    DERIVED,
    ORDER_CELLS,
    SELLER_CELLS,
    OrderByNumber,
    OrderTables,
)
from ..records import Order
from ..repository import OrderRepository

WHOLE_CELLS = RecordCells(
    Order,
    {"buyer_id": Column("o:b"), "item": Column("o:i"), "amount": Column("o:a", BIG_INT), "status": Column("o:st")},
)

INDEX = TableLayout("orders_index", "the order", KeyLayout(OrderByNumber), SourceCells(ORDER_CELLS, "o:order"))
"""S0.13's index table, [order number]."""
OF_SELLER = TableLayout("orders_of_seller", "the order, in its seller's list", BY_SELLER.key, WHOLE_CELLS, DERIVED)
SELLER_LINES = TableLayout(OF_SELLER.name, OF_SELLER.holds, BY_SELLER.key, SELLER_CELLS, DERIVED)
"""The same rows, read as lines of a list without the buyer."""

INTENTS = intents_table("orders_index_intents")
"""Intents of its own, because an intent names a row of its source."""

TABLES = (INDEX, OF_SELLER, BY_BUYER, BY_STATUS, INTENTS)


def lines_of(order: Order) -> Iterator[Derived]:
    """The rows that are derived from an order: its row in the seller's list holds the order itself."""
    yield OF_SELLER, order
    yield BY_STATUS, order
    if order.buyer_id is not None:
        yield BY_BUYER, order


Repository = partial(
    OrderRepository,
    tables=OrderTables(INDEX, SELLER_LINES, BY_BUYER, BY_STATUS, INTENTS),
    lists=(OF_SELLER, BY_BUYER, BY_STATUS),
    derive=lines_of,
)
