"""A buyer who is erased, for the tests of erasures."""

from collections.abc import Callable
from operator import attrgetter

import attrs

from domains.orders import BuyerLine, Order, OrderRepository
from domains.orders.keys import BY_BUYER, BY_SELLER
from domains.orders.shown.design import DESIGN
from shared.testing import ErasedPerson

ERASED_BUYER, OTHER = "buyer-to-erase", "b-2"
ORDERS = [
    Order(f"n-{number}", "s-1", OTHER if number % 3 == 2 else ERASED_BUYER, 1_000 + number, "lamp", 4_900 + number)
    for number in range(6)
]
by_number = attrgetter("order_number")
KEPT = [order if order.buyer_id == OTHER else attrs.evolve(order, buyer_id=None) for order in ORDERS]


def six_orders(open_repository: Callable[..., OrderRepository]) -> None:
    orders = open_repository()
    for order in ORDERS:
        orders.place(order)


def come_back(orders: OrderRepository, time_ms: int) -> list[BuyerLine]:
    late = Order("n-late", "s-2", ERASED_BUYER, time_ms, "sofa", 1)
    orders.place(late)
    return BY_BUYER.shown([late])


def place(orders: OrderRepository) -> None:
    come_back(orders, 9_000)


def repair(orders: OrderRepository) -> None:
    list(orders.upkeep.repair())


ERASED = ErasedPerson(
    ERASED_BUYER,
    variants=[variant for variant in DESIGN.variants if variant.tables != variant.record_tables],
    before=six_orders,
    seen=lambda orders: list(orders.of_buyer(ERASED_BUYER)),
    others=lambda orders: [
        *(orders.order(order.order_number) for order in ORDERS),
        *sorted(orders.of_buyer(OTHER), key=by_number),
        *sorted(orders.of_seller("s-1", status="placed"), key=by_number),
    ],
    kept=[*KEPT, *BY_BUYER.shown([order for order in ORDERS if order.buyer_id == OTHER]), *BY_SELLER.shown(ORDERS)],
    comes_back=come_back,
    rivals=(place, repair),
    ends_dead=False,
)
