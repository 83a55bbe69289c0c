"""The newest ten orders of a user in one cell, which each writer replaces by `checkAndPut`.

The row has exactly the newest ten orders, without tombstones. If 16 writers add orders of one user at once, one
succeeds in each round, and the others read again. Choose it if users seldom get two orders at once.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import KeyLayout, shown
from shared.tables import BoundTable, Column, RecordCells, TableLayout, put_if

from ..keys import FAMILIES, PROFILE_CELLS, SHOWN, ProfileTables, RowOfUser
from ..records import OrderSummary
from ..repository import ProfileRepository

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


PROFILES = TableLayout("profiles_one_cell", "the profile of a user", KeyLayout(RowOfUser), PROFILE_CELLS, FAMILIES)
NEWEST = TableLayout(
    PROFILES.name,
    "the newest orders of a user",
    PROFILES.key,
    RecordCells(NewestOfUser, {"orders": Column("o:orders")}),
    FAMILIES,
)


TABLES = ProfileTables(PROFILES, NEWEST)


class OrdersInOneCell:
    """Adds orders to the cell of their user, and finds the newest ones."""

    families = (b"o",)

    def __init__(self, connection: "happybase.Connection", table: TableLayout[Any, NewestOfUser]) -> None:
        self._newest = BoundTable(connection, table)

    def add(self, order: OrderSummary) -> None:
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

    def newest(self, user_id: str) -> list[OrderSummary]:
        """The newest ten orders. Costs: one get."""
        row = self._newest.row(RowOfUser(user_id))
        return self.of_page(user_id, self._newest.rows.row(row, columns=[*self.families]))

    def of_page(self, user_id: str, cells: Mapping[bytes, bytes]) -> list[OrderSummary]:
        """The orders of the cell. Costs: nothing more."""
        return [OrderSummary(user_id, *order) for order in self._orders_of(user_id, cells)]

    def erase(self, user_id: str) -> int:
        """Nothing: all orders are in the user's row."""
        return 0

    def _orders_of(self, user_id: str, cells: Mapping[bytes, bytes]) -> list[list[Any]]:
        records = self._newest.layout.records(self._newest.row(RowOfUser(user_id)), cells)
        return records[0].orders if records else []


def _newest_first(order: list[Any]) -> tuple[int, str]:
    return -order[0], order[1]


Repository = partial(ProfileRepository, tables=TABLES, orders=OrdersInOneCell)
