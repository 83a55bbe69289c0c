"""What records are made of: validators for their fields, and times.

May import `keys`.
"""

from .fields import LAST_MS, fixed_bytes, integer, one_of, text
from .times import UNITS, Unit, parse_time, show_time

__all__ = [
    "LAST_MS",
    "UNITS",
    "Unit",
    "fixed_bytes",
    "integer",
    "one_of",
    "parse_time",
    "show_time",
    "text",
]
