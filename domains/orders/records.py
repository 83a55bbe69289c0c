"""What the application holds: an order, and the line that a list of orders shows of it. No bytes, no storage."""

from typing import Any, Literal

import attrs

Status = Literal["placed", "paid", "shipped", "cancelled"]
STATUSES: tuple[Status, ...] = ("placed", "paid", "shipped", "cancelled")

LAST_PLACED_MS = 253_402_300_799_999
"""9999-12-31T23:59:59.999Z, the last time that ISO 8601 writes with a year of four digits."""


def _is_named(record: Any, field: "attrs.Attribute[str]", value: str) -> None:
    if type(value) is not str or not value:
        raise ValueError(f"{type(record).__name__}.{field.name}: must be text, not empty (got {value!r})")


def _is_placed(record: Any, field: "attrs.Attribute[int]", value: int) -> None:
    if type(value) is not int or not 0 <= value <= LAST_PLACED_MS:
        raise ValueError(f"{type(record).__name__}.{field.name}: must be 0..{LAST_PLACED_MS} (got {value!r})")


def _is_status(record: Any, field: "attrs.Attribute[Status]", value: Status) -> None:
    if value not in STATUSES:
        raise ValueError(f"{type(record).__name__}.{field.name}: must be one of {', '.join(STATUSES)} (got {value!r})")


@attrs.frozen
class Order:
    """One order of one item. Only its status ever changes."""

    order_number: str = attrs.field(validator=_is_named)
    seller_id: str = attrs.field(validator=_is_named)
    buyer_id: str = attrs.field(validator=_is_named)
    placed_ms: int = attrs.field(validator=_is_placed)
    """Milliseconds since 1970-01-01 UTC; the timestamp of its cells too, so never below 0."""
    item: str
    amount: int
    """In the smallest unit of the currency; of any size."""
    status: Status = attrs.field(default="placed", validator=_is_status)


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
