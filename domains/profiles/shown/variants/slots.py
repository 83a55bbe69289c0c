"""The published wide row: `user_` and the id, `user:info:name`, `user:order_0` to `user:order_9`. Do not copy it.

A new order takes the place of `order_0`, and each other one moves to the next column: a writer reads ten cells and puts
ten. If two writers read the same ten, one of their orders is lost. And the ten are the last that arrived, which need
not be the newest. Profile and orders share one family: a cell is an order if its qualifier starts with `order_`. So
`erase` deletes both up to the date of the last order, and a profile that is not dated later stays hidden.
Published values are texts such as `order_001:mug:499`; here they are msgpack, because an item may contain a colon.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from shared.keys import DecimalText, KeyLayout, Prefixed, TrailingText, part, row_key
from shared.sources import Table
from shared.tables import TEXT, Column, ItemCells, OtherColumns

from ...keys import SHOWN
from ...profile_rows import ProfileRows
from ...records import OrderSummary, Profile, UserPage, page_of

if TYPE_CHECKING:
    import happybase


@row_key
class PublishedRow:
    """The profile and the last ten orders of one user.

    Order:  by user, as text.
    Serves: what `RowOfUser` serves.
    Costs:  five bytes more in every cell. An order is a get and a put of ten cells, and some orders are lost.
    Fixed:  as `RowOfUser`.
    Source: S3.7, "user_" + userId
    """

    user_id: str = part(Prefixed("user_", TrailingText), "who; any text, after the constant user_")


@row_key
class Slot:
    """The place of an order among the last ten: the qualifier of its cell.

    Order:  by number, because all have one digit.
    Source: S3.7, user:order_0
    """

    slot: int = part(Prefixed("order_", DecimalText(1)), "0 for the order that arrived last, up to 9")


@attrs.frozen
class OrderInSlot:
    """An order, and the slot that it has at the moment."""

    user_id: str
    slot: int
    order_id: str
    time_ms: int
    item: str
    amount: int


PROFILES = Table(
    "profiles_slots",
    PublishedRow,
    Profile,
    {
        "name": Column("user:info:name", TEXT),
        "email": Column("user:info:email", TEXT),
        "age": "user:info:age",
        "time_ms": "user:info:time_ms",
        "attributes": OtherColumns("more", TEXT),
    },
    dated_by="time_ms",
    holds="the profile of a user",
)
"""The other attributes need a family of their own: in `user`, everything that is not a field would be one."""
SLOTS = Table(
    "profiles_slots",
    PublishedRow,
    OrderInSlot,
    ItemCells(OrderInSlot, "user", KeyLayout(Slot), value=("order_id", "time_ms", "item", "amount")),
    holds="the last ten orders of a user",
)
TABLES = (*PROFILES.tables, *SLOTS.tables)


class Repository(ProfileRows):
    """Puts each order into the first slot, and finds the last ones."""

    def __init__(self, connection: "happybase.Connection") -> None:
        super().__init__(connection, PROFILES)
        self._slots = SLOTS.on(connection)

    def add_order(self, order: OrderSummary) -> None:
        """Puts an order before the last nine others. Costs: one get, one put of up to ten cells."""
        others = [other for other in self._last(order.user_id) if other.order_id != order.order_id]
        cells: dict[bytes, bytes] = {}
        for slot, last in enumerate([order, *others][:SHOWN]):
            in_slot = OrderInSlot(last.user_id, slot, last.order_id, last.time_ms, last.item, last.amount)
            cells |= self._slots.layout.cells.pack(in_slot)
        self._slots.rows.put(self._slots.row(order), cells)  # dated by the server, as published: the last put wins

    def newest_orders(self, user_id: str) -> list[OrderSummary]:
        """A user's last ten orders, sorted by their times. Costs: one get."""
        return sorted(self._last(user_id), key=_newest_first)

    def page(self, user_id: str) -> UserPage | None:
        """A user's profile and last ten orders, or None. Costs: one get."""
        profile, cells = self.profile_and_cells(user_id, b"user")
        return page_of(profile, sorted(self._in_slots(user_id, cells), key=_newest_first))

    def _last(self, user_id: str) -> list[OrderSummary]:
        """The last ten orders, in the order of their slots."""
        return self._in_slots(user_id, self._slots.rows.row(self._row(user_id), columns=[b"user"]))

    def _in_slots(self, user_id: str, cells: Mapping[bytes, bytes]) -> list[OrderSummary]:
        return [
            OrderSummary(in_slot.user_id, in_slot.time_ms, in_slot.order_id, in_slot.item, in_slot.amount)
            for in_slot in self._slots.layout.records(self._row(user_id), cells)
        ]

    def _row(self, user_id: str) -> bytes:
        return self._slots.row(PublishedRow(user_id))


def _newest_first(order: OrderSummary) -> tuple[int, str]:
    return -order.time_ms, order.order_id
