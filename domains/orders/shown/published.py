"""Published keys beside the keys of `orders`, and published mistakes with what each of them returns."""

import random
import struct
from collections.abc import Callable
from operator import attrgetter

from shared.designs import Design, scratch_table
from shared.exhibit import RANGES, SIGN, Outcome, PublishedKey, ScanTask, Trap, Writes, recorded_heat
from shared.queries import scan

from ..keys import BY_SELLER, ORDERS, OrderByNumber, OrderBySeller
from ..records import Order
from .variants import hashed_number, oldest_first

# ---- the keys of S0.13 byte for byte as published: text as UTF-8, times as `Bytes.toBytes(long)`


PLACED_MS = 1_580_976_517_000  # 2020-02-06T08:08:37Z

SELLERS_LIST = {"seller_id": b"s-17", "placed_ms": struct.pack(">q", PLACED_MS), "order_number": b"n-42"}
TERMINATOR = "any text, with the terminator `00 01`; without it the list of s-1 would continue into s-12"
SAME_TERMINATOR = "with the same terminator as the seller's id"

PUBLISHED = (
    PublishedKey("S0.13", "[order number]", ORDERS.layout, OrderByNumber("n-42"), {"order_number": b"n-42"}, {}),
    PublishedKey(
        "S0.13",
        "[seller id][timestamp][order number]",
        BY_SELLER.layout,
        OrderBySeller("s-17", PLACED_MS, "n-42"),
        SELLERS_LIST,
        {
            "seller_id": TERMINATOR,
            "placed_ms": "newest first: Long.MAX_VALUE - timestamp, so that the latest orders are a plain scan",
            "order_number": SAME_TERMINATOR,
        },
    ),
    PublishedKey(
        "S0.13",
        "[seller id][timestamp][order number]",
        oldest_first.TABLES[1],
        oldest_first.OrderBySellerOldestFirst("s-17", PLACED_MS, "n-42"),
        SELLERS_LIST,
        {
            "seller_id": TERMINATOR,
            "placed_ms": SIGN,
            "order_number": SAME_TERMINATOR,
        },
    ),
)


# ---- three published mistakes about order keys, each as wrong code beside the right code


def id_without_terminator(design: Design) -> Outcome:
    """The orders of s-1: scanning for the bare id also finds those of s-12, s-123 and s-17."""
    orders: list[Order] = list(design.loads[0].sample_records())
    of_seller = ScanTask(orders, is_wanted=lambda order: order.seller_id == "s-1", label=lambda order: order.seller_id)
    wrong = of_seller.run(
        lambda order: order.seller_id.encode() + struct.pack(">q", order.placed_ms) + order.order_number.encode(),
        lambda table: table.scan(row_prefix=b"s-1"),
    )
    right = of_seller.run(
        lambda order: BY_SELLER.layout.row(order),
        lambda table: scan(table, BY_SELLER.layout.key.plan(seller_id="s-1")),
    )
    return Outcome.of_scans(f"the {of_seller.wanted} orders of s-1", wrong, right)


def numbers_that_count_up(design: Design) -> Outcome:
    """Order numbers rise, so new orders come after all others of their length, and most writes go to one region."""
    recording = recorded_heat(design)
    wrong, right = (recording.table(table.name).heat for table in (ORDERS.layout, hashed_number.TABLES[0]))
    return Outcome(
        f"the later half of {recording.sample}, on {RANGES} ranges of the table",
        f"{wrong.share:.0%} of them in one range",
        f"{right.share:.0%} in the busiest, after a hash of the number",
    )


SUFFIXES = 100
"""`random(100)` gives one of so many numbers."""
SENDS = 3
"""How often a client stores an order whose replies are lost."""


def random_suffix(design: Design) -> Outcome:
    """A number drawn at the end of the key leaves the order of rows as it is, and nobody can compute it again."""
    orders = sorted(design.loads[0].sample_records(), key=attrgetter("placed_ms"))
    chance = random.Random(1)

    def published(order: Order) -> bytes:
        return f"{order.seller_id}_{order.order_number}_{chance.randrange(SUFFIXES):02}".encode()

    def rows(row: Callable[[Order], bytes]) -> int:
        return sum(1 for _ in scratch_table(row(order) for order in orders for _ in range(SENDS)).scan())

    wrong, right = (Writes([row(order) for order in orders]).heat for row in (published, hashed_number.TABLES[0].row))
    without = Writes([f"{order.seller_id}_{order.order_number}_".encode() for order in orders]).heat
    return Outcome(
        f"{len(orders)} orders, each stored {SENDS} times because replies were lost; then one of them",
        f"{rows(published)} rows; {SUFFIXES} gets for one order; {wrong.share:.0%} of new rows in the busiest of "
        f"{RANGES} ranges, {without.share:.0%} without the suffix",
        f"{rows(hashed_number.TABLES[0].row)} rows; 1 get; {right.kind}, with a hash of the number first",
    )


TRAPS = (
    Trap("id without a terminator", "[seller id][timestamp][order number]", id_without_terminator),
    Trap("numbers that count up", "[order number]", numbers_that_count_up),
    Trap("a random suffix", "[userId][orderid][random( 100)]", random_suffix),
)
