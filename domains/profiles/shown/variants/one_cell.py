"""The newest ten orders of a user in one cell, which each writer replaces by `checkAndPut`.

The row has exactly the newest ten orders, without tombstones. If 16 writers add orders of one user at once, one
succeeds in each round, and the others read again. Choose it if users seldom get two orders at once.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import shown
from shared.sources import Table
from shared.tables import put_if

from ... import keys
from ...keys import FAMILIES, SHOWN, RowOfUser
from ...profile_rows import ProfileRows
from ...records import OrderSummary, UserPage, page_of

if TYPE_CHECKING:
    import happybase


_FIELDS = ("time_ms", "order_id", "item", "amount")


def _are_orders(newest: "NewestOfUser", field: "attrs.Attribute[Any]", orders: list[list[Any]]) -> None:
    for order in orders:
        if len(order) != len(_FIELDS):
            raise ValueError(f"NewestOfUser.{field.name}: must each be {', '.join(_FIELDS)} (got {shown(order)})")
        OrderSummary(newest.user_id, *order)  # refuses other values


@attrs.frozen
class NewestOfUser:
    """The newest orders of a user, the newest first; each is time, order id, item and amount."""

    user_id: str
    orders: list[list[Any]] = attrs.field(validator=_are_orders)


PROFILES = keys.PROFILES.like("profiles_one_cell")
NEWEST = Table(
    "profiles_one_cell",
    RowOfUser,
    NewestOfUser,
    {"orders": "o:orders"},
    holds="the newest orders of a user",
    families=FAMILIES,
)
TABLES = (*PROFILES.tables, *NEWEST.tables)


class Repository(ProfileRows):
    """Adds orders to the cell of their user, and finds the newest ones."""

    def __init__(self, connection: "happybase.Connection") -> None:
        super().__init__(connection, PROFILES)
        self._newest = NEWEST.on(connection)

    def add_order(self, order: OrderSummary) -> None:
        """Puts the newest ten orders, with this one if it is one of them.

        Costs: 1 get, 1 checkAndPut; both once more for each order that another writer adds meanwhile.
        """
        row = self._newest.row(order)
        (column,) = self._newest.layout.cells.columns
        added: list[Any] = [order.time_ms, order.order_id, order.item, order.amount]
        while True:
            stored = self._newest.rows.row(row, columns=[column])
            orders = self._orders_of(order.user_id, stored)
            others = [other for other in orders if other[:2] != added[:2]]
            newest = sorted([added, *others], key=_newest_first)[:SHOWN]
            if newest == orders:
                return
            (new,) = self._newest.layout.cells.pack(NewestOfUser(order.user_id, newest)).values()
            if put_if(self._newest.rows, row, column, stored.get(column), new):
                return

    def newest_orders(self, user_id: str) -> list[OrderSummary]:
        """A user's newest ten orders, the newest first. Costs: one get."""
        cells = self._newest.rows.row(self._newest.row(RowOfUser(user_id)), columns=[b"o"])
        return [OrderSummary(user_id, *order) for order in self._orders_of(user_id, cells)]

    def page(self, user_id: str) -> UserPage | None:
        """A user's profile and newest ten orders, or None. Costs: one get."""
        profile, cells = self.profile_and_cells(user_id, b"o")
        return page_of(profile, [OrderSummary(user_id, *order) for order in self._orders_of(user_id, cells)])

    def _orders_of(self, user_id: str, cells: Mapping[bytes, bytes]) -> list[list[Any]]:
        records = self._newest.layout.records(self._newest.row(RowOfUser(user_id)), cells)
        return records[0].orders if records else []


def _newest_first(order: list[Any]) -> tuple[int, str]:
    return -order[0], order[1]
