"""An index from the number to the order, which the seller's list holds whole, as published.

The index entry is the source: a writer claims a number where the number is the row key, and a recoverer that finds the
claim after a crash must be able to make the seller's row from it. So the entry holds the whole order, not
only the key of that row.
"""

from collections.abc import Iterator
from typing import Any

import happybase

from shared.keys import KeyLayout
from shared.tables import BIG_INT, Column, RecordCells, TableLayout
from shared.writes import CLOCK, IntentWriter, SourceCells, WriterClock

from ..keys import BY_BUYER, BY_SELLER, BY_STATUS, DERIVED, INTENTS, ORDER_CELLS, SELLER_CELLS, OrderByNumber
from ..records import BuyerLine, Order, StatusLine
from ..repository import OrderRepository

WHOLE_CELLS = RecordCells(
    Order,
    {"buyer_id": Column("o:b"), "item": Column("o:i"), "amount": Column("o:a", BIG_INT), "status": Column("o:st")},
)

INDEX = TableLayout("orders_index", "the order", KeyLayout(OrderByNumber), SourceCells(ORDER_CELLS, "o:order"))
"""S0.13's index table, [order number]."""
OF_SELLER = TableLayout("orders_of_seller", "the order, in its seller's list", BY_SELLER.layout, WHOLE_CELLS, DERIVED)
SELLER_LINES = TableLayout(OF_SELLER.name, OF_SELLER.holds, BY_SELLER.layout, SELLER_CELLS, DERIVED)
"""The same rows, read as lines of a list without the buyer."""

TABLES = (INDEX, OF_SELLER, BY_BUYER, BY_STATUS, INTENTS)


class IndexedOrderRepository(OrderRepository):
    """`OrderRepository` on these tables."""

    def __init__(self, connection: happybase.Connection, clock: WriterClock = CLOCK) -> None:
        super().__init__(connection, (INDEX, SELLER_LINES, BY_BUYER, BY_STATUS, INTENTS), clock)
        lists = OF_SELLER, BY_BUYER, BY_STATUS
        self.writer = IntentWriter(connection, INDEX, INTENTS, lists, self._lines_of, moving=[BY_STATUS], clock=clock)

    def _lines_of(self, order: Order) -> Iterator[tuple[TableLayout[Any, Any], Any]]:
        yield OF_SELLER, order
        yield BY_STATUS, StatusLine.of(order)
        if order.buyer_id is not None:
            yield BY_BUYER, BuyerLine.of(order)
