"""A question becomes ranges of keys, and the ranges hold exactly the keys that match.

A key order answers: equality on the leading parts, then at most one interval (`between`) or beginning
(`starting_with`), then nothing. Callers speak in values; which end of a range they become is worked out here, once.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import attrs

from .errors import InvalidKey, InvalidQuestion, shown
from .limits import MAX_ROW_BYTES
from .prefixes import MAX_BUCKETS, Spread

if TYPE_CHECKING:
    from .layout import KeyLayout, Part


@attrs.frozen
class Between:
    """since <= value < until, in the value's own order; None is no bound."""

    since: Any
    until: Any

    def __contains__(self, value: Any) -> bool:
        return (self.since is None or self.since <= value) and (self.until is None or value < self.until)


@attrs.frozen
class StartingWith:
    """Text (or bytes) that begins with `start`."""

    start: Any

    def __contains__(self, value: Any) -> bool:
        return bool(value.startswith(self.start))


_OPEN = (Between, StartingWith)


def between(since: Any = None, until: Any = None) -> Any:
    """The values from `since` up to, but not including, `until`; either may be None for no bound.

    Half-open in the value's own order, whatever the direction of the bytes: two periods that meet share no row.
    """
    return Between(since, until)


def starting_with(start: str | bytes) -> Any:
    """The text that begins with `start`, which may end anywhere in a word."""
    return StartingWith(start)


def matcher(asked: Any) -> Callable[[Any], bool]:
    """A function that tells whether a value is what was asked for: equal, or in its `between` or `starting_with`."""
    return asked.__contains__ if isinstance(asked, _OPEN) else lambda value: bool(value == asked)


def successor(prefix: bytes) -> bytes | None:
    """The first key after all keys that start with `prefix`; None where only the end of the table is.

    61 -> 62    61 ff -> 62    ff ff -> None
    """
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None


def next_row(row: bytes) -> bytes | None:
    """The very next row key above `row`; None where that is the end of the table.

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

    `streams` has one entry for each bucket of the spreading prefixes (one without them), each a run of ranges in
    key order. To have all rows in key order, the streams are merged by the key after its first `spread_bytes`.
    `point` is the whole key where the question binds every part: a get, never a prefix.
    """

    streams: tuple[tuple[RowRange, ...], ...]
    spread_bytes: int = 0
    point: bytes | None = None

    @property
    def ranges(self) -> tuple[RowRange, ...]:
        """All ranges, bucket after bucket."""
        return tuple(found for stream in self.streams for found in stream)

    def __str__(self) -> str:
        return "\n".join(map(str, self.ranges)) or "no range"


@attrs.frozen
class Narrowed:
    """As much of a question as the order of a key answers, and what is left of it."""

    plan: Plan
    bound: tuple[str, ...]
    """The leading parts that the ranges bind. Rows come in the order of the parts after those bound to one value; in
    that of the time slices before, where a `TimeBucket` stands in front of parts that are not bound."""
    left: Mapping[str, Any]
    """What the ranges do not tell apart, by part: to be compared with every row that is read."""


@attrs.frozen
class _Interval:
    """The ends of a range, relative to the bytes of the parts in front of it.

    It starts at `low`, or after all that begins with it; it stops at `high`, or runs through all that begins with it.
    """

    low: bytes = b""
    after_low: bool = False
    high: bytes = b""
    through_high: bool = True

    def under(self, lead: bytes) -> RowRange | None:
        start = successor(lead + self.low) if self.after_low else lead + self.low
        stop = successor(lead + self.high) if self.through_high else lead + self.high
        if start is None or (stop is not None and start >= stop):
            return None
        return RowRange(start, stop)


def plan(layout: "KeyLayout[Any]", question: Mapping[str, Any]) -> Plan:
    """The ranges of `layout` that hold exactly the keys that match `question`; see `KeyLayout.plan`."""
    _check_names(layout, question)
    if _binds_all(layout, question):
        return _point(layout, question)
    slices, rest = _time_slices(layout, question)
    values, encoded, interval = _leading(layout, rest)
    return _ranges(layout, slices, b"".join(encoded.values()), interval, values, encoded)


def narrow(layout: "KeyLayout[Any]", question: Mapping[str, Any]) -> Narrowed:
    """The ranges of as much of `question` as the key can bind, and what is left of it; see `KeyLayout.narrow`."""
    _check_names(layout, question)
    if _binds_all(layout, question):
        return Narrowed(_point(layout, question), tuple(layout.part_named), {})
    slices, rest = _time_slices(layout, question)
    bound = _leading_run(layout, rest)
    if not bound and layout.time_bucket is None:
        _leading(layout, rest)  # refuses, and says why
    left = {name: asked for name, asked in rest.items() if name not in bound and asked != Between(None, None)}
    values, encoded, interval = _leading(layout, bound)
    lead = b"".join(encoded.values())
    for name, asked in left.items():
        part = layout.part_named[name]
        if isinstance(asked, Between):
            _ends(layout, part, asked)
        elif isinstance(asked, StartingWith):
            _encode(layout, part, part.codec.stem, asked.start)
        else:  # no part of the ranges, but a spreading prefix may be computed from it
            values[name], encoded[name] = asked, _encode(layout, part, part.codec.encode, asked)
    ranges = _ranges(layout, slices, lead, interval, values, encoded)
    if any(isinstance(asked, Between) and asked.since == asked.until for asked in left.values()):
        ranges = Plan((), layout.spread_bytes)  # nothing can match what is left
    return Narrowed(ranges, _bound(layout, bound), left)


