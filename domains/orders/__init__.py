"""Orders found by their number, by seller and by buyer, in three tables written so that a crash can be mended."""

from .keys import TABLES
from .records import ListedOrder, Order, Status
from .repository import OrderConflict, OrderRepository, UnknownOrder

__all__ = ["TABLES", "ListedOrder", "Order", "OrderConflict", "OrderRepository", "Status", "UnknownOrder"]
