"""The order behind a hash of its number, for numbers that count up; the lists are those of `keys.py`."""

from shared.keys import HashPrefix, KeyLayout
from shared.tables import TableLayout

from ..keys import BY_BUYER, BY_SELLER, ORDER_CELLS, OrderByNumber

HASHED = KeyLayout(OrderByNumber, HashPrefix(of="order_number", bytes=2))
"""S3.3: a business id as the key is a hot spot if it increases; S1.5: a hash that the reader computes again.

A get costs the same. Numbers that follow each other are far apart, so writes spread, and only a get finds them.
"""

TABLES = (TableLayout("orders_hashed", "the order", HASHED, ORDER_CELLS), BY_SELLER, BY_BUYER)
