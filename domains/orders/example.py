"""The story of the design: load the sample orders, ask every question, change one order.

Run it: python -m domains.orders.example.
"""

from pathlib import Path

from shared.loading import read_records
from shared.patterns import AccessPattern, Design
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .records import Order
from .repository import OrderRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "orders" / "orders.csv"

PATTERNS = (
    AccessPattern("order", "an order by its number", OrderRepository.order, {"order_number": "n-42"}),
    AccessPattern(
        "of-seller", "a seller's latest orders", OrderRepository.of_seller, {"seller_id": "s-17", "limit": 10}
    ),
    AccessPattern(
        "of-seller",
        "a seller's orders of one week",
        OrderRepository.of_seller,
        {"seller_id": "s-17", "since_ms": 1_768_176_000_000, "until_ms": 1_768_780_800_000},
    ),
    AccessPattern(
        "of-seller",
        "a seller's orders of one status, kept by the client",
        OrderRepository.of_seller,
        {"seller_id": "s-17", "status": "cancelled"},
    ),
    AccessPattern("of-buyer", "a buyer's latest orders", OrderRepository.of_buyer, {"buyer_id": "b-1", "limit": 10}),
)

DESIGN = Design(
    name="orders",
    question="How do seller, buyer and order number each find an order with one read?",
    record=Order,
    tables=TABLES,
    open=OrderRepository,
    store=OrderRepository.place,
    samples=SAMPLES,
    patterns=PATTERNS,
)


def main() -> None:
    """Tells the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    orders = OrderRepository(connection)
    for order in read_records(SAMPLES, Order):
        orders.place(order)

    latest = orders.of_seller("s-1", limit=3).records
    print("The latest three orders of seller s-1, and none of s-12 or s-123:")
    for line in latest:
        print("  ", line)
    assert latest == sorted(latest, key=lambda line: -line.placed_ms)

    number = latest[0].order_number
    orders.cancel(number)
    cancelled = orders.order(number)
    assert cancelled is not None
    assert cancelled.status == "cancelled"
    (line,) = (each for each in orders.of_buyer(cancelled.buyer_id).records if each.order_number == number)
    print(f"Order {number} once cancelled, as its buyer sees it:")
    print("  ", line)
    assert line.status == "cancelled"


if __name__ == "__main__":
    main()
