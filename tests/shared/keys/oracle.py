"""Questions answered from values alone: the keys that match, and whether a key order can answer at all.

Nothing here looks at bytes. The properties of each codec (ordered, descending, a text) are repeated by hand.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, total_ordering
from itertools import product
from math import inf, prod
from typing import Any

import attrs
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
    Int64,
    InvalidKey,
    KeyLayout,
    LongMaxMinus,
    Modulo,
    Plan,
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
    UInt24,
    UInt32,
    any_of,
    between,
    starting_with,
)
from shared.keys.conditions import AnyOf, Between, StartingWith
from tests.shared.keys.strategies import SIGNED, UNSIGNED
from tests.shared.specimens import key_class

MOST_RANGES = 1024


@attrs.frozen
class Kind:
    """A codec, its properties, and values that are close to one another and to its edges."""

    codec: Codec[Any]
    values: tuple[Any, ...]
    ordered: bool = True
    descending: bool = False
    last_only: bool = False
    beginnings: bool = False
    every: int = 1
    """The length of its slices; 1 if it holds whole values."""
    lowest: int = 0
    """The least value of the codec of its slices; none starts below it."""
    highest: int = 0

    def share(self, value: Any) -> Any:
        """What the key holds of a value."""
        return value if self.every == 1 else value - value % self.every

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

_ASCENDING = [
    *(Kind(codec, _near(0, (1 << bits) - 1)) for codec, bits in UNSIGNED.items()),
    *(Kind(codec, _near(-(1 << bits - 1), (1 << bits - 1) - 1)) for codec, bits in SIGNED.items()),
    Kind(DecimalText(3), _near(0, 999)),
    Kind(Float64, _FLOATS),
    Kind(FixedBytes(2), _PAIRS, beginnings=True),
    Kind(FixedText(3, "\0"), _SHORT_TEXTS, beginnings=True),
    Kind(EscapedText, _TEXTS, beginnings=True),
    Kind(EscapedBytes, _BYTES, beginnings=True),
    Kind(Rest(UInt8, 60), (0, 1, 58, 59)),
    Kind(Rest(Int16, 300), (0, 1, 255, 256, 299)),
    Kind(Rest(DecimalText(2), 60), (0, 9, 10, 59)),
]

KINDS = [
    *_ASCENDING,
    *(attrs.evolve(kind, codec=Descending(kind.codec), descending=True) for kind in _ASCENDING),
    Kind(LongMaxMinus, _near(0, 2**63 - 1), descending=True),
    Kind(ReversedDigits(3), _near(0, 999), ordered=False),
    Kind(Reversed(UInt24), _near(0, 2**24 - 1), ordered=False),
    Kind(Reversed(EscapedText), _TEXTS, ordered=False),
    Kind(Reversed(FixedText(3, "\0")), _SHORT_TEXTS, ordered=False),
    Kind(Reversed(TrailingText), _TEXTS, ordered=False, last_only=True),
    Kind(Code({"paid": 0, "placed": 255, "sent": 7}), ("paid", "placed", "sent"), ordered=False),
    Kind(FixedText(3, "~"), tuple(text for text in _SHORT_TEXTS if "~" not in text), ordered=False, beginnings=True),
    Kind(DelimitedText("\0"), _PLAIN_TEXTS, beginnings=True),
    Kind(DelimitedText("_"), _TEXTS, ordered=False, beginnings=True),
    Kind(Delimited(DecimalText(3), "_"), _near(0, 999)),
    Kind(Delimited(Descending(DecimalText(3)), "|"), _near(0, 999), descending=True),
    Kind(Delimited(FixedText(3, "\0"), "_"), _SHORT_TEXTS, beginnings=True),
    Kind(Delimited(LongMaxMinus, "#"), _near(0, 2**63 - 1), descending=True),
    Kind(TrailingText, _TEXTS, last_only=True, beginnings=True),
    Kind(TrailingBytes, _BYTES, last_only=True, beginnings=True),
    Kind(Prefixed("order_", UInt8), _near(0, 255)),
    Kind(Prefixed("\0", Descending(Int16)), _near(-(2**15), 2**15 - 1), descending=True),
    Kind(Prefixed("é", EscapedText), _TEXTS, beginnings=True),
    Kind(Prefixed("c", Code({"paid": 0, "placed": 255})), ("paid", "placed"), ordered=False),
    Kind(Prefixed("user_", TrailingText), _TEXTS, last_only=True, beginnings=True),
]


def _sliced(codec: Codec[int], every: int, lowest: int, highest: int) -> Kind:
    """A codec of slices, and whole values at the borders of a few of them and of the codec."""
    edges = {number * every + off for number in (-2, -1, 0, 1, 2) for off in (-1, 0, 1)}
    edges |= {lowest, lowest + 1, highest - 1, highest, lowest + every, highest - every}
    values = tuple(sorted(edge for edge in edges if lowest <= edge <= highest))
    return Kind(Slice(codec, every), values, every=every, lowest=lowest, highest=highest)


_ASCENDING_SLICES = [
    _sliced(UInt8, 60, 0, 255),
    _sliced(UInt8, 256, 0, 255),
    _sliced(Int8, 100, -128, 127),
    _sliced(Int64, 3_600_000, -(2**63), 2**63 - 1),
    _sliced(UInt24, 256, 0, 2**24 - 1),
    _sliced(DecimalText(3), 60, 0, 999),
]
SLICES = [
    *_ASCENDING_SLICES,
    *(attrs.evolve(kind, codec=Descending(kind.codec), descending=True) for kind in _ASCENDING_SLICES),
    _sliced(Prefixed("t", Int16), 1000, -(2**15), 2**15 - 1),
    attrs.evolve(_sliced(ReversedDigits(3), 60, 0, 999), ordered=False),
]
"""Kinds whose keys hold the starts of slices; their values are whole."""

_SLICE_CODECS = {UInt32: (0, 2**32 - 1), Int64: (-(2**63), 2**63 - 1), Int8: (-128, 127), DecimalText(2): (0, 99)}


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

    @property
    def is_ordered(self) -> bool:
        return all(kind.ordered for kind in self.kinds.values())


def layout_of(kinds: list[Kind], *prefixes: Any) -> KeyLayout[Any]:
    """A layout with parts a, b, c of these kinds."""
    return KeyLayout(
        key_class("Key", **{name: kind.codec for name, kind in zip("abc", kinds, strict=False)}), *prefixes
    )


# ---- the meaning of a question, and which can be answered --------------------------------------------


def matches(question: dict[str, Any], key: Any) -> bool:
    return all(_fits(condition, getattr(key, name)) for name, condition in question.items())


def _fits(condition: Any, value: Any) -> bool:
    if isinstance(condition, Between):
        return (condition.since is None or condition.since <= value) and (
            condition.until is None or value < condition.until
        )
    if isinstance(condition, StartingWith):
        return bool(value.startswith(condition.start))
    if isinstance(condition, AnyOf):
        return any(value == one for one in condition.values)
    return bool(value == condition)


def widened(subject: Subject, question: dict[str, Any]) -> dict[str, Any]:
    """The question in whole slices: the values that the keys of its records can have."""
    return {name: _widened(subject.kinds[name], condition) for name, condition in question.items()}


def _widened(kind: Kind, condition: Any) -> Any:
    if kind.every == 1 or isinstance(condition, StartingWith):
        return condition
    if isinstance(condition, AnyOf):
        return any_of(map(kind.share, condition.values), merged=condition.merged)
    if not isinstance(condition, Between):
        return kind.share(condition)
    since, until = condition.since, condition.until
    if since is not None:
        since = kind.share(since) if kind.share(since) >= kind.lowest else None
    if until is not None:
        until = -(-until // kind.every) * kind.every
        until = until if until <= kind.highest else None
    return between(since, until)


def asks_for_nothing(question: dict[str, Any]) -> bool:
    """Whether a condition is an interval without values, or any of no values."""
    return any(_is_empty(condition) for condition in question.values())


def _is_empty(condition: Any) -> bool:
    if isinstance(condition, AnyOf):
        return not condition.values
    return isinstance(condition, Between) and condition.since is not None and condition.since == condition.until


def is_answerable(subject: Subject, question: dict[str, Any]) -> bool:
    """Whether at most 1024 ranges of the key order hold the answer."""
    if not question or not all(is_sound(subject.kinds[name], condition) for name, condition in question.items()):
        return False
    question = widened(subject, question)
    slices = 1
    if subject.time_bucket is not None:
        bucket = subject.time_bucket
        condition = question.get(bucket.of)
        if condition is None or isinstance(condition, StartingWith | AnyOf):
            return False
        if isinstance(condition, Between) and None in (condition.since, condition.until):
            return False
        first, last = (
            (condition.since, condition.until - 1) if isinstance(condition, Between) else (condition, condition)
        )
        first, last = first // bucket.every_ms, last // bucket.every_ms
        slices = last - first + 1
        lowest, highest = _SLICE_CODECS[bucket.codec]
        if slices and not lowest <= first <= last <= highest:
            return False
        if (
            isinstance(condition, Between)
            and condition.since % bucket.every_ms == condition.until % bucket.every_ms == 0
        ):
            question = {name: other for name, other in question.items() if name != bucket.of}
    bound = [name for name in subject.kinds if name in question]
    if bound != list(subject.kinds)[: len(bound)]:
        return False
    single = [name for name in bound if not isinstance(question[name], Between | StartingWith)]
    if single != bound[: len(single)] or len(bound) > len(single) + 1:
        return False
    several = {name: {*question[name].values} for name in single if isinstance(question[name], AnyOf)}
    if len(single) == len(subject.kinds) and not several and not _is_storable(subject, question):
        return False
    leading = prod(map(len, several.values()))
    if leading == 0:
        return slices <= MOST_RANGES
    buckets = [buckets_of(prefix) for prefix in subject.layout.spread if not set(prefix.of) <= set(single)]
    return max(buckets, default=1) <= MOST_RANGES and prod(buckets) * slices * leading <= MOST_RANGES


def is_sound(kind: Kind, condition: Any) -> bool:
    """Whether the order of a part can answer its condition."""
    if isinstance(condition, Between):
        return kind.ordered and (None in (condition.since, condition.until) or condition.since <= condition.until)
    if isinstance(condition, StartingWith):
        return kind.beginnings
    values = condition.values if isinstance(condition, AnyOf) else (condition,)
    return kind.every == 1 or all(kind.share(value) >= kind.lowest for value in values)


def _is_storable(subject: Subject, values: dict[str, Any]) -> bool:
    """Only an empty text that is the whole key gives a row without bytes."""
    (kind, *others), (value, *_) = subject.kinds.values(), values.values()
    has_label = isinstance(kind.codec, Prefixed)
    return bool(others or subject.layout.prefixes or not kind.last_only or has_label or value)


def buckets_of(prefix: Any) -> int:
    """The number of buckets of a spreading prefix."""
    if isinstance(prefix, Salt):
        return prefix.buckets
    return prefix.by if isinstance(prefix, Modulo) else (16 if prefix.hex else 256) ** prefix.count


@total_ordering
@attrs.frozen(order=False)
class _Down:
    value: Any

    def __lt__(self, other: "_Down") -> bool:
        return bool(other.value < self.value)


def plan_of(subject: Subject, question: dict[str, Any]) -> tuple[Plan, dict[str, Any]]:
    """The plan of a question and its conditions; the plan of the whole table if the question cannot be answered."""
    if is_answerable(subject, question):
        return subject.layout.plan(**question), question
    return subject.layout.whole_table(), {}


def in_order(subject: Subject, keys: list[Any]) -> list[Any]:
    """The keys as their values sort: time slices first, then part by part, each in its direction."""
    return sorted(keys, key=lambda key: place(subject, key))


def place(subject: Subject, record: Any, after: str | None = None) -> list[Any]:
    """What a record sorts by: its time slice, then its parts; or only the parts after one."""
    names = list(subject.kinds)
    values = {name: kind.share(getattr(record, name)) for name, kind in subject.kinds.items()}
    place = [(values[name], subject.kinds[name].descending) for name in names[names.index(after) + 1 if after else 0 :]]
    if subject.time_bucket is not None and after is None:
        bucket = subject.time_bucket
        place.insert(0, (values[bucket.of] // bucket.every_ms, subject.kinds[bucket.of].descending))
    return [_Down(value) if descending else value for value, descending in place]


def merged_part(subject: Subject, question: dict[str, Any]) -> str | None:
    """The last part with a merged `any_of`: rows come in the order of the parts after it."""
    merged = [name for name in subject.kinds if getattr(question.get(name), "merged", False) is True]
    return merged[-1] if merged else None


# ---- strategies ----------------------------------------------------------------------------------


class _Draw:
    """Choices that Hypothesis makes; by index, because thousands of small strategies are slow to build."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        return self._draw(_BELOW[count])

    def choice(self, choices: Sequence[Any]) -> Any:
        return choices[self.below(len(choices))]

    def several(self, choices: Sequence[Any], most: int) -> list[Any]:
        """One to `most` of the choices, each once."""
        remaining, chosen = list(choices), []
        for _ in range(min(len(remaining), 1 + self.below(most))):
            chosen.append(remaining.pop(self.below(len(remaining))))
        return chosen


