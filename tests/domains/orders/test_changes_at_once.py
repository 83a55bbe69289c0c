"""Two changes of one order's status at once: an answer is what was stored, and the change that lost raises."""

import threading
from contextlib import ExitStack, closing, suppress
from itertools import count

import attrs
import pytest

from domains.orders import Order, OrderConflict, OrderRepository
from domains.orders.design import DESIGN
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import WriterClock
from tests.interleaved import InterleavedConnection

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
NOW_MS = 1_700_000_000_000
PUTS = 3


class StoppedClock(WriterClock):
    """The clock of a process of its own, which always shows one time."""

    def __init__(self, now_ms):
        super().__init__()
        self._now_ms = now_ms

    def now_ms(self, above_ms=0):
        return max(self._now_ms, above_ms + 1)


def opened(variant, connection, now_ms):
    """A repository with a clock that stands at this time."""
    return variant.open(connection, clock=StoppedClock(now_ms))


def outcome(change, *arguments):
    """The status that a call answers, or None if another change won."""
    with suppress(OrderConflict):
        return change(*arguments).status
    return None


@pytest.mark.parametrize("before_put", range(PUTS + 1))
@pytest.mark.parametrize("later_ms", [-1, 0, 1], ids=["earlier", "in the same millisecond", "later"])
def test_an_answer_is_what_was_stored_whatever_another_change_does_between_any_two_steps(
    connection, variant, orders, before_put, later_ms
):
    orders.place(LAMP)
    others = []

    def cancel():
        others.append(outcome(opened(variant, connection, NOW_MS + later_ms).cancel, "n-42"))
        others.append(orders.order("n-42").status)

    # A fourth "put" is the end of all puts, before the order is read again.
    interleaved = InterleavedConnection(connection, before_put, cancel, puts=PUTS)
    answer = outcome(opened(variant, interleaved, NOW_MS).change_status, "n-42", "shipped")
    stored = orders.order("n-42").status
    answer_of_other, stored_after_other = others
    assert answer_of_other in (None, stored_after_other)
    assert answer in (None, stored)
    assert answer or answer_of_other


def test_a_change_that_lost_says_what_is_stored(connection, variant, orders):
    orders.place(LAMP)
    cancel = InterleavedConnection(
        connection, PUTS, lambda: opened(variant, connection, NOW_MS + 1).cancel("n-42"), puts=PUTS
    )
    with pytest.raises(OrderConflict) as refused:
        opened(variant, cancel, NOW_MS).change_status("n-42", "shipped")
    reason = "another change of order 'n-42' won, it is stored with 'cancelled' (got 'shipped')"
    assert str(refused.value) == f"Order.status: {reason}"


def test_a_change_whose_order_is_deleted_meanwhile_is_told(connection, variant, orders):
    orders.place(LAMP)

    def delete():
        for table in variant.tables:
            rows = connection.table(table.name)
            for row, _cells in list(rows.scan()):
                rows.delete(row, timestamp=NOW_MS + 1)

    with pytest.raises(OrderConflict, match=r"won, it is gone .got 'shipped'.$"):
        opened(variant, InterleavedConnection(connection, PUTS, delete, puts=PUTS), NOW_MS).change_status(
            "n-42", "shipped"
        )


def test_the_status_that_an_order_has_already_is_read_back_too(connection, variant, orders):
    orders.place(LAMP)
    orders.change_status("n-42", "paid")
    cancel = InterleavedConnection(connection, 0, lambda: orders.cancel("n-42"), puts=PUTS)
    with pytest.raises(OrderConflict, match=r"stored with 'cancelled' .got 'paid'."):
        variant.open(cancel).change_status("n-42", "paid")


@pytest.mark.parametrize("variant", DESIGN.variants, ids=lambda variant: variant.name)
def test_of_two_threads_in_one_millisecond_one_is_answered_and_the_other_told(tmp_path, variant):
    url = f"embedded:{tmp_path / 'orders.db'}"
    with closing(connect(url)) as connection:
        create_tables(connection, variant.tables)
        orders = variant.open(connection)
        for number in range(20):
            order = attrs.evolve(LAMP, order_number=f"n-{number}")
            orders.place(order)
            answers = at_once(url, variant, order.order_number, ["shipped", "cancelled"])
            stored = orders.order(order.order_number).status
            assert sorted(answers, key=str) == sorted([stored, None], key=str)


def at_once(url, variant, order_number, statuses):
    """What each of several threads is answered, none of which reads back before all have put."""
    all_have_put = threading.Barrier(len(statuses), timeout=30)
    answers = [None] * len(statuses)

    def change(at):
        with closing(connect(url)) as connection:
            interleaved = InterleavedConnection(connection, PUTS, all_have_put.wait, puts=PUTS)
            answers[at] = outcome(opened(variant, interleaved, NOW_MS).change_status, order_number, statuses[at])

    threads = [threading.Thread(target=change, args=(at,)) for at in range(len(statuses))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_of_threads_that_change_one_order_freely_the_last_one_stored_was_answered(tmp_path):
    url = f"embedded:{tmp_path / 'orders.db'}"
    variant = DESIGN.main
    with ExitStack() as stores:
        connections = [stores.enter_context(closing(connect(url))) for _ in range(4)]
        create_tables(connections[0], variant.tables)
        orders = OrderRepository(connections[0])
        orders.place(LAMP)
        ticks = count(NOW_MS)
        for _ in range(15):
            now_ms = next(ticks)
            answers = []

            def change(connection, status, now_ms=now_ms, answers=answers):
                answers.append(outcome(opened(variant, connection, now_ms).change_status, "n-42", status))

            threads = [
                threading.Thread(target=change, args=(connection, status))
                for connection, status in zip(connections[1:], ["paid", "shipped", "cancelled"], strict=True)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert orders.order("n-42").status in answers
