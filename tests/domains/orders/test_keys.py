"""The rows of all tables, byte for byte: those of the design, then those of its variants if they differ."""

import hashlib
import json
from pathlib import Path

import pytest

from domains.orders import TABLES, Order, SellerLine
from domains.orders.design import DESIGN
from domains.orders.keys import OrderByBuyer, OrderByNumber, OrderBySeller
from domains.orders.variants import hashed_number, index_table, oldest_first
from domains.orders.variants.oldest_first import OrderByBuyerOldestFirst, OrderBySellerOldestFirst
from shared.keys import InvalidKey, InvalidQuestion, between

GOLDEN = json.loads((Path(__file__).parents[3] / "fixtures" / "orders" / "keys.json").read_text(encoding="utf-8"))

BY_NUMBER = TABLES[0].key
BY_SELLER = TABLES[1].key
BY_BUYER = TABLES[2].key
OLDEST_FIRST = oldest_first.TABLES[1].key
HASHED = hashed_number.TABLES[0].key
INDEX = index_table.INDEX
OF_SELLER = index_table.OF_SELLER

lists_of_sellers = pytest.mark.parametrize("layout", [BY_SELLER, OLDEST_FIRST], ids=["newest first", "oldest first"])


@pytest.mark.parametrize(
    ("seller_id", "placed_ms", "order_number", "row"),
    [
        ("s-17", 1_580_976_517_000, "n-42", "732d3137 0001  7ffffe8fe674d077  6e2d3432 0001"),
        ("s-17", 0, "n-42", "732d3137 0001  7fffffffffffffff  6e2d3432 0001"),
        ("s-17", 1, "n-42", "732d3137 0001  7ffffffffffffffe  6e2d3432 0001"),
        ("s-17", -1, "n-42", "732d3137 0001  8000000000000000  6e2d3432 0001"),
        ("s-17", 2**63 - 1, "n-42", "732d3137 0001  0000000000000000  6e2d3432 0001"),
        ("s-17", -(2**63), "n-42", "732d3137 0001  ffffffffffffffff  6e2d3432 0001"),
        ("", 0, "", "0001  7fffffffffffffff  0001"),
        ("a\0b", 0, "\0", "61 00ff 62 0001  7fffffffffffffff  00ff 0001"),
        ("é", 0, "🐘", "c3a9 0001  7fffffffffffffff  f09f9098 0001"),
    ],
)
def test_an_order_of_a_seller_is_id_terminator_inverted_time_number_terminator(seller_id, placed_ms, order_number, row):
    assert BY_SELLER.encode(OrderBySeller(seller_id, placed_ms, order_number)) == bytes.fromhex(row)


def test_an_order_of_a_buyer_is_id_terminator_inverted_time_number_terminator():
    row = BY_BUYER.encode(OrderByBuyer("b-3", 1_580_976_517_000, "n-42"))
    assert row == bytes.fromhex("622d33 0001  7ffffe8fe674d077  6e2d3432 0001")


@pytest.mark.parametrize(("order_number", "row"), [("n-42", "6e2d3432"), ("a\0b", "610062"), ("🐘", "f09f9098")])
def test_an_order_lies_under_its_number_and_nothing_else(order_number, row):
    assert BY_NUMBER.encode(OrderByNumber(order_number)) == bytes.fromhex(row)


def test_the_time_is_the_published_long_max_minus_timestamp():
    row = BY_SELLER.encode(OrderBySeller("s-17", 1_580_976_517_000, "n-42"))
    assert int.from_bytes(row[6:14], "big") == 2**63 - 1 - 1_580_976_517_000


def rows(*keys):
    return [BY_SELLER.encode(key) for key in keys]


def test_newer_orders_of_a_seller_sort_first():
    newest_first = rows(
        *(OrderBySeller("s-17", placed_ms, "n-1") for placed_ms in (2**63 - 1, 3, 2, 1, 0, -1, -(2**63)))
    )
    assert newest_first == sorted(newest_first)


def test_all_orders_of_one_seller_lie_before_those_of_the_next_by_code_point():
    sellers = ["", "1", "12", "123", "2", "a", "a\0", "a\0b", "a!", "aa", "é", "店", "🐘"]
    sorted_rows = rows(*(OrderBySeller(seller, placed_ms, "n-1") for seller in sellers for placed_ms in (9, 0)))
    assert sorted_rows == sorted(sorted_rows)


@lists_of_sellers
def test_orders_of_one_millisecond_sort_by_number(layout):
    of_one_moment = [layout.encode(layout.key_class("s-17", 5, number)) for number in ("", "n", "n-1", "n-10", "n-2")]
    assert of_one_moment == sorted(of_one_moment)


