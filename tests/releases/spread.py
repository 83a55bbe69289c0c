"""A later release of orders, whose list by seller is in more buckets: a table of another name, beside the earlier one.

`changed_release` copies this module into a copy of the design, beside what it imports.
"""

from shared.keys import KeyLayout, Salt
from shared.queries import Query
from shared.tables import BoundTable, TableLayout
from shared.writes import IntentWriter, WriterUpkeep

from .keys import BY_BUYER, BY_SELLER, BY_STATUS, DERIVED, INTENTS, ORDERS, SELLER_CELLS, OrderBySeller
from .keys import TABLES as EARLIER_TABLES
from .records import Order, Status
from .repository import OrderRepository as EarlierRepository
from .repository import lines_of

__all__ = ["TABLES", "Order", "OrderRepository", "Status"]

SPREAD = TableLayout(
    "orders_by_seller_16",
    "one line of a seller's list",
    KeyLayout(OrderBySeller, Salt(of="order_number", buckets=16)),
    SELLER_CELLS,
    DERIVED,
)
TABLES = (ORDERS, BY_SELLER, BY_BUYER, BY_STATUS, SPREAD, INTENTS)


class OrderRepository(EarlierRepository):
    def __init__(self, connection):
        super().__init__(connection)
        lists = [BY_SELLER, BY_BUYER, BY_STATUS, SPREAD]
        self.writer = IntentWriter(connection, ORDERS, INTENTS, lists, lines_with_spread, moving=[BY_STATUS])
        self.upkeep = WriterUpkeep(self.writer)
        self._spread = BoundTable(connection, SPREAD)

    def of_seller(self, seller_id):
        return Query(self._spread, self._spread.plan(seller_id=seller_id), newest_first=True)


def lines_with_spread(order):
    """The lines of the earlier release, and one in the new table."""
    yield from lines_of(EARLIER_TABLES, order)
    yield SPREAD, order
