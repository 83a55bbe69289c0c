"""Orders found by their number, by seller and by buyer, in three tables written so that a crash can be mended."""

from .keys import TABLES
from .records import BuyerLine, Order, SellerLine, Status
from .repository import OrderConflict, OrderRepository, UnknownOrder

__all__ = ["TABLES", "BuyerLine", "Order", "OrderConflict", "OrderRepository", "SellerLine", "Status", "UnknownOrder"]
