"""The lists as published, time ascending; the orders themselves are stored as in `keys.py`."""

from typing import Any, TypeVar

import happybase

from shared.keys import EscapedText, Int64, KeyLayout, Plan, part, row_key
from shared.queries import Page, page
from shared.tables import TableLayout
from shared.writes import CLOCK, WriterClock

from ..keys import BUYER_CELLS, ORDERS, SELLER_CELLS
from ..records import Status
from ..repository import OrderRepository, of_status

L = TypeVar("L")


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


TABLES = (
    ORDERS,
    TableLayout(
        "orders_by_seller_oldest",
        "one line of a seller's list",
        KeyLayout(OrderBySellerOldestFirst),
        SELLER_CELLS,
    ),
    TableLayout(
        "orders_by_buyer_oldest", "one line of a buyer's list", KeyLayout(OrderByBuyerOldestFirst), BUYER_CELLS
    ),
)


class OldestFirstOrderRepository(OrderRepository):
    """`OrderRepository` on these tables: a list with the newest order first is a reverse scan."""

    def __init__(self, connection: happybase.Connection, clock: WriterClock = CLOCK) -> None:
        super().__init__(connection, TABLES, clock)

    def _lines(
        self,
        rows: happybase.Table,
        table: TableLayout[Any, L],
        plan: Plan,
        status: Status | None,
        limit: int,
        cursor: str | None,
    ) -> Page[L]:
        return page(rows, plan, table.record, limit=limit, cursor=cursor, where=of_status(status), reverse=True)
