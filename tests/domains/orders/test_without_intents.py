"""The plain form: what a writer that dies between two puts leaves, and two changes of one order at once.

Placing the order again, or the same change again, mends what is left. Of two changes at once the one that lost raises.
"""

import threading
from contextlib import closing, suppress
from functools import partial

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

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
NOW_MS = 1_700_000_000_000
PUTS = 3
FIRST_PUT = 4
"""The number of a change's first put: after the get of the order, and one of the recorded layout of each table."""
READ_BACK = FIRST_PUT + PUTS
"""The number of the get that ends a change."""
(PLAIN,) = (variant for variant in DESIGN.variants if variant.name == "without-intents")


@pytest.fixture
def variant():
    return PLAIN


@pytest.fixture
def dying(connection, variant):
    """Makes a repository whose writer dies after `puts` puts."""
    return lambda puts: variant.open(WatchedConnection(connection, dying_at(puts)))


def visible_statuses(orders):
    """The status of the lamp by number, in its seller's list and in its buyer's; None if it is not there."""
    (of_seller,) = list(orders.of_seller("s-17")) or [None]
    (of_buyer,) = list(orders.of_buyer("b-3")) or [None]
    return tuple(line and line.status for line in (orders.order("n-42"), of_seller, of_buyer))


@pytest.mark.parametrize(
    ("puts", "what"),
    [(0, (None, None, None)), (1, ("placed", None, None)), (2, ("placed", "placed", None))],
    ids=["before the order", "before the seller's line", "before the buyer's line"],
)
def test_a_writer_that_dies_while_placing_leaves_no_line_without_its_order(orders, dying, puts, what):
    with pytest.raises(WriterDied):
        dying(puts).place(LAMP)
    assert visible_statuses(orders) == what


@pytest.mark.parametrize(
    ("puts", "what"),
    [(0, ("placed", "placed", "placed")), (1, ("paid", "placed", "placed")), (2, ("paid", "paid", "placed"))],
)
def test_a_writer_that_dies_while_changing_a_status_leaves_the_old_one_in_lists(orders, dying, puts, what):
    orders.place(LAMP)
    with pytest.raises(WriterDied):
        dying(puts).change_status("n-42", "paid")
    assert visible_statuses(orders) == what


@pytest.mark.parametrize("puts", [1, 2])
@pytest.mark.parametrize("change", [{"seller_id": "s-1"}, {"placed_ms": LAMP.placed_ms + 1}, {"item": "desk"}], ids=str)
def test_a_writer_that_died_has_the_number_as_soon_as_a_reader_sees_anything(orders, dying, puts, change):
    with pytest.raises(WriterDied):
        dying(puts).place(LAMP)
    with pytest.raises(OrderConflict):
        orders.place(attrs.evolve(LAMP, **change))


@pytest.mark.parametrize("puts", range(PUTS))
def test_placing_again_mends_what_a_writer_left_who_died_while_placing(orders, dying, puts):
    with pytest.raises(WriterDied):
        dying(puts).place(LAMP)
    orders.place(LAMP)
    assert visible_statuses(orders) == ("placed", "placed", "placed")
    assert orders.order("n-42") == LAMP


@pytest.mark.parametrize("puts", range(PUTS))
def test_the_same_change_again_mends_what_a_writer_left_who_died_while_changing(orders, dying, puts):
    orders.place(LAMP)
    with pytest.raises(WriterDied):
        dying(puts).change_status("n-42", "paid")
    orders.change_status("n-42", "paid")
    assert visible_statuses(orders) == ("paid", "paid", "paid")


@pytest.mark.parametrize("puts", range(PUTS))
def test_a_change_again_is_mended_over_the_change_before_it(orders, dying, puts):
    orders.place(LAMP)
    orders.change_status("n-42", "paid")
    with pytest.raises(WriterDied):
        dying(puts).change_status("n-42", "shipped")
    orders.change_status("n-42", "shipped")
    assert visible_statuses(orders) == ("shipped", "shipped", "shipped")


@pytest.mark.parametrize("puts", range(PUTS))
def test_placing_again_after_a_death_while_changing_brings_the_lines_up_to_date(orders, dying, puts):
    orders.place(LAMP)
    with pytest.raises(WriterDied):
        dying(puts).change_status("n-42", "paid")
    orders.place(LAMP)
    assert len(set(visible_statuses(orders))) == 1


@pytest.mark.parametrize("puts", range(PUTS))
def test_another_change_after_a_death_while_changing_wins_everywhere(orders, dying, puts):
    orders.place(LAMP)
    with pytest.raises(WriterDied):
        dying(puts).change_status("n-42", "paid")
    orders.cancel("n-42")
    assert visible_statuses(orders) == ("cancelled", "cancelled", "cancelled")


def test_a_writer_that_may_put_three_times_does_not_die(orders, dying):
    dying(PUTS).place(LAMP)
    dying(PUTS).change_status("n-42", "paid")
    assert visible_statuses(orders) == ("paid", "paid", "paid")


SOME = [
    Order(f"n-{number}", seller_id, buyer_id, placed_ms, item="lamp", amount=number)
    for number, (seller_id, buyer_id, placed_ms) in enumerate(
        [
            ("s-1", "b-1", 5),
            ("s-1", "b-1", 5),
            ("s-17", "b-1", 0),
            ("s-1", "b-12", 6),
            ("s-17", "b-12", 253_402_300_799_999),
        ]
    )
]
writes = st.lists(
    st.tuples(st.sampled_from(SOME), st.sampled_from([None, "placed", "paid", "cancelled"]), st.integers(0, PUTS)),
    max_size=12,
)


