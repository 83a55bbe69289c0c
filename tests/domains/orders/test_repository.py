"""Every question and every write, in every variant of the tables."""

from functools import partial
from itertools import count

import attrs
import pytest
from Hbase_thrift import IOError as HBaseIOError

from domains.orders import Order, OrderConflict, UnknownOrder
from domains.orders.keys import BY_BUYER, BY_SELLER
from domains.orders.shown.design import DESIGN
from shared.designs import metered
from shared.keys import InvalidKey, InvalidQuestion
from shared.testing import WatchedConnection, paused_at_call
from shared.testing.stored_samples import stored_cells
from tests.domains import variants

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
CUP = attrs.evolve(LAMP, order_number="n-44", item="cup")
DESK = attrs.evolve(LAMP, order_number="n-43", placed_ms=LAMP.placed_ms + 1, item="desk", amount=10**21)
LAST_MS = 253_402_300_799_999

only = partial(variants.only, DESIGN)
plain = only("without-intents")
with_intents = only(*(name for name in variants.named(DESIGN) if name not in ("without-intents", "thin-index")))


def dump(connection, variant):
    """Every cell of every table, with its timestamp."""
    return {table.name: list(connection.table(table.name).scan(include_timestamp=True)) for table in variant.tables}


def place(orders, *numbers, **changes):
    """Places a lamp under each of these numbers."""
    for number in numbers:
        orders.place(attrs.evolve(LAMP, order_number=number, **changes))


def numbers_of(query):
    return [record.order_number for record in query]


# ---- questions


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [(0, 1, ["n-0"]), (0, 2, ["n-1", "n-0"]), (1, None, ["n-2", "n-1"]), (None, 1, ["n-0"]), (1, 1, [])],
)
def test_a_period_is_half_open(orders, since, until, expected):
    for placed_ms in range(3):
        place(orders, f"n-{placed_ms}", placed_ms=placed_ms)
    assert numbers_of(orders.of_seller("s-17", since_ms=since, until_ms=until)) == expected
    assert numbers_of(orders.of_buyer("b-3", since_ms=since, until_ms=until)) == expected


@only("orders", "oldest-first", "index-table")
@pytest.mark.parametrize(
    ("prefix", "expected"),
    [("n-4", ["n-4", "n-42", "n-420"]), ("", ["m-4", "n-4", "n-42", "n-420", "n-5"]), ("n-6", [])],
)
def test_orders_whose_numbers_begin_alike_come_by_number(orders, prefix, expected):
    for number in ("n-5", "n-42", "n-4", "m-4", "n-420"):
        place(orders, number, seller_id=f"of {number}")
    paid = orders.change_status("n-42", "paid")
    assert numbers_of(orders.numbered(prefix)) == expected
    assert paid in orders.numbered("n-42")


@only("hashed-number")
def test_hashed_numbers_that_begin_alike_are_in_no_range(orders):
    many = r"needs a single value for order_number, because HashPrefix\(.*\) has more than 1024 values$"
    with pytest.raises(InvalidQuestion, match=f"^OrderByNumber: {many}"):
        orders.numbered("n-4")


def test_orders_of_a_status_are_those_that_have_it_now(orders):
    for order in (LAMP, DESK, CUP):
        orders.place(order)
    paid = [orders.change_status(order.order_number, "paid") for order in (LAMP, CUP)]
    assert {*orders.with_status("paid")} == {*paid}
    assert (list(orders.with_status("placed")), list(orders.with_status("shipped"))) == ([DESK], [])
    for question in (orders.with_status, partial(orders.of_seller, "s-17"), partial(orders.of_buyer, "b-3")):
        with pytest.raises(InvalidQuestion, match=r"^status: must be one of placed, .*, cancelled \(got 'lost'\)$"):
            question(status="lost")


def test_an_order_that_gets_another_status_before_any_call_of_the_question_is_not_shown_with_it(connection, variant):
    orders = variant.open(connection)
    statuses = []
    for call in count():
        place(orders, f"n-{call}", status="paid")
        ship = partial(orders.change_status, f"n-{call}", "shipped")
        reader = WatchedConnection(connection, before_call=paused_at_call(call, ship))
        statuses += [order.status for order in variant.open(reader).with_status("paid")]
        if reader.number_of_calls <= call:
            break
    assert {*statuses} == {"paid"}


# ---- writes


def test_a_change_of_status_shows_everywhere_even_after_an_order_of_the_future(orders):
    orders.place(attrs.evolve(LAMP, placed_ms=LAST_MS))
    for status in ("paid", "shipped"):
        changed = orders.change_status("n-42", status)
        assert orders.order("n-42") == changed == attrs.evolve(LAMP, placed_ms=LAST_MS, status=status)
        assert list(orders.of_seller("s-17")) == BY_SELLER.shown([changed])
        assert list(orders.of_buyer("b-3")) == BY_BUYER.shown([changed])


