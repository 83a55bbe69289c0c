"""Every question and every write, in every variant of the tables."""

from functools import partial
from itertools import count

import attrs
import pytest

from domains.orders import BuyerLine, Order, OrderConflict, SellerLine, UnknownOrder
from domains.orders.design import DESIGN
from shared.designs import metered
from shared.keys import InvalidKey, InvalidQuestion
from shared.tables import InvalidRow
from shared.testing import WatchedConnection, paused_at_call
from tests.engines import located

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
CUP = attrs.evolve(LAMP, order_number="n-44", item="cup")
DESK = attrs.evolve(LAMP, order_number="n-43", placed_ms=LAMP.placed_ms + 1, item="desk", amount=10**21)

BY_NAME = {variant.name: variant for variant in DESIGN.variants}


def only(*names):
    """Runs a test for these variants."""
    return pytest.mark.parametrize("variant", [BY_NAME[name] for name in names], ids=names)


plain = only("without-intents")
with_intents = only(*(name for name in BY_NAME if name != "without-intents"))
main_variant = only(DESIGN.main.name)
"""Runs a test that would be the same for every variant: a refused question, a damaged cursor."""


def seller_line(order):
    return SellerLine(order.seller_id, order.placed_ms, order.order_number, order.item, order.amount, order.status)


def buyer_line(order):
    return BuyerLine(order.buyer_id, order.placed_ms, order.order_number, order.item, order.amount, order.status)


def dump(connection, variant):
    """Every cell of every table, with its timestamp."""
    return {table.name: list(connection.table(table.name).scan(include_timestamp=True)) for table in variant.tables}


def all_pages(query, limit):
    """The records of page after page."""
    seen, cursor = [], None
    while True:
        page = query.page(limit, cursor)
        assert len(page.records) <= limit
        seen += page.records
        cursor = page.cursor
        if cursor is None:
            return seen


def test_an_order_is_found_by_its_number(orders):
    orders.place(LAMP)
    assert orders.order("n-42") == LAMP


def test_a_number_that_nobody_placed_is_none(orders):
    orders.place(DESK)
    assert orders.order("n-42") is None


def test_a_number_that_begins_like_another_is_none(orders):
    orders.place(LAMP)
    assert orders.order("n-4") is None
    assert orders.order("n-420") is None


def test_a_sellers_orders_come_newest_first(orders):
    orders.place(LAMP)
    orders.place(DESK)
    assert list(orders.of_seller("s-17")) == [seller_line(DESK), seller_line(LAMP)]


def test_a_buyers_orders_come_newest_first(orders):
    orders.place(DESK)
    orders.place(LAMP)
    assert list(orders.of_buyer("b-3")) == [buyer_line(DESK), buyer_line(LAMP)]


@pytest.mark.parametrize(
    ("since", "until", "found"), [(0, 1, [0]), (0, 2, [1, 0]), (1, None, [2, 1]), (None, 1, [0]), (1, 1, [])]
)
def test_a_period_is_half_open(orders, since, until, found):
    for at in range(3):
        orders.place(attrs.evolve(LAMP, order_number=f"n-{at}", placed_ms=at))
    of_seller = list(orders.of_seller("s-17", since_ms=since, until_ms=until))
    assert [line.placed_ms for line in of_seller] == found
    of_buyer = list(orders.of_buyer("b-3", since_ms=since, until_ms=until))
    assert [line.order_number for line in of_buyer] == [line.order_number for line in of_seller]


@pytest.mark.parametrize("seller_id", ["1", "12", "123"])
def test_a_seller_whose_id_begins_with_anothers_is_somebody_else(orders, seller_id):
    for other in ("1", "12", "123"):
        orders.place(attrs.evolve(LAMP, order_number=f"of {other}", seller_id=other))
    assert [line.order_number for line in orders.of_seller(seller_id)] == [f"of {seller_id}"]


def test_orders_of_one_seller_in_one_millisecond_are_all_kept(orders):
    placed = [attrs.evolve(LAMP, order_number=f"n-{number}") for number in range(22)]
    for order in placed:
        orders.place(order)
    assert sorted(line.order_number for line in orders.of_seller("s-17")) == sorted(
        order.order_number for order in placed
    )


