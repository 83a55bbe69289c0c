"""The encoding core: values in, bytes out, questions to ranges; no storage. Every public name imports from here.

May import attrs, and no other room. To read: `codecs.py`, `parts.py`, `reference.py`, `layout.py`; then `planning.py`.
`cell_arrays.py` is for stores and queries: cells of rows, as arrays of both.
"""

from .codecs import (
    Code,
    Codec,
    Descending,
    EscapedBytes,
    EscapedText,
    FixedBytes,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    Prefixed,
    TrailingBytes,
    TrailingText,
    UInt8,
    UInt16,
    UInt24,
    UInt32,
    UInt64,
    check_type,
)
from .conditions import any_of, between, matcher, starting_with
from .copied_part import CopiedPart
from .errors import InvalidKey, InvalidQuestion, UnknownCode, message_of, shown, shown_bytes
from .layout import KeyLayout
from .limits import MAX_ROW_BYTES
from .parts import Segment, part, row_key
from .planning import most_ranges
from .prefixes import HashPrefix, Modulo, Prefix, Salt, TimeBucket
from .ranges import EVERY_ROW, Plan, RowRange, Stream, next_row, successor
from .slice_codecs import Rest, Slice
from .splits import Splits, split_points
from .text_codecs import DecimalText, Delimited, DelimitedText, FixedText, LongMaxMinus, Reversed, ReversedDigits
from .value_codecs import Bool, Date, DateTime, Uuid

__all__ = [
    "EVERY_ROW",
    "MAX_ROW_BYTES",
    "Bool",
    "Code",
    "Codec",
    "CopiedPart",
    "Date",
    "DateTime",
    "DecimalText",
    "Delimited",
    "DelimitedText",
    "Descending",
    "EscapedBytes",
    "EscapedText",
    "FixedBytes",
    "FixedText",
    "Float64",
    "HashPrefix",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "InvalidKey",
    "InvalidQuestion",
    "KeyLayout",
    "LongMaxMinus",
    "Modulo",
    "Plan",
    "Prefix",
    "Prefixed",
    "Rest",
    "Reversed",
    "ReversedDigits",
    "RowRange",
    "Salt",
    "Segment",
    "Slice",
    "Splits",
    "Stream",
    "TimeBucket",
    "TrailingBytes",
    "TrailingText",
    "UInt8",
    "UInt16",
    "UInt24",
    "UInt32",
    "UInt64",
    "UnknownCode",
    "Uuid",
    "any_of",
    "between",
    "check_type",
    "matcher",
    "message_of",
    "most_ranges",
    "next_row",
    "part",
    "row_key",
    "shown",
    "shown_bytes",
    "split_points",
    "starting_with",
    "successor",
]