def test_a_cancelled_order_stays_in_the_lists_and_allows_no_other_status(orders):
    orders.place(LAMP)
    orders.cancel("n-42")
    assert [line.status for line in orders.of_seller("s-17")] == ["cancelled"]
    with pytest.raises(OrderConflict, match=r"order 'n-42' is cancelled, which allows no other status \(got 'paid'\)"):
        orders.change_status("n-42", "paid")
    with pytest.raises(UnknownOrder, match=r"^Order.order_number: no order 'n-43'$"):
        orders.cancel("n-43")


@plain
def test_a_change_writes_the_status_alone_everywhere_with_one_time_above_the_one_before(connection, variant, orders):
    orders.place(attrs.evolve(LAMP, placed_ms=LAST_MS))
    for changes, status in enumerate(("paid", "shipped"), start=1):
        orders.change_status("n-42", status)
        rows = [cells for rows in dump(connection, variant).values() for _, cells in rows]
        assert {cells[b"o:st"][1] for cells in rows if b"o:st" in cells} == {LAST_MS + changes}
        (whole,) = (cells for cells in rows if b"o:b" in cells)  # the line of a list has no buyer
        assert {column for column, (_, written_ms) in whole.items() if written_ms != LAST_MS} == {b"o:st"}


def test_placing_an_order_again_changes_nothing_even_after_a_change(connection, variant, orders):
    orders.place(LAMP)
    orders.place(DESK)
    orders.change_status("n-43", "paid")
    before = dump(connection, variant)
    orders.place(LAMP)
    orders.place(DESK)
    assert dump(connection, variant) == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("seller_id", "s-1"), ("buyer_id", "b-30"), ("item", "lamps"), ("amount", 498)),
        *(("placed_ms", LAMP.placed_ms - 1), ("placed_ms", LAMP.placed_ms + 1), ("status", "paid")),
    ],
)
def test_another_order_under_a_number_that_is_taken_is_refused_and_changes_nothing(
    connection, variant, orders, field, value
):
    orders.place(LAMP)
    before = dump(connection, variant)
    stored = getattr(LAMP, field)
    conflict = rf"Order.{field}: order 'n-42' is stored with {stored!r} .got {value!r}.(; use change_status)?$"
    with pytest.raises(OrderConflict, match=conflict):
        orders.place(attrs.evolve(LAMP, **{field: value}))
    assert dump(connection, variant) == before


def test_a_conflict_of_amounts_of_any_size_is_refused_in_short(orders):
    orders.place(attrs.evolve(LAMP, amount=10**5000))
    with pytest.raises(OrderConflict, match=r"^Order.amount: order 'n-42' is stored with an int of 16610 bits .got 1."):
        orders.place(attrs.evolve(LAMP, amount=1))


@pytest.mark.parametrize("field", ["order_number", "seller_id", "buyer_id"])
def test_an_order_with_a_key_that_is_too_long_is_refused_whole(connection, variant, orders, field):
    # HBase's client finds the region of so long a row only if it knows that region already.
    with pytest.raises((InvalidKey, HBaseIOError), match=r"a row key has 1\.\.32767 bytes|RetriesExhausted"):
        orders.place(attrs.evolve(LAMP, **{field: "x" * 32_760}))
    assert not any(stored_cells(connection, variant.tables).values())


@plain
def test_an_order_stored_before_orders_had_a_status_is_placed_and_can_change(connection, variant, orders):
    orders.place(LAMP)
    of_orders = connection.table(variant.tables[0].name)
    ((row, _cells),) = of_orders.scan()
    of_orders.delete(row, columns=[b"o:st"], timestamp=LAMP.placed_ms)
    assert orders.order("n-42") == LAMP
    orders.place(LAMP)
    assert orders.cancel("n-42") == orders.order("n-42") == attrs.evolve(LAMP, status="cancelled")


# ---- costs


PLACE, GET, PAY = ("place", LAMP), ("order", "n-42"), ("change_status", "n-42", "paid")


@with_intents
def test_a_write_costs_one_get_five_puts_and_a_decision_a_change_one_delete_more_and_the_same_again_two_puts(
    connection, orders
):
    """The first write of a connection also compares the clocks, which costs a get and a put."""
    costs = []
    for name, *arguments in (("place", DESK), PLACE, GET, PLACE, PAY, PAY):
        with metered(connection) as cost:
            getattr(orders, name)(*arguments)
        costs.append((len(cost.ranges), cost.rpcs - len(cost.ranges)))
    assert costs == [(2, 7), (1, 6), (1, 0), (1, 2), (1, 7), (1, 2)]