def test_a_sellers_orders_of_a_status_are_read_from_their_list_alone(orders, variant):
    orders.place(LAMP)
    orders.place(attrs.evolve(DESK, status="paid"))
    page = orders.of_seller("s-17", status="paid").page()
    rows_read = 2 if variant.name == "without-intents" else 1  # which drops the others
    assert ([line.order_number for line in page.records], page.rows_read) == (["n-43"], rows_read)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_end_and_go_on_between_orders_of_one_millisecond(orders, limit):
    for number in range(7):
        orders.place(attrs.evolve(LAMP, order_number=f"n-{number}", placed_ms=number // 4))
    whole = list(orders.of_seller("s-17"))
    assert all_pages(orders.of_seller("s-17"), limit) == whole
    assert len(whole) == 7


@main_variant
def test_an_unknown_status_is_refused(orders):
    with pytest.raises(InvalidQuestion, match=r"status: must be one of placed, paid, shipped, cancelled .got 'lost'."):
        orders.of_seller("s-17", status="lost")


def test_a_change_of_status_shows_everywhere(orders):
    orders.place(LAMP)
    paid = orders.change_status("n-42", "paid")
    assert orders.order("n-42") == paid == attrs.evolve(LAMP, status="paid")
    assert list(orders.of_seller("s-17")) == [seller_line(paid)]
    assert list(orders.of_buyer("b-3")) == [buyer_line(paid)]


def test_a_cancelled_order_stays_in_the_lists(orders):
    orders.place(LAMP)
    orders.cancel("n-42")
    assert [line.status for line in orders.of_seller("s-17")] == ["cancelled"]


def test_a_change_wins_over_an_order_dated_in_the_future(orders):
    orders.place(attrs.evolve(LAMP, placed_ms=253_402_300_799_999))
    orders.change_status("n-42", "paid")
    orders.change_status("n-42", "shipped")
    assert orders.order("n-42").status == orders.of_seller("s-17").first().status == "shipped"


@plain
def test_a_change_is_written_everywhere_with_one_time_above_the_one_before(connection, variant, orders):
    last_ms = 253_402_300_799_999
    orders.place(attrs.evolve(LAMP, placed_ms=last_ms))
    for changes, status in enumerate(("paid", "shipped"), start=1):
        orders.change_status("n-42", status)
        stored = {
            cells[b"o:st"][1] for rows in dump(connection, variant).values() for _, cells in rows if b"o:st" in cells
        }
        assert stored == {last_ms + changes}


@plain
def test_a_change_leaves_all_but_the_status_of_an_order_as_it_was_written(connection, variant, orders):
    orders.place(LAMP)
    orders.change_status("n-42", "paid")
    rows = [cells for rows in dump(connection, variant).values() for _, cells in rows]
    (whole,) = (cells for cells in rows if b"o:b" in cells)  # a list line has no buyer
    assert {column for column, (_, written_ms) in whole.items() if written_ms != LAMP.placed_ms} == {b"o:st"}


@with_intents
def test_the_lines_of_an_order_have_one_time_which_each_change_raises(connection, variant, orders):
    orders.place(LAMP)
    times = []
    for status in ("paid", "shipped"):
        orders.change_status("n-42", status)
        stored = dump(connection, variant)
        lists = [cells for name in (variant.tables[1].name, variant.tables[2].name) for _, cells in stored[name]]
        (time_ms,) = {written_ms for cells in lists for _, written_ms in cells.values()}
        assert time_ms == orders.writer.reader.read(orders.writer.source.row(LAMP)).time_ms
        times.append(time_ms)
    assert times == sorted({*times})


def test_the_status_of_an_unknown_order_cannot_change(orders):
    with pytest.raises(UnknownOrder, match=r"no order 'n-42'"):
        orders.change_status("n-42", "paid")


def test_placing_an_order_again_changes_nothing(connection, variant, orders):
    orders.place(LAMP)
    orders.place(DESK)
    orders.change_status("n-43", "paid")
    before = dump(connection, variant)
    orders.place(LAMP)
    orders.place(DESK)
    assert dump(connection, variant) == before


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("seller_id", "s-1"),
        ("buyer_id", "b-30"),
        ("placed_ms", LAMP.placed_ms - 1),
        ("placed_ms", LAMP.placed_ms + 1),
        ("item", "lamps"),
        ("amount", 498),
    ],
)
def test_another_order_under_a_number_that_is_taken_is_refused_and_changes_nothing(
    connection, variant, orders, field, other
):
    orders.place(LAMP)
    before = dump(connection, variant)
    stored = getattr(LAMP, field)
    with pytest.raises(OrderConflict, match=rf"Order.{field}: order 'n-42' is stored with {stored!r} .got {other!r}.$"):
        orders.place(attrs.evolve(LAMP, **{field: other}))
    assert dump(connection, variant) == before


