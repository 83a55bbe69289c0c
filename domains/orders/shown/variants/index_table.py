"""An index from the number to the order, and a seller's list that holds the order whole, as published.

The index entry is the source: a writer claims a number where the number is the row key, and a recoverer that finds the
claim after a crash must be able to make the seller's row from it. So the entry holds the whole order, not
only the key of that row.
"""

from functools import partial

from ...keys import BY_SELLER, ORDERS
from ...records import Order
from ...repository import OrderRepository

INDEX = ORDERS.like("orders_index", lists={BY_SELLER: BY_SELLER.like("orders_of_seller", line=Order)})
"""S0.13's index table, [order number], and a list by seller that holds whole orders."""
TABLES = INDEX.tables
Repository = partial(OrderRepository, orders=INDEX)
