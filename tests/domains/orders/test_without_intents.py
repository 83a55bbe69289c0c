"""The plain form: what a writer that dies between two puts leaves, and two changes of one order at once.

Placing the order again, or the same change again, mends what is left. Of two changes at once the one that lost raises.
"""

from contextlib import suppress
from functools import partial

import pytest

from domains.orders import OrderConflict
from domains.orders.shown.design import DESIGN
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at_call
from shared.writes import WriterClock

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
