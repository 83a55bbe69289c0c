"""The sample files hold what breaks row keys."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from domains.orders import Order
from shared.loading import read_records

FIXTURES = Path(__file__).parents[3] / "fixtures" / "orders"


@pytest.fixture(scope="module")
def orders():
    return list(read_records(FIXTURES / "orders.csv", Order))


def test_amounts_go_beyond_64_bits(orders):
    assert max(order.amount for order in orders) > 2**64


def test_the_quirks_are_blanks_ties_and_wei():
    text = (FIXTURES / "quirks.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines(), skipinitialspace=True))
    assert all(", " in line for line in text.splitlines())
    assert Counter((row["from"], row["timestamp"]) for row in rows).most_common(1)[0][1] == 5
    assert max(int(row["price (in wei)"]) for row in rows) > 2**64
