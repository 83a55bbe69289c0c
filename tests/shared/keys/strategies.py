"""Codecs, values, keys and layouts for Hypothesis: one strategy per codec, with the edges drawn often."""

import enum
from collections.abc import Mapping
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

from shared.keys import (
    Code,
    Codec,
    DecimalText,
    Delimited,
    DelimitedText,
    Descending,
    EscapedBytes,
    EscapedText,
    FixedBytes,
    FixedText,
    Float64,
    HashPrefix,
    Int8,
    Int16,
    Int32,
    Int64,
    KeyLayout,
    LongMaxMinus,
    Modulo,
    Prefix,
    Prefixed,
    Rest,
    Reversed,
    ReversedDigits,
    Salt,
    Slice,
    TimeBucket,
    TrailingBytes,
    TrailingText,
    UInt8,
    UInt16,
    UInt24,
    UInt32,
    UInt64,
)
from tests.shared.specimens import key_class

Values = st.SearchStrategy[Any]

few = settings(max_examples=15, derandomize=True)
"""For a law that is tested on every codec."""
many = settings(max_examples=100, derandomize=True)
"""For a law of layouts, where codecs are drawn too."""


class Few(enum.IntEnum):
    """An int to `isinstance`, not to a key."""

    ONE = 1


class Text(str):
    """Text to `isinstance`, not to a key."""


class Case(NamedTuple):
    """A codec, the type of its values, and such values."""

    codec: Codec[Any]
    value_type: type
    values: Values

    def __str__(self) -> str:
        return str(self.codec)


def ints(first: int, last: int) -> Values:
    edges = {first, first + 1, -1, 0, 1, 9, 10, 12, 120, 255, 256, last - 1, last}
    return st.sampled_from(sorted(edge for edge in edges if first <= edge <= last)) | st.integers(first, last)


def truncated(text: str, width_bytes: int) -> str:
    return text.encode()[:width_bytes].decode(errors="ignore")


# Ids of which one starts with another, NUL and its neighbours, characters before and after a pad or delimiter, both
# sides of the surrogates, the ends of UTF-8's lengths, and characters beyond UTF-16's first 65,536.
IDS = ["", "1", "12", "123", "host1", "host12", "a", "a\0", "a\0\x01", "a!", "ab", "\ue000", "\uffff", "\U00010000"]
EDGES = "\0\x01 !129A_a|x\x7f\x80\xff\ud7ff\uffff\U00010000\U0010ffff"
texts = st.sampled_from(IDS) | st.text(EDGES, max_size=5) | st.text(max_size=8)
blobs = st.sampled_from([b"", b"\0", b"\0\1", b"\0\xff", b"\xff", b"\xff\0\1"]) | st.lists(
    st.sampled_from([0, 1, 2, 0x61, 0xFE, 0xFF]), max_size=6
).map(bytes)
floats = st.sampled_from([float("-inf"), -1.0, -5e-324, 0.0, 5e-324, 1.0, float("inf")]) | st.floats(
    allow_nan=False
).map(lambda value: value or 0.0)
NAMES = {"placed": 1, "paid": 2, "shipped": 255, "cancelled": 0}


def without(character: str) -> Values:
    return texts.map(lambda text: text.replace(character, ""))