def _bound(layout: "KeyLayout[Any]", run: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a leading run, and of the time behind it where whole slices in front have bound that."""
    bucket = layout.time_bucket
    after = layout.parts[len(run)].name if len(run) < len(layout.parts) else ""
    if bucket is None or bucket.of != after or any(isinstance(asked, _OPEN) for asked in run.values()):
        return tuple(run)
    return (*run, after)


def _check_names(layout: "KeyLayout[Any]", question: Mapping[str, Any]) -> None:
    for asked in question:
        if asked not in layout.part_named:
            raise InvalidQuestion(f"{layout.name}.{asked}: no such part (parts: {', '.join(layout.part_named)})")
    if not question:
        first = layout.parts[0].name
        raise InvalidQuestion(f"{layout.name}: a question binds at least {first}; all rows are whole_table()")


def _binds_all(layout: "KeyLayout[Any]", question: Mapping[str, Any]) -> bool:
    return question.keys() == layout.part_named.keys() and not any(
        isinstance(each, _OPEN) for each in question.values()
    )


def _point(layout: "KeyLayout[Any]", question: Mapping[str, Any]) -> Plan:
    try:
        point = layout.encode(layout.key(*(question[part.name] for part in layout.parts)))
    except InvalidKey as error:
        raise InvalidQuestion(str(error)) from None
    return Plan(((RowRange(point, point + b"\x00"),),), layout.spread_bytes, point)


def _leading_run(layout: "KeyLayout[Any]", question: Mapping[str, Any]) -> dict[str, Any]:
    """What a question says of the leading parts, up to the first that it leaves open or asks an interval of."""
    run: dict[str, Any] = {}
    for part in layout.parts:
        if part.name not in question:
            break
        asked = question[part.name]
        if isinstance(asked, Between) and not part.codec.ordered:  # no range, but rows can be compared
            break
        run[part.name] = asked
        if isinstance(asked, _OPEN):
            break
    return run


def _ranges(
    layout: "KeyLayout[Any]",
    slices: list[bytes],
    lead: bytes,
    interval: _Interval,
    values: Mapping[str, Any],
    encoded: Mapping[str, bytes],
) -> Plan:
    """The interval behind `lead`, in every time slice of every bucket that parts of these values can be in."""
    choices = [_spread_values(layout, prefix, values, encoded) for prefix in layout.spread]
    buckets = prod(map(len, choices))
    if buckets * len(slices) > MAX_BUCKETS:
        raise InvalidQuestion(f"{layout.name}: {buckets} buckets x {len(slices)} slices, at most {MAX_BUCKETS}")
    streams: list[tuple[RowRange, ...]] = []
    for spread in product(*choices):
        found = (interval.under(b"".join(spread) + time_slice + lead) for time_slice in slices)
        if stream := _joined(each for each in found if each is not None):
            streams.append(stream)
    longest = max(
        (len(end) for stream in streams for each in stream for end in (each.start, each.stop or b"")), default=0
    )
    if longest > MAX_ROW_BYTES:
        raise InvalidQuestion(
            f"{layout.name}: a row key has at most {MAX_ROW_BYTES} bytes (the question has {longest})"
        )
    return Plan(tuple(streams), layout.spread_bytes)


def whole_table(layout: "KeyLayout[Any]") -> Plan:
    """Every row: merged over the buckets where they can be listed, in the order of the table where they cannot."""
    choices = [prefix.every_value() for prefix in layout.spread]
    listed = [choice for choice in choices if choice is not None]
    if not choices or len(listed) < len(choices) or prod(map(len, listed)) > MAX_BUCKETS:
        return Plan(((RowRange(b"", None),),))
    starts = [b"".join(spread) for spread in product(*listed)]
    return Plan(tuple((RowRange(start, successor(start)),) for start in starts), layout.spread_bytes)


def _leading(
    layout: "KeyLayout[Any]", question: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, bytes], _Interval]:
    """Values and bytes of the parts bound by equality, and the interval of the part after them."""
    values: dict[str, Any] = {}
    encoded: dict[str, bytes] = {}
    interval = _Interval()
    missing = ranged = ""
    for part in layout.parts:
        if part.name not in question:
            missing = missing or part.name
            continue
        if missing:
            raise InvalidQuestion(f"{layout.name}.{part.name}: {_needs(layout, part, missing)}")
        if ranged:
            raise InvalidQuestion(f"{layout.name}.{part.name}: nothing can be bound after the interval of {ranged}")
        asked = question[part.name]
        if isinstance(asked, Between):
            interval, ranged = _between(layout, part, asked), part.name
        elif isinstance(asked, StartingWith):
            stem = _encode(layout, part, part.codec.stem, asked.start)
            interval, ranged = _Interval(low=stem, high=stem), part.name
        else:
            values[part.name] = asked
            encoded[part.name] = _encode(layout, part, part.codec.encode, asked)
    return values, encoded, interval


def _between(layout: "KeyLayout[Any]", part: "Part", asked: Between) -> _Interval:
    codec = part.codec
    if not codec.ordered:
        raise InvalidQuestion(f"{layout.name}.{part.name}: {codec} is not ordered: ask for single values")
    since, until = _ends(layout, part, asked)
    if codec.descending:  # larger values come first: `until` is the end where the range starts
        return _Interval(until or b"", until is not None, since or b"", through_high=True)
    return _Interval(since or b"", False, until or b"", through_high=until is None)


def _ends(layout: "KeyLayout[Any]", part: "Part", asked: Between) -> tuple[bytes | None, bytes | None]:
    since, until = (
        None if end is None else _encode(layout, part, part.codec.encode, end) for end in (asked.since, asked.until)
    )
    if None not in (since, until) and asked.since > asked.until:
        reason = f"since {shown(asked.since)} is above until {shown(asked.until)}"
        raise InvalidQuestion(f"{layout.name}.{part.name}: {reason}")
    return since, until


def _time_slices(layout: "KeyLayout[Any]", question: Mapping[str, Any]) -> tuple[list[bytes], Mapping[str, Any]]:
    """The bytes of the time slices to read, in key order, and what of the question they leave open."""
    bucket = layout.time_bucket
    if bucket is None:
        return [b""], question
    part = layout.part_named[bucket.of]
    asked = question.get(part.name)
    if asked is not None and not isinstance(asked, _OPEN):
        _encode(layout, part, part.codec.encode, asked)
        return [_slice(layout, part, bucket.number(asked))], question
    if not isinstance(asked, Between) or asked.since is None or asked.until is None:
        slices = f"slices of {bucket.every_ms} ms stand in front"
        raise InvalidQuestion(f"{layout.name}.{part.name}: {slices}, so give a value or between(...) with both ends")
    _between(layout, part, asked)
    first, last = bucket.number(asked.since), bucket.number(asked.until - 1)
    if last - first >= MAX_BUCKETS:
        slices = f"{last - first + 1} slices of {bucket.every_ms} ms"
        raise InvalidQuestion(f"{layout.name}.{part.name}: {slices}, at most {MAX_BUCKETS}")
    after = layout.parts[layout.parts.index(part) + 1 :]
    whole = asked.since % bucket.every_ms == asked.until % bucket.every_ms == 0
    if whole and not any(each.name in question for each in after):
        # Whole slices bound the time by themselves, so the parts before it need not be bound.
        question = {name: value for name, value in question.items() if name != part.name}
    return sorted(_slice(layout, part, number) for number in range(first, last + 1)), question


def _slice(layout: "KeyLayout[Any]", part: "Part", number: int) -> bytes:
    try:
        return layout.time_slice(number)
    except InvalidKey as error:
        raise InvalidQuestion(f"{layout.name}.{part.name}: the number of a slice {error}") from None


def _needs(layout: "KeyLayout[Any]", part: "Part", missing: str) -> str:
    reason = f"rows are in this order only where {missing} is bound too"
    bucket = layout.time_bucket
    if bucket is not None and part.name == bucket.of:
        reason += f" (or give ends that are multiples of {bucket.every_ms} ms)"
    return reason


def _spread_values(
    layout: "KeyLayout[Any]", prefix: Spread, values: Mapping[str, Any], encoded: Mapping[str, bytes]
) -> list[bytes]:
    missing = [name for name in prefix.of if name not in values]
    if not missing:
        return [layout.prefix_of(prefix, values, encoded)]
    every = prefix.every_value()
    if every is None:
        raise InvalidQuestion(f"{layout.name}.{missing[0]}: must be bound, the values of {prefix} are too many to list")
    return every


def _joined(ranges: Iterable[RowRange]) -> tuple[RowRange, ...]:
    """The same keys in as few ranges as possible: neighbours that touch become one."""
    joined: list[RowRange] = []
    for each in ranges:
        if joined and joined[-1].stop == each.start:
            each = RowRange(joined.pop().start, each.stop)
        joined.append(each)
    return tuple(joined)


def _encode(layout: "KeyLayout[Any]", part: "Part", encode: Callable[[Any], bytes], value: Any) -> bytes:
    try:
        return encode(value)
    except InvalidKey as error:
        raise InvalidQuestion(f"{layout.name}.{part.name}: {error}") from None