def test_a_row_that_is_no_list_line_is_named_with_its_table(connection, variant, orders):
    table = variant.tables[1]
    connection.table(table.name).put(b"s-17\0\1short", {b"o:i": b"\xa4lamp"})
    with pytest.raises(InvalidRow, match=rf"{table.name}: row 73 2d 31 37 00 01 .*{table.key.name}.placed_ms"):
        orders.of_seller("s-17").page()


FIELDS_OF_KEYS = ("order_number", "seller_id", "buyer_id")


def test_an_order_whose_keys_are_too_long_is_refused_whole(new_store, variant):
    connection = located(new_store(*variant.tables), variant.tables)
    orders = variant.open(connection)
    for field in FIELDS_OF_KEYS:
        with pytest.raises(InvalidKey, match=r"a row key has 1\.\.32767 bytes"):
            orders.place(attrs.evolve(LAMP, **{field: "x" * 32_760}))
        assert dump(connection, variant) == {table.name: [] for table in variant.tables}


def test_an_order_whose_list_key_is_as_long_as_can_be_is_found_every_way(new_store, variant):
    orders = variant.open(located(new_store(*variant.tables), variant.tables))
    for number, field in enumerate(FIELDS_OF_KEYS):
        # Of 32,767 bytes are 12 the time and two terminators, one is what the other text has, and one the status.
        status_bytes = 0 if variant.name == "without-intents" or field == "buyer_id" else 1
        order = attrs.evolve(LAMP, order_number=f"{number}", seller_id=f"{number}", buyer_id=f"{number}")
        order = attrs.evolve(order, **{field: "x" * (32_767 - 12 - 1 - status_bytes)})
        orders.place(order)
        assert orders.order(order.order_number) == order
        assert list(orders.of_seller(order.seller_id)) == [seller_line(order)]
        assert list(orders.of_buyer(order.buyer_id)) == [buyer_line(order)]


@pytest.mark.parametrize("placed_ms", [-1, 253_402_300_800_000, True, "5", None])
def test_a_time_that_no_cell_can_carry_is_refused(placed_ms):
    with pytest.raises(ValueError, match=f"Order.placed_ms: must be 0..253402300799999 .got {placed_ms!r}."):
        attrs.evolve(LAMP, placed_ms=placed_ms)


# ---- numbers that begin alike -----------------------------------------------------------------------

in_order_of_number = only("orders", "oldest-first", "index-table")


@pytest.fixture
def numbers(orders):
    """Five numbers, of which three begin with n-4."""
    for number in ("n-5", "n-42", "n-4", "m-4", "n-420"):
        orders.place(attrs.evolve(LAMP, order_number=number, seller_id=f"of {number}"))
    return orders


@in_order_of_number
def test_orders_whose_numbers_begin_alike_come_by_number(numbers):
    assert [order.order_number for order in numbers.numbered("n-4")] == ["n-4", "n-42", "n-420"]


@in_order_of_number
def test_every_number_begins_with_nothing(numbers):
    assert [order.order_number for order in numbers.numbered("")] == ["m-4", "n-4", "n-42", "n-420", "n-5"]


@in_order_of_number
def test_no_number_begins_with_what_nobody_placed(numbers):
    page = numbers.numbered("n-6").page()
    assert (page.records, page.cursor) == ([], None)


@in_order_of_number
def test_a_list_by_number_has_whole_orders_with_their_latest_status(orders):
    orders.place(LAMP)
    orders.place(DESK)
    paid = orders.change_status("n-43", "paid")
    assert list(orders.numbered("n-")) == [LAMP, paid]


def test_orders_of_a_status_are_those_that_have_it_now(orders):
    for order in (LAMP, DESK, CUP):
        orders.place(order)
    paid = [orders.change_status(number, "paid") for number in (LAMP.order_number, CUP.order_number)]
    assert {*orders.with_status("paid")} == {*paid}
    assert {*all_pages(orders.with_status("paid"), 1)} == {*paid}
    assert list(orders.with_status("placed")) == [DESK]
    assert list(orders.with_status("shipped")) == []
    with pytest.raises(InvalidQuestion, match=r"status: must be one of .* \(got 'lost'\)"):
        orders.with_status("lost")


def test_an_order_that_gets_another_status_before_any_call_of_the_question_is_not_shown_with_it(connection, variant):
    orders = variant.open(connection)
    shown = []
    for call in count():
        orders.place(attrs.evolve(LAMP, order_number=f"n-{call}", status="paid"))
        ship = partial(orders.change_status, f"n-{call}", "shipped")
        reader = WatchedConnection(connection, before_call=paused_at_call(call, ship))
        shown += [order.status for order in variant.open(reader).with_status("paid")]
        if reader.number_of_calls <= call:
            break
    assert shown
    assert {*shown} == {"paid"}


