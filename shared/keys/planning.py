"""A question becomes ranges of keys, and the ranges hold exactly the keys that match.

A question has a condition for some parts of the key (`conditions.py`). A key order answers equality on the leading
parts, or any of several values, then at most one interval or prefix, then nothing. Callers give values; this module
alone turns them into the ends of ranges (`ranges.py`).
"""

from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import product
from math import prod
from typing import Any

import attrs

from .codecs import holds
from .conditions import AnyOf, Between, StartingWith, is_one_value, is_range, length
from .errors import InvalidKey, InvalidQuestion, TooManyRanges, listed, shown
from .limits import MAX_ROW_BYTES
from .parts import Part
from .prefixes import MAX_BUCKETS, Spread
from .ranges import EVERY_ROW, Plan, RowRange, Stream, next_row, successor
from .reference import ReferenceLayout
from .slice_codecs import Slice

_Parts = tuple[tuple[str, Any], ...]
"""Prefixes and parts, each with its condition, as in `RowRange.parts`."""


@attrs.frozen(eq=False)
class _Interval:
    """The ends of a range, relative to the bytes of the parts before it.

    It starts at `low`, or after all keys that start with `low`; it stops at `high`, or after all keys that start with
    `high`.
    """

    low: bytes = b""
    after_low: bool = False
    high: bytes = b""
    through_high: bool = True
    parts: _Parts = ()
    """The part and its condition; empty if no part has an interval."""

    def after(self, leading: bytes, parts: _Parts) -> RowRange | None:
        """The range of keys that start with these bytes, then are in this interval; None if it is empty."""
        start = successor(leading + self.low) if self.after_low else leading + self.low
        stop = successor(leading + self.high) if self.through_high else leading + self.high
        if start is None or (stop is not None and start >= stop):
            return None
        return RowRange(start, stop, parts)


@attrs.frozen(eq=False)
class _Leading:
    """One value for each of the leading parts that are bound, and their bytes."""

    encoded: bytes = b""
    parts: _Parts = ()
    merged: bytes | None = None
    """The bytes up to the last merged `any_of`, if there is one: streams are merged by the bytes after these."""

    def with_part(self, name: str, value: Any, encoded: bytes, *, merged: bool) -> "_Leading":
        encoded = self.encoded + encoded
        return _Leading(encoded, (*self.parts, (name, value)), encoded if merged else self.merged)


_UNBOUND, _EVERYTHING = _Leading(), _Interval()

MOST_STREAMS = 65_536
"""The most streams of a plan: a cursor numbers them in two bytes."""

_most_ranges: ContextVar[int] = ContextVar("most_ranges", default=MAX_BUCKETS)


@contextmanager
def most_ranges(count: int) -> Generator[None]:
    """A block in which a question may read up to `count` ranges; otherwise one of more than 1,024 is refused.

        with most_ranges(4_000):
            year = logs.of_host("web-1", since_ms, until_ms)

    The block must contain the call that makes the question, in this thread or task of asyncio, and if the question
    depends on another one, the reading of its pages, too. Each range costs a scan, so such a question is one for a
    report, not for a page. Raises InvalidQuestion for a count that is not 1..65,536.
    """
    if type(count) is not int or not 1 <= count <= MOST_STREAMS:
        raise InvalidQuestion(f"most_ranges: must be 1..{MOST_STREAMS} (got {shown(count)})")
    token = _most_ranges.set(count)
    try:
        yield
    finally:
        _most_ranges.reset(token)


# ---- the three questions -------------------------------------------------------------------------


def plan(layout: ReferenceLayout[Any], question: Mapping[str, Any], encode: Callable[[Any], bytes]) -> Plan:
    """The ranges of `layout` that hold exactly the keys that match `question`; see `KeyLayout.plan`.

    `encode` is what encodes the key of a point: `KeyLayout.encode` is faster than `encode_reference`.
    """
    _check_names(layout, question)
    conditions, residual = _widened_to_slices(layout, question)
    if is_point(layout, question):
        return _point(layout, conditions, encode, question, residual)
    time_buckets, conditions = _time_buckets(layout, conditions)
    leadings, interval = _leading(layout, conditions)
    return _ranges(layout, time_buckets, leadings, interval, {}, question, residual)


