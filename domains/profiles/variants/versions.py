"""HBase's own answer: one column that keeps ten versions. Do not copy it: orders of one millisecond are one version.

An order is put with its own time, and HBase keeps the versions with the ten latest times, whatever the order in which
they arrive. A write is one put, and no call trims. But versions differ in their times only, so a second order of a
millisecond replaces the first. No single order can be removed either: a delete reaches every version up to its time.
And Thrift1 returns several versions of one column only, so a page needs a second call.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import KeyLayout, shown
from shared.queries import Versions
from shared.tables import BoundTable, Column, Family, RecordCells, TableLayout
from shared.writes import refuse_expired

from ..keys import PROFILE_CELLS, SHOWN, ProfileTables, RowOfUser
from ..records import OrderSummary
from ..repository import ProfileRepository

if TYPE_CHECKING:
    import happybase


def _is_order(last: "LastOrderOfUser", field: "attrs.Attribute[Any]", order: list[Any]) -> None:
    if len(order) != 3:
        raise ValueError(f"LastOrderOfUser.{field.name}: must be order_id, item, amount (got {shown(order)})")
    OrderSummary(last.user_id, 0, *order)  # refuses other values


@attrs.frozen
class LastOrderOfUser:
    """One version: an order as order id, item and amount; its time is that of the version."""

    user_id: str
    order: list[Any] = attrs.field(validator=_is_order)


FAMILIES = {"p": Family(), "a": Family(), "o": Family(max_versions=SHOWN)}

PROFILES = TableLayout("profiles_versions", "the profile of a user", KeyLayout(RowOfUser), PROFILE_CELLS, FAMILIES)
LAST = TableLayout(
    PROFILES.name,
    "the newest orders of a user",
    PROFILES.key,
    RecordCells(LastOrderOfUser, {"order": Column("o:order")}),
    FAMILIES,
)


TABLES = ProfileTables(PROFILES, LAST)


class OrdersAsVersions:
    """Adds orders as versions of one cell, and finds the newest ones."""

    families: tuple[bytes, ...] = ()

    def __init__(self, connection: "happybase.Connection", table: TableLayout[Any, LastOrderOfUser]) -> None:
        self._last = BoundTable(connection, table)

    def add(self, order: OrderSummary) -> None:
        """Puts an order, in place of another one of its millisecond. Costs: one put."""
        last = LastOrderOfUser(order.user_id, [order.order_id, order.item, order.amount])
        refuse_expired([last], self._last, time_of=lambda _last: order.time_ms)
        self._last.rows.put(self._last.row(last), self._last.layout.cells.pack(last), timestamp=order.time_ms)

    def newest(self, user_id: str) -> list[OrderSummary]:
        """The newest ten versions. Costs: one call."""
        versions = Versions(self._last, self._last.plan(user_id=user_id), newest=SHOWN)
        return [
            OrderSummary(user_id, version.time_ms, *version.record.order)
            for version in versions
            if version.record is not None
        ]

    def of_page(self, user_id: str, cells: Mapping[bytes, bytes]) -> list[OrderSummary]:
        """The same as `newest`: a get returns one version of a column. Costs: one call more."""
        return self.newest(user_id)

    def erase(self, user_id: str) -> int:
        """Nothing: all orders are in the user's row."""
        return 0


Repository = partial(ProfileRepository, tables=TABLES, orders=OrdersAsVersions)
