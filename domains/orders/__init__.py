"""Orders found by their number, by seller and by buyer, in three tables that survive a crash between their writes."""

from .keys import TABLES
from .records import ListedOrder, Order, Status
from .repository import OrderConflict, OrderRepository

__all__ = ["TABLES", "ListedOrder", "Order", "OrderConflict", "OrderRepository", "Status"]
