"""The records that the suite loads into `orders`."""

from pathlib import Path

from shared.designs import Load

from .records import Order
from .repository import OrderRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "orders" / "orders.csv"
LATEST_MS = 3 * 24 * 60 * 60 * 1000
"""The last three days of the samples, in milliseconds; orders placed in them show where new rows go."""

ORDERS_LOAD = Load("orders", Order, OrderRepository.place, SAMPLES)
