"""Orders found by number, seller, buyer and status, in tables that agree whatever crashes."""

from .keys import TABLES
from .records import BuyerLine, Order, SellerLine, Status, StatusLine
from .repository import OrderConflict, OrderRepository, UnknownOrder

__all__ = [
    "TABLES",
    "BuyerLine",
    "Order",
    "OrderConflict",
    "OrderRepository",
    "SellerLine",
    "Status",
    "StatusLine",
    "UnknownOrder",
]
