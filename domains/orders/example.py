"""The story of the design: place orders, list them, cancel one, and complete an interrupted write.

Run it: python -m domains.orders.example
"""

from contextlib import suppress
from typing import Any

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import BY_BUYER, BY_SELLER, TABLES
from .records import Order
from .repository import OrderRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    orders = OrderRepository(connection)

    monday, tuesday = parse_time("2026-01-12T09:00"), parse_time("2026-01-13T09:00")
    lamp = Order("n-1", seller_id="s-1", buyer_id="b-1", placed_ms=monday, item="lamp", amount=4_900)
    sofa = Order("n-2", seller_id="s-1", buyer_id="b-2", placed_ms=tuesday, item="sofa", amount=89_900)
    book = Order("n-3", seller_id="s-12", buyer_id="b-1", placed_ms=tuesday, item="book", amount=1_200)
    for order in (lamp, sofa, book):
        orders.place(order)
    orders.place(lamp)  # a retry: the same order again changes nothing
    print("by its number:", orders.order("n-2"))
    assert orders.order("n-2") == sofa

    print("the orders of seller s-1, newest first, and none of s-12:")
    lines = list(orders.of_seller("s-1"))
    print(*lines, sep="\n")
    assert lines == BY_SELLER.shown([sofa, lamp])
    assert list(orders.of_seller("s-1", since_ms=tuesday)) == BY_SELLER.shown([sofa])

    cancelled = orders.cancel("n-1")
    print("buyer b-1 sees that the lamp is cancelled:")
    lines_of_buyer = list(orders.of_buyer("b-1"))
    print(*lines_of_buyer, sep="\n")
    assert lines_of_buyer == BY_BUYER.shown([book, cancelled])

    with suppress(PowerCut):
        dying: Any = OrderRepository(connection)
        dying.writer.delete = _cut_the_power  # the second-to-last step of a change
        dying.change_status("n-2", "paid")
    print("a writer died after it had changed an order:", orders.order("n-2"))
    assert [line.order_number for line in orders.of_seller("s-1", status="paid")] == ["n-2"]
    assert len(orders.writer.pending()) == 1
    recovery = orders.upkeep.recover(older_than_ms=0)
    print("recovery completes the write:", recovery)
    assert recovery.settled == 1
    assert list(orders.upkeep.verify()) == []


class PowerCut(Exception):
    """The writer is dead."""


def _cut_the_power(*_arguments: object) -> None:
    raise PowerCut


if __name__ == "__main__":
    main()
