"""The rules about keys: each is a function that yields its findings in one table, with the reason and the advice.

They judge by the bytes and values of the samples, in the order in which records are written.
"""

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from ...designs.patterns import part_line, prefix_line
from ...intents.source_cells import SourceCells
from ...keys import Modulo, Reversed, Salt
from ...keys.conditions import Between
from ...keys.errors import TooManyRanges, listed
from ...keys.parts import Part, Segment
from ...keys.prefixes import MAX_BUCKETS
from ...keys.slice_codecs import Slice, share_codec
from ...tables import ItemCells, RecordCells
from ..heat import HOT, hot_share
from ..write_order import DAY_MS, names_period, rises
from .sample_values import (
    are_regular,
    cell_values,
    counts_up,
    intervals_ms,
    is_time,
    key_parts,
    measured_every_ms,
    times_ms,
)
from .subjects import LintedTable

MANY_RANGES = 64
"""A question reads too many ranges if it reads more than this, and more than it returns records."""
ROOM_BYTES = 3
"""A key of fewer bytes leaves room for at most 65,536 rows, which one region holds."""
ENOUGH_FOR_EACH = 8
"""Values or rows for each bucket or region that are enough to fill all of them."""
PERIOD_MS = 60_000
"""Times that are all multiples of a minute name a period, such as an hour, and not a moment."""
FEWEST_ROWS = 16
"""Rows below which samples do not show where new ones go."""
FEWEST_VALUES = 4
"""Different values of a part below which samples do not show whether it rises."""
NEAR_UNITS = 10
"""Two records of an owner may have one time if the nearest are fewer than this many units, such as ms, apart."""
FEW_RETURNED = 0.1
"""A question returns few of the rows that it reads if it returns less than this share of them."""

ReasonsAndAdvice: TypeAlias = Iterator[tuple[str, str]]
"""The reason and the advice of each finding."""


def rising(table: LintedTable) -> ReasonsAndAdvice:
    """New rows go to one place if most keys start alike and the next part rises as records are written."""
    key = table.layout.key
    leading, *others = (part.name for part in key.parts)
    other = "another part" if others else f"{leading}, or a HashPrefix,"
    advice = f"put a Salt of {other} before it, or accept it if one region can absorb all writes"
    if key.time_bucket is not None and not key.spread and table.is_filled:
        yield f"its key starts with the {prefix_line(key.time_bucket)}: new rows all go to the newest slice", advice
        return
    keys = [key.segments(row) for row in table.new_rows] if table.is_filled else []
    count, same = len(keys), list[str]()
    for number, first in enumerate(keys[0] if keys else ()):
        segments = [of_key[number] for of_key in keys]
        direction = _direction(table, segments)
        if direction:
            line = part_line(key.part_named[first.name]) if first.name in key.part_named else first.name
            if same:
                where = f"{len(keys) / count:.0%} of the samples have one value of {listed(same)}, and then {line}"
                end = "one"
            else:
                where, end = f"its key starts with {line}", "the last" if direction == "rises" else "the first"
            yield f"{where}, which {direction} as records are written: new rows go to {end} region", advice
            return
        ((most_frequent, occurrences),) = Counter(segment.data for segment in segments).most_common(1)
        distinct = len({segment.data for segment in segments})
        if number < len(key.spread) or (distinct > 1 and occurrences <= hot_share(distinct) * count):
            return  # `few_buckets` tells of a bucket that takes most rows
        keys = [of_key for of_key in keys if of_key[number].data == most_frequent]
        same.append(first.name)


def _direction(table: LintedTable, segments: Sequence[Segment]) -> str:
    """Whether the bytes of a part rise or fall as records are written; empty if neither, or if it is unknown."""
    counts = Counter(segment.data for segment in segments)
    if len(segments) < FEWEST_ROWS or len(counts) < FEWEST_VALUES or max(counts.values()) > HOT * len(segments):
        return ""
    part = table.layout.key.part_named.get(segments[0].name)
    if part is not None and isinstance(part.codec, Reversed):
        return ""
    if not table.samples.is_in_order:
        if _has_few_rows(table) or not counts_up([segment.value for segment in segments]):
            return ""
        segments = sorted(segments, key=lambda segment: segment.value)
    data = [segment.data for segment in segments]
    numbered = [*map(_by_number, data)]
    if rises(data) or rises(numbered):
        return "rises"
    return "falls" if rises(data[::-1]) or rises(numbered[::-1]) else ""


def _has_few_rows(table: LintedTable) -> bool:
    """Whether the codecs of the key leave room for few rows, such as one byte for 256."""
    widths = [part.codec.width_bytes for part in table.layout.key.parts]
    return sum(width if width is not None else ROOM_BYTES for width in widths) < ROOM_BYTES


