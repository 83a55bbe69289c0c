"""A hash of the order number, then the number, for numbers that count up."""

from shared.keys import HashPrefix, KeyLayout
from shared.tables import TableLayout
from shared.writes import intents_table

from ..keys import ORDERS, OrderByNumber
from ..keys import TABLES as MAIN_TABLES

HASHED = KeyLayout(OrderByNumber, HashPrefix(of="order_number", bytes=2))
"""S3.3: a business id as the key is a hot spot if it increases; S1.5: a hash that readers can compute.

A get costs the same. Consecutive numbers are far apart, so writes spread, and a scan cannot list orders by number.
"""

TABLES = MAIN_TABLES._replace(
    orders=TableLayout("orders_hashed", "the order", HASHED, ORDERS.cells),
    intents=intents_table("orders_hashed_intents"),  # an intent names a row of this source
)