@only("hashed-number")
def test_hashed_numbers_that_begin_alike_lie_in_no_range(numbers):
    with pytest.raises(InvalidQuestion) as refused:
        numbers.numbered("n-4")
    assert str(refused.value) == (
        "OrderByNumber: needs a single value for order_number, "
        "because HashPrefix(of='order_number', bytes=2) has more than 1024 values"
    )


# ---- ties -------------------------------------------------------------------------------------------


@pytest.fixture
def tied(orders):
    """Three orders of one seller, buyer and millisecond."""
    for number in ("n-2", "n-1", "n-10"):
        orders.place(attrs.evolve(LAMP, order_number=number))
    return orders


@only("orders", "index-table", "hashed-number")
def test_orders_of_one_millisecond_come_by_number(tied):
    for query in (tied.of_seller("s-17"), tied.of_buyer("b-3")):
        assert [line.order_number for line in query] == ["n-1", "n-10", "n-2"]


@only("oldest-first")
def test_published_orders_of_one_millisecond_come_the_other_way_round(tied):
    for query in (tied.of_seller("s-17"), tied.of_buyer("b-3")):
        assert [line.order_number for line in query] == ["n-2", "n-10", "n-1"]


# ---- older rows, and limits -------------------------------------------------------------------------


@plain
def test_an_order_stored_before_orders_had_a_status_is_placed_and_can_change(connection, variant, orders):
    orders.place(LAMP)
    of_orders = connection.table(variant.tables[0].name)
    ((row, _cells),) = of_orders.scan()
    of_orders.delete(row, columns=[b"o:st"], timestamp=LAMP.placed_ms)
    assert orders.order("n-42") == LAMP
    orders.place(LAMP)
    assert orders.cancel("n-42") == orders.order("n-42") == attrs.evolve(LAMP, status="cancelled")


def test_a_conflict_of_amounts_of_any_size_is_refused_in_short(orders):
    orders.place(attrs.evolve(LAMP, amount=10**5000))
    with pytest.raises(OrderConflict, match=r"^Order.amount: order 'n-42' is stored with an int of 16610 bits .got 1."):
        orders.place(attrs.evolve(LAMP, amount=1))


def test_a_page_has_a_hundred_orders_if_no_limit_is_given(orders, variant):
    for number in range(101):
        orders.place(attrs.evolve(LAMP, order_number=f"n-{number}", placed_ms=number))
    queries = [orders.of_seller("s-17"), orders.of_seller("s-17", status="placed"), orders.of_buyer("b-3")]
    queries.append(orders.with_status("placed"))
    if variant.name != "hashed-number":
        queries.append(orders.numbered("n-"))
    pages = [query.page() for query in queries]
    assert [(len(page.records), page.cursor is None) for page in pages] == [(100, False)] * len(pages)


# ---- costs ------------------------------------------------------------------------------------------


def cost_of(connection, call, *arguments):
    """Ranges read and RPCs of a call, of which those that read no range are puts and deletes here."""
    with metered(connection) as cost:
        call(*arguments)
    return len(cost.ranges), cost.rpcs - len(cost.ranges)


@plain
def test_without_intents_placing_costs_one_get_and_three_puts_and_a_change_two_and_three(connection, orders):
    assert cost_of(connection, orders.place, LAMP) == (1, 3)
    assert cost_of(connection, orders.order, "n-42") == (1, 0)
    assert cost_of(connection, orders.change_status, "n-42", "paid") == (2, 3)


@with_intents
def test_placing_costs_one_get_five_puts_and_a_decision_and_a_change_one_delete_more(connection, orders):
    orders.place(DESK)  # compares the clocks
    assert cost_of(connection, orders.place, LAMP) == (1, 6)
    assert cost_of(connection, orders.order, "n-42") == (1, 0)
    assert cost_of(connection, orders.change_status, "n-42", "paid") == (1, 7)


@with_intents
def test_the_first_write_of_a_connection_compares_the_clocks_which_costs_a_get_and_a_put(connection, orders):
    assert cost_of(connection, orders.place, LAMP) == (2, 7)


@with_intents
def test_the_same_write_again_costs_one_get_and_two_puts(connection, orders):
    orders.place(LAMP)
    assert cost_of(connection, orders.place, LAMP) == (1, 2)
    assert cost_of(connection, orders.change_status, "n-42", "placed") == (1, 2)