def narrow(layout: ReferenceLayout[Any], question: Mapping[str, Any], encode: Callable[[Any], bytes]) -> Plan:
    """The ranges for as much of `question` as the key can bind, and the residual filter; see `KeyLayout.narrow`."""
    _check_names(layout, question)
    conditions, residual = _widened_to_slices(layout, question)
    if is_point(layout, question):
        return _point(layout, conditions, encode, question, residual)
    time_buckets, conditions = _time_buckets(layout, conditions)
    bindable = _bindable(layout, conditions)
    if not bindable and layout.time_bucket is None:
        _leading(layout, conditions)  # refuses, and says why
    leadings, interval = _leading(layout, bindable)
    known: dict[str, Any] = {}
    for name, condition in conditions.items():
        if name in bindable or condition == Between(None, None):
            continue
        residual[name] = question[name]
        check_condition(layout, layout.part_named[name], condition)
        if is_one_value(condition):  # not in the ranges, but a spreading prefix may be computed from it
            known[name] = condition
    return _ranges(layout, time_buckets, leadings, interval, known, question, residual)


def check_condition(layout: ReferenceLayout[Any], part: Part, condition: Any) -> None:
    """Raises InvalidQuestion for a condition that no value of a part can meet.

    No range binds the part, so an `any_of` cannot be merged.
    """
    if isinstance(condition, Between):
        _ends(layout, part, condition)
    elif isinstance(condition, StartingWith):
        _encode(layout, part, part.codec.encode_prefix, condition.start)
    elif isinstance(condition, AnyOf):
        _encode_each(layout, part, condition)
        if condition.merged:
            raise InvalidQuestion(f"{layout.name}.{part.name}: cannot be merged, because no range binds it")
    else:
        _encode(layout, part, part.codec.encode, condition)


def whole_table(layout: ReferenceLayout[Any]) -> Plan:
    """All rows: one stream for each bucket if they can be listed, otherwise one range for the whole table."""
    every_value = [(prefix, prefix.every_value()) for prefix in layout.spread]
    choices = [_spread_parts(prefix, values) for prefix, values in every_value if values is not None]
    if not choices or len(choices) < len(layout.spread) or prod(map(len, choices)) > MAX_BUCKETS:
        return Plan((Stream((EVERY_ROW,)),), layout=layout)
    streams: list[Stream] = []
    for spread in product(*choices):
        start = b"".join([data for _, data in spread])
        streams.append(Stream((RowRange(start, successor(start), spread),), layout.spread_bytes))
    return Plan(tuple(streams), layout=layout)


# ---- the parts that a question binds -------------------------------------------------------------


def _check_names(layout: ReferenceLayout[Any], question: Mapping[str, Any]) -> None:
    for name in question:
        if name not in layout.part_named:
            raise InvalidQuestion(f"{layout.name}.{name}: no such part; the parts are {listed(layout.part_named)}")
    if not question:
        time_bucket = layout.time_bucket
        first = layout.parts[0].name if time_bucket is None else time_bucket.of
        raise InvalidQuestion(f"{layout.name}: needs a condition for {first}; ask whole_table() for all rows")


def is_point(layout: ReferenceLayout[Any], question: Mapping[str, Any]) -> bool:
    """Whether a question binds every part to a value, and nothing else."""
    return question.keys() == layout.part_named.keys() and all(map(is_one_value, question.values()))


def _point(
    layout: ReferenceLayout[Any],
    conditions: Mapping[str, Any],
    encode: Callable[[Any], bytes],
    question: Mapping[str, Any],
    residual: Mapping[str, Any],
) -> Plan:
    try:
        point = encode(layout.key_class(*(conditions[part.name] for part in layout.parts)))
    except InvalidKey as error:
        raise InvalidQuestion(str(error)) from None
    range_ = RowRange(point, next_row(point), tuple((part.name, conditions[part.name]) for part in layout.parts))
    streams = (Stream((range_,), layout.spread_bytes),)
    return Plan(streams, point=point, conditions=question, residual=residual, layout=layout)


def _widened_to_slices(
    layout: ReferenceLayout[Any], question: Mapping[str, Any]
) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """The question with each `Slice` condition widened to whole slices, and the original ones for the reader to check.

    An interval covers every slice that it touches. The rest of the value is not in the row key, so the reader checks
    the condition, unless the interval ends where slices do.
    """
    if not layout.slices:
        return question, {}
    conditions, residual = dict(question), dict[str, Any]()
    for name, divided in layout.slices.items():
        if name not in question:
            continue
        part, condition = layout.part_named[name], question[name]
        if isinstance(condition, Between):
            conditions[part.name] = _widened(layout, part, divided, condition)
            if conditions[part.name] == condition:
                continue
        elif isinstance(condition, AnyOf):
            starts = dict.fromkeys(_share(layout, part, divided, value) for value in condition.values)
            conditions[part.name] = AnyOf(tuple(starts), condition.merged)
        elif is_one_value(condition):
            conditions[part.name] = _share(layout, part, divided, condition)
        residual[part.name] = condition
    return conditions, residual


