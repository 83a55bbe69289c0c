"""A later release of orders: a priority that old orders lack, a list by it, and the status `refunded`.

`changed_release` copies this module into a copy of the design, beside what it imports.
"""

import attrs

from shared.keys import Descending, EscapedText, Int64, part, row_key

from .keys import ORDERS, OrderByNumber
from .records import Order, Status
from .repository import OrderRepository as EarlierRepository

__all__ = ["TABLES", "Order", "OrderRepository", "Status"]


@row_key
class OrderByPriority:
    seller_id: str = part(EscapedText, "who sold")
    priority: int = part(Descending(Int64), "the most urgent first")
    order_number: str = part(EscapedText, "distinguishes orders of one priority")


LATER = ORDERS.like()
BY_PRIORITY = LATER.moving_list("orders_by_priority", OrderByPriority)
TABLES = LATER.tables


class OrderRepository(EarlierRepository):
    def __init__(self, connection):
        super().__init__(connection, LATER)

    def raise_priority(self, order_number):
        """Adds one to the priority of an order, if it is stored; returns the priority, or None."""

        def decide(stored):
            return stored and attrs.evolve(stored, priority=stored.priority + 1)

        decided = self.writer.write(OrderByNumber(order_number), decide)
        return decided and decided.priority

    def by_priority(self, seller_id):
        """The orders of a seller, the most urgent first."""
        return self._orders.ask(BY_PRIORITY, seller_id=seller_id)
