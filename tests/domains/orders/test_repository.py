"""Every question and every write, and what a crash between two rows leaves behind."""

import attrs
import pytest

from domains.orders import TABLES, ListedOrder, Order, OrderConflict, OrderRepository, UnknownOrder
from shared.cells import InvalidRow
from shared.keys import InvalidKey, InvalidQuestion
from tests.dying import DyingConnection, WriterDied

LAMP = Order("n-42", "s-17", "b-3", placed_ms=1_580_976_517_000, item="lamp", amount=499)
DESK = attrs.evolve(LAMP, order_number="n-43", placed_ms=LAMP.placed_ms + 1, item="desk", amount=10**21)


def listed(order):
    return ListedOrder(order.order_number, order.placed_ms, order.item, order.amount, order.status)


def dump(connection):
    """Every cell of every table, with its timestamp."""
    return {table.name: list(connection.table(table.name).scan(include_timestamp=True)) for table in TABLES}


def test_an_order_is_found_by_its_number(orders):
    orders.place(LAMP)
    assert orders.order("n-42") == LAMP


def test_a_number_that_nobody_placed_is_none(orders):
    assert orders.order("n-42") is None


def test_a_sellers_orders_come_newest_first(orders):
    orders.place(LAMP)
    orders.place(DESK)
    assert orders.of_seller("s-17").records == [listed(DESK), listed(LAMP)]


def test_a_buyers_orders_come_newest_first(orders):
    orders.place(DESK)
    orders.place(LAMP)
    assert orders.of_buyer("b-3").records == [listed(DESK), listed(LAMP)]


def test_a_period_is_half_open(orders):
    orders.place(LAMP)
    orders.place(DESK)
    assert orders.of_seller("s-17", since_ms=LAMP.placed_ms, until_ms=DESK.placed_ms).records == [listed(LAMP)]


@pytest.mark.parametrize("seller_id", ["1", "12", "123"])
def test_a_seller_whose_id_begins_with_anothers_is_somebody_else(orders, seller_id):
    for other in ("1", "12", "123"):
        orders.place(attrs.evolve(LAMP, order_number=f"of {other}", seller_id=other))
    assert [line.order_number for line in orders.of_seller(seller_id).records] == [f"of {seller_id}"]


def test_orders_of_one_seller_in_one_millisecond_are_all_kept(orders):
    placed = [attrs.evolve(LAMP, order_number=f"n-{number}") for number in range(22)]
    for order in placed:
        orders.place(order)
    assert sorted(line.order_number for line in orders.of_seller("s-17").records) == sorted(
        order.order_number for order in placed
    )


def test_a_status_is_kept_by_the_client_which_reads_the_others_too(orders):
    orders.place(LAMP)
    orders.place(attrs.evolve(DESK, status="paid"))
    page = orders.of_seller("s-17", status="paid")
    assert ([line.order_number for line in page.records], page.rows_read) == (["n-43"], 2)


def test_pages_follow_each_other_without_gap_or_repeat(orders):
    for number in range(7):
        orders.place(attrs.evolve(LAMP, order_number=f"n-{number}", placed_ms=number))
    seen, cursor = [], None
    while True:
        page = orders.of_seller("s-17", limit=3, cursor=cursor)
        seen += [line.placed_ms for line in page.records]
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [6, 5, 4, 3, 2, 1, 0]


def test_a_cursor_of_another_seller_is_refused(orders):
    for seller_id in ("s-1", "s-17"):
        for number in range(3):
            orders.place(attrs.evolve(LAMP, order_number=f"{seller_id} {number}", seller_id=seller_id))
    cursor = orders.of_seller("s-17", limit=1).cursor
    with pytest.raises(InvalidQuestion, match="another question"):
        orders.of_seller("s-1", limit=1, cursor=cursor)


def test_an_unknown_status_is_refused(orders):
    with pytest.raises(InvalidQuestion, match=r"status: must be one of placed, paid, shipped, cancelled .got 'lost'."):
        orders.of_seller("s-17", status="lost")


def test_a_change_of_status_shows_everywhere(orders):
    orders.place(LAMP)
    paid = orders.change_status("n-42", "paid")
    assert orders.order("n-42") == paid == attrs.evolve(LAMP, status="paid")
    assert orders.of_seller("s-17").records == orders.of_buyer("b-3").records == [listed(paid)]


def test_a_cancelled_order_stays_in_the_lists(orders):
    orders.place(LAMP)
    orders.cancel("n-42")
    assert [line.status for line in orders.of_seller("s-17").records] == ["cancelled"]


