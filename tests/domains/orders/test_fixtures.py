"""The sample files hold what breaks row keys."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from domains.orders import Order
from fixtures.orders import make_samples
from shared.loading import read_records

FIXTURES = Path(__file__).parents[3] / "fixtures" / "orders"


@pytest.fixture(scope="module")
def orders():
    return list(read_records(FIXTURES / "orders.csv", Order))


def test_every_order_number_is_there_once(orders):
    assert len({order.order_number for order in orders}) == len(orders) > 300


def test_sellers_are_prefixes_of_each_other_and_outside_ascii(orders):
    sellers = {order.seller_id for order in orders}
    assert {"1", "12", "123", "s-1", "s-12"} < sellers
    assert any(not seller.isascii() for seller in sellers)


def test_one_seller_is_very_busy(orders):
    ((seller_id, count),) = Counter(order.seller_id for order in orders).most_common(1)
    assert seller_id == make_samples.BUSY
    assert count > len(orders) * 0.4


def test_orders_of_one_seller_share_a_millisecond(orders):
    (shared,) = Counter((order.seller_id, order.placed_ms) for order in orders).most_common(1)
    assert shared[1] > 1


def test_orders_do_not_come_in_the_order_of_time(orders):
    assert [order.placed_ms for order in orders] != sorted(order.placed_ms for order in orders)


def test_amounts_go_beyond_64_bits(orders):
    assert max(order.amount for order in orders) > 2**64


def test_the_quirks_are_blanks_ties_and_wei():
    text = (FIXTURES / "quirks.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines(), skipinitialspace=True))
    assert all(", " in line for line in text.splitlines())
    assert Counter((row["from"], row["timestamp"]) for row in rows).most_common(1)[0][1] == 5
    assert max(int(row["price (in wei)"]) for row in rows) > 2**64
