"""Threads that change one order's status at once: an answer is what was stored, and the change that lost raises."""

import threading
from contextlib import ExitStack, closing, suppress
from operator import attrgetter

import attrs
import pytest

from domains.orders import Order, OrderConflict, OrderRepository
from domains.orders.design import DESIGN
from shared.stores import connect
from shared.tables import create_tables

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
WITH_INTENTS = [variant for variant in DESIGN.variants if variant.name != "without-intents"]


def outcome(change, *arguments):
    """The status that a call answers, or None if another change won."""
    with suppress(OrderConflict):
        return change(*arguments).status
    return None


def at_once(*calls):
    """What each of these calls answers, each in a thread of its own."""
    answers = [None] * len(calls)
    ready = threading.Barrier(len(calls), timeout=30)

    def run(at):
        ready.wait()
        answers[at] = calls[at]()

    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.fixture
def repositories(tmp_path, variant):
    """Makes repositories, each on a connection of its own to one store."""
    url = f"embedded:{tmp_path / 'orders.db'}"
    with ExitStack() as stores:
        connections = [stores.enter_context(closing(connect(url))) for _ in range(3)]
        create_tables(connections[0], variant.tables)
        yield [variant.open(connection) for connection in connections]


@pytest.mark.parametrize("variant", WITH_INTENTS, ids=attrgetter("name"))
def test_of_threads_that_change_one_order_at_once_the_last_one_stored_was_answered(repositories):
    orders = repositories[0]
    for number in range(10):
        order = attrs.evolve(LAMP, order_number=f"n-{number}")
        orders.place(order)
        answers = at_once(
            lambda: outcome(repositories[1].change_status, order.order_number, "paid"),  # noqa: B023
            lambda: outcome(repositories[2].cancel, order.order_number),  # noqa: B023
        )
        stored = orders.order(order.order_number).status
        assert answers == ["paid", "cancelled"] or (stored == "cancelled" and answers == [None, "cancelled"])
        assert [line.status for line in orders.of_seller("s-17", status=stored)].count(stored) == number + 1
    assert orders.upkeep.pending() == []
    assert list(orders.upkeep.verify()) == []


@pytest.mark.parametrize("variant", [DESIGN.main], ids=attrgetter("name"))
def test_of_orders_placed_at_once_under_one_number_one_is_stored_and_the_others_are_told(repositories):
    def place(orders, order):
        with suppress(OrderConflict):
            orders.place(order)
            return order
        return None

    for number in range(10):
        placed = [attrs.evolve(LAMP, order_number=f"n-{number}", seller_id=f"s-{at}") for at in range(3)]
        answers = at_once(*(lambda pair=pair: place(*pair) for pair in zip(repositories, placed, strict=True)))
        orders: OrderRepository = repositories[0]
        assert [answer for answer in answers if answer] == [orders.order(f"n-{number}")]
        lists = [line for at in range(3) for line in orders.of_seller(f"s-{at}") if line.order_number == f"n-{number}"]
        assert len(lists) == 1
