"""The building blocks of records: validators for fields, checks of arguments, times and lengths, ties of equal records.

May import `keys`.
"""

from .arguments import check_int, check_one_of, check_text
from .fields import LAST_MS, finite, fixed_bytes, integer, one_of, text, texts_by_name
from .lengths import LENGTH, UNIT_LENGTHS_MS, parse_length, show_length
from .plain_values import json_of, plain_scalar, plain_value
from .ties import TIE_BYTES, Repeats, tie_of
from .times import (
    UNITS,
    Unit,
    likely_unit,
    parse_date,
    parse_datetime,
    parse_moment,
    parse_time,
    show_datetime,
    show_time,
)

__all__ = [
    "LAST_MS",
    "LENGTH",
    "TIE_BYTES",
    "UNITS",
    "UNIT_LENGTHS_MS",
    "Repeats",
    "Unit",
    "check_int",
    "check_one_of",
    "check_text",
    "finite",
    "fixed_bytes",
    "integer",
    "json_of",
    "likely_unit",
    "one_of",
    "parse_date",
    "parse_datetime",
    "parse_length",
    "parse_moment",
    "parse_time",
    "plain_scalar",
    "plain_value",
    "show_datetime",
    "show_length",
    "show_time",
    "text",
    "texts_by_name",
    "tie_of",
]