_BELOW = [st.integers(0, max(0, count - 1)) for count in range(64)]
_WAYS = ("value", "value", "between", "since", "until", "all", "wrong way round", "starting", "any of")


@st.composite
def subjects(hypothesis_draw: st.DrawFn, ordered: bool = False, slices: bool = False) -> Subject:
    """Layouts of one to three parts of any kind, after any prefixes; one part in three is a `Slice` if `slices`."""
    draw = _Draw(hypothesis_draw)
    allowed = [[kind for kind in kinds if kind.ordered or not ordered] for kinds in (KINDS, SLICES)]
    chosen = [draw.choice(allowed[1 if slices and draw.below(3) == 2 else 0]) for _ in range(1 + draw.below(3))]
    kinds = dict(zip("abc", [*(kind for kind in chosen[:-1] if not kind.last_only), chosen[-1]], strict=False))
    pools = {name: kind.values for name, kind in kinds.items()}
    times = [name for name, kind in kinds.items() if type(kind.values[0]) is int]
    prefixes: list[Any] = [_spread(draw, list(kinds), times) for _ in range(draw.choice((0, 0, 1, 1, 1, 2)))]
    bucket = None
    if times and draw.below(2):
        bucket = TimeBucket(draw.choice(times), draw.choice((10, 1, 2, 100)), draw.choice(list(_SLICE_CODECS)))
        pools[bucket.of] = _around_slices(bucket, kinds[bucket.of])
        prefixes.append(bucket)
    values = {name: draw.several(pool, most=4) for name, pool in pools.items()}
    return Subject(layout_of(list(kinds.values()), *prefixes), kinds, values, bucket)


