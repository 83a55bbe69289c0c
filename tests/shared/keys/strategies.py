"""Codecs and layouts that laws are tried on: codecs with values at their edges, and layouts drawn from them."""

import enum
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from itertools import product
from math import inf
from typing import Any, NamedTuple
from uuid import UUID

import attrs
from hypothesis import settings
from hypothesis import strategies as st

from shared.keys import (
    Bool,
    Code,
    Date,
    DateTime,
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
    InvalidKey,
    KeyLayout,
    LongMaxMinus,
    Modulo,
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
    Uuid,
)
from shared.keys.codecs import Codec
from tests.shared.specimens import key_class

few = settings(max_examples=15, derandomize=True)
many = settings(max_examples=100, derandomize=True)


class Few(enum.IntEnum):
    """An int to `isinstance`, not to a key."""

    ONE = 1


class Status(enum.StrEnum):
    """Text to `isinstance`, and with an order, but not by its bytes."""

    PAID = "paid"
    PLACED = "placed"
    SENT = "sent"


class Text(str):
    """Text to `isinstance`, not to a key."""


# ---- codecs --------------------------------------------------------------------------------------


@attrs.frozen
class Kind:
    """A codec, and whole values, as records have them, that are close to one another and to its edges."""

    codec: Codec[Any]
    values: tuple[Any, ...]
    every: int = 1
    """The length of its slices; 1 if it holds whole values."""
    lowest: int = 0
    """The least value of the codec of its slices; none starts below it."""
    highest: int = 0

    @property
    def value_type(self) -> type[Any]:
        return type(self.values[0])

    @property
    def past_last(self) -> tuple[int, ...]:
        """One past the last int, where an interval may end; nothing for other values."""
        return (self.values[-1] + 1,) if self.value_type is int else ()

    @property
    def has_beginnings(self) -> bool:
        return self.value_type in (str, bytes) and not re.search("Code|Reversed", str(self))

    def share(self, value: Any) -> Any:
        """What the key holds of a value."""
        return value if self.every == 1 else value - value % self.every

    @property
    def keys(self) -> list[Any]:
        """What keys hold of its values, each once."""
        shares = {self.share(value): None for value in self.values}
        return [share for share in shares if self.every == 1 or share >= self.lowest]

    def __str__(self) -> str:
        return str(self.codec)


def _near(first: int, last: int) -> tuple[int, ...]:
    """Ints at both ends and at the borders of bytes."""
    borders = (-256, -129, -128, -10, -1, 0, 1, 2, 9, 10, 12, 123, 127, 128)
    borders += (254, 255, 256, 511, 512, 65279, 65280, 65535)
    return tuple(sorted({first, first + 1, last - 1, last} | {border for border in borders if first <= border <= last}))


