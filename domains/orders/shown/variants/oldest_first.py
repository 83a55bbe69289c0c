"""The lists as published, time ascending: newest first needs a reverse scan.

The orders themselves are stored as in `keys.py`.
"""

from functools import partial

from shared.keys import EscapedText, Int64, part, row_key

from ...keys import BY_BUYER, BY_SELLER, ORDERS
from ...repository import OrderRepository


@row_key
class OrderBySellerOldestFirst:
    """One line in a seller's list of orders.

    Order:  by seller, oldest first, then by order number.
    Serves: a seller's orders in a period; a seller's latest N orders in a reverse scan.
    Costs:  one scan; the latest N orders read one row more than with the newest first.
    Fixed:  the widths and the direction of time; changing them means a new table.
    Source: S0.13, [seller id][timestamp][order number], here with a terminator after the seller.
    """

    seller_id: str = part(EscapedText, "who sold; any text")
    placed_ms: int = part(Int64, "when placed, milliseconds since 1970 UTC")
    order_number: str = part(EscapedText, "distinguishes orders of one millisecond")


@row_key
class OrderByBuyerOldestFirst:
    """One line in a buyer's list of orders.

    Order:  by buyer, oldest first, then by order number.
    Serves: a buyer's orders in a period; a buyer's latest N orders in a reverse scan.
    Costs:  as `OrderBySellerOldestFirst`.
    Fixed:  as `OrderBySellerOldestFirst`.
    Source: S0.13, [buyer id][timestamp][order number]
    """

    buyer_id: str = part(EscapedText, "who bought; any text")
    placed_ms: int = part(Int64, "when placed, milliseconds since 1970 UTC")
    order_number: str = part(EscapedText, "distinguishes orders of one millisecond")


OLDEST_FIRST = ORDERS.like(
    lists={
        BY_SELLER: BY_SELLER.like("orders_by_seller_oldest", OrderBySellerOldestFirst),
        BY_BUYER: BY_BUYER.like("orders_by_buyer_oldest", OrderByBuyerOldestFirst),
    }
)
TABLES = OLDEST_FIRST.tables
Repository = partial(OrderRepository, orders=OLDEST_FIRST)
