"""A plan run on a happybase table: its rows, in the order of the key.

The ranges of one stream are scanned one after another. Several streams, one for each bucket of a spreading prefix, are
merged by the key after that prefix, and a limit counts merged rows. A stream is fetched in batches of up to 1,000 rows
(one more in reverse), and all streams together buffer about `buffer_rows` rows, however many the scan returns.
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

StoredRows = Generator[tuple[bytes, dict[bytes, bytes]], None, None]
"""Row keys in their order, each with its cells by column; closing it closes the scanners."""

BATCH_ROWS = 1000
"""Rows in a batch of one stream, if no limit asks for fewer; happybase's own default."""
MAX_LIMIT = 1_000_000
"""The largest limit, in rows: Thrift counts in 32 bits, and a page holds its records in memory."""
BUFFER_ROWS = 16_000
"""About how many rows a scan buffers, over all streams: up to sixteen streams are read in batches of `BATCH_ROWS`."""


def scan(
    table: happybase.Table,
    plan: Plan,
    *,
    limit: int | None = None,
    reverse: bool = False,
    buffer_rows: int = BUFFER_ROWS,
    filter: ServerFilter | None = None,
) -> StoredRows:
    """The rows of a plan as (row, cells), in the order of the key after its spreading prefix; at most `limit`.

    The streams together buffer about `buffer_rows` rows. A filter returns only the rows that match it, but the server
    reads all rows of the plan.
    """
    if limit is not None:
        check_count("limit", limit)
        buffer_rows = min(buffer_rows, limit)
    return run_plan(table, plan, limit, reverse, buffer_rows, filter)


def run_plan(
    table: happybase.Table,
    plan: Plan,
    limit: int | None,
    reverse: bool,
    buffer_rows: int,
    filter: ServerFilter | None = None,
) -> StoredRows:
    """The rows that `scan` returns, for a `limit` that is already checked."""
    if plan.point is not None:
        if filter is not None:  # Thrift1's get takes no filter
            yield from table.scan(plan.point, next_row(plan.point), filter=filter.text)
        elif cells := table.row(plan.point):
            yield plan.point, cells
        return
    batch_rows = min(-(-buffer_rows // max(1, len(plan.streams))), BATCH_ROWS)
    read = partial(table.scan, filter=None if filter is None else filter.text)
    with ExitStack() as opened:
        streams = [opened.enter_context(closing(_stream(read, ranges, reverse, batch_rows))) for ranges in plan.streams]
        rows = streams[0] if len(streams) == 1 else _merge(streams, plan.spread_bytes, reverse)
        yield from islice(rows, limit)


def _merge(
    streams: Iterable[StoredRows], spread_bytes: int, reverse: bool
) -> Iterator[tuple[bytes, dict[bytes, bytes]]]:
    return heapq.merge(*streams, key=lambda row_and_cells: row_and_cells[0][spread_bytes:], reverse=reverse)


def _stream(
    read: Callable[..., StoredRows], ranges: tuple[RowRange, ...], reverse: bool, batch_rows: int
) -> StoredRows:
    for range_ in reversed(ranges) if reverse else ranges:
        with closing((_read_reverse if reverse else _read_forward)(read, range_, batch_rows)) as rows:
            yield from rows


def _read_forward(read: Callable[..., StoredRows], range_: RowRange, batch_rows: int) -> StoredRows:
    return read(range_.start, range_.stop, batch_size=batch_rows)


def _read_reverse(read: Callable[..., StoredRows], range_: RowRange, batch_rows: int) -> StoredRows:
    # Thrift1 reads (stop, start] in reverse, and a range is [start, stop): open the scan at the range's stop and drop
    # that row, let it run to a key a little below the range's start, and end at the first row below the start.
    low = _below(range_.start)
    with closing(read(range_.stop or b"", low, reverse=True, batch_size=batch_rows + 1)) as rows:
        for row, cells in rows:
            if row < range_.start:
                return
            if row != range_.stop:
                yield row, cells


def _below(row: bytes) -> bytes | None:
    """A key a little below `row`, at which a reverse scan stops; None at the table's start.

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
