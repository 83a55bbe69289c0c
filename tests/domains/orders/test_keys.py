"""The rows of all tables beside bytes written by hand; `fixtures/orders/keys.json` has more of each."""

import hashlib
import json
from pathlib import Path

import pytest

from domains.orders import TABLES
from domains.orders.keys import OrderByBuyer, OrderByNumber, OrderBySeller, OrderByStatus
from domains.orders.variants import hashed_number, index_table, oldest_first
from domains.orders.variants.oldest_first import OrderByBuyerOldestFirst, OrderBySellerOldestFirst
from shared.keys import InvalidKey

GOLDEN = json.loads((Path(__file__).parents[3] / "fixtures" / "orders" / "keys.json").read_text(encoding="utf-8"))
PLACED_MS = 1_580_976_517_000
HASHED = hashed_number.TABLES[0]


@pytest.mark.parametrize(
    ("table", "key", "row"),
    [
        (TABLES.orders, OrderByNumber("a\0b"), "61 00 62"),
        (TABLES.by_seller, OrderBySeller("s-17", PLACED_MS, "n-42"), "732d3137 0001  7ffffe8fe674d077  6e2d3432 0001"),
        (TABLES.by_seller, OrderBySeller("a\0b", 0, "🐘"), "61 00ff 62 0001  7fffffffffffffff  f09f9098 0001"),
        (TABLES.by_seller, OrderBySeller("é", -(2**63), ""), "c3a9 0001  ffffffffffffffff  0001"),
        (TABLES.by_buyer, OrderByBuyer("b-3", PLACED_MS, "n-42"), "622d33 0001  7ffffe8fe674d077  6e2d3432 0001"),
        (TABLES.by_status, OrderByStatus("s", "shipped", 1, "n"), "73 0001  03  7ffffffffffffffe  6e 0001"),
        (oldest_first.TABLES.by_seller, OrderBySellerOldestFirst("s", -1, "n"), "73 0001  7fffffffffffffff  6e 0001"),
        (oldest_first.TABLES.by_buyer, OrderByBuyerOldestFirst("b", 1, "n"), "62 0001  8000000000000001  6e 0001"),
        (index_table.INDEX, OrderByNumber("n-42"), "6e2d3432"),
        (index_table.OF_SELLER, OrderBySeller("s", 0, "n"), "73 0001  7fffffffffffffff  6e 0001"),
        (HASHED, OrderByNumber("🐘"), "40af  f09f9098"),
    ],
)
def test_a_row_is_the_bytes_of_its_parts(table, key, row):
    assert table.key.encode(key) == bytes.fromhex(row)


def test_the_hash_of_a_golden_row_is_what_another_language_computes():
    for golden in GOLDEN["orders_hashed"]:
        number = golden["key"]["order_number"].encode()
        assert bytes.fromhex(golden["row"]) == hashlib.md5(number).digest()[:2] + number
    with pytest.raises(InvalidKey, match="HashPrefix"):
        HASHED.key.decode(bytes.fromhex("c662 6e2d3432"))