def _spread(draw: _Draw, names: list[str], times: list[str]) -> Any:
    of = tuple(draw.several(names, most=2))
    way = draw.below(6)
    if way < 3:
        return Salt(of, buckets=draw.choice((5, 1, 2, 256)))
    if way < 4 and times:
        return Modulo(draw.choice(times), by=draw.choice((2, 1, 7)))
    hexadecimal, separator, take = draw.below(2) == 1, draw.choice(("", "_")), draw.choice(("first", "last"))
    return HashPrefix(of, bytes=draw.choice((1, 1, 2, 4)), hex=hexadecimal, separator=separator, take=take)


def _around_slices(bucket: TimeBucket, kind: Kind) -> tuple[int, ...]:
    """Times at the borders of a few slices."""
    lowest, highest = kind.values[0], kind.values[-1]
    edges = {number * bucket.every_ms + off for number in (-1, 0, 1, 2, 3) for off in (-1, 0, 1)}
    return tuple(sorted(edge for edge in edges if lowest <= edge <= highest))


@st.composite
def questions(hypothesis_draw: st.DrawFn, subject: Subject, merged: bool = False) -> dict[str, Any]:
    """Equality or `any_of` on some leading parts, often an interval after them; one question in eight binds any parts.

    A third of the `any_of` are merged if `merged`.
    """
    draw = _Draw(hypothesis_draw)
    names = list(subject.kinds)
    if draw.below(8) == 7:
        return {name: _condition(draw, subject, name, draw.choice(_WAYS), merged) for name in names if draw.below(2)}
    question: dict[str, Any] = {}
    bucket = subject.time_bucket
    if bucket is not None and draw.below(4):
        # Most questions give both ends of the time: whole slices need no other part.
        pool = _around_slices(bucket, subject.kinds[bucket.of])
        if draw.below(3):
            pool = tuple(time for time in pool if time % bucket.every_ms == 0)
            names.remove(bucket.of)
        question[bucket.of] = between(*sorted((draw.choice(pool), draw.choice(pool))))
    singles = draw.below(len(names) + 1)
    ways = [(name, draw.choice(("value", "value", "any of"))) for name in names[:singles]]
    question = {name: _condition(draw, subject, name, way, merged) for name, way in ways} | question
    for name in names[singles : singles + 1]:
        if name not in question and draw.below(4):
            question[name] = _condition(draw, subject, name, draw.choice(_WAYS), merged)
    return question


