"""A question becomes ranges of keys, and the ranges hold exactly the keys that match.

A question has a condition for some parts of the key: a value, `between(...)` or `starting_with(...)`. A key order
answers equality on the leading parts, then at most one interval or prefix, then nothing. Callers give values; this
module alone turns them into the ends of ranges.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from math import prod
from typing import Any

import attrs

from .errors import InvalidKey, InvalidQuestion, listed, shown
from .limits import MAX_ROW_BYTES
from .parts import Part
from .prefixes import MAX_BUCKETS, Spread
from .reference import ReferenceLayout


@attrs.frozen
class Between:
    """since <= value < until, in the order of the values; None means no bound."""

    since: Any
    until: Any

    def __contains__(self, value: Any) -> bool:
        return (self.since is None or self.since <= value) and (self.until is None or value < self.until)


@attrs.frozen
class StartingWith:
    """Text (or bytes) that starts with `start`."""

    start: Any

    def __contains__(self, value: Any) -> bool:
        return bool(value.startswith(self.start))


_MANY_VALUES = (Between, StartingWith)


def between(since: Any = None, until: Any = None) -> Any:
    """The values from `since` up to, but not including, `until`; either may be None for no bound.

    Half-open in the order of the values, also if the part is descending: two periods that meet share no row.
    """
    return Between(since, until)


def starting_with(start: str | bytes) -> Any:
    """The text that starts with `start`, which may end anywhere in a word."""
    return StartingWith(start)


def matcher(condition: Any) -> Callable[[Any], bool]:
    """A function that tells whether a value meets a condition: equals it, or is in its `between` or `starting_with`."""
    return condition.__contains__ if isinstance(condition, _MANY_VALUES) else lambda value: bool(value == condition)


def successor(prefix: bytes) -> bytes | None:
    """The first key after all keys that start with `prefix`; None if only the end of the table comes after them.

    61 -> 62    61 ff -> 62    ff ff -> None
    """
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None


def next_row(row: bytes) -> bytes | None:
    """The very next row key after `row`; None if that is the end of the table.

    61 -> 61 00
    """
    return row + b"\x00" if len(row) < MAX_ROW_BYTES else successor(row)


@attrs.frozen
class RowRange:
    """The keys from `start` up to, but not including, `stop`; None is the end of the table."""

    start: bytes
    stop: bytes | None

    def __contains__(self, row: bytes) -> bool:
        return self.start <= row and (self.stop is None or row < self.stop)

    def __str__(self) -> str:
        return f"[{self.start.hex()}, {'end' if self.stop is None else self.stop.hex()})"


@attrs.frozen
class Plan:
    """The ranges that answer one question.

    `streams` has one entry for each bucket of the spreading prefixes (one entry without them): its ranges in key order.
    Merging the streams by the key after its first `spread_bytes` gives all rows in key order.
    `point` is the whole key if the question binds every part to a value: a get, never a prefix.
    """

    streams: tuple[tuple[RowRange, ...], ...]
    spread_bytes: int = 0
    point: bytes | None = None

    @property
    def ranges(self) -> tuple[RowRange, ...]:
        """All ranges, bucket after bucket."""
        return tuple(range_ for stream in self.streams for range_ in stream)

    def __str__(self) -> str:
        return "\n".join(map(str, self.ranges)) or "no range"


@attrs.frozen
class Narrowed:
    """The part of a question that the order of a key answers, and the rest as a residual filter."""

    plan: Plan
    bound: tuple[str, ...]
    """The leading parts that the ranges bind. Rows come in the order of the parts after those bound to one value. If a
    `TimeBucket` comes before parts that are not bound, they come in the order of its slices first."""
    residual: Mapping[str, Any]
    """The conditions that the ranges do not guarantee, by part: the reader compares them with every row."""


@attrs.frozen
class _Interval:
    """The ends of a range, relative to the bytes of the parts before it.

    It starts at `low`, or after all keys that start with `low`; it stops at `high`, or after all keys that start with
    `high`.
    """

    low: bytes = b""
    after_low: bool = False
    high: bytes = b""
    through_high: bool = True

    def after(self, leading: bytes) -> RowRange | None:
        """The range of keys that start with these bytes, then are in this interval; None if it is empty."""
        start = successor(leading + self.low) if self.after_low else leading + self.low
        stop = successor(leading + self.high) if self.through_high else leading + self.high
        if start is None or (stop is not None and start >= stop):
            return None
        return RowRange(start, stop)


# ---- the three questions -------------------------------------------------------------------------


def plan(layout: ReferenceLayout[Any], question: Mapping[str, Any], encode: Callable[[Any], bytes]) -> Plan:
    """The ranges of `layout` that hold exactly the keys that match `question`; see `KeyLayout.plan`.

    `encode` is what encodes the key of a point: `KeyLayout.encode` is faster than `encode_reference`.
    """
    _check_names(layout, question)
    if _is_point(layout, question):
        return _point(layout, question, encode)
    slices, conditions = _time_slices(layout, question)
    values, encoded, interval = _leading(layout, conditions)
    return _ranges(layout, slices, b"".join(encoded.values()), interval, values, encoded)


def narrow(layout: ReferenceLayout[Any], question: Mapping[str, Any], encode: Callable[[Any], bytes]) -> Narrowed:
    """The ranges for as much of `question` as the key can bind, and the residual filter; see `KeyLayout.narrow`."""
    _check_names(layout, question)
    if _is_point(layout, question):
        return Narrowed(_point(layout, question, encode), tuple(layout.part_named), {})
    slices, conditions = _time_slices(layout, question)
    bindable = _bindable(layout, conditions)
    if not bindable and layout.time_bucket is None:
        _leading(layout, conditions)  # refuses, and says why
    residual = {
        name: condition
        for name, condition in conditions.items()
        if name not in bindable and condition != Between(None, None)
    }
    values, encoded, interval = _leading(layout, bindable)
    leading = b"".join(encoded.values())
    for name, condition in residual.items():
        part = layout.part_named[name]
        if isinstance(condition, Between):
            _ends(layout, part, condition)
        elif isinstance(condition, StartingWith):
            _encode(layout, part, part.codec.encode_prefix, condition.start)
        else:  # not in the ranges, but a spreading prefix may be computed from it
            values[name], encoded[name] = condition, _encode(layout, part, part.codec.encode, condition)
    ranges = _ranges(layout, slices, leading, interval, values, encoded)
    if any(isinstance(condition, Between) and condition.since == condition.until for condition in residual.values()):
        ranges = Plan((), layout.spread_bytes)  # no row can pass the residual filter
    return Narrowed(ranges, _bound_names(layout, bindable), residual)


def whole_table(layout: ReferenceLayout[Any]) -> Plan:
    """All rows: one stream for each bucket if they can be listed, otherwise one range for the whole table."""
    choices = [prefix.every_value() for prefix in layout.spread]
    known = [choice for choice in choices if choice is not None]
    if not choices or len(known) < len(choices) or prod(map(len, known)) > MAX_BUCKETS:
        return Plan(((RowRange(b"", None),),))
    starts = [b"".join(spread) for spread in product(*known)]
    return Plan(tuple((RowRange(start, successor(start)),) for start in starts), layout.spread_bytes)


# ---- the parts that a question binds -------------------------------------------------------------


def _check_names(layout: ReferenceLayout[Any], question: Mapping[str, Any]) -> None:
    for name in question:
        if name not in layout.part_named:
            raise InvalidQuestion(f"{layout.name}.{name}: no such part; the parts are {listed(layout.part_named)}")
    if not question:
        bucket = layout.time_bucket
        first = layout.parts[0].name if bucket is None else bucket.of
        raise InvalidQuestion(f"{layout.name}: needs a condition for {first}; ask whole_table() for all rows")


def _is_point(layout: ReferenceLayout[Any], question: Mapping[str, Any]) -> bool:
    return question.keys() == layout.part_named.keys() and not any(
        isinstance(condition, _MANY_VALUES) for condition in question.values()
    )


def _point(layout: ReferenceLayout[Any], question: Mapping[str, Any], encode: Callable[[Any], bytes]) -> Plan:
    try:
        point = encode(layout.key(*(question[part.name] for part in layout.parts)))
    except InvalidKey as error:
        raise InvalidQuestion(str(error)) from None
    return Plan(((RowRange(point, point + b"\x00"),),), layout.spread_bytes, point)


def _bindable(layout: ReferenceLayout[Any], question: Mapping[str, Any]) -> dict[str, Any]:
    """The conditions of the leading parts that have one, up to the first interval or prefix."""
    bindable: dict[str, Any] = {}
    for part in layout.parts:
        if part.name not in question:
            break
        condition = question[part.name]
        if isinstance(condition, Between) and not part.codec.ordered:  # not a range, but rows can be compared
            break
        bindable[part.name] = condition
        if isinstance(condition, _MANY_VALUES):
            break
    return bindable


def _bound_names(layout: ReferenceLayout[Any], bindable: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the leading parts that are bound, and of the time after them if whole slices have bound it."""
    bucket = layout.time_bucket
    following = layout.parts[len(bindable)].name if len(bindable) < len(layout.parts) else ""
    has_interval = any(isinstance(condition, _MANY_VALUES) for condition in bindable.values())
    if bucket is None or bucket.of != following or has_interval:
        return tuple(bindable)
    return (*bindable, following)


