"""The plain form: what a writer that dies between two puts leaves, and two changes of one order at once.

Placing the order again, or the same change again, mends what is left. Of two changes at once the one that lost raises.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from operator import attrgetter
from threading import Barrier

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.orders import BuyerLine, Order, OrderConflict, SellerLine, UnknownOrder
from domains.orders.design import DESIGN
from shared.stores import connect
from shared.tables import create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at_call
from shared.writes import WriterClock
from tests.engines import examples

from .stopped_writes import LAMP, cancel, pay, place

NOW_MS = 1_700_000_000_000
PUTS = 3
FIRST_PUT = 4
"""The number of a change's first put: after the get of the order, and one of the recorded layout of each table."""
READ_BACK = FIRST_PUT + PUTS
"""The number of the get that ends a change."""
(PLAIN,) = (variant for variant in DESIGN.variants if variant.name == "without-intents")
VARIANTS = [PLAIN]


# ---- deaths


def ship(orders):
    orders.change_status("n-42", "shipped")


DEATHS = {
    "place, then the same": ([], place, (None, "placed"), place, "placed"),
    "pay, then the same": ([place], pay, ("placed", "paid"), pay, "paid"),
    "ship, then the same": ([place, pay], ship, ("paid", "shipped"), ship, "shipped"),
    "pay, then cancel": ([place], pay, ("placed", "paid"), cancel, "cancelled"),
    "pay, then place": ([place], pay, ("placed", "paid"), place, None),
}
"""Writes that were stored before; the one that dies, with the status before and after it; the next write, and the
status then: None if it is the one that the dead writer left."""


@pytest.mark.parametrize("puts", range(PUTS + 1))
@pytest.mark.parametrize("name", DEATHS)
def test_a_writer_that_dies_leaves_an_order_before_its_lines_and_the_next_write_mends_all(
    connection, orders, name, puts
):
    stored_before, write, (old, new), next_write, status = DEATHS[name]
    for earlier in stored_before:
        earlier(orders)
    with suppress(WriterDied):
        write(PLAIN.open(WatchedConnection(connection, dying_at(puts))))
    assert visible_statuses(orders) == [new] * puts + [old] * (PUTS - puts)
    next_write(orders)
    assert visible_statuses(orders) == [status or (new if puts else old)] * PUTS


def visible_statuses(orders):
    """The status of the lamp by number, in its seller's list and in its buyer's; None if it is not there."""
    (of_seller,) = list(orders.of_seller("s-17")) or [None]
    (of_buyer,) = list(orders.of_buyer("b-3")) or [None]
    return [line and line.status for line in (orders.order("n-42"), of_seller, of_buyer)]


PARTIES = [("s-1", "b-1", 5), ("s-1", "b-1", 5), ("s-17", "b-1", 0), ("s-1", "b-12", 6), ("s-17", "b-12", 2**47)]
SOME = [Order(f"n-{number}", *parties, item="lamp", amount=number) for number, parties in enumerate(PARTIES)]
writes = st.lists(
    st.tuples(st.sampled_from(SOME), st.sampled_from([None, "placed", "paid", "cancelled"]), st.integers(0, PUTS)),
    max_size=12,
)


@settings(max_examples=examples(25))
@given(writes=writes)
def test_placing_every_order_again_mends_all_whoever_died_how_often(engine, writes):
    with engine.shared_store(*PLAIN.tables) as connection:
        for order, status, puts in writes:
            writer = PLAIN.open(WatchedConnection(connection, dying_at(puts)))
            with suppress(WriterDied, UnknownOrder, OrderConflict):
                writer.place(order) if status is None else writer.change_status(order.order_number, status)
        orders = PLAIN.open(connection)
        for order in SOME:
            orders.place(order)
        stored = [orders.order(order.order_number) for order in SOME]
        assert [attrs.evolve(order, status="placed") for order in stored] == SOME
        for line_of, query, people in (
            (SellerLine.of, orders.of_seller, ("s-1", "s-17")),
            (BuyerLine.of, orders.of_buyer, ("b-1", "b-12")),
        ):
            lines = [line for person in people for line in query(person)]
            assert sorted(lines, key=attrgetter("order_number")) == [line_of(order) for order in stored]


