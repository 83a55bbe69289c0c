"""A writer that dies between two rows: what readers see then, and what repairs it."""

import contextlib

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.orders import BuyerLine, Order, OrderConflict, SellerLine, UnknownOrder
from domains.orders.design import DESIGN
from tests.dying import DyingConnection, WriterDied
from tests.engines import examples

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
PUTS = 3

ORDER_FIRST = [variant for variant in DESIGN.variants if variant.name != "index-table"]
order_first = pytest.mark.parametrize("variant", ORDER_FIRST, ids=lambda variant: variant.name)


@pytest.fixture
def dying(connection, variant):
    """Makes a repository whose writer dies after `puts` puts."""
    return lambda puts: variant.open(DyingConnection(connection, mutations=puts))


def visible_statuses(orders):
    """The status of the lamp by number, in its seller's list and in its buyer's; None if it is not there."""
    (of_seller,) = list(orders.of_seller("s-17")) or [None]
    (of_buyer,) = list(orders.of_buyer("b-3")) or [None]
    return tuple(line and line.status for line in (orders.order("n-42"), of_seller, of_buyer))


@order_first
@pytest.mark.parametrize(
    ("puts", "what"),
    [(0, (None, None, None)), (1, ("placed", None, None)), (2, ("placed", "placed", None))],
    ids=["before the order", "before the seller's line", "before the buyer's line"],
)
def test_a_writer_that_dies_while_placing_leaves_no_line_without_its_order(orders, dying, puts, what):
    with pytest.raises(WriterDied):
        dying(puts).place(LAMP)
    assert visible_statuses(orders) == what


@order_first
@pytest.mark.parametrize(
    ("puts", "what"),
    [(0, ("placed", "placed", "placed")), (1, ("paid", "placed", "placed")), (2, ("paid", "paid", "placed"))],
)
def test_a_writer_that_dies_while_changing_a_status_leaves_the_old_one_in_lists(orders, dying, puts, what):
    orders.place(LAMP)
    with pytest.raises(WriterDied):
        dying(puts).change_status("n-42", "paid")
    assert visible_statuses(orders) == what


@order_first
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


@pytest.mark.parametrize("variant", DESIGN.variants, ids=lambda variant: variant.name)
@settings(max_examples=examples(25))
@given(writes=writes)
def test_whoever_dies_how_often_placing_every_order_again_mends_all(engine, variant, writes):
    with engine.shared_store(*variant.tables) as connection:
        for order, status, puts in writes:
            writer = variant.open(DyingConnection(connection, mutations=puts))
            with contextlib.suppress(WriterDied, UnknownOrder):
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