def _leading(
    layout: ReferenceLayout[Any], question: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, bytes], _Interval]:
    """Values and bytes of the parts bound by equality, and the interval of the part after them."""
    values: dict[str, Any] = {}
    encoded: dict[str, bytes] = {}
    interval = _Interval()
    without_value: list[str] = []
    for part in layout.parts:
        if part.name not in question:
            without_value.append(part.name)
            continue
        if without_value:
            raise InvalidQuestion(f"{layout.name}.{part.name}: {_needs(layout, question, part, without_value)}")
        condition = question[part.name]
        if isinstance(condition, Between):
            interval = _between(layout, part, condition)
            without_value.append(f"{part.name} (not an interval)")
        elif isinstance(condition, StartingWith):
            start = _encode(layout, part, part.codec.encode_prefix, condition.start)
            interval = _Interval(low=start, high=start)
            without_value.append(f"{part.name} (not a prefix)")
        else:
            values[part.name] = condition
            encoded[part.name] = _encode(layout, part, part.codec.encode, condition)
    return values, encoded, interval


def _needs(layout: ReferenceLayout[Any], question: Mapping[str, Any], part: Part, without_value: list[str]) -> str:
    comes = "comes" if len(without_value) == 1 else "come"
    message = f"needs a value for {listed(without_value)}, which {comes} earlier in the row key"
    bucket = layout.time_bucket
    if bucket is not None and part.name == bucket.of and not _binds_after(layout, question, part):
        message += f", or an interval whose ends are multiples of {bucket.every_ms} ms"
    return message