def _widened(layout: ReferenceLayout[Any], part: Part, divided: Slice, condition: Between) -> Between:
    """The interval from the start of the first slice that a condition touches to the end of the last one."""
    since, until = (
        None if end is None else _share(layout, part, divided, end)
        for end in (condition.since, _until(part, condition))
    )
    _check_order(layout, part, condition)
    if since is not None and not holds(divided, since):  # then the interval has no bound there
        since = None
    if until is not None and until != condition.until:
        until = until + divided.every if holds(divided, until + divided.every) else None
    return Between(since, until)


def _share(layout: ReferenceLayout[Any], part: Part, divided: Slice, value: Any) -> int:
    _encode(layout, part, divided.codec.encode, value)  # refuses a whole value that does not fit
    return divided.share(value)


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
        if is_range(condition):
            break
    return bindable


def _leading(layout: ReferenceLayout[Any], question: Mapping[str, Any]) -> tuple[list[_Leading], _Interval]:
    """The values of the parts bound by equality, several if there is an `any_of`, and the interval after them."""
    leadings, interval = [_UNBOUND], _EVERYTHING
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
            interval = _Interval(low=start, high=start, parts=((part.name, condition),))
            without_value.append(f"{part.name} (not a prefix)")
        elif isinstance(condition, AnyOf):
            encoded = _encode_each(layout, part, condition)
            if len(leadings) * len(encoded) > _most_ranges.get():
                raise TooManyRanges(
                    f"{layout.name}.{part.name}: any_of must make at most {_most_ranges.get()} ranges "
                    f"(got {len(leadings) * len(encoded)}); ask for fewer values at once",
                    layout.name,
                )
            leadings = [
                leading.with_part(part.name, value, data, merged=condition.merged)
                for leading in leadings
                for data, value in encoded.items()
            ]
        else:
            data = _encode(layout, part, part.codec.encode, condition)
            leadings = [leading.with_part(part.name, condition, data, merged=False) for leading in leadings]
    return leadings, interval


def _encode_each(layout: ReferenceLayout[Any], part: Part, condition: AnyOf) -> dict[bytes, Any]:
    """The values by their bytes, in byte order."""
    encoded = ((_encode(layout, part, part.codec.encode, value), value) for value in condition.values)
    return dict(sorted(encoded, key=lambda of_value: of_value[0]))  # not by the values: those of an Enum have no order


def _needs(layout: ReferenceLayout[Any], question: Mapping[str, Any], part: Part, without_value: list[str]) -> str:
    comes = "comes" if len(without_value) == 1 else "come"
    message = f"needs a value for {listed(without_value)}, which {comes} earlier in the row key"
    time_bucket = layout.time_bucket
    if time_bucket is not None and part.name == time_bucket.of and not _binds_after(layout, question, part):
        message += f", or an interval whose ends are multiples of {time_bucket.every_ms} ms"
    return message


def _between(layout: ReferenceLayout[Any], part: Part, condition: Between) -> _Interval:
    codec = part.codec
    if not codec.ordered:
        raise InvalidQuestion(f"{layout.name}.{part.name}: needs a single value, because {codec} is not ordered")
    since, until = _ends(layout, part, condition)
    if codec.descending:  # larger values come first: `until` is the end where the range starts
        return _Interval(until or b"", until is not None, since or b"", True, ((part.name, condition),))
    return _Interval(since or b"", False, until or b"", until is None, ((part.name, condition),))


def _ends(layout: ReferenceLayout[Any], part: Part, condition: Between) -> tuple[bytes | None, bytes | None]:
    since, until = (
        None if end is None else _encode(layout, part, part.codec.encode, end)
        for end in (condition.since, _until(part, condition))
    )
    _check_order(layout, part, condition)
    return since, until


def _until(part: Part, condition: Between) -> Any:
    """The end of an interval; None, which is no bound, for one past the last value of the part."""
    until = condition.until
    return None if type(until) is int and until == part.codec.past_last else until


