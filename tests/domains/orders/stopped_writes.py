"""The writes of orders over several rows, and what their readers see, for the crash tests."""

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter, methodcaller
from typing import Any

import attrs

from domains.orders import Order, OrderConflict, OrderRepository, SellerLine, UnknownOrder
from domains.orders.records import STATUSES
from domains.orders.shown.design import DESIGN
from shared.testing import StoppedWrites, Store, View, Write, store_at_once

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
DESK = attrs.evolve(LAMP, placed_ms=LAMP.placed_ms + 1, item="desk")
"""Another order under the number of the lamp."""
STOOL = attrs.evolve(LAMP, order_number="n-41", buyer_id="b-31", item="stool")
"""An order that is placed together with the lamp."""
MUG = attrs.evolve(LAMP, order_number="n-43", buyer_id="b-30", item="mug")
"""An order of the same seller, which nobody changes."""


place, place_stool, place_another, place_mug = (methodcaller("place", order) for order in (LAMP, STOOL, DESK, MUG))
pay, cancel = methodcaller("change_status", "n-42", "paid"), methodcaller("cancel", "n-42")


def erase(orders: OrderRepository) -> None:
    """Returns nothing: the number of lines that remain counts an order that is placed again meanwhile."""
    orders.erase("b-3")


def place_all(orders: OrderRepository) -> None:
    store_at_once(orders.place_all, [STOOL, MUG, LAMP])


# ---- what is stored before


def one_order(store: Store) -> None:
    place_mug(store.repository())


def two_orders(store: Store) -> None:
    one_order(store)
    place(store.repository())


def paid_order(store: Store) -> None:
    two_orders(store)
    pay(store.repository())


def lost_claim(store: Store) -> None:
    one_order(store)
    store.die(place_another, before=lambda call: call.name == "checkAndPut")
    store.repository().upkeep.recover(older_than_ms=0)


ERASE_CALLS = {"orders": 5, "oldest-first": 5, "index-table": 6, "hashed-number": 5}
"""The lines of sellers hold the buyer in one layout only; a write puts no line that it does not change."""
RIVALS_OF_ALL: Mapping[str, Callable[[Any], object]] = {"pay": pay, "cancel": cancel, "erase": erase, "place": place}
RIVALS: Mapping[str, Callable[[Any], object]] = {**RIVALS_OF_ALL, "place another": place_another}

WRITES = (
    Write("place", place, one_order, RIVALS, calls=7),
    Write("place_all", place_all, one_order, RIVALS_OF_ALL, calls=10, one_by_one=(place_stool, place)),
    Write("place again", place, two_orders, RIVALS, calls=2),
    Write("place after a lost claim", place, lost_claim, RIVALS, calls=7),
    Write("change_status", pay, two_orders, RIVALS, calls=8),
    Write("cancel", cancel, paid_order, RIVALS, calls=8),
    Write("erase", erase, two_orders, RIVALS, calls=ERASE_CALLS),
)


# ---- what readers see

number_of = attrgetter("order_number")


def by_number(orders: OrderRepository) -> Iterator[Order]:
    return filter(None, map(orders.order, ("n-41", "n-42", "n-43")))


def by_status(orders: OrderRepository) -> list[SellerLine]:
    return [line for status in STATUSES for line in orders.of_seller("s-17", status=status)]


VIEWS = (
    View("by number", by_number, number_of),
    View("by prefix", lambda orders: orders.numbered("n-4"), number_of, not_in=("hashed-number",)),
    View("by seller and status", by_status, number_of),
    View("by seller", lambda orders: orders.of_seller("s-17"), number_of, lags=True),
    View("by buyer", lambda orders: orders.of_buyer("b-3"), number_of, lags=True),
    View(
        "by status",
        lambda orders: [order for status in STATUSES for order in orders.with_status(status)],
        number_of,
        lags=True,
    ),
)


STOPPED = StoppedWrites(
    WRITES,
    VIEWS,
    variants=[variant for variant in DESIGN.variants if variant.name not in ("without-intents", "thin-index")],
    refusals=(OrderConflict, UnknownOrder),
    often=(place, place_mug, pay, place, cancel, erase, place_mug),
)
