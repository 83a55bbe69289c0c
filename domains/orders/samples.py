"""The sample orders, for the story, for the traps and for their tests."""

from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "fixtures" / "orders" / "orders.csv"
LATEST_MS = 3 * 24 * 60 * 60 * 1000
"""Three days; the orders placed in the last three show where new rows go."""