def starts(codec: Codec[int], every: int, first: int, last: int) -> Case:
    """A `Slice` whose codec has these ends, and starts of slices."""
    return Case(Slice(codec, every), int, ints(-(-first // every), last // every).map(lambda number: number * every))


UNSIGNED = {UInt8: 8, UInt16: 16, UInt24: 24, UInt32: 32, UInt64: 64}
SIGNED = {Int8: 8, Int16: 16, Int32: 32, Int64: 64}
INTEGERS = [Case(codec, int, ints(0, 2**bits - 1)) for codec, bits in UNSIGNED.items()]
INTEGERS += [Case(codec, int, ints(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)) for codec, bits in SIGNED.items()]
BOTH_WAYS = [
    *INTEGERS,
    Case(Float64, float, floats),
    Case(FixedBytes(3), bytes, st.binary(min_size=3, max_size=3)),
    Case(FixedText(6, "\0"), str, without("\0").map(lambda text: truncated(text, 6))),
    Case(EscapedText, str, texts),
    Case(EscapedBytes, bytes, blobs),
    Case(DecimalText(4), int, ints(0, 9999)),
    starts(UInt8, 60, 0, 255),
    starts(UInt24, 256, 0, 2**24 - 1),
    starts(UInt32, 3600, 0, 2**32 - 1),
    starts(Int64, 3_600_000, -(2**63), 2**63 - 1),
    starts(DecimalText(4), 60, 0, 9999),
    Case(Rest(UInt16, 3600), int, ints(0, 3599)),
    Case(Rest(Int32, 3_600_000), int, ints(0, 3_599_999)),
    Case(Rest(DecimalText(4), 60), int, ints(0, 59)),
]
ONE_WAY = [
    Case(FixedText(6, "x"), str, without("x").map(lambda text: truncated(text, 6))),
    Case(DelimitedText("\0"), str, without("\0")),
    Case(DelimitedText("_"), str, without("_")),
    Case(ReversedDigits(4), int, ints(0, 9999)),
    Case(Reversed(UInt24), int, ints(0, 2**24 - 1)),
    Case(Reversed(Int64), int, ints(-(2**63), 2**63 - 1)),
    Case(Reversed(FixedBytes(3)), bytes, st.binary(min_size=3, max_size=3)),
    Case(Reversed(EscapedText), str, texts),
    Case(Reversed(FixedText(6, "\0")), str, without("\0").map(lambda text: truncated(text, 6))),
    Case(Reversed(DelimitedText("_")), str, without("_")),
    Case(LongMaxMinus, int, ints(0, 2**63 - 1)),
    Case(Delimited(DecimalText(4), "_"), int, ints(0, 9999)),
    Case(Delimited(Descending(DecimalText(4)), "|"), int, ints(0, 9999)),
    Case(Delimited(FixedText(6, "\0"), "_"), str, without("_").map(lambda text: truncated(text.replace("\0", ""), 6))),
    Case(Delimited(LongMaxMinus, "_"), int, ints(0, 2**63 - 1)),
    Case(Code(NAMES), str, st.sampled_from(sorted(NAMES))),
    Case(Prefixed("order_", UInt8), int, ints(0, 255)),
    Case(Prefixed("\0\x01", Descending(Int64)), int, ints(-(2**63), 2**63 - 1)),
    Case(Prefixed("é", EscapedText), str, texts),
    Case(Prefixed("\U0010ffff", Descending(EscapedBytes)), bytes, blobs),
    Case(Prefixed("code ", Code(NAMES)), str, st.sampled_from(sorted(NAMES))),
    Case(Slice(Delimited(DecimalText(4), "_"), 60), int, ints(0, 166).map(lambda minute: minute * 60)),
    Case(Slice(Prefixed("t", UInt16), 60), int, ints(0, 1092).map(lambda minute: minute * 60)),
]
TRAILING = [
    Case(TrailingText, str, texts),
    Case(TrailingBytes, bytes, blobs),
    Case(Reversed(TrailingText), str, texts),
    Case(Prefixed("user_", TrailingText), str, texts),
]
ENDED = [*BOTH_WAYS, *(Case(Descending(case.codec), case.value_type, case.values) for case in BOTH_WAYS), *ONE_WAY]
"""Every codec whose values are self-delimiting."""
CASES = [*ENDED, *TRAILING]
SHARES = [case for case in CASES if "Slice(" in str(case) or "Rest(" in str(case)]
ORDERED = [case for case in CASES if case.codec.ordered]


def before(codec: Codec[Any], first: Any, second: Any) -> bool:
    """Whether `first` must sort before `second`."""
    return bool(first > second if codec.descending else first < second)


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` with up to two bytes removed and up to three inserted, at one place."""
    start = draw(st.integers(0, len(data)))
    marks = st.sampled_from(
        [b"", b"\0", b"\0\1", b"\0\2", b"\0\xff", b"\xff", b"\xff\xfe", b"\xff\0", b"_", b"0", b"+"]
    )
    return data[:start] + draw(marks | st.binary(max_size=3)) + data[start + draw(st.integers(0, 2)) :]


# ---- layouts -------------------------------------------------------------------------------------


class LayoutAndKeys(NamedTuple):
    """A layout, and keys of it."""

    layout: KeyLayout[Any]
    keys: Values


@st.composite
def spreads(draw: st.DrawFn, codecs: Mapping[str, Codec[Any]], numbers: list[str]) -> Prefix:
    of = tuple(draw(st.lists(st.sampled_from(sorted(codecs)), min_size=1, max_size=2, unique=True)))
    kind = draw(st.sampled_from(["salt", "hash", "hex", "modulo" if numbers else "salt"]))
    if kind == "salt":
        return Salt(of=of, buckets=draw(st.sampled_from([1, 2, 16, 256])))
    if kind == "modulo":
        return Modulo(of=draw(st.sampled_from(numbers)), by=draw(st.sampled_from([1, 10, 256])))
    take = draw(st.sampled_from(["first", "last"]))
    separator = draw(st.sampled_from(["", "_"]))
    return HashPrefix(of=of, bytes=draw(st.integers(1, 16)), hex=kind == "hex", separator=separator, take=take)


@st.composite
def layouts(draw: st.DrawFn, cases: list[Case] = CASES, spread: bool = True, slices: bool = True) -> LayoutAndKeys:
    """One to four parts of the codecs given, after up to two spreading prefixes and a time bucket.

    Half of the parts are those that `compiled.py` generates code for, so that they are often adjacent.
    """
    trailing = [case for case in cases if case.codec.trailing]
    ended = [case for case in cases if not case.codec.trailing]
    generated = ("UInt", "Int", "FixedBytes", "EscapedText", "Slice(", "Rest(")
    fused = [case for case in ended if str(case).removeprefix("Descending(").startswith(generated)]
    chosen = draw(st.lists(st.sampled_from(fused) | st.sampled_from(ended), min_size=1, max_size=4))
    if trailing and draw(st.booleans()):
        chosen = [*chosen[: draw(st.integers(0, 3))], draw(st.sampled_from(trailing))]
    names = draw(st.permutations(["a", "b", "c", "a_b", "b_c", "row", "rest", "key"]))
    by_name = dict(zip(names, chosen, strict=False))
    codecs = {name: case.codec for name, case in by_name.items()}
    numbers = [name for name, case in by_name.items() if case.value_type is int]
    prefixes = draw(st.lists(spreads(codecs, numbers), max_size=2)) if spread else []
    if slices and numbers and draw(st.booleans()):
        every_ms, codec = draw(st.sampled_from([(2, Int64), (1000, UInt32), (900_000, UInt32), (7, DecimalText(6))]))
        prefixes.append(TimeBucket(of=draw(st.sampled_from(numbers)), every_ms=every_ms, codec=codec))
    key = key_class("Key", **codecs)
    return LayoutAndKeys(KeyLayout(key, *prefixes), st.builds(key, *(case.values for case in by_name.values())))