_FLOATS = (-inf, -1e300, -1.5, -1.0, -5e-324, 0.0, 5e-324, 0.1, 1.0, 1.5, 1e300, inf)
_PLAIN_TEXTS = ("", "1", "12", "123", "A", "A1", "a", "a!", "aa", "a~", "b", "\x7f", "é", "\uffff", "\U0010ffff")
_TEXTS = (*_PLAIN_TEXTS, "\0", "\0\0", "\0\x01", "\x01", "a\0", "a\0\0", "a\0b", "a\x01", "a\xff")
_SHORT_TEXTS = tuple(text for text in _PLAIN_TEXTS if len(text.encode()) <= 3)
_BYTES = (b"", b"\0", b"\0\0", b"\0\1", b"\0\xff", b"\1", b"a", b"a\0", b"a\0\1", b"a\1", b"a\xff", b"b", b"\xfe")
_BYTES += (b"\xfe\xff", b"\xff", b"\xff\0", b"\xff\xff")
_PAIRS = (b"\0\0", b"\0\1", b"\0\xff", b"\1\0", b"a\xff", b"b\0", b"\xfe\0", b"\xfe\xff", b"\xff\0", b"\xff\xff")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOMENTS = (_EPOCH, *(_EPOCH + timedelta(microseconds=number) for number in (-257, -256, -1, 1, 255, 256, 2**50)))
_MOMENTS += (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
_DAYS = (date.min, *(date(1970, 1, 1) + timedelta(days=number) for number in (-256, -1, 0, 1, 255, 256)), date.max)
_UUIDS = tuple(UUID(int=number) for number in (0, 1, 255, 256, 2**64 - 1, 2**64, 2**127, 2**128 - 256, 2**128 - 1))
_UNSIGNED = {UInt8: 8, UInt16: 16, UInt24: 24, UInt32: 32, UInt64: 64}
_SIGNED = {Int8: 8, Int16: 16, Int32: 32, Int64: 64}
_UINT63 = _near(0, 2**63 - 1)
_DIGITS = _near(0, 999)


def _both_ways(kinds: Sequence[Kind]) -> list[Kind]:
    """Ascending codecs, and the same descending."""
    return [*kinds, *(attrs.evolve(kind, codec=Descending(kind.codec)) for kind in kinds)]


KINDS = [
    *_both_ways(
        [
            *(Kind(codec, _near(0, (1 << bits) - 1)) for codec, bits in _UNSIGNED.items()),
            *(Kind(codec, _near(-(1 << bits - 1), (1 << bits - 1) - 1)) for codec, bits in _SIGNED.items()),
            Kind(DecimalText(3), _DIGITS),
            Kind(Float64, _FLOATS),
            Kind(DateTime, _MOMENTS),
            Kind(Date, _DAYS),
            Kind(Uuid, _UUIDS),
            Kind(Bool, (False, True)),
            Kind(FixedBytes(2), _PAIRS),
            Kind(FixedText(3, "\0"), _SHORT_TEXTS),
            Kind(EscapedText, _TEXTS),
            Kind(EscapedBytes, _BYTES),
            Kind(Rest(UInt8, 60), (0, 1, 58, 59)),
            Kind(Rest(Int16, 300), (0, 1, 255, 256, 299)),
            Kind(Rest(DecimalText(2), 60), (0, 9, 10, 59)),
        ]
    ),
    Kind(LongMaxMinus, _UINT63),
    Kind(ReversedDigits(3), _DIGITS),
    Kind(Reversed(UInt24), _near(0, 2**24 - 1)),
    Kind(Reversed(Int64), _near(-(2**63), 2**63 - 1)),
    Kind(Reversed(FixedBytes(2)), _PAIRS),
    Kind(Reversed(EscapedText), _TEXTS),
    Kind(Reversed(FixedText(3, "\0")), _SHORT_TEXTS),
    Kind(Reversed(DelimitedText("_")), _TEXTS),
    Kind(Reversed(TrailingText), _TEXTS),
    Kind(Code({"paid": 0, "placed": 255, "sent": 7}), ("paid", "placed", "sent")),
    Kind(Code({Status.SENT: 0, Status.PAID: 255, Status.PLACED: 7}), (*Status,)),
    Kind(FixedText(3, "~"), tuple(text for text in _SHORT_TEXTS if "~" not in text)),
    Kind(DelimitedText("\0"), _PLAIN_TEXTS),
    Kind(DelimitedText("_"), _TEXTS),
    Kind(Delimited(DecimalText(3), "_"), _DIGITS),
    Kind(Delimited(Descending(DecimalText(3)), "|"), _DIGITS),
    Kind(Delimited(FixedText(3, "\0"), "_"), _SHORT_TEXTS),
    Kind(Delimited(LongMaxMinus, "#"), _UINT63),
    Kind(TrailingText, _TEXTS),
    Kind(TrailingBytes, _BYTES),
    Kind(Prefixed("order_", UInt8), _near(0, 255)),
    Kind(Prefixed("\0", Descending(Int16)), _near(-(2**15), 2**15 - 1)),
    Kind(Prefixed("é", EscapedText), _TEXTS),
    Kind(Prefixed("\U0010ffff", Descending(EscapedBytes)), _BYTES),
    Kind(Prefixed("c", Code({"paid": 0, "placed": 255})), ("paid", "placed")),
    Kind(Prefixed("user_", TrailingText), _TEXTS),
]


def _sliced(codec: Codec[int], every: int, lowest: int, highest: int) -> Kind:
    """A codec of slices, and whole values at the borders of a few of them and of the codec."""
    edges = {number * every + off for number in (-2, -1, 0, 1, 2) for off in (-1, 0, 1)}
    edges |= {lowest, lowest + 1, highest - 1, highest, lowest + every, highest - every}
    values = tuple(sorted(edge for edge in edges if lowest <= edge <= highest))
    return Kind(Slice(codec, every), values, every, lowest, highest)


SLICES = [
    *_both_ways(
        [
            _sliced(UInt8, 60, 0, 255),
            _sliced(UInt8, 256, 0, 255),
            _sliced(Int8, 100, -128, 127),
            _sliced(Int64, 3_600_000, -(2**63), 2**63 - 1),
            _sliced(UInt24, 256, 0, 2**24 - 1),
            _sliced(DecimalText(3), 60, 0, 999),
        ]
    ),
    _sliced(Prefixed("t", Int16), 1000, -(2**15), 2**15 - 1),
    _sliced(Delimited(DecimalText(3), "_"), 60, 0, 999),
    _sliced(ReversedDigits(3), 60, 0, 999),
]
"""Codecs whose keys hold the starts of slices."""
CASES = [*KINDS, *SLICES]

MARKS = [b"", b"\0", b"\0\1", b"\0\2", b"\0\xff", b"\xff", b"\xff\xfe", b"\xff\0", b"_", b"0", b"+"]


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` with up to two bytes removed and up to three inserted, at one place."""
    start = draw(st.integers(0, len(data)))
    return data[:start] + draw(st.sampled_from(MARKS) | st.binary(max_size=3)) + data[start + draw(st.integers(0, 2)) :]


# ---- layouts -------------------------------------------------------------------------------------


class Draw:
    """Choices that Hypothesis makes; by index, because thousands of small strategies are slow to build."""

    _BELOW = tuple(st.integers(0, max(0, count - 1)) for count in range(100))

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        return self._draw(self._BELOW[count])

    def choice(self, choices: Sequence[Any]) -> Any:
        return choices[self.below(len(choices))]

    def several(self, choices: Sequence[Any], most: int) -> list[Any]:
        """One to `most` of the choices, each once."""
        remaining, chosen = list(choices), []
        for _ in range(min(len(remaining), 1 + self.below(most))):
            chosen.append(remaining.pop(self.below(len(remaining))))
        return chosen


@attrs.frozen
class Subject:
    """A layout, and all keys that can be made of a few values for each part."""

    layout: KeyLayout[Any]
    kinds: dict[str, Kind]
    values: dict[str, list[Any]]
    time_bucket: TimeBucket | None

    @cached_property
    def rows(self) -> list[tuple[Any, bytes]]:
        """All records that can be stored, with their rows: objects of the key class, but with whole values."""
        rows = []
        for values in product(*self.values.values()):
            key = self.layout.key_class(*values)
            with suppress(InvalidKey):  # a time outside the slices, or only an empty text
                rows.append((key, self.layout.row_of(key)))
        return rows

    @property
    def keys(self) -> list[Any]:
        """All records that can be stored."""
        return [record for record, _row in self.rows]

    def key_of(self, record: Any) -> Any:
        """The key of a record: a part that is a `Slice` holds the start of one."""
        return attrs.evolve(record, **{name: kind.share(getattr(record, name)) for name, kind in self.kinds.items()})


def layout_of(kinds: Sequence[Kind], *prefixes: Any) -> KeyLayout[Any]:
    """A layout with parts a, b, c of these kinds."""
    codecs = {name: kind.codec for name, kind in zip("abcd", kinds, strict=False)}
    return KeyLayout(key_class("Key", **codecs), *prefixes)


@st.composite
def subjects(
    hypothesis_draw: st.DrawFn,
    ordered: bool = False,
    slices: bool = False,
    kinds: Sequence[Kind] = KINDS,
    most: int = 3,
) -> Subject:
    """Layouts of one to `most` parts of any kind, after any prefixes; one part in three is a `Slice` if `slices`."""
    draw = Draw(hypothesis_draw)
    allowed = [[kind for kind in pool if kind.codec.ordered or not ordered] for pool in (kinds, SLICES)]
    chosen = [draw.choice(allowed[1 if slices and draw.below(3) == 2 else 0]) for _ in range(1 + draw.below(most))]
    parts = [*(kind for kind in chosen[:-1] if not kind.codec.trailing), chosen[-1]]
    by_name = dict(zip("abcd", parts, strict=False))
    pools = {name: kind.values for name, kind in by_name.items()}
    times = [name for name, kind in by_name.items() if kind.value_type is int]
    prefixes: list[Any] = [_spread(draw, [*by_name], times) for _ in range(draw.choice((0, 0, 1, 1, 1, 2)))]
    bucket = None
    if times and draw.below(2):
        bucket = TimeBucket(
            draw.choice(times), draw.choice((10, 1, 2, 100)), draw.choice((UInt32, Int64, Int8, DecimalText(2)))
        )
        pools[bucket.of] = around_slices(bucket, by_name[bucket.of])
        prefixes.append(bucket)
    values = {name: draw.several(pool, most=4) for name, pool in pools.items()}
    return Subject(layout_of(parts, *prefixes), by_name, values, bucket)


def _spread(draw: Draw, names: list[str], times: list[str]) -> Any:
    of = tuple(draw.several(names, most=2))
    way = draw.below(6)
    if way < 3:
        return Salt(of, buckets=draw.choice((5, 1, 2, 256)))
    if way < 4 and times:
        return Modulo(draw.choice(times), by=draw.choice((2, 1, 7)))
    hexadecimal, separator, take = draw.below(2) == 1, draw.choice(("", "_")), draw.choice(("first", "last"))
    return HashPrefix(of, bytes=draw.choice((1, 1, 2, 4)), hex=hexadecimal, separator=separator, take=take)


def around_slices(bucket: TimeBucket, kind: Kind) -> tuple[int, ...]:
    """Times at the borders of a few slices."""
    lowest, highest = kind.values[0], kind.values[-1]
    edges = {number * bucket.every_ms + off for number in (-1, 0, 1, 2, 3) for off in (-1, 0, 1)}
    return tuple(sorted(edge for edge in edges if lowest <= edge <= highest))


class LayoutAndKeys(NamedTuple):
    """A layout, and keys of it."""

    layout: KeyLayout[Any]
    keys: st.SearchStrategy[Any]


@st.composite
def layouts(draw: st.DrawFn, kinds: Sequence[Kind] = CASES) -> LayoutAndKeys:
    """One to four parts of these codecs, after any prefixes, and keys, a few of which do not fit in a slice."""
    subject = draw(subjects(kinds=kinds, most=4))
    pools = [
        st.sampled_from([*kind.keys, *map(kind.share, subject.values[name])]) for name, kind in subject.kinds.items()
    ]
    return LayoutAndKeys(subject.layout, st.builds(subject.layout.key_class, *pools))