# ---- two changes at once


class StoppedClock(WriterClock):
    """The clock of a process of its own, which always shows one time."""

    def __init__(self, now_ms):
        super().__init__()
        self._now_ms = now_ms

    def now_ms(self, above_ms=0):
        return max(self._now_ms, above_ms + 1)


def opened(connection, now_ms):
    """A repository with a clock that stands at this time."""
    return PLAIN.open(connection, clock=StoppedClock(now_ms))


def outcome(change, *arguments):
    """The status that a call answers, or None if another change won."""
    with suppress(OrderConflict):
        return change(*arguments).status
    return None


@pytest.mark.parametrize("call", range(READ_BACK + 1))
@pytest.mark.parametrize("later_ms", [-1, 0, 1], ids=["earlier", "in the same millisecond", "later"])
def test_an_answer_is_what_was_stored_whatever_another_change_does_between_any_two_steps(
    connection, orders, call, later_ms
):
    orders.place(LAMP)
    others = []

    def cancel_meanwhile():
        others.append(outcome(opened(connection, NOW_MS + later_ms).cancel, "n-42"))
        others.append(orders.order("n-42").status)

    interrupted = WatchedConnection(connection, before_call=paused_at_call(call, cancel_meanwhile))
    answer = outcome(opened(interrupted, NOW_MS).change_status, "n-42", "paid")
    answer_of_other, stored_after_other = others
    assert answer_of_other in (None, stored_after_other)
    assert answer in (None, orders.order("n-42").status)
    assert answer or answer_of_other


def delete_all(connection):
    for table in PLAIN.tables:
        rows = connection.table(table.name)
        for row, _cells in list(rows.scan()):
            rows.delete(row, timestamp=NOW_MS + 1)


def cancel_later(connection):
    opened(connection, NOW_MS + 1).cancel("n-42")


@pytest.mark.parametrize(
    ("stored_before", "call", "meanwhile", "reason"),
    [
        ([place], READ_BACK, cancel_later, "stored with 'cancelled'"),
        ([place], READ_BACK, delete_all, "gone"),
        ([place, pay], FIRST_PUT, lambda connection: cancel(PLAIN.open(connection)), "stored with 'cancelled'"),
    ],
    ids=["another change", "a delete", "a change of an order that has the status already"],
)
def test_a_change_that_lost_says_what_is_stored(connection, orders, stored_before, call, meanwhile, reason):
    for write in stored_before:
        write(orders)
    interrupted = WatchedConnection(connection, before_call=paused_at_call(call, partial(meanwhile, connection)))
    won = rf"^Order.status: another change of order 'n-42' won, it is {reason} \(got 'paid'\)$"
    with pytest.raises(OrderConflict, match=won):
        opened(interrupted, NOW_MS).change_status("n-42", "paid")


def test_one_of_two_threads_in_one_millisecond_is_answered_and_the_other_told(tmp_path):
    """Neither puts before both have read, nor reads back before both have put."""
    url = f"embedded:{tmp_path / 'orders.db'}"
    both_have_read, both_have_put = (Barrier(2, timeout=30) for _ in range(2))

    def change(status, order_number):
        with closing(connect(url)) as connection:
            waiting = WatchedConnection(connection, before_call=paused_at_call(FIRST_PUT, both_have_read.wait))
            waiting = WatchedConnection(waiting, before_call=paused_at_call(READ_BACK, both_have_put.wait))
            return outcome(opened(waiting, NOW_MS).change_status, order_number, status)

    with closing(connect(url)) as connection, ThreadPoolExecutor(2) as threads:
        create_tables(connection, PLAIN.tables)
        orders = PLAIN.open(connection)
        for number in range(10):
            order = attrs.evolve(LAMP, order_number=f"n-{number}")
            orders.place(order)
            answers = {*threads.map(partial(change, order_number=order.order_number), ["paid", "cancelled"])}
            assert answers == {orders.order(order.order_number).status, None}
