"""Pages in the order of another key: the client reads all rows of the plan, for every page, and sorts them.

A cursor's position is the record's key in the requested order, without spreading prefix, then its place in the table.
The place tells apart records with equal keys.
"""

import heapq
from collections.abc import Iterator
from contextlib import closing
from operator import itemgetter
from typing import Any, TypeVar

from ..keys.conditions import AnyOf, Between, StartingWith, is_one_value
from ..keys.errors import InvalidKey, InvalidQuestion
from ..keys.layout import KeyLayout
from ..keys.ranges import Plan
from ..keys.slice_codecs import share_codec
from .record_reader import RecordReader
from .scanning import BUFFER_ROWS

R = TypeVar("R")


def read_sorted(
    reader: RecordReader[R],
    order: KeyLayout[Any],
    after: tuple[bytes, ...] | None,
    limit: int,
    read_at_most: int,
) -> tuple[list[R], tuple[bytes, ...] | None]:
    """The next `limit` records after a position, and the position of the last one if more follow."""
    reverse = reader.request.reverse
    keyed = _with_sort_key(reader, order, read_at_most)
    if after is not None:
        keyed = (item for item in keyed if (item[0] < after if reverse else item[0] > after))
    select_first = heapq.nlargest if reverse else heapq.nsmallest
    items = select_first(limit + 1, keyed, key=itemgetter(0))
    records = [record for _position, record in items[:limit]]
    return records, items[limit - 1][0] if len(items) > limit else None


def _with_sort_key(
    reader: RecordReader[R], order: KeyLayout[Any], read_at_most: int
) -> Iterator[tuple[tuple[bytes, ...], R]]:
    """Every matching record after its position: its key in the order, then its place in the table."""
    wanted = min(BUFFER_ROWS, read_at_most + 1)
    with closing(reader.stored(None, read_at_most + 1, wanted, False)) as read:
        for stored in read:
            if reader.read == read_at_most:
                raise InvalidQuestion(
                    f"a sorted page reads all rows of its ranges, which hold more than {read_at_most}: "
                    + _how_to_read_fewer(reader.request.layout.key, reader.request.plan)
                )
            for record in reader.matching(stored):
                try:
                    key = order.row_of(record)[order.spread_bytes :]
                except InvalidKey as error:
                    raise InvalidQuestion(f"order: {error}") from None
                yield (key, *reader.position(stored)), record


def _how_to_read_fewer(layout: KeyLayout[Any], plan: Plan) -> str:
    """Advice on conditions that make the ranges of a plan smaller, so without those that only the client compares."""
    bound = dict(plan.ranges[0].parts)
    ways: list[str] = []
    if plan.qualifiers is not None or _can_be_shorter(layout, plan):
        ways.append("for a shorter interval")
    if any(isinstance(condition, StartingWith) for condition in bound.values()):
        ways.append("for a longer prefix")
    if any(isinstance(plan.conditions.get(name), AnyOf) for name in bound):
        ways.append("for fewer values at once")
    names = [part.name for part in layout.parts if part.name not in bound or not is_one_value(bound[part.name])]
    if names and names[0] not in bound and names[0] not in plan.conditions:
        ways.append(f"with a condition on {names[0]}, the first part of the row key that has none")
    return f"ask {' or '.join(ways) or 'in the order of the row key'}"


def _can_be_shorter(layout: KeyLayout[Any], plan: Plan) -> bool:
    """Whether a shorter interval makes the ranges smaller: not within one slice, nor if it is one number."""
    slices: set[Between] = set()
    for name, condition in {part for range_ in plan.ranges for part in range_.parts}:
        if isinstance(condition, Between):
            if not isinstance(condition.since, int) or not isinstance(condition.until, int):
                return True
            if layout.time_bucket is not None and name == type(layout.time_bucket).__name__:
                step = layout.time_bucket.every_ms
                slices.add(condition)
            else:
                divided = share_codec(layout.part_named[name].codec)
                step = 1 if divided is None else divided.every
            if condition.until - condition.since > step:
                return True
    return len(slices) > 1