def _between(layout: ReferenceLayout[Any], part: Part, condition: Between) -> _Interval:
    codec = part.codec
    if not codec.ordered:
        raise InvalidQuestion(f"{layout.name}.{part.name}: needs a single value, because {codec} is not ordered")
    since, until = _ends(layout, part, condition)
    if codec.descending:  # larger values come first: `until` is the end where the range starts
        return _Interval(until or b"", until is not None, since or b"", through_high=True)
    return _Interval(since or b"", False, until or b"", through_high=until is None)


def _ends(layout: ReferenceLayout[Any], part: Part, condition: Between) -> tuple[bytes | None, bytes | None]:
    since, until = (
        None if end is None else _encode(layout, part, part.codec.encode, end)
        for end in (condition.since, condition.until)
    )
    if None not in (since, until) and condition.since > condition.until:
        ends = f"{shown(condition.since)} and {shown(condition.until)}"
        raise InvalidQuestion(f"{layout.name}.{part.name}: since must not be above until (got {ends})")
    return since, until


def _encode(layout: ReferenceLayout[Any], part: Part, encode: Callable[[Any], bytes], value: Any) -> bytes:
    try:
        return encode(value)
    except InvalidKey as error:
        raise InvalidQuestion(f"{layout.name}.{part.name}: {error}") from None


# ---- time slices ---------------------------------------------------------------------------------


