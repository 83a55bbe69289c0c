"""The order behind a hash of its number, for numbers that count up; the lists lie as in `keys.py`."""

from shared.keys import HashPrefix, KeyLayout
from shared.tables import TableLayout

from .keys import ORDER_CELLS, OrderByNumber, OrderTables

TABLES = OrderTables(
    orders=TableLayout(
        "orders_hashed", "the order", KeyLayout(OrderByNumber, HashPrefix(of="order_number", bytes=2)), ORDER_CELLS
    )
)
"""S3.3, a business id as the key, is hot where it increases; S1.5, a hash that the reader computes again.

A get costs what it cost. Numbers that follow each other lie apart, so writes spread, and nothing but a get finds them.
"""