def _condition(draw: _Draw, subject: Subject, name: str, way: str, merged: bool) -> Any:
    values = (*subject.values[name] * 3, *subject.kinds[name].values)
    if way == "any of":  # with values that occur twice, now and then without any
        several = [draw.choice(values[-63:]) for _ in range(draw.choice((2, 1, 3, 4, 0)))]
        return any_of(several, merged=merged and draw.below(3) == 0)
    value = draw.choice(values[-63:])
    if way == "starting" and isinstance(value, str | bytes):
        return starting_with(value[: draw.below(len(value) + 1)])
    if way in ("value", "starting"):
        return value
    if way in ("since", "until", "all"):
        return between(value if way == "since" else None, value if way == "until" else None)
    return between(*sorted((value, draw.choice(values[-63:])), reverse=way == "wrong way round"))


@st.composite
def loose_questions(hypothesis_draw: st.DrawFn, subject: Subject) -> dict[str, Any]:
    """Conditions for most parts: values and intervals in any order, now and then one that makes no sense."""
    draw = _Draw(hypothesis_draw)
    question: dict[str, Any] = {}
    for name, kind in subject.kinds.items():
        pool = (*subject.values[name] * 4, *kind.values)[-63:]
        low, high = sorted((draw.choice(pool), draw.choice(pool)))
        if subject.time_bucket is not None and name == subject.time_bucket.of and draw.below(10):
            ways = [low, between(low, high), between(low, high)]
        else:
            ways = [None, low, low, low]
            ways += [between(low, high), between(low, None), between(None, high)]
            ways += [any_of([low, high, low], merged=draw.below(2) == 1), any_of([high])]
            ways += [any_of([])] if draw.below(10) == 9 else []
            ways += [starting_with(low[:1]), starting_with(high)] if kind.beginnings else []
            ways += draw.choice(([], [between()] * 3, [between(high, low), starting_with(low)]))
        way = draw.choice(ways)
        if way is not None:
            question[name] = way
    return {name: question[name] for name in sorted(question, reverse=draw.below(2) == 1)}
