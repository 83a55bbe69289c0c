"""The rows of the three tables, byte for byte."""

import json
from pathlib import Path

import pytest

from domains.orders.keys import ORDERS_BY_SELLER, TABLES, OrderBySeller
from fixtures.orders.make_keys import KEYS
from shared.keys import InvalidQuestion, between

GOLDEN = json.loads((Path(__file__).parents[3] / "fixtures" / "orders" / "keys.json").read_text(encoding="utf-8"))

BY_SELLER = ORDERS_BY_SELLER.layout


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


def test_orders_of_one_millisecond_sort_by_number():
    of_one_moment = rows(*(OrderBySeller("s-17", 5, number) for number in ("", "n", "n-1", "n-10", "n-2")))
    assert of_one_moment == sorted(of_one_moment)


@pytest.mark.parametrize("seller_id", ["1", "12", "123", "s-1", ""])
def test_a_sellers_range_holds_no_other_sellers_rows(seller_id):
    (found,) = BY_SELLER.plan(seller_id=seller_id).ranges
    others = [each for each in ("", "1", "12", "123", "s-1", "s-12", "s-17") if each != seller_id]
    assert [each for each in others if BY_SELLER.encode(OrderBySeller(each, 5, "n")) in found] == []


def test_a_period_takes_its_first_millisecond_and_leaves_its_last():
    (found,) = BY_SELLER.plan(seller_id="s", placed_ms=between(102, 106)).ranges
    inside = [at for at in range(100, 110) if BY_SELLER.encode(OrderBySeller("s", at, "n")) in found]
    assert inside == [102, 103, 104, 105]


def test_a_period_without_a_seller_is_refused():
    with pytest.raises(InvalidQuestion, match=r"OrderBySeller.placed_ms: .* seller_id"):
        BY_SELLER.plan(placed_ms=between(1, 2))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_the_golden_keys_come_out_byte_for_byte(table):
    for golden in GOLDEN[table.name]:
        key = table.layout.key(**golden["key"])
        assert table.layout.encode(key).hex() == golden["row"]
        assert table.layout.decode(bytes.fromhex(golden["row"])) == key


def test_the_golden_file_is_what_its_generator_writes():
    assert {table: [layout.encode(key).hex() for key in keys] for table, (layout, keys) in KEYS.items()} == {
        table: [golden["row"] for golden in goldens] for table, goldens in GOLDEN.items()
    }