def _by_number(data: bytes) -> list[tuple[bytes, int]]:
    """A sort key that orders bytes such as `n-9` and `n-10` by their numbers."""
    return [(text, int(digits or 0)) for text, digits in re.findall(rb"([^0-9]*)([0-9]*)", data)]


def unsplit(table: LintedTable) -> ReasonsAndAdvice:
    """A prefix spreads rows over the existing regions. A new table has one, unless split points make more."""
    points, rows = table.layout.splits.points, table.new_rows
    regions, filled = len(points) + 1, len({bisect_right(points, row) for row in rows})
    if len(rows) >= ENOUGH_FOR_EACH * regions and filled <= regions // 2:
        yield (
            f"its split points make {regions} regions, of which the {len(rows):,} rows of the samples fill {filled}",
            "leave out splits=, so that the key layout gives the points, or give points between rows of yours",
        )
    if table.layout.key.spread and not points:
        prefix = table.layout.key.spread[0]
        yield (
            f"{prefix_line(prefix)} spreads its rows, but the table has no split points: it starts as one region",
            "leave out splits= of the TableLayout, so that the key layout gives the points, or give some",
        )


def text_number(table: LintedTable) -> ReasonsAndAdvice:
    """Digits of different lengths sort as text: 10 before 9."""
    for part in table.layout.key.parts:
        texts = {getattr(key, part.name) for key in table.samples.keys}
        lengths = {len(text) for text in texts} if all(map(_is_digits, texts)) else set[int]()
        asked = [question.question for question in table.asked if _is_interval(question.conditions.get(part.name))]
        asked += [refused.question for refused in table.refused if _is_reversed(refused.arguments.values())]
        if asked and len(lengths) > 1:
            yield (
                f'"{asked[0]}" asks for an interval of {part.name}, which holds numbers of {min(lengths)} to '
                f"{max(lengths)} digits as text, where 10 comes before 9",
                "declare an int with UInt64, or DecimalText(width) if people read the keys",
            )


def _is_interval(condition: Any) -> bool:
    return isinstance(condition, Between)


def _is_reversed(arguments: Iterable[Any]) -> bool:
    """Whether two texts are an interval of numbers, but reversed in the order of texts, so that a plan refuses it."""
    numbers = [argument for argument in arguments if _is_digits(argument)]
    return any(int(since) < int(until) and since > until for since, until in pairwise(numbers))


def _is_digits(value: Any) -> bool:
    return type(value) is str and re.fullmatch("[0-9]+", value) is not None


def unbound(table: LintedTable) -> ReasonsAndAdvice:
    """A part without a condition in any question stands before parts that questions compare."""
    names = [part.name for part in table.layout.key.parts]
    given = frozenset[str]().union(*(question.given for question in table.asked))
    has_other_reason = any(
        isinstance(question.reason, TooManyRanges)
        or names[0] in question.arguments
        or _is_reversed(question.arguments.values())
        for question in table.refused
    )
    if table.all_refused and not has_other_reason:
        yield (
            f"no question gives {names[0]}, with which its key starts, so every question is refused",
            "leave it out, or compute it from other parts as a Salt",
        )
    for number, name in enumerate(names):
        compared = {part for question in table.asked for part in question.conditions.keys() - question.bound}
        blocked = [later for later in names[number + 1 :] if later in compared]
        if name not in given and blocked:
            yield (
                f"no question gives {name}, so no range binds {listed(blocked)} after it",
                f"put {name} after {blocked[-1]}, or leave it out",
            )


def whole_table(table: LintedTable) -> ReasonsAndAdvice:
    """Without a condition on the start of the key, the store reads all rows, and drops most of them."""
    rows = len(table.samples.rows)
    for question in table.asked:
        is_whole = not question.bound and question.rows_read >= rows >= FEWEST_ROWS
        if is_whole and question.returned < FEW_RETURNED * question.rows_read:
            yield (
                f'"{question.question}" reads all {rows:,} rows of the samples, and returns {question.returned:,}',
                "add a table, or a list, whose key starts with what the question gives, or accept it if it is rare",
            )


def many_ranges(table: LintedTable) -> ReasonsAndAdvice:
    """Every bucket is read in every slice of a period."""
    for question in table.refused:
        error = question.reason
        if isinstance(error, TooManyRanges) and error.layout == table.layout.key.name:
            yield (
                f'"{question.question}" is refused, because a plan has at most {MAX_BUCKETS:,} ranges: {error}',
                "make slices longer or buckets fewer, or ask for a shorter period",
            )
    for answered in table.asked:
        if answered.ranges > max(MANY_RANGES, answered.returned):
            yield (
                f'"{answered.question}" reads {answered.ranges} ranges for {answered.returned:,} records',
                "compute the salt from a part that the question gives, or take fewer buckets",
            )


