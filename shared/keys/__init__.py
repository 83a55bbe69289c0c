"""The encoding core: values in, bytes out, questions to ranges; no storage. Import every public name from here.

May import attrs, and no other room. To read: `codecs.py`, `parts.py`, `reference.py`, `layout.py`; then `planning.py`.
`cell_arrays.py` is for stores and queries: the cells of several rows as two arrays, of columns and of values.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .codecs import Code as Code
    from .codecs import Descending as Descending
    from .codecs import EscapedBytes as EscapedBytes
    from .codecs import EscapedText as EscapedText
    from .codecs import FixedBytes as FixedBytes
    from .codecs import Float64 as Float64
    from .codecs import Int8 as Int8
    from .codecs import Int16 as Int16
    from .codecs import Int32 as Int32
    from .codecs import Int64 as Int64
    from .codecs import Prefixed as Prefixed
    from .codecs import TrailingBytes as TrailingBytes
    from .codecs import TrailingText as TrailingText
    from .codecs import UInt8 as UInt8
    from .codecs import UInt16 as UInt16
    from .codecs import UInt24 as UInt24
    from .codecs import UInt32 as UInt32
    from .codecs import UInt64 as UInt64
    from .conditions import any_of as any_of
    from .conditions import between as between
    from .conditions import starting_with as starting_with
    from .errors import InvalidKey as InvalidKey
    from .errors import InvalidQuestion as InvalidQuestion
    from .errors import shown as shown
    from .layout import KeyLayout as KeyLayout
    from .parts import part as part
    from .parts import row_key as row_key
    from .planning import most_ranges as most_ranges
    from .prefixes import HashPrefix as HashPrefix
    from .prefixes import Modulo as Modulo
    from .prefixes import Salt as Salt
    from .prefixes import TimeBucket as TimeBucket
    from .ranges import Plan as Plan
    from .ranges import successor as successor
    from .slice_codecs import Rest as Rest
    from .slice_codecs import Slice as Slice
    from .splits import Splits as Splits
    from .splits import split_points as split_points
    from .text_codecs import DecimalText as DecimalText
    from .text_codecs import Delimited as Delimited
    from .text_codecs import DelimitedText as DelimitedText
    from .text_codecs import FixedText as FixedText
    from .text_codecs import LongMaxMinus as LongMaxMinus
    from .text_codecs import Reversed as Reversed
    from .text_codecs import ReversedDigits as ReversedDigits
    from .value_codecs import Bool as Bool
    from .value_codecs import Date as Date
    from .value_codecs import DateTime as DateTime
    from .value_codecs import Uuid as Uuid
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        codecs=(
            "Code Descending EscapedBytes EscapedText FixedBytes Float64 Int8 Int16 Int32 Int64 Prefixed "
            "TrailingBytes TrailingText UInt8 UInt16 UInt24 UInt32 UInt64"
        ),
        conditions="any_of between starting_with",
        errors="InvalidKey InvalidQuestion shown",
        layout="KeyLayout",
        parts="part row_key",
        planning="most_ranges",
        prefixes="HashPrefix Modulo Salt TimeBucket",
        ranges="Plan successor",
        slice_codecs="Rest Slice",
        splits="Splits split_points",
        text_codecs="DecimalText Delimited DelimitedText FixedText LongMaxMinus Reversed ReversedDigits",
        value_codecs="Bool Date DateTime Uuid",
    )
