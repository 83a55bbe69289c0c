"""Pages in the order of another key: the client reads all rows of the plan, for every page, and sorts them.

A cursor's position is the record's key in the requested order, without spreading prefix, then its place in the table.
The place tells apart records with equal keys.
"""

import heapq
from collections.abc import Iterator
from contextlib import closing
from operator import itemgetter
from typing import Any, TypeVar

from ..keys.errors import InvalidKey, InvalidQuestion
from ..keys.layout import KeyLayout
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
    reverse = reader.question.reverse
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
                    "bind more parts of the key, or a shorter interval"
                )
            for record in reader.matching(stored):
                try:
                    key = order.row_of(record)[order.spread_bytes :]
                except InvalidKey as error:
                    raise InvalidQuestion(f"order: {error}") from None
                yield (key, *reader.position(stored)), record
