"""The orders of users in a table of their own, a row for each: `[user][time, newest first][order]`.

An order is one put, and all orders are kept: any period of them is one scan. But the page of a user needs two reads, a
get of the profile and a scan of the newest orders. Choose it if you also ask for a user's older orders, or orders are
added more often than pages are read.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from shared.keys import Descending, EscapedText, Int64, KeyLayout, between, part, row_key
from shared.queries import Query
from shared.tables import BoundTable, Column, RecordCells, TableLayout
from shared.writes import delete_all, put_all

from ..keys import PROFILE_CELLS, SHOWN, ProfileTables, RowOfUser
from ..records import OrderSummary
from ..repository import ProfileRepository

if TYPE_CHECKING:
    import happybase


@row_key
class OrderOfUser:
    """One order in the list of its user.

    Order:  by user, newest first, then by order id.
    Serves: a user's orders in a period; a user's newest N orders.
    Costs:  one scan of the page's rows and one more row.
    Fixed:  the widths and the direction of time; changing them means a new table.
    Source: S0.13, the buyer table; newest first.
    """

    user_id: str = part(EscapedText, "who ordered; any text, and 1 never matches 12")
    time_ms: int = part(Descending(Int64), "when placed, milliseconds since 1970 UTC, newest first")
    order_id: str = part(EscapedText, "distinguishes orders of one millisecond")


PROFILES = TableLayout("profiles_alone", "the profile of a user", KeyLayout(RowOfUser), PROFILE_CELLS)
ORDERS = TableLayout(
    "profiles_orders",
    "one order",
    KeyLayout(OrderOfUser),
    RecordCells(OrderSummary, {"item": Column("o:i"), "amount": Column("o:a")}),
)
TABLES = ProfileTables(PROFILES, ORDERS)


class OrdersInRows:
    """Adds orders as rows, and finds those of a user."""

    families: tuple[bytes, ...] = ()

    def __init__(self, connection: "happybase.Connection", table: TableLayout[Any, OrderSummary]) -> None:
        self._orders = BoundTable(connection, table)

    def add(self, order: OrderSummary) -> None:
        """Puts an order. Costs: one put."""
        put_all([order], self._orders)

    def in_period(self, user_id: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[OrderSummary]:
        """A user's orders, newest first. Costs: one scan of a page's rows and one more."""
        plan = self._orders.plan(user_id=user_id, time_ms=between(since_ms, until_ms))
        return Query(self._orders, plan).newest_first()

    def newest(self, user_id: str) -> list[OrderSummary]:
        """The newest ten orders. Costs: one scan of eleven rows."""
        return self.in_period(user_id).page(SHOWN).records

    def of_page(self, user_id: str, cells: Mapping[bytes, bytes]) -> list[OrderSummary]:
        """The same as `newest`: the row of the user has no orders. Costs: one scan more."""
        return self.newest(user_id)

    def erase(self, user_id: str) -> int:
        """Deletes the orders of a user; returns how many remain. Costs: two scans, one call for each 1,000 orders."""
        return delete_all(self.in_period(user_id), self._orders)


class Repository(ProfileRepository):
    """Keeps all orders of a user, in a table of their own."""

    lacks: ClassVar[Mapping[str, str]] = {}

    def __init__(self, connection: "happybase.Connection", tables: ProfileTables = TABLES) -> None:
        super().__init__(connection, tables, orders=OrdersInRows)
        self._rows = OrdersInRows(connection, tables.orders)

    def orders_of(self, user_id: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[OrderSummary]:
        """A user's orders placed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more.
        """
        return self._rows.in_period(user_id, since_ms, until_ms)
