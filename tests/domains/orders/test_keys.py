"""The hashes of rows beside Python's own; `keys.toml` has the rows of all tables by hand."""

import hashlib
import json

import pytest

from domains.orders.variants.hashed_number import TABLES
from shared.keys import InvalidKey
from tests.copies import ROOT

GOLDEN = json.loads((ROOT / "fixtures" / "orders" / "keys.json").read_text(encoding="utf-8"))


def test_the_hash_of_a_golden_row_is_what_another_language_computes():
    for golden in GOLDEN["orders_hashed"]:
        number = golden["key"]["order_number"].encode()
        assert bytes.fromhex(golden["row"]) == hashlib.md5(number).digest()[:2] + number
    with pytest.raises(InvalidKey, match="HashPrefix"):
        TABLES[0].key.decode(bytes.fromhex("c662 6e2d3432"))
