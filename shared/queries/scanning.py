"""Runs a plan on a happybase table and returns its rows in key order.

A plan with one stream is one range after another; with several (one for each bucket of a spreading prefix) it is a
merge by the key after that prefix, and a limit holds after the merge. Rows are fetched in batches of each stream, of up
to 1,000 (in reverse one more), and about `held_rows` of them are held at a time, however long the answer is.
"""

import heapq
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from itertools import islice

import happybase

from ..keys import MAX_ROW_BYTES, InvalidQuestion, Plan, RowRange, next_row
from ..keys.errors import shown
from .server_filters import ServerFilter

Rows = Generator[tuple[bytes, dict[bytes, bytes]], None, None]
"""Row key and cells of one row after another; closing it closes the scanners."""

BATCH_ROWS = 1000
"""Rows fetched at a time of one stream where no limit asks for less; happybase's own default."""
MAX_LIMIT = 1_000_000
"""The largest limit, in rows: Thrift counts in 32 bits, and a page holds its records in memory."""
HELD_ROWS = 16_000
"""About how many rows of all streams are held at a time: up to sixteen streams are read in whole batches."""


def scan(
    table: happybase.Table,
    plan: Plan,
    *,
    limit: int | None = None,
    reverse: bool = False,
    held_rows: int = HELD_ROWS,
    filter: ServerFilter | None = None,
) -> Rows:
    """The rows of a plan as (row, cells), in the order of the key after its spreading prefix; at most `limit`.

    About `held_rows` of all streams are held at a time. With a filter, only those that it lets through come; the server
    reads all the others too.
    """
    if limit is not None:
        check_count("limit", limit)
        held_rows = min(held_rows, limit)
    return merged(table, plan, limit, reverse, held_rows, filter)


def merged(
    table: happybase.Table,
    plan: Plan,
    limit: int | None,
    reverse: bool,
    held_rows: int,
    filter: ServerFilter | None = None,
) -> Rows:
    """As `scan`, for a `limit` that was checked."""
    if plan.point is not None:
        if filter is not None:  # Thrift1's get knows none
            yield from table.scan(plan.point, next_row(plan.point), filter=filter.text)
        elif cells := table.row(plan.point):
            yield plan.point, cells
        return
    share = min(-(-held_rows // max(1, len(plan.streams))), BATCH_ROWS)
    read = partial(table.scan, filter=None if filter is None else filter.text)
    with ExitStack() as opened:
        streams = [opened.enter_context(closing(_stream(read, each, reverse, share))) for each in plan.streams]
        found = streams[0] if len(streams) == 1 else _in_order(streams, plan, reverse)
        yield from islice(found, limit)


def _in_order(streams: Iterable[Rows], plan: Plan, reverse: bool) -> Iterator[tuple[bytes, dict[bytes, bytes]]]:
    return heapq.merge(*streams, key=lambda found: found[0][plan.spread_bytes :], reverse=reverse)


def _stream(read: Callable[..., Rows], ranges: tuple[RowRange, ...], reverse: bool, batch_rows: int) -> Rows:
    for each in reversed(ranges) if reverse else ranges:
        with closing((_reversed if reverse else _forward)(read, each, batch_rows)) as rows:
            yield from rows


def _forward(read: Callable[..., Rows], each: RowRange, batch_rows: int) -> Rows:
    return read(each.start, each.stop, batch_size=batch_rows)


def _reversed(read: Callable[..., Rows], each: RowRange, batch_rows: int) -> Rows:
    # Thrift1 reads (stop, start] in reverse, and a range is [start, stop): open at its stop and drop that row, go on
    # to a key somewhere below its start, and end at the first row that is below it.
    with closing(read(each.stop or b"", _below(each.start), reverse=True, batch_size=batch_rows + 1)) as rows:
        for row, cells in rows:
            if row < each.start:
                return
            if row != each.stop:
                yield row, cells


def _below(row: bytes) -> bytes | None:
    """A key not far below `row`, so that a reverse scan does not wander on; None at the table's start.

    61 00 -> 61, the very next below    62 -> 61 ff ff ff ff, with some keys between
    """
    if not row:
        return None
    if row[-1] == 0:
        return row[:-1]
    return row[:-1] + bytes([row[-1] - 1]) + b"\xff" * min(4, MAX_ROW_BYTES - len(row))


def check_count(name: str, count: int) -> None:
    """Raises InvalidQuestion for a number of rows that is not 1..MAX_LIMIT."""
    if type(count) is not int or not 1 <= count <= MAX_LIMIT:
        raise InvalidQuestion(f"{name}: must be 1..{MAX_LIMIT} (got {shown(count)})")
