"""What records are made of: validators for their fields, times, and numbers of equal records.

May import `keys`.
"""

from .fields import LAST_MS, finite, fixed_bytes, integer, one_of, text
from .ordinals import Ordinals
from .times import UNITS, Unit, parse_time, show_time

__all__ = [
    "LAST_MS",
    "UNITS",
    "Ordinals",
    "Unit",
    "finite",
    "fixed_bytes",
    "integer",
    "one_of",
    "parse_time",
    "show_time",
    "text",
]
