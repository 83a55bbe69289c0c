"""Orders found by number, seller, buyer and status, in tables that agree after any crash."""

from .keys import TABLES, OrderByStatus
from .records import BuyerLine, Order, SellerLine, Status
from .repository import OrderConflict, OrderRepository, UnknownOrder

__all__ = [
    "TABLES",
    "BuyerLine",
    "Order",
    "OrderByStatus",
    "OrderConflict",
    "OrderRepository",
    "SellerLine",
    "Status",
    "UnknownOrder",
]
