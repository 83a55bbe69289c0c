"""The application's records: an order, and its lines in lists that repeat it. Nothing here knows of storage."""

from typing import Literal, get_args

import attrs

from shared.records import LAST_MS, integer, one_of, text

Status = Literal["placed", "paid", "shipped", "cancelled"]
STATUSES: tuple[Status, ...] = get_args(Status)
NEXT_STATUSES: dict[Status, tuple[Status, ...]] = {
    "placed": ("paid", "cancelled"),
    "paid": ("shipped", "cancelled"),
    "shipped": (),
    "cancelled": (),
}
"""The changes of status that this shop allows."""


@attrs.frozen
class Order:
    """One order of one item. Its status changes, and its buyer may be erased."""

    order_number: str = attrs.field(validator=text())
    seller_id: str = attrs.field(validator=text())
    buyer_id: str | None = attrs.field(validator=attrs.validators.optional(text()))
    """None if the buyer was erased."""
    placed_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC."""
    item: str = attrs.field(validator=text(empty=True))
    amount: int = attrs.field(validator=integer())
    """In the smallest unit of the currency; any integer."""
    status: Status = attrs.field(default="placed", validator=one_of(*STATUSES))


@attrs.frozen
class SellerLine:
    """An order as a page of its seller's list shows it."""

    seller_id: str
    placed_ms: int
    order_number: str
    item: str
    amount: int
    status: Status


@attrs.frozen
class BuyerLine:
    """An order as a page of its buyer's list shows it."""

    buyer_id: str
    placed_ms: int
    order_number: str
    item: str
    amount: int
    status: Status
