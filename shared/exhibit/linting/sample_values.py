"""Tells what the values of samples are: times, numbers that count up, measures."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from types import UnionType
from typing import Any, Union, get_args, get_origin

from ...keys.parts import Part
from ...keys.slice_codecs import share_codec
from ...tables import COUNTER, ItemCells, RecordCells
from ...tables.cells import record_fields
from ..write_order import DAY_MS, are_ids, time_field, time_format
from .subjects import LintedTable

DENSE = 2
"""Numbers count up if they are distinct, and their span is less than this many times their number."""
REGULAR = 0.5
"""An owner's records come at regular times if more than this share of the intervals between them are equal."""


def key_parts(table: LintedTable) -> list[Part]:
    """The parts of the row key, then those of the qualifiers."""
    cells = table.layout.cells
    return [*table.layout.key.parts, *(cells.qualifier.parts if isinstance(cells, ItemCells) else ())]


def cell_values(table: LintedTable) -> list[str]:
    """The attributes that only the cells of a record hold, without counters: HBase adds to those."""
    cells = table.layout.cells
    in_key = {part.name for part in key_parts(table)}
    names = [name for name in cells.cell_attributes if name not in in_key]
    if isinstance(cells, RecordCells):
        packings = {name: getattr(cells.attributes[name], "packing", None) for name in names}
        return [name for name in names if packings[name] != COUNTER]
    return names


def times_ms(table: LintedTable, part: Part) -> list[float]:
    """The times that a part holds in the samples, in milliseconds; empty if it holds other values or ids."""
    values = values_of(table, part.name)
    if _are_days(table, values):
        return [float(DAY_MS * value) for value in values]
    to_ms = None if are_ids(values) else time_format(values)
    return [] if to_ms is None else [*map(to_ms, values)]


def _are_days(table: LintedTable, values: Sequence[Any]) -> bool:
    """Whether values are the days since 1970 of the times of their records."""
    field = time_field(table.samples.records) if values and all(type(value) is int for value in values) else None
    records = zip(values, table.samples.records, strict=True)
    return field is not None and all(field.time_ms(record) // DAY_MS == value for value, record in records)


def is_time(table: LintedTable, part: Part) -> bool:
    """Whether a part holds times, or a slice of them."""
    return share_codec(part.codec) is not None or bool(times_ms(table, part))


def values_of(table: LintedTable, *names: str) -> list[Any]:
    """The values of an attribute in the samples; of several attributes, tuples of their values."""
    records = table.samples.records
    if len(names) == 1:
        return [getattr(record, names[0], None) for record in records]
    return [tuple(getattr(record, name, None) for name in names) for record in records]


def counts_up(values: Sequence[Any]) -> bool:
    """Whether values are distinct numbers, in any order, with few gaps between them."""
    numbers = [_number(value) for value in values]
    known = [number for number in numbers if number is not None]
    return len(set(known)) == len(values) and max(known) - min(known) < DENSE * len(known)


def _number(value: Any) -> int | None:
    if type(value) is str and re.fullmatch("[0-9]+", value):
        return int(value)
    return value if type(value) is int else None


def intervals_ms(table: LintedTable) -> list[list[float]]:
    """The intervals between the records of each owner. An owner is all of a key except its times."""
    parts = key_parts(table)
    times = [part for part in parts if is_time(table, part)]
    owners = values_of(table, *(part.name for part in parts if part not in times), "")
    of_owner: defaultdict[Any, list[float]] = defaultdict(list)
    for owner, time_ms in zip(owners, times_ms(table, times[-1]) if times else (), strict=False):
        of_owner[owner].append(time_ms)
    return [[later - earlier for earlier, later in pairwise(sorted(of_one))] for of_one in of_owner.values()]


def are_regular(intervals: Iterable[Sequence[float]]) -> bool:
    """Whether most owners' records come at regular times."""
    most_frequent = [(*Counter(of_one).most_common(1)[0], len(of_one)) for of_one in intervals if of_one]
    regular = [interval > 0 and times > REGULAR * count for interval, times, count in most_frequent]
    return sum(regular) > REGULAR * len(regular)


def measured_every_ms(table: LintedTable) -> float | None:
    """How often a measure is taken of each owner; None if the records are not measures.

    A measure is one or more numbers for a time: floats, or ints at regular times. Storing a measure again replaces it,
    and measures accumulate without end.
    """
    fields = record_fields(table.layout.cells.record)
    values = [name for name in cell_values(table) if time_format(values_of(table, name)) is None]
    kinds = {kind for name in values for kind in _kinds(fields[name].type)}
    intervals = [of_one for of_one in intervals_ms(table) if of_one]
    if not kinds or not kinds <= {int, float} or not intervals or not (float in kinds or are_regular(intervals)):
        return None
    return median(interval for of_one in intervals for interval in of_one)


def _kinds(declared: Any) -> tuple[Any, ...]:
    return get_args(declared) if get_origin(declared) in (Union, UnionType) else (declared,)
