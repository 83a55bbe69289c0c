"""The loads and questions of `orders`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from . import keys
from .records import Order
from .repository import OrderRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "orders"

ORDER = AccessPattern("an order by its number", OrderRepository.order, {"order_number": "n-42"})
LATEST = AccessPattern("a seller's latest orders", OrderRepository.of_seller, {"seller_id": "s-17"}, limit=10)
WEEK = AccessPattern(
    "a seller's orders of one week",
    OrderRepository.of_seller,
    {"seller_id": "s-17", "since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")},
)
STATUS_OF_SELLER = AccessPattern(
    "a seller's orders with one status", OrderRepository.of_seller, {"seller_id": "s-17", "status": "cancelled"}
)
OF_BUYER = AccessPattern("a buyer's latest orders", OrderRepository.of_buyer, {"buyer_id": "b-1"}, limit=10)
WITH_STATUS = AccessPattern("all orders with one status", OrderRepository.with_status, {"status": "cancelled"})
NUMBERED = AccessPattern("orders whose numbers share a prefix", OrderRepository.numbered, {"number_prefix": "n-31"})

GETS_ORDERS = Exemption(
    "ranges", "a page gets the orders of its lines, all in one call", (STATUS_OF_SELLER, WITH_STATUS)
)

COUNTS_UP = Accepted(
    "rising",
    "orders whose numbers share a prefix can then be listed, and one region can take the orders of most shops; the "
    "others choose `hashed-number`",
)

DESIGN = Design(
    name="orders",
    question="How can an order be found by number, seller, buyer or status, in tables that agree after any crash?",
    loads=(
        Load(
            "orders",
            Order,
            OrderRepository.place,
            SAMPLES / "orders.csv",
            store_all=OrderRepository.place_all,
        ),
    ),
    patterns=(ORDER, LATEST, WEEK, STATUS_OF_SELLER, OF_BUYER, WITH_STATUS, NUMBERED),
    repository=OrderRepository,
    variants=(Variant(keys, "the design itself", (GETS_ORDERS,), accepted=(COUNTS_UP,)),),
    erases="a buyer",
    exemptions=(Exemption("rows", "no row key starts with the status, so the whole table is read", (WITH_STATUS,)),),
)