@settings(max_examples=examples(25))
@given(writes=writes)
def test_whoever_dies_how_often_placing_every_order_again_mends_all(engine, writes):
    variant = PLAIN
    with engine.shared_store(*variant.tables) as connection:
        for order, status, puts in writes:
            writer = variant.open(WatchedConnection(connection, dying_at(puts)))
            with suppress(WriterDied, UnknownOrder, OrderConflict):
                writer.place(order) if status is None else writer.change_status(order.order_number, status)
        orders = variant.open(connection)
        for order in SOME:
            orders.place(order)
        stored = [orders.order(order.order_number) for order in SOME]
        assert [attrs.evolve(order, status="placed") for order in stored] == SOME
        lists = [line for who in ("s-1", "s-17") for line in orders.of_seller(who)]
        assert sorted(lists, key=number_of) == [SellerLine.of(order) for order in stored]
        lists = [line for who in ("b-1", "b-12") for line in orders.of_buyer(who)]
        assert sorted(lists, key=number_of) == [BuyerLine.of(order) for order in stored]


def number_of(line):
    return line.order_number


# ---- two changes at once --------------------------------------------------------------------------


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


@pytest.mark.parametrize("call", range(READ_BACK + 1))
@pytest.mark.parametrize("later_ms", [-1, 0, 1], ids=["earlier", "in the same millisecond", "later"])
def test_an_answer_is_what_was_stored_whatever_another_change_does_between_any_two_steps(
    connection, variant, orders, call, later_ms
):
    orders.place(LAMP)
    others = []

    def cancel():
        others.append(outcome(opened(variant, connection, NOW_MS + later_ms).cancel, "n-42"))
        others.append(orders.order("n-42").status)

    interrupted = WatchedConnection(connection, before_call=paused_at_call(call, cancel))
    answer = outcome(opened(variant, interrupted, NOW_MS).change_status, "n-42", "paid")
    stored = orders.order("n-42").status
    answer_of_other, stored_after_other = others
    assert answer_of_other in (None, stored_after_other)
    assert answer in (None, stored)
    assert answer or answer_of_other


def test_a_change_that_lost_says_what_is_stored(connection, variant, orders):
    orders.place(LAMP)
    cancel = partial(opened(variant, connection, NOW_MS + 1).cancel, "n-42")
    interrupted = WatchedConnection(connection, before_call=paused_at_call(READ_BACK, cancel))
    with pytest.raises(OrderConflict) as refused:
        opened(variant, interrupted, NOW_MS).change_status("n-42", "paid")
    reason = "another change of order 'n-42' won, it is stored with 'cancelled' (got 'paid')"
    assert str(refused.value) == f"Order.status: {reason}"


def test_a_change_whose_order_is_deleted_meanwhile_is_told(connection, variant, orders):
    orders.place(LAMP)

    def delete():
        for table in variant.tables:
            rows = connection.table(table.name)
            for row, _cells in list(rows.scan()):
                rows.delete(row, timestamp=NOW_MS + 1)

    interrupted = WatchedConnection(connection, before_call=paused_at_call(READ_BACK, delete))
    with pytest.raises(OrderConflict, match=r"won, it is gone .got 'paid'.$"):
        opened(variant, interrupted, NOW_MS).change_status("n-42", "paid")


def test_the_status_that_an_order_has_already_is_read_back_too(connection, variant, orders):
    orders.place(LAMP)
    orders.change_status("n-42", "paid")
    interrupted = WatchedConnection(connection, before_call=paused_at_call(FIRST_PUT, lambda: orders.cancel("n-42")))
    with pytest.raises(OrderConflict, match=r"stored with 'cancelled' .got 'paid'."):
        variant.open(interrupted).change_status("n-42", "paid")


def test_of_two_threads_in_one_millisecond_one_is_answered_and_the_other_told(tmp_path):
    url = f"embedded:{tmp_path / 'orders.db'}"
    with closing(connect(url)) as connection:
        create_tables(connection, PLAIN.tables)
        orders = PLAIN.open(connection)
        for number in range(20):
            order = attrs.evolve(LAMP, order_number=f"n-{number}")
            orders.place(order)
            answers = at_once(url, PLAIN, order.order_number, ["paid", "cancelled"])
            stored = orders.order(order.order_number).status
            assert sorted(answers, key=str) == sorted([stored, None], key=str)


def at_once(url, variant, order_number, statuses):
    """What each of several threads is answered: none puts before all have read, or reads back before all have put."""
    all_have_read, all_have_put = (threading.Barrier(len(statuses), timeout=30) for _ in range(2))
    answers = [None] * len(statuses)

    def change(at):
        with closing(connect(url)) as connection:
            waiting = WatchedConnection(connection, before_call=paused_at_call(FIRST_PUT, all_have_read.wait))
            waiting = WatchedConnection(waiting, before_call=paused_at_call(READ_BACK, all_have_put.wait))
            answers[at] = outcome(opened(variant, waiting, NOW_MS).change_status, order_number, statuses[at])

    threads = [threading.Thread(target=change, args=(at,)) for at in range(len(statuses))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
