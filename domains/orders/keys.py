"""Three tables, one for each lookup: by order number, by seller, by buyer.

The order lies under its number; each list row repeats what a list page shows, so that a page is one scan and no gets.
"""

from shared.keys import Descending, EscapedText, Int64, KeyLayout, TrailingText, part, row_key
from shared.tables import BIG_INT, CellLayout, Column, TableLayout

from .records import BuyerLine, Order, SellerLine


@row_key
class OrderByNumber:
    """One order under its number.

    Order:  by number, as text.
    Serves: an order whose number is known.
    Costs:  one get. Numbers that count up send every write to the last region.
    Fixed:  the number is the whole key, so there is one order to a number.
    Source: S0.13, S3.3
    """

    order_number: str = part(TrailingText, "the shop's number for the order; any text; unique")


@row_key
class OrderBySeller:
    """One line in a seller's list of orders.

    Order:  by seller, newest first, then by order number.
    Serves: a seller's orders in a period; the latest N.
    Costs:  one scan, of the rows asked for and one more that tells whether there is a next page.
    Fixed:  the widths and the direction of time; changing them means a new table.
    Source: S0.13, which has time ascending: the latest N would then be a reverse scan, easy to get wrong at both ends.
    """

    seller_id: str = part(EscapedText, "who sold; any text, and s-1 never matches s-12")
    placed_ms: int = part(Descending(Int64), "when placed, milliseconds since 1970 UTC, newest first")
    order_number: str = part(EscapedText, "tells orders of one millisecond apart")


@row_key
class OrderByBuyer:
    """One line in a buyer's list of orders.

    Order:  by buyer, newest first, then by order number.
    Serves: a buyer's orders in a period; the latest N.
    Costs:  one scan, of the rows asked for and one more that tells whether there is a next page.
    Fixed:  as `OrderBySeller`.
    Source: S0.13
    """

    buyer_id: str = part(EscapedText, "who bought; any text")
    placed_ms: int = part(Descending(Int64), "when placed, milliseconds since 1970 UTC, newest first")
    order_number: str = part(EscapedText, "tells orders of one millisecond apart")


ORDER_CELLS = CellLayout(
    Order,
    "o",
    {
        "seller_id": Column("s"),
        "buyer_id": Column("b"),
        "placed_ms": Column("t"),
        "item": Column("i"),
        "amount": Column("a", BIG_INT),
        "status": Column("st"),
    },
)
_LINE_COLUMNS = {"item": Column("i"), "amount": Column("a", BIG_INT), "status": Column("st")}
SELLER_CELLS = CellLayout(SellerLine, "o", _LINE_COLUMNS)
BUYER_CELLS = CellLayout(BuyerLine, "o", _LINE_COLUMNS)

ORDERS = TableLayout("orders", "the order", KeyLayout(OrderByNumber), ORDER_CELLS)
BY_SELLER = TableLayout("orders_by_seller", "one line of a seller's list", KeyLayout(OrderBySeller), SELLER_CELLS)
BY_BUYER = TableLayout("orders_by_buyer", "one line of a buyer's list", KeyLayout(OrderByBuyer), BUYER_CELLS)

TABLES = (ORDERS, BY_SELLER, BY_BUYER)