def few_buckets(table: LintedTable) -> ReasonsAndAdvice:
    """A prefix fills at most as many buckets as there are values, and a frequent value crowds a single one."""
    key = table.layout.key
    keys = [key.segments(row) for row in table.new_rows]
    for number, prefix in enumerate(key.spread if len(keys) >= FEWEST_ROWS else ()):
        of = (prefix.of,) if isinstance(prefix.of, str) else prefix.of
        values = [tuple(getattr(record, name) for name in of) for record in map(key.decode, table.new_rows)]
        distinct, known = len(set(values)), len(set(values[: len(values) // 2]))
        buckets = prefix.buckets if isinstance(prefix, Salt) else prefix.by if isinstance(prefix, Modulo) else 0
        filled = Counter(segments[number].data for segments in keys)
        ((_data, busiest),) = filled.most_common(1)
        if busiest > hot_share(buckets or distinct) * len(keys):
            where = f"{busiest / len(keys):.0%} of the samples are in one bucket of the {prefix_line(prefix)}"
            if isinstance(prefix, Modulo):
                where += f": many values are multiples of a number that has a divisor in common with {prefix.by}"
            yield where, "compute a Salt from a part of which no value is so frequent"
        elif len(filled) < buckets <= distinct / ENOUGH_FOR_EACH:
            yield (
                f"the {distinct:,} values of {listed(of)} in the samples fill only {len(filled)} of {buckets} buckets",
                "compute a Salt from a part with values of any kind",
            )
        elif distinct == known < buckets:
            yield (
                f"the samples have {distinct} values of {listed(of)} for {buckets} buckets, so "
                f"{buckets - distinct} or more of them stay empty",
                "compute the salt from a part with more values, or take fewer buckets",
            )


def tie(table: LintedTable) -> ReasonsAndAdvice:
    """The key has a time, and no other part of it tells records of that time apart."""
    if not isinstance(table.layout.cells, RecordCells | ItemCells | SourceCells):
        return
    times = [part for part in key_parts(table) if is_time(table, part)]
    if not times or not cell_values(table) or not table.is_filled:
        return
    advice = "add a part that differs, such as a tie, or accept it if the later record should replace the earlier one"
    time = times[-1]
    samples, every_ms = table.samples, measured_every_ms(table)
    replaced = samples.replaced - (samples.corrected if every_ms is not None else 0)
    if replaced:
        yield f"{replaced:,} of the sample records replace another one, which has the same key", advice
    elif isinstance(share_codec(time.codec), Slice):
        yield (
            f"its key holds only the {part_line(time)}: records of one slice replace each other",
            "put the Rest of the time into the qualifier of ItemCells",
        )
    elif every_ms is None and not names_period(moments_ms := times_ms(table, time), PERIOD_MS):
        unit_ms = 1000 if names_period(moments_ms, 1000) else 1
        intervals = intervals_ms(table)
        nearest = min((min(of_one) for of_one in intervals if of_one), default=math.inf)
        if nearest < NEAR_UNITS * unit_ms and not are_regular(intervals):
            others = [part.name for part in key_parts(table) if part not in times]
            beside = f" of one {listed(others)}" if others else ""
            yield f"records{beside} come within {nearest:,.0f} ms, and only {time.name} tells them apart", advice


def wide_row(table: LintedTable) -> ReasonsAndAdvice:
    """A row is never split, so one that gets a cell for each event of its owner grows without end."""
    cells, key = table.layout.cells, table.layout.key
    if not isinstance(cells, ItemCells) or key.time_bucket or any(is_time(table, part) for part in key.parts):
        return
    part = cells.qualifier.parts[0]
    times = times_ms(table, part)
    grows = (times and not names_period(times, DAY_MS)) or _counts_in_rows(table, part)
    if grows and table.layout.families[cells.family].lifetime_s is None:
        most = max(Counter(cell.row for cell in table.samples.cells).values())
        yield (
            f"a row has a cell for each {part.name}, {most:,} in the widest row of the samples: it "
            "grows without end, and one region holds all of it",
            f"put a Slice of {part.name} into the row key and its Rest into the qualifier, or declare a TTL",
        )


def _counts_in_rows(table: LintedTable, part: Part) -> bool:
    """Whether the numbers in the cells of the widest row count up without end."""
    of_row: defaultdict[bytes, list[Any]] = defaultdict(list)
    for record in table.samples.records:
        of_row[table.layout.row(record)].append(getattr(record, part.name, None))
    widest = max(of_row.values(), key=len, default=list[Any]())
    room = part.codec.width_bytes
    return len(widest) >= FEWEST_ROWS and (room is None or room >= ROOM_BYTES) and counts_up(widest)
