"""Orders found by number, by seller and by buyer, in three tables whose write order lets a retry repair a crash."""

from .keys import TABLES
from .records import BuyerLine, Order, SellerLine, Status
from .repository import OrderConflict, OrderRepository, UnknownOrder

__all__ = ["TABLES", "BuyerLine", "Order", "OrderConflict", "OrderRepository", "SellerLine", "Status", "UnknownOrder"]
