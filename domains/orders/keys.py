"""Orders by number, by seller, by buyer, and by seller and status; a fifth table has the writes under way.

An order is stored under its number, in one cell: this row is the source, and what it says is decided. Each row of a
seller's or a buyer's list repeats what a list page shows, so a page is one scan. A write puts the row of the list by
status before it decides, and the rows of the other lists after it. So the list by status lacks no order, and its rows
hold only their key; the lists of sellers and buyers may lag until the write, or `recover`, is complete.
"""

from shared.keys import Code, Descending, EscapedText, Int64, TrailingText, part, row_key
from shared.sources import Source
from shared.tables import BIG_INT, Column

from .records import BuyerLine, Order, SellerLine


@row_key
class OrderByNumber:
    """One order under its number.

    Order:  by number, as text.
    Serves: an order whose number is known; orders whose numbers share a prefix.
    Costs:  one get. If numbers count up, every write goes to the last region.
    Fixed:  the number is the whole key, so each number has one order.
    Source: S0.13, S3.3
    """

    order_number: str = part(TrailingText, "the shop's number of the order; any text, unique")


@row_key
class OrderBySeller:
    """One line in a seller's list of orders.

    Order:  by seller, newest first, then by order number.
    Serves: a seller's orders in a period; a seller's latest N orders.
    Costs:  one scan, which reads one row more than the page: it tells whether there is a next page.
    Fixed:  the widths and the direction of time; changing them means a new table.
    Source: S0.13, with time ascending: the latest N orders then need a reverse scan, easy to get wrong at both ends.
    """

    seller_id: str = part(EscapedText, "who sold; any text, and s-1 never matches s-12")
    placed_ms: int = part(Descending(Int64), "when placed, milliseconds since 1970 UTC, newest first")
    order_number: str = part(EscapedText, "distinguishes orders of one millisecond")


@row_key
class OrderByBuyer:
    """One line in a buyer's list of orders.

    Order:  by buyer, newest first, then by order number.
    Serves: a buyer's orders in a period; a buyer's latest N orders.
    Costs:  one scan, which reads one row more than the page: it tells whether there is a next page.
    Fixed:  as `OrderBySeller`.
    Source: S0.13
    """

    buyer_id: str = part(EscapedText, "who bought; any text")
    placed_ms: int = part(Descending(Int64), "when placed, milliseconds since 1970 UTC, newest first")
    order_number: str = part(EscapedText, "distinguishes orders of one millisecond")


@row_key
class OrderByStatus:
    """One line in a seller's list of orders by status.

    Order:  by seller, by status, newest first, then by order number.
    Serves: a seller's orders with one status; the latest N of them.
    Costs:  one scan of the page's lines and one more, and one call that gets their orders. A change of status puts the
            new line before its decision and deletes the old one after it, so a page drops lines that contradict their
            orders.
    Fixed:  as `OrderBySeller`, and the byte of each status; a new status needs a new byte.
    Source: none
    """

    seller_id: str = part(EscapedText, "who sold; any text")
    status: str = part(Code({"placed": 1, "paid": 2, "shipped": 3, "cancelled": 4}), "the status of the order")
    placed_ms: int = part(Descending(Int64), "when placed, milliseconds since 1970 UTC, newest first")
    order_number: str = part(EscapedText, "distinguishes orders of one millisecond")


ORDERS = Source(
    "orders",
    OrderByNumber,
    Order,
    {  # names within the cell o:order; in the lists they are columns
        "seller_id": "o:s",
        "buyer_id": "o:b",
        "placed_ms": "o:t",
        "item": "o:i",
        "amount": Column("o:a", BIG_INT),
        "status": "o:st",
    },
    cell="o:order",
)
BY_SELLER = ORDERS.list("orders_by_seller", OrderBySeller, SellerLine)
BY_STATUS = ORDERS.moving_list("orders_by_status", OrderByStatus)
BY_BUYER = ORDERS.list("orders_by_buyer", OrderByBuyer, BuyerLine)
"""An order without a `buyer_id`, because its buyer was erased, has no line here."""

TABLES = ORDERS.tables
