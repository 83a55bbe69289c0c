"""The lists as published, time ascending; the order itself lies as in `keys.py`."""

from shared.keys import EscapedText, Int64, KeyLayout, part, row_key
from shared.tables import TableLayout

from .keys import LISTED_CELLS, OrderTables


@row_key
class OrderBySellerOldestFirst:
    """One line in a seller's list of orders.

    Order:  by seller, oldest first, then by order number.
    Serves: a seller's orders in a period; the latest N in a reverse scan.
    Costs:  one scan; the latest N read one row more than newest first.
    Fixed:  the widths and the direction of time.
    Source: S0.13, [seller id][timestamp][order number], here with a terminator behind the seller.
    """

    seller_id: str = part(EscapedText, "who sold; any text")
    placed_ms: int = part(Int64, "when placed, milliseconds since 1970 UTC")
    order_number: str = part(EscapedText, "tells orders of one millisecond apart")


@row_key
class OrderByBuyerOldestFirst:
    """One line in a buyer's list of orders.

    Order:  by buyer, oldest first, then by order number.
    Serves: a buyer's orders in a period; the latest N in a reverse scan.
    Costs:  as `OrderBySellerOldestFirst`.
    Fixed:  as `OrderBySellerOldestFirst`.
    Source: S0.13, [buyer id][timestamp][order number]
    """

    buyer_id: str = part(EscapedText, "who bought; any text")
    placed_ms: int = part(Int64, "when placed, milliseconds since 1970 UTC")
    order_number: str = part(EscapedText, "tells orders of one millisecond apart")


TABLES = OrderTables(
    by_seller=TableLayout(
        "orders_by_seller_published", "one line of a seller's list", KeyLayout(OrderBySellerOldestFirst), LISTED_CELLS
    ),
    by_buyer=TableLayout(
        "orders_by_buyer_published", "one line of a buyer's list", KeyLayout(OrderByBuyerOldestFirst), LISTED_CELLS
    ),
)