def _time_slices(layout: ReferenceLayout[Any], question: Mapping[str, Any]) -> tuple[list[bytes], Mapping[str, Any]]:
    """The bytes of the time slices to read, in key order, and the conditions that they do not guarantee."""
    bucket = layout.time_bucket
    if bucket is None:
        return [b""], question
    part = layout.part_named[bucket.of]
    condition = question.get(part.name)
    if condition is not None and not isinstance(condition, _MANY_VALUES):
        _encode(layout, part, part.codec.encode, condition)
        return [_slice(layout, part, bucket.number(condition))], question
    if not isinstance(condition, Between) or condition.since is None or condition.until is None:
        why = f"because slices of {bucket.every_ms} ms come earlier in the row key"
        raise InvalidQuestion(f"{layout.name}.{part.name}: needs a value or an interval with both ends, {why}")
    _between(layout, part, condition)
    first, last = bucket.number(condition.since), bucket.number(condition.until - 1)
    if last - first >= MAX_BUCKETS:
        limit = f"at most {MAX_BUCKETS} slices of {bucket.every_ms} ms (got {last - first + 1})"
        raise InvalidQuestion(f"{layout.name}.{part.name}: the interval must span {limit}")
    is_whole = condition.since % bucket.every_ms == condition.until % bucket.every_ms == 0
    if is_whole and not _binds_after(layout, question, part):
        # Whole slices bound the time by themselves, so the parts before it need not be bound.
        question = {name: other for name, other in question.items() if name != part.name}
    return sorted(_slice(layout, part, number) for number in range(first, last + 1)), question


def _binds_after(layout: ReferenceLayout[Any], question: Mapping[str, Any], part: Part) -> bool:
    """Whether a question has a condition for a part after this one."""
    return any(later.name in question for later in layout.parts[layout.parts.index(part) + 1 :])


def _slice(layout: ReferenceLayout[Any], part: Part, number: int) -> bytes:
    try:
        return layout.encode_time_slice(number)
    except InvalidKey as error:
        raise InvalidQuestion(f"{layout.name}.{part.name}: the number of its slice {error}") from None


# ---- ranges --------------------------------------------------------------------------------------


def _ranges(
    layout: ReferenceLayout[Any],
    slices: list[bytes],
    leading: bytes,
    interval: _Interval,
    values: Mapping[str, Any],
    encoded: Mapping[str, bytes],
) -> Plan:
    """The interval after `leading`, in every time slice of every bucket that parts of these values can be in."""
    choices = [_spread_values(layout, prefix, values, encoded) for prefix in layout.spread]
    buckets = prod(map(len, choices))
    if buckets * len(slices) > MAX_BUCKETS:
        raise InvalidQuestion(f"{layout.name}: {_too_many(layout, buckets, len(slices), values)}")
    streams: list[tuple[RowRange, ...]] = []
    for spread in product(*choices):
        ranges = (interval.after(b"".join(spread) + time_slice + leading) for time_slice in slices)
        if stream := _joined(range_ for range_ in ranges if range_ is not None):
            streams.append(stream)
    longest = max(
        (len(end) for stream in streams for range_ in stream for end in (range_.start, range_.stop or b"")), default=0
    )
    if longest > MAX_ROW_BYTES:
        raise InvalidQuestion(
            f"{layout.name}: a row key has at most {MAX_ROW_BYTES} bytes (the question has {longest})"
        )
    return Plan(tuple(streams), layout.spread_bytes)


def _too_many(layout: ReferenceLayout[Any], buckets: int, slices: int, values: Mapping[str, Any]) -> str:
    sources = dict.fromkeys(name for prefix in layout.spread for name in prefix.of if name not in values)
    ways = [f"give a value for {listed(sources)}"]
    ranges = f"{buckets} buckets"
    if layout.time_bucket is not None:
        ways.append("ask for a shorter interval")
        ranges += f" x {slices} slices"
    return f"the question must read at most {MAX_BUCKETS} ranges (got {ranges}); {' or '.join(ways)}"


def _spread_values(
    layout: ReferenceLayout[Any], prefix: Spread, values: Mapping[str, Any], encoded: Mapping[str, bytes]
) -> list[bytes]:
    """The values of a prefix that keys with these values can have."""
    missing = [name for name in prefix.of if name not in values]
    if not missing:
        return [layout.computed_prefix(prefix, values, encoded)]
    every = prefix.every_value()
    if every is None:
        why = f"because {prefix} has more than {MAX_BUCKETS} values"
        raise InvalidQuestion(f"{layout.name}: needs a single value for {listed(missing)}, {why}")
    return every


def _joined(ranges: Iterable[RowRange]) -> tuple[RowRange, ...]:
    """The same keys in as few ranges as possible: ranges that touch become one."""
    joined: list[RowRange] = []
    for range_ in ranges:
        if joined and joined[-1].stop == range_.start:
            range_ = RowRange(joined.pop().start, range_.stop)
        joined.append(range_)
    return tuple(joined)
