"""A hash of the order number, then the number, for numbers that count up.

S3.3: a business id as the key is a hot spot if it increases; S1.5: a hash that readers can compute. A get costs the
same. Consecutive numbers are far apart, so writes spread, and a scan cannot list orders by number.
"""

from functools import partial

from shared.keys import HashPrefix, KeyLayout

from ...keys import ORDERS, OrderByNumber
from ...repository import OrderRepository

HASHED = ORDERS.like("orders_hashed", KeyLayout(OrderByNumber, HashPrefix(of="order_number", bytes=2)))
TABLES = HASHED.tables
Repository = partial(OrderRepository, orders=HASHED)
