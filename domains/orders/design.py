"""What the suite shows of `orders`: its samples, its questions and its variants. Not copied."""

from functools import partial
from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from .keys import TABLES
from .records import Order
from .repository import OrderRepository
from .variants import hashed_number, index_table, published

SAMPLES = Path(__file__).parents[2] / "fixtures" / "orders" / "orders.csv"

ORDER = AccessPattern("an order by its number", OrderRepository.order, {"order_number": "n-42"})
LATEST = AccessPattern("a seller's latest orders", OrderRepository.of_seller, {"seller_id": "s-17", "limit": 10})
WEEK = AccessPattern(
    "a seller's orders of one week",
    OrderRepository.of_seller,
    {"seller_id": "s-17", "since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")},
)
STATUS_OF_SELLER = AccessPattern(
    "a seller's orders of one status", OrderRepository.of_seller, {"seller_id": "s-17", "status": "cancelled"}
)
OF_BUYER = AccessPattern("a buyer's latest orders", OrderRepository.of_buyer, {"buyer_id": "b-1", "limit": 10})
WITH_STATUS = AccessPattern("all orders of one status", OrderRepository.with_status, {"status": "cancelled"})
NUMBERED = AccessPattern("orders whose numbers begin alike", OrderRepository.numbered, {"number_prefix": "n-31"})

DESIGN = Design(
    name="orders",
    question="How do seller, buyer and order number each find an order with one read?",
    loads=(Load("orders", Order, OrderRepository.place, SAMPLES),),
    patterns=(ORDER, LATEST, WEEK, STATUS_OF_SELLER, OF_BUYER, WITH_STATUS, NUMBERED),
    variants=(
        Variant("newest-first", "the design itself", TABLES, OrderRepository),
        Variant("published", "lists run from the oldest", published.TABLES, published.PublishedOrderRepository),
        Variant(
            "index-table",
            "the number leads to the seller's row, which is the order",
            index_table.TABLES,
            index_table.IndexedOrderRepository,
            exemptions=(Exemption("ranges", "each order found in the index is a get of its own", (NUMBERED,)),),
        ),
        Variant(
            "hashed-number",
            "a hash in front of the number",
            hashed_number.TABLES,
            partial(OrderRepository, tables=hashed_number.TABLES),
        ),
    ),
    newest_ms=3 * 24 * 60 * 60 * 1000,
    exemptions=(
        Exemption("rows", "the status is in no row key, so the client skips the other orders", (STATUS_OF_SELLER,)),
        Exemption("rows", "the status is in no row key, so a filter reads the whole table", (WITH_STATUS,)),
    ),
)