def _check_order(layout: ReferenceLayout[Any], part: Part, condition: Between) -> None:
    ends_given = [end for end in (condition.since, condition.until) if end is not None]
    try:
        is_turned = bool(ends_given) and ends_given[0] > ends_given[-1]
    except TypeError:  # members of an Enum
        kind = type(ends_given[0]).__name__
        raise InvalidQuestion(
            f"{layout.name}.{part.name}: needs a single value, because a {kind} has no order"
        ) from None
    if is_turned:
        ends = f"{shown(condition.since)} and {shown(condition.until)}"
        raise InvalidQuestion(f"{layout.name}.{part.name}: since must not be above until (got {ends})")


def _encode(layout: ReferenceLayout[Any], part: Part, encode: Callable[[Any], bytes], value: Any) -> bytes:
    try:
        return encode(value)
    except InvalidKey as error:
        raise InvalidQuestion(f"{layout.name}.{part.name}: {error}") from None


# ---- time buckets --------------------------------------------------------------------------------


def _time_buckets(
    layout: ReferenceLayout[Any], question: Mapping[str, Any]
) -> tuple[list[tuple[bytes, _Parts]], Mapping[str, Any]]:
    """The time buckets to read, as bytes and period, in key order; and the conditions that they do not guarantee."""
    time_bucket = layout.time_bucket
    if time_bucket is None:
        return [(b"", ())], question
    part = layout.part_named[time_bucket.of]
    condition = question.get(part.name)
    if condition is not None and is_one_value(condition):
        _encode(layout, part, part.codec.encode, condition)
        return [_time_bucket(layout, part, time_bucket.number(condition))], question
    if not isinstance(condition, Between) or condition.since is None or condition.until is None:
        why = f"because slices of {time_bucket.every_ms} ms come earlier in the row key"
        raise InvalidQuestion(f"{layout.name}.{part.name}: needs a value or an interval with both ends, {why}")
    _between(layout, part, condition)
    first, last = time_bucket.number(condition.since), time_bucket.number(condition.until - 1)
    if last - first >= _most_ranges.get():
        limit = f"at most {_most_ranges.get()} slices of {time_bucket.every_ms} ms (got {last - first + 1})"
        raise TooManyRanges(f"{layout.name}.{part.name}: the interval must span {limit}", layout.name)
    is_whole = condition.since % time_bucket.every_ms == condition.until % time_bucket.every_ms == 0
    if is_whole and not _binds_after(layout, question, part):
        # Whole slices bound the time by themselves, so the parts before it need not be bound.
        question = {name: other for name, other in question.items() if name != part.name}
    time_buckets = [_time_bucket(layout, part, number) for number in range(first, last + 1)]
    return time_buckets[::-1] if part.codec.descending else time_buckets, question


def _binds_after(layout: ReferenceLayout[Any], question: Mapping[str, Any], part: Part) -> bool:
    """Whether a question has a condition for a part after this one."""
    return any(later.name in question for later in layout.parts[layout.parts.index(part) + 1 :])


def _time_bucket(layout: ReferenceLayout[Any], part: Part, number: int) -> tuple[bytes, _Parts]:
    time_bucket = layout.time_bucket
    every_ms = 0 if time_bucket is None else time_bucket.every_ms
    period = Between(number * every_ms, (number + 1) * every_ms)
    try:
        return layout.encode_time_slice(number), (("TimeBucket", period),)
    except InvalidKey as error:
        raise InvalidQuestion(f"{layout.name}.{part.name}: the number of its slice {error}") from None


# ---- ranges --------------------------------------------------------------------------------------


