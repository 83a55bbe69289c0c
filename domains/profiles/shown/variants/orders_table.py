"""The orders of users in a table of their own, a row for each: `[user][time, newest first][order]`.

An order is one put, and all orders are kept: any period of them is one scan. But the page of a user needs two reads, a
get of the profile and a scan of the newest orders. Choose it if you also ask for a user's older orders, or orders are
added more often than pages are read.
"""

from typing import TYPE_CHECKING

from shared.keys import Descending, EscapedText, Int64, between, part, row_key
from shared.queries import Query
from shared.records import check_text
from shared.sources import Table
from shared.tables import Family
from shared.writes import delete_all

from ... import keys
from ...keys import SHOWN
from ...profile_rows import ProfileRows
from ...records import OrderSummary, UserPage, page_of

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


PROFILES = keys.PROFILES.like("profiles_alone", families={"p": Family(), "a": Family()})
ORDERS = Table(
    "profiles_orders",
    OrderOfUser,
    OrderSummary,
    {"item": "o:i", "amount": "o:a"},
    dated_by="time_ms",
    holds="one order",
)
TABLES = (*PROFILES.tables, *ORDERS.tables)


class Repository(ProfileRows):
    """Adds orders as rows, and keeps all orders of a user."""

    def __init__(self, connection: "happybase.Connection", orders: Table[OrderSummary] = ORDERS) -> None:
        super().__init__(connection, PROFILES)
        self._orders = orders.on(connection)

    def add_order(self, order: OrderSummary) -> None:
        """Puts an order. Costs: one put."""
        self._orders.put(order)

    def orders_of(self, user_id: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[OrderSummary]:
        """A user's orders placed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more.
        """
        return self._orders.ask(user_id=user_id, time_ms=between(since_ms, until_ms)).newest_first()

    def newest_orders(self, user_id: str) -> list[OrderSummary]:
        """A user's newest ten orders. Costs: one scan of eleven rows."""
        return self.orders_of(user_id).page(SHOWN).records

    def page(self, user_id: str) -> UserPage | None:
        """A user's profile and newest ten orders, or None. Costs: one get and one scan of eleven rows."""
        return page_of(self.profile(user_id), self.newest_orders(user_id))

    def erase(self, user_id: str) -> int:
        """Deletes the orders of a user, then the profile; returns how many rows of the user remain.

        Costs: as `ProfileRows.erase`, and two scans of the orders, and one call for each 1,000 of them.
        """
        check_text("user_id", user_id, empty=False)
        return delete_all(self.orders_of(user_id), self._orders) + super().erase(user_id)
