"""The story of the design: load the sample orders, ask every question, cancel one order.

Run it: python -m domains.orders.example.
"""

from functools import partial

from shared.designs import AccessPattern, Design, Variant, measure
from shared.loading import read_records
from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from . import keys_hashed_number, keys_index_table, keys_published
from .keys import TABLES, OrderTables
from .published import PUBLISHED
from .records import ListedOrder, Order
from .repository import OrderRepository
from .samples import LATEST_MS, SAMPLES
from .traps import TRAPS

PATTERNS = (
    AccessPattern("order", "an order by its number", OrderRepository.order, {"order_number": "n-42"}),
    AccessPattern(
        "of-seller", "a seller's latest orders", OrderRepository.of_seller, {"seller_id": "s-17", "limit": 10}
    ),
    AccessPattern(
        "of-seller",
        "a seller's orders of one week",
        OrderRepository.of_seller,
        {"seller_id": "s-17", "since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")},
    ),
    AccessPattern(
        "of-seller",
        "a seller's orders of one status",
        OrderRepository.of_seller,
        {"seller_id": "s-17", "status": "cancelled"},
    ),
    AccessPattern("of-buyer", "a buyer's latest orders", OrderRepository.of_buyer, {"buyer_id": "b-1", "limit": 10}),
    AccessPattern("with-status", "all orders of one status", OrderRepository.with_status, {"status": "cancelled"}),
    AccessPattern("numbered", "orders whose numbers begin alike", OrderRepository.numbered, {"number_prefix": "n-31"}),
)

LISTS = ("of-seller", "of-buyer")


def _with_tables(name: str, differs: str, tables: OrderTables, *, spread: bool = False) -> Variant:
    """The repository on other tables; where numbers are `spread` no range holds those that begin alike."""
    ranges = ("order", *LISTS, "with-status") if spread else ("order", *LISTS, "with-status", "numbered")
    rows = ("order", "of-buyer") if spread else ("order", "of-buyer", "numbered")
    return Variant(name, differs, tuple(tables), partial(OrderRepository, tables=tables), ranges, rows)


DESIGN = Design(
    name="orders",
    question="How do seller, buyer and order number each find an order with one read?",
    record=Order,
    variants=(
        _with_tables("newest-first", "the design itself", TABLES),
        _with_tables("published", "lists run from the oldest", keys_published.TABLES),
        Variant(
            "index-table",
            "the number leads to the seller's row, which is the order",
            keys_index_table.TABLES,
            keys_index_table.IndexedOrderRepository,
            ("order", *LISTS, "with-status"),
            ("order", "of-buyer", "numbered"),
        ),
        _with_tables("hashed-number", "a hash in front of the number", keys_hashed_number.TABLES, spread=True),
    ),
    store=OrderRepository.place,
    patterns=PATTERNS,
    samples=SAMPLES,
    newest_ms=LATEST_MS,
    traps=TRAPS,
    published=PUBLISHED,
)


def main() -> None:
    """Tells the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    orders = OrderRepository(connection)
    samples = list(read_records(SAMPLES, Order))
    for order in samples:
        orders.place(order)

    for each in measure(connection, orders, PATTERNS):
        print(f"{each.pattern.question}: {len(each.records)} found, the first of them")
        print("  ", each.records[0])

    print("the latest three orders of seller s-1, and none of s-12 or s-123")
    latest = orders.of_seller("s-1", limit=3).records
    for line in latest:
        print("  ", line)
    of_s1 = sorted((order for order in samples if order.seller_id == "s-1"), key=lambda order: -order.placed_ms)
    assert latest == [ListedOrder.of(order) for order in of_s1[:3]]

    order = orders.cancel(of_s1[0].order_number)
    (line,) = (each for each in orders.of_buyer(order.buyer_id).records if each.order_number == order.order_number)
    print("its buyer sees that the first of them is cancelled")
    print("  ", line)
    assert line == ListedOrder.of(order)
    assert line.status == "cancelled"


if __name__ == "__main__":
    main()