def _ranges(
    layout: ReferenceLayout[Any],
    time_buckets: list[tuple[bytes, _Parts]],
    leadings: list[_Leading],
    interval: _Interval,
    known: Mapping[str, Any],
    question: Mapping[str, Any],
    residual: Mapping[str, Any],
) -> Plan:
    """The ranges of the interval after the leading parts, in each time bucket of each bucket that can hold such rows.

    `known` are values of parts that the ranges cannot bind, but from which a spreading prefix may be computed.
    """
    by_prefix: dict[bytes, list[RowRange]] = {}
    ranges = 0
    for leading in leadings:
        values = {**known, **dict(leading.parts)}
        choices = [_spread_parts(prefix, _spread_values(layout, prefix, values)) for prefix in layout.spread]
        buckets = prod(map(len, choices))
        ranges += buckets * len(time_buckets)
        if ranges > _most_ranges.get():
            raise TooManyRanges(
                f"{layout.name}: {_too_many(layout, buckets, len(time_buckets), len(leadings), values)}", layout.name
            )
        is_whole_key = len(leading.parts) == len(layout.parts)
        bound = leading.parts + interval.parts
        for spread in product(*choices):
            bucket = b"".join([data for _, data in spread])
            for time_bucket, period in time_buckets:
                start, parts = bucket + time_bucket + leading.encoded, spread + period + bound
                range_ = RowRange(start, next_row(start), parts) if is_whole_key else interval.after(start, parts)
                if range_ is not None:
                    prefix = bucket if leading.merged is None else bucket + time_bucket + leading.merged
                    by_prefix.setdefault(prefix, []).append(range_)
    streams = [Stream(_joined(by_prefix[prefix]), len(prefix)) for prefix in sorted(by_prefix)]
    longest = max(
        [len(end) for stream in streams for range_ in stream.ranges for end in (range_.start, range_.stop or b"")],
        default=0,
    )
    if longest > MAX_ROW_BYTES:
        part = max(question, key=lambda name: length(question[name]))
        raise InvalidQuestion(f"{layout.name}.{part}: a row key has at most {MAX_ROW_BYTES} bytes (got {longest})")
    if any(map(_allows_nothing, residual.values())):
        streams = []  # no row can pass the residual filter
    return Plan(tuple(streams), conditions=question, residual=residual, layout=layout)


def _allows_nothing(condition: Any) -> bool:
    if isinstance(condition, AnyOf):
        return not condition.values
    return isinstance(condition, Between) and condition.since is not None and condition.since == condition.until


def _too_many(
    layout: ReferenceLayout[Any], buckets: int, time_buckets: int, leadings: int, values: Mapping[str, Any]
) -> str:
    counts: list[str] = []
    ways: list[str] = []
    if buckets > 1:
        sources = dict.fromkeys(name for prefix in layout.spread for name in prefix.of if name not in values)
        counts.append(f"{buckets} buckets")
        ways.append(f"give a value for {listed(sources)}")
    if time_buckets > 1:
        counts.append(f"{time_buckets} slices")
        ways.append("ask for a shorter interval")
    if leadings > 1:
        counts.append(f"{leadings} values of any_of")
        ways.append("ask for fewer values at once")
    most = _most_ranges.get()
    return f"the question must read at most {most} ranges (got {' x '.join(counts)}); {' or '.join(ways)}"


def _spread_parts(prefix: Spread, values: Iterable[bytes]) -> list[tuple[str, bytes]]:
    name = type(prefix).__name__
    return [(name, value) for value in values]


def _spread_values(layout: ReferenceLayout[Any], prefix: Spread, values: Mapping[str, Any]) -> list[bytes]:
    """The values that a prefix can have in keys with these part values."""
    missing = [name for name in prefix.of if name not in values]
    if not missing:
        encoded = {name: layout.part_named[name].codec.encode(values[name]) for name in prefix.of}
        return [layout.computed_prefix(prefix, values, encoded)]
    every = prefix.every_value()
    if every is None:
        why = f"because {prefix} has more than {MAX_BUCKETS} values"
        raise InvalidQuestion(f"{layout.name}: needs a single value for {listed(missing)}, {why}")
    return every


def _joined(ranges: Collection[RowRange]) -> tuple[RowRange, ...]:
    """The same keys in as few ranges as possible, in key order: ranges that touch become one."""
    if len(ranges) == 1:
        return tuple(ranges)
    joined: list[RowRange] = []
    for range_ in sorted(ranges, key=lambda range_: range_.start):
        if joined and joined[-1].stop == range_.start:
            before = joined.pop()
            parts = tuple(map(_joined_part, before.parts, range_.parts))
            range_ = RowRange(before.start, range_.stop, parts)
        joined.append(range_)
    return tuple(joined)


def _joined_part(first: tuple[str, Any], second: tuple[str, Any]) -> tuple[str, Any]:
    """A part that two ranges bind, with the condition that covers both."""
    name, condition = first
    if condition == second[1]:
        return first
    if isinstance(condition, Between):  # two time buckets
        return name, Between(min(condition.since, second[1].since), max(condition.until, second[1].until))
    values = condition.values if isinstance(condition, AnyOf) else (condition,)
    return name, AnyOf((*values, second[1]))
