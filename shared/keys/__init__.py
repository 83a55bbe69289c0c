"""The encoding core: values in, bytes out, no storage. Every public name imports from here."""

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
    TrailingBytes,
    TrailingText,
    UInt8,
    UInt16,
    UInt24,
    UInt32,
    UInt64,
)
from .errors import InvalidKey, InvalidQuestion
from .layout import KeyLayout
from .limits import MAX_ROW_BYTES
from .parts import Segment, part, row_key
from .prefixes import HashPrefix, Modulo, Prefix, Salt, TimeBucket
from .questions import Narrowed, Plan, RowRange, between, matcher, next_row, starting_with, successor
from .splits import Splits, split_points
from .text_codecs import DecimalText, Delimited, DelimitedText, FixedText, LongMaxMinus, ReversedDigits

__all__ = [
    "MAX_ROW_BYTES",
    "Code",
    "Codec",
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
    "Narrowed",
    "Plan",
    "Prefix",
    "ReversedDigits",
    "RowRange",
    "Salt",
    "Segment",
    "Splits",
    "TimeBucket",
    "TrailingBytes",
    "TrailingText",
    "UInt8",
    "UInt16",
    "UInt24",
    "UInt32",
    "UInt64",
    "between",
    "matcher",
    "next_row",
    "part",
    "row_key",
    "split_points",
    "starting_with",
    "successor",
]