@lists_of_sellers
@pytest.mark.parametrize("seller_id", ["1", "12", "123", "s-1", ""])
def test_a_sellers_range_holds_no_other_sellers_rows(layout, seller_id):
    (range_,) = layout.plan(seller_id=seller_id).ranges
    others = [name for name in ("", "1", "12", "123", "s-1", "s-12", "s-17") if name != seller_id]
    assert [name for name in others if layout.encode(layout.key_class(name, 5, "n")) in range_] == []


@lists_of_sellers
def test_a_period_takes_its_first_millisecond_and_leaves_its_last(layout):
    (found,) = layout.plan(seller_id="s", placed_ms=between(102, 106)).ranges
    inside = [at for at in range(100, 110) if layout.encode(layout.key_class("s", at, "n")) in found]
    assert inside == [102, 103, 104, 105]


@lists_of_sellers
def test_a_period_without_a_seller_is_refused(layout):
    with pytest.raises(InvalidQuestion, match=rf"{layout.name}.placed_ms: .* seller_id"):
        layout.plan(placed_ms=between(1, 2))


# ---- the variant published ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("placed_ms", "row"),
    [
        (1_580_976_517_000, "732d3137 0001  80000170198b2f88  6e2d3432 0001"),
        (0, "732d3137 0001  8000000000000000  6e2d3432 0001"),
        (1, "732d3137 0001  8000000000000001  6e2d3432 0001"),
        (-1, "732d3137 0001  7fffffffffffffff  6e2d3432 0001"),
        (2**63 - 1, "732d3137 0001  ffffffffffffffff  6e2d3432 0001"),
        (-(2**63), "732d3137 0001  0000000000000000  6e2d3432 0001"),
    ],
)
def test_a_published_order_of_a_seller_has_its_time_with_the_sign_turned(placed_ms, row):
    assert OLDEST_FIRST.encode(OrderBySellerOldestFirst("s-17", placed_ms, "n-42")) == bytes.fromhex(row)


def test_a_published_order_of_a_buyer_is_the_same_with_the_buyer_in_front():
    row = oldest_first.TABLES[2].key.encode(OrderByBuyerOldestFirst("b-3", 1_580_976_517_000, "n-42"))
    assert row == bytes.fromhex("622d33 0001  80000170198b2f88  6e2d3432 0001")


def test_older_orders_of_a_seller_sort_first_as_published():
    oldest_first = [
        OLDEST_FIRST.encode(OrderBySellerOldestFirst("s-17", placed_ms, "n-1"))
        for placed_ms in (-(2**63), -1, 0, 1, 2, 3, 2**63 - 1)
    ]
    assert oldest_first == sorted(oldest_first)


# ---- the variant hashed-number --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order_number", "row"),
    [("n-42", "c661 6e2d3432"), ("n-43", "9201 6e2d3433"), ("a\0b", "7035 610062"), ("🐘", "40af f09f9098")],
)
def test_a_hashed_number_is_two_bytes_of_its_md5_and_the_number(order_number, row):
    assert HASHED.encode(OrderByNumber(order_number)) == bytes.fromhex(row)


def test_numbers_that_count_up_spread_over_regions_split_evenly():
    regions = {HASHED.encode(OrderByNumber(f"n-{number}"))[0] // 16 for number in range(1000, 1100)}
    assert regions == set(range(16))


def test_a_number_after_another_hash_is_not_a_key():
    with pytest.raises(InvalidKey, match="HashPrefix"):
        HASHED.decode(bytes.fromhex("c662 6e2d3432"))


# ---- index_table.py ----------------------------------------------------------------------------


def test_an_entry_is_the_number_and_holds_the_whole_order():
    order = Order("n-42", "s-17", "b-3", placed_ms=5, item="lamp", amount=499)
    assert INDEX.row(order) == bytes.fromhex("6e2d3432")
    assert INDEX.cells.pack(order) == TABLES[0].cells.pack(order)


def test_the_whole_order_lies_where_its_line_lies_in_the_design():
    order = Order("n-42", "s-17", "b-3", placed_ms=5, item="lamp", amount=499)
    assert OF_SELLER.row(order) == TABLES[1].row(SellerLine.of(order))
    assert OF_SELLER.record(OF_SELLER.row(order), OF_SELLER.cells.pack(order)) == order


# ---- the golden file --------------------------------------------------------------------------------


ALL_TABLES = {table.name: table for variant in DESIGN.variants for table in variant.tables}


def test_the_hash_of_a_golden_row_is_what_another_language_computes():
    for golden in GOLDEN["orders_hashed"]:
        number = golden["key"]["order_number"].encode()
        assert bytes.fromhex(golden["row"]) == hashlib.md5(number).digest()[:2] + number
