"""What the application holds: an order, and the line that a list of orders shows of it. No bytes, no storage."""

from typing import Literal, get_args

import attrs

from shared.records import LAST_MS, integer, one_of, text

Status = Literal["placed", "paid", "shipped", "cancelled"]
STATUSES: tuple[Status, ...] = get_args(Status)


@attrs.frozen
class Order:
    """One order of one item. Only its status ever changes."""

    order_number: str = attrs.field(validator=text())
    seller_id: str = attrs.field(validator=text())
    buyer_id: str = attrs.field(validator=text())
    placed_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC; the timestamp of its cells too, so never below 0."""
    item: str = attrs.field(validator=text(empty=True))
    amount: int = attrs.field(validator=integer())
    """In the smallest unit of the currency; of any size."""
    status: Status = attrs.field(default="placed", validator=one_of(*STATUSES))


@attrs.frozen
class ListedOrder:
    """An order as a seller's or a buyer's list page shows it."""

    order_number: str
    placed_ms: int
    item: str
    amount: int
    status: Status

    @classmethod
    def of(cls, order: Order) -> "ListedOrder":
        """The line of an order."""
        return cls(order.order_number, order.placed_ms, order.item, order.amount, order.status)
