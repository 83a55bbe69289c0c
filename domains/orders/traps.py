"""Two published mistakes about order keys, each as wrong code beside the right code.

Do not copy code that is named wrong.
"""

import struct
from collections.abc import Iterable

from shared.designs import RANGES, Design, Outcome, Trap, recorded_heat, scratch_table, texts_of
from shared.queries import scan

from .keys import BY_SELLER, ORDERS
from .records import Order, SellerLine
from .variants import hashed_number


def id_without_terminator(design: Design) -> Outcome:
    """The orders of s-1: scanning for the bare id also finds those of s-12, s-123 and s-17."""
    orders: list[Order] = list(design.loads[0].sample_records())
    order_count = sum(order.seller_id == "s-1" for order in orders)

    rows = {
        order.seller_id.encode() + struct.pack(">q", order.placed_ms) + order.order_number.encode(): order.seller_id
        for order in orders
    }
    wrong = texts_of(scratch_table(rows).scan(row_prefix=b"s-1"))

    rows = {BY_SELLER.row(SellerLine.of(order)): order.seller_id for order in orders}
    plan = BY_SELLER.key.plan(seller_id="s-1")
    right = texts_of(scan(scratch_table(rows), plan))
    return Outcome(f"the {order_count} orders of s-1", _of_sellers(wrong), _of_sellers(right))


def _of_sellers(sellers: Iterable[str]) -> str:
    sellers = list(sellers)
    return f"{len(sellers)} rows, of {', '.join(sorted({*sellers}))}"


def numbers_that_count_up(design: Design) -> Outcome:
    """Order numbers rise, so new orders come after all others of their length, and most writes go to one region."""
    wrong, right = (recorded_heat(design).table(table.name).heat for table in (ORDERS, hashed_number.TABLES[0]))
    return Outcome(
        f"{wrong.writes:,} new orders on {RANGES} ranges that held equal numbers of older ones",
        f"{wrong.share:.0%} of them in one range",
        f"{right.share:.0%} in the busiest, after a hash of the number",
    )


TRAPS = (
    Trap("id without a terminator", "[seller id][timestamp][order number]", id_without_terminator),
    Trap("numbers that count up", "[order number]", numbers_that_count_up),
)