def test_a_change_wins_over_an_order_dated_in_the_future(orders):
    orders.place(attrs.evolve(LAMP, placed_ms=253_402_300_799_999))
    orders.change_status("n-42", "paid")
    orders.change_status("n-42", "shipped")
    assert orders.order("n-42").status == orders.of_seller("s-17").records[0].status == "shipped"


def test_the_status_of_an_unknown_order_cannot_change(orders):
    with pytest.raises(UnknownOrder, match=r"no order 'n-42'"):
        orders.change_status("n-42", "paid")


def test_placing_an_order_again_changes_nothing(connection, orders):
    orders.place(LAMP)
    orders.place(DESK)
    orders.change_status("n-43", "paid")
    before = dump(connection)
    orders.place(LAMP)
    orders.place(DESK)
    assert dump(connection) == before


def test_another_order_under_a_number_that_is_taken_is_refused_and_changes_nothing(connection, orders):
    orders.place(LAMP)
    before = dump(connection)
    with pytest.raises(OrderConflict, match=r"Order.seller_id: order 'n-42' is stored with 's-17' .got 's-1'."):
        orders.place(attrs.evolve(LAMP, seller_id="s-1"))
    assert dump(connection) == before


def test_a_row_that_is_no_list_line_is_named_with_its_table(connection, orders):
    connection.table("orders_by_seller").put(b"s-17\0\1short", {b"o:i": b"\xa4lamp"})
    with pytest.raises(InvalidRow, match=r"orders_by_seller: row 73 2d 31 37 00 01 .*OrderBySeller.placed_ms"):
        orders.of_seller("s-17")


@pytest.mark.parametrize("field", ["order_number", "seller_id", "buyer_id"])
def test_an_order_whose_keys_are_too_long_is_refused_whole(connection, orders, field):
    with pytest.raises(InvalidKey, match=r"a row key has 1\.\.32767 bytes"):
        orders.place(attrs.evolve(LAMP, **{field: "x" * 32_760}))
    assert dump(connection) == {table.name: [] for table in TABLES}


@pytest.mark.parametrize("placed_ms", [-1, 253_402_300_800_000, True, "5", None])
def test_a_time_that_no_cell_can_carry_is_refused(placed_ms):
    with pytest.raises(ValueError, match=f"Order.placed_ms: must be 0..253402300799999 .got {placed_ms!r}."):
        attrs.evolve(LAMP, placed_ms=placed_ms)


# ---- a writer that dies between two rows ------------------------------------------------------------


def dying(connection, puts):
    """A repository whose writer dies after so many puts."""
    return OrderRepository(DyingConnection(connection, after=puts))


def assert_no_line_without_its_order(orders):
    for line in orders.of_seller("s-17").records + orders.of_buyer("b-3").records:
        assert orders.order(line.order_number) is not None


@pytest.mark.parametrize("puts", range(4))
def test_a_writer_that_dies_while_placing_leaves_no_dangling_line_and_the_retry_mends_all(connection, orders, puts):
    if puts < 3:
        with pytest.raises(WriterDied):
            dying(connection, puts).place(LAMP)
    else:
        dying(connection, puts).place(LAMP)
    assert_no_line_without_its_order(orders)
    orders.place(LAMP)
    assert orders.of_seller("s-17").records == orders.of_buyer("b-3").records == [listed(LAMP)]
    assert orders.order("n-42") == LAMP


@pytest.mark.parametrize("puts", range(3))
def test_a_writer_that_dies_while_changing_a_status_leaves_old_or_new_and_the_retry_mends_all(connection, orders, puts):
    orders.place(LAMP)
    with pytest.raises(WriterDied):
        dying(connection, puts).change_status("n-42", "paid")
    lines = orders.of_seller("s-17").records + orders.of_buyer("b-3").records
    assert {attrs.evolve(line, status="placed") for line in lines} == {listed(LAMP)}
    orders.change_status("n-42", "paid")
    assert orders.of_seller("s-17").records == orders.of_buyer("b-3").records == [listed(orders.order("n-42"))]


@pytest.mark.parametrize("puts", range(3))
def test_placing_again_after_a_death_while_changing_a_status_brings_the_lines_up_to_date(connection, orders, puts):
    orders.place(LAMP)
    with pytest.raises(WriterDied):
        dying(connection, puts).change_status("n-42", "paid")
    orders.place(LAMP)
    assert orders.of_seller("s-17").records == orders.of_buyer("b-3").records == [listed(orders.order("n-42"))]
