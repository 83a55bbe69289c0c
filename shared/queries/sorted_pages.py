"""Pages in the order of another key: the client reads all rows of the plan, for every page, and sorts them.

The position in their cursors is the record's key in that order and its row in the table, which tells apart the records
that are equal in that order:

    length of the key   2 bytes
    key                 the key in the page's order, without spreading prefix
    row                 the rest, without spreading prefix
"""

import heapq
from collections.abc import Iterator
from contextlib import closing
from operator import itemgetter
from typing import Any, TypeVar

from ..keys.errors import InvalidKey, InvalidQuestion
from ..keys.layout import KeyLayout
from ..keys.questions import Plan
from .record_reader import RecordReader
from .scanning import BUFFER_ROWS

R = TypeVar("R")


def read_sorted(
    reader: RecordReader[R],
    plan: Plan,
    order: KeyLayout[Any],
    reverse: bool,
    position: bytes | None,
    limit: int,
    read_at_most: int,
) -> tuple[list[R], bytes | None]:
    """The next `limit` records after `position`, and the position of the last one if more follow."""
    keyed = _keyed(reader, plan, order, read_at_most)
    if position is not None:
        last = _split_position(position)
        keyed = (item for item in keyed if (item[:2] < last if reverse else item[:2] > last))
    select_first = heapq.nlargest if reverse else heapq.nsmallest
    items = select_first(limit + 1, keyed, key=itemgetter(0, 1))
    records = [record for _key, _row, record in items[:limit]]
    return records, _position(*items[limit - 1][:2]) if len(items) > limit else None


def _keyed(
    reader: RecordReader[R], plan: Plan, order: KeyLayout[Any], read_at_most: int
) -> Iterator[tuple[bytes, bytes, R]]:
    """Every matching record as (key in the order, row, record), both keys without their spreading prefixes."""
    with closing(reader.rows(plan, read_at_most + 1, False, min(BUFFER_ROWS, read_at_most + 1))) as rows:
        for row, cells in rows:
            if reader.rows_read == read_at_most:
                raise InvalidQuestion(
                    f"a sorted page reads all rows of its ranges, which hold more than {read_at_most}: "
                    "bind more parts of the key, or a shorter interval"
                )
            for record in reader.matching(row, cells):
                try:
                    key = order.row_of(record)[order.spread_bytes :]
                except InvalidKey as error:
                    raise InvalidQuestion(f"order: {error}") from None
                yield key, row[plan.spread_bytes :], record


def _position(key: bytes, row: bytes) -> bytes:
    return len(key).to_bytes(2, "big") + key + row


def _split_position(position: bytes) -> tuple[bytes, bytes]:
    key_end = 2 + int.from_bytes(position[:2], "big")
    return position[2:key_end], position[key_end:]
