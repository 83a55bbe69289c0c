"""HBase's own answer: one column that keeps ten versions. Do not copy it: orders of one millisecond are one version.

An order is put with its own time, and HBase keeps the versions with the ten latest times, whatever the order in which
they arrive. A write is one put, and no call trims. But versions differ in their times only, so a second order of a
millisecond replaces the first. No single order can be removed either: a delete reaches every version up to its time.
And Thrift1 returns several versions of one column only, so a page needs a second call.
"""

from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import shown
from shared.queries import Versions
from shared.sources import Table
from shared.tables import Family
from shared.writes import refuse_expired

from ... import keys
from ...keys import SHOWN, RowOfUser
from ...profile_rows import ProfileRows
from ...records import OrderSummary, UserPage, page_of

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

PROFILES = keys.PROFILES.like("profiles_versions", families=FAMILIES)
LAST = Table(
    "profiles_versions",
    RowOfUser,
    LastOrderOfUser,
    {"order": "o:order"},
    holds="the newest orders of a user",
    families=FAMILIES,
)
TABLES = (*PROFILES.tables, *LAST.tables)


class Repository(ProfileRows):
    """Adds orders as versions of one cell, and finds the newest ones."""

    def __init__(self, connection: "happybase.Connection") -> None:
        super().__init__(connection, PROFILES)
        self._last = LAST.on(connection)

    def add_order(self, order: OrderSummary) -> None:
        """Puts an order, in place of another one of its millisecond. Costs: one put."""
        last = LastOrderOfUser(order.user_id, [order.order_id, order.item, order.amount])
        refuse_expired([last], self._last, time_of=lambda _last: order.time_ms)
        self._last.rows.put(self._last.row(last), self._last.layout.cells.pack(last), timestamp=order.time_ms)

    def newest_orders(self, user_id: str) -> list[OrderSummary]:
        """The newest ten versions. Costs: one call."""
        versions = Versions(self._last, self._last.plan(user_id=user_id), newest=SHOWN)
        return [
            OrderSummary(user_id, version.time_ms, *version.record.order)
            for version in versions
            if version.record is not None
        ]

    def page(self, user_id: str) -> UserPage | None:
        """A user's profile and newest ten versions, or None. Costs: two calls, because a get returns one version."""
        return page_of(self.profile(user_id), self.newest_orders(user_id))
