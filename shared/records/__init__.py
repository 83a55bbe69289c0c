"""What records are made of: validators for their fields, checks of arguments, times, and numbers of equal records.

May import `keys`.
"""

from .arguments import check_int, check_one_of, check_text
from .fields import LAST_MS, finite, fixed_bytes, integer, one_of, text
from .ordinals import Ordinals
from .times import UNITS, Unit, parse_time, show_time

__all__ = [
    "LAST_MS",
    "UNITS",
    "Ordinals",
    "Unit",
    "check_int",
    "check_one_of",
    "check_text",
    "finite",
    "fixed_bytes",
    "integer",
    "one_of",
    "parse_time",
    "show_time",
    "text",
]
