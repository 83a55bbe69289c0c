"""A later release of orders: a priority that old orders lack, a list by it, and the status `refunded`.

`changed_release` copies this module into a copy of the design, beside what it imports.
"""

import attrs

from shared.keys import Descending, EscapedText, Int64, KeyLayout, part, row_key
from shared.queries import Query
from shared.tables import BoundTable, RecordCells, TableLayout
from shared.writes import IntentWriter, WriterUpkeep

from .keys import BY_BUYER, BY_SELLER, BY_STATUS, DERIVED, INTENTS, ORDERS, OrderByNumber
from .keys import TABLES as EARLIER_TABLES
from .records import Order, Status
from .repository import OrderRepository as EarlierRepository
from .repository import lines_of

__all__ = ["TABLES", "Order", "OrderRepository", "Status"]


@row_key
class OrderByPriority:
    seller_id: str = part(EscapedText, "who sold")
    priority: int = part(Descending(Int64), "the most urgent first")
    order_number: str = part(EscapedText, "distinguishes orders of one priority")


BY_PRIORITY = TableLayout(
    "orders_by_priority",
    "a line of a seller's list by priority",
    KeyLayout(OrderByPriority),
    RecordCells(OrderByPriority, {}, marker="o:x"),
    DERIVED,
)
TABLES = (ORDERS, BY_SELLER, BY_BUYER, BY_STATUS, BY_PRIORITY, INTENTS)


class OrderRepository(EarlierRepository):
    def __init__(self, connection):
        super().__init__(connection)
        lists, moving = [BY_SELLER, BY_BUYER, BY_STATUS, BY_PRIORITY], [BY_STATUS, BY_PRIORITY]
        self.writer = IntentWriter(connection, ORDERS, INTENTS, lists, later_lines_of, moving=moving)
        self.upkeep = WriterUpkeep(self.writer)
        self._by_priority = BoundTable(connection, BY_PRIORITY)

    def raise_priority(self, order_number):
        """Adds one to the priority of an order, if it is stored; returns the priority, or None."""

        def decide(stored):
            return stored and attrs.evolve(stored, priority=stored.priority + 1)

        decided = self.writer.write(OrderByNumber(order_number), decide)
        return decided and decided.priority

    def by_priority(self, seller_id):
        """The orders of a seller, the most urgent first."""
        lines = Query(self._by_priority, self._by_priority.plan(seller_id=seller_id))
        return lines.then(lambda page: self.writer.reader.agreeing(BY_PRIORITY, page))


def later_lines_of(order):
    """The lines of the earlier release, and one by priority."""
    yield from lines_of(EARLIER_TABLES, order)
    yield BY_PRIORITY, OrderByPriority(order.seller_id, order.priority, order.order_number)
