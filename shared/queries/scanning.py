"""A plan run on a happybase table: its rows, in the order of the key.

The ranges of one stream are scanned one after another. Several streams, one for each bucket of a spreading prefix or
for each value of a merged `any_of`, are merged by the key after that prefix, and a limit counts merged rows. A stream
is fetched in batches of up to 1,000 rows (one more in reverse), and all streams together buffer about `buffer_rows`
rows, however many the scan returns.
"""

import heapq
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from ..keys import InvalidQuestion, Plan
from ..keys.cell_arrays import CellArrays
from ..keys.errors import shown
from ..keys.limits import MAX_ROW_BYTES
from ..keys.ranges import RowRange, next_row
from .server_filters import ServerFilter
from .side_by_side import helpers_of, read_streams, rows_of_batch

if TYPE_CHECKING:
    import happybase

E = TypeVar("E")

StoredRows = Generator[tuple[bytes, dict[bytes, bytes]], None, None]
"""Row keys in their order, each with its cells by column; closing it closes the scanners."""

BATCH_ROWS = 1000
"""Rows in a batch of one stream, if no limit asks for fewer; happybase's own default."""
MAX_LIMIT = 1_000_000
"""The largest limit, in records: Thrift counts in 32 bits, and a page holds its records in memory."""
_BELOW = b"\xff" * 4
"""The end of a key a little below another one, at which a reverse scan stops."""
BUFFER_ROWS = 16_000
"""About how many rows a scan buffers, over all streams: up to sixteen streams are read in batches of `BATCH_ROWS`."""


class CellPosition(NamedTuple):
    """The place of a cell in a stream; reading continues after it, or at it if `inclusive`."""

    row: bytes
    qualifier: bytes
    inclusive: bool


def scan(
    table: "happybase.Table",
    plan: Plan,
    *,
    limit: int | None = None,
    reverse: bool = False,
    buffer_rows: int = BUFFER_ROWS,
    filter: ServerFilter | None = None,
    columns: tuple[bytes, ...] | None = None,
) -> StoredRows:
    """The rows of a plan, in the order of the key after its spreading prefix; each is (row, cells), at most `limit`.

    The streams together buffer about `buffer_rows` rows. A filter returns only the rows that match it, but the server
    reads all rows of the plan. `columns` are those to read; all if omitted. The plan's `residual` is not compared.
    """
    if limit is not None:
        check_count("limit", limit)
        buffer_rows = min(buffer_rows, limit)
    return run_plan(table, plan, limit, reverse, buffer_rows, filter, columns)


def scan_cells(
    table: "happybase.Table",
    ranges: Sequence[RowRange],
    *,
    columns: Iterable[bytes],
    filter: bytes | None = None,
    batch_rows: int,
) -> Generator[CellArrays]:
    """The cells of the rows of some ranges, one range after the other, in batches of `batch_rows` rows.

    On a connection with helpers, the next batch is requested while the caller works on one.
    Costs: one scan for each range.
    """
    parts = [_read_cells(table, range_, [*columns], filter, batch_rows) for range_ in ranges]
    with read_streams(table.connection, [parts], 1, 2, filter=filter, one_ahead=True) as (batches,):
        yield from batches


def _read_cells(
    table: "happybase.Table", range_: RowRange, columns: list[bytes], filter: bytes | None, batch_rows: int
) -> Generator[CellArrays]:
    from Hbase_thrift import TScan  # a module that happybase makes

    client = table.connection.client
    fetch = getattr(client, "fetch_cells", client.scannerGetList)
    scan = TScan(
        startRow=range_.start,
        stopRow=range_.stop,
        columns=columns,
        caching=batch_rows,
        filterString=filter,
        sortColumns=False,
        reversed=False,
    )
    scanner = client.scannerOpenWithScan(table.name, scan, {})
    try:
        while rows := fetch(scanner, batch_rows):
            if not isinstance(rows, CellArrays):
                rows = CellArrays.of_rows(((row.row, row.columns) for row in rows), _split)
            yield rows
    finally:
        client.scannerClose(scanner)


def _split(cells: list[Any]) -> tuple[list[bytes], list[int]]:
    """The values and timestamps of Thrift's TCells."""
    return [cell.value for cell in cells], [cell.timestamp for cell in cells]


def scan_in_batches(
    table: "happybase.Table", range_: RowRange, batch_rows: int = BATCH_ROWS, **options: Any
) -> Iterator[list[tuple[bytes, Any]]]:
    """The rows of a range, `batch_rows` at a time; `options` are those of `happybase.Table.scan`.

    No scan is open while the caller works on a batch. Costs: one scan for each batch.
    """
    start: bytes | None = range_.start
    while start is not None:
        batch: list[tuple[bytes, Any]] = [
            *table.scan(start, range_.stop, limit=batch_rows, batch_size=batch_rows, **options)
        ]
        if batch:
            yield batch
        start = next_row(batch[-1][0]) if len(batch) == batch_rows else None


def in_batches(items: Iterable[E], size: int = BATCH_ROWS) -> Iterator[list[E]]:
    """The items in lists of `size`, the last one maybe shorter; none is empty."""
    unread = iter(items)
    while batch := list(islice(unread, size)):
        yield batch


def run_plan(
    table: "happybase.Table",
    plan: Plan,
    limit: int | None,
    reverse: bool,
    buffer_rows: int,
    filter: ServerFilter | None = None,
    columns: tuple[bytes, ...] | None = None,
    before_ms: int | None = None,
    *,
    include_timestamp: bool = False,
) -> StoredRows:
    """The rows that `scan` returns, for a `limit` that is already checked; only cells dated before `before_ms`."""
    options: Any = {"timestamp": before_ms, "include_timestamp": include_timestamp}
    get = cast("Callable[..., dict[bytes, bytes]]", table.row)
    read = _reader(partial(table.scan, **options), filter, columns)
    if plan.point is not None:
        claimed = columns if plan.column is None else (plan.column,)
        if filter is not None:  # Thrift1's get takes no filter
            yield from read(plan.point, next_row(plan.point))
        elif cells := get(plan.point, claimed, **options):
            yield plan.point, cells
        return
    batch_rows = batch_size(buffer_rows, plan)
    if len(plan.ranges) > 1 and helpers_of(table.connection) is not None:
        # While a batch is merged, the next one may come: each stream buffers two.
        at_most = min(BATCH_ROWS, BUFFER_ROWS // (2 * len(plan.streams)))
        batch_rows = rows_of_batch(buffer_rows, len(plan.streams), at_most)
    streams = [
        [read_range(read, range_, reverse, batch_rows) for range_ in in_direction(stream.ranges, reverse)]
        for stream in plan.streams
    ]
    text = None if filter is None else filter.text
    with read_streams(table.connection, streams, batch_rows, limit or buffer_rows, limit, text) as opened:
        yield from islice(merged(opened, plan, reverse, lambda skip: lambda item: item[0][skip:]), limit)


def _reader(
    read: Callable[..., StoredRows], filter: ServerFilter | None, columns: tuple[bytes, ...] | None
) -> Callable[..., StoredRows]:
    """A table's `scan` with a filter and columns, without the cells that only the filter needs."""
    if filter is None:
        return partial(read, columns=columns)
    claimed = set[bytes]() if columns is None else {*columns}
    only_compared = [column for column in filter.columns if claimed.isdisjoint((column, column.partition(b":")[0]))]
    if columns is None or not only_compared:
        return partial(read, columns=columns, filter=filter.text)
    return partial(_without, only_compared, partial(read, columns=(*columns, *only_compared), filter=filter.text))


def _without(columns: Sequence[bytes], read: Callable[..., StoredRows], *range_: Any, **options: Any) -> StoredRows:
    """The rows that `read` returns, without these columns; leaves out rows that have no others."""
    with closing(read(*range_, **options)) as rows:
        for row, cells in rows:
            for column in columns:
                cells.pop(column, None)
            if cells:
                yield row, cells


def batch_size(buffer_rows: int, plan: Plan) -> int:
    """Rows in a batch of one stream, if all streams of a plan together buffer `buffer_rows`."""
    return min(-(-buffer_rows // max(1, len(plan.streams))), BATCH_ROWS)


def merged(
    streams: Sequence[Iterable[E]], plan: Plan, reverse: bool, key_after: Callable[[int], Callable[[E], Any]]
) -> Iterable[E]:
    """The items of all streams of a plan, in the order of their keys after the prefix of their stream.

    `key_after(n)` returns the function that gives the key of an item after a prefix of n bytes. Items with equal keys
    come in the order of their streams; in reverse, the other way round.
    """
    if len(streams) == 1:
        return streams[0]
    prefixes = [stream.prefix_bytes for stream in plan.streams]
    if reverse:
        streams, prefixes = streams[::-1], prefixes[::-1]
    if len(set(prefixes)) <= 1:
        return heapq.merge(*streams, key=key_after(max(prefixes, default=0)), reverse=reverse)
    keyed = [map(partial(_keyed, key_after(prefix)), stream) for prefix, stream in zip(prefixes, streams, strict=True)]
    return map(itemgetter(1), heapq.merge(*keyed, key=itemgetter(0), reverse=reverse))


def _keyed(key: Callable[[E], Any], item: E) -> tuple[Any, E]:
    return key(item), item


def in_direction(ranges: Sequence[RowRange], reverse: bool) -> Sequence[RowRange]:
    """The ranges of a stream in the order in which a scan reads them."""
    return ranges[::-1] if reverse else ranges


def read_range(read: Callable[..., StoredRows], range_: RowRange, reverse: bool, batch_rows: int) -> StoredRows:
    """The rows of one range, in batches. `read` is a happybase table's `scan`, with all other options given."""
    if not reverse:
        return read(range_.start, range_.stop, batch_size=batch_rows)
    return _read_reverse(read, range_, batch_rows)


def _read_reverse(read: Callable[..., StoredRows], range_: RowRange, batch_rows: int) -> StoredRows:
    # Thrift1 reads (stop, start] in reverse, and a range is [start, stop): open the scan at the range's stop and drop
    # that row, let it run to a key a little below the range's start, and end at the first row below the start.
    low = reverse_stop(range_.start)
    with closing(read(range_.stop or b"", low, reverse=True, batch_size=batch_rows + 1)) as rows:
        for row, cells in rows:
            if row < range_.start:
                return
            if row != range_.stop:
                yield row, cells


def reverse_stop(start: bytes) -> bytes | None:
    """A key a little below the start of a range, at which a reverse scan stops; None at the table's start.

    61 00 -> 61, the very next below    62 -> 61 ff ff ff ff, with some keys between
    """
    if not start:
        return None
    if start[-1] == 0:
        return start[:-1]
    return start[:-1] + bytes([start[-1] - 1]) + _BELOW[: MAX_ROW_BYTES - len(start)]


def start_of_reverse(stop: bytes | None) -> bytes:
    """The start of the range that a reverse scan to `stop` reads: the inverse of `reverse_stop`.

    61 -> 61 00    61 ff ff ff ff -> 62
    """
    if not stop:
        return b""
    low, end = stop[: -len(_BELOW)], stop[-len(_BELOW) :]
    if end == _BELOW and low and low[-1] < 0xFF:
        return low[:-1] + bytes([low[-1] + 1])
    return stop + b"\x00"


def ranges_after(ranges: Iterable[RowRange], row: bytes, reverse: bool, *, inclusive: bool) -> tuple[RowRange, ...]:
    """The rest of some ranges after a row, in the direction of the scan; with that row if `inclusive`."""
    remaining: list[RowRange] = []
    for range_ in ranges:
        start, stop = range_.start, range_.stop
        if reverse:
            last = next_row(row) if inclusive else row
            stop = last if stop is None or (last is not None and last < stop) else stop
        elif (first := row if inclusive else next_row(row)) is None:
            continue
        else:
            start = max(start, first)
        if stop is None or start < stop:
            remaining.append(RowRange(start, stop, range_.parts))
    return tuple(remaining)


def check_count(name: str, count: int) -> None:
    """Raises InvalidQuestion for a number of rows that is not 1..MAX_LIMIT."""
    if type(count) is not int or not 1 <= count <= MAX_LIMIT:
        raise InvalidQuestion(f"{name}: must be 1..{MAX_LIMIT} (got {shown(count)})")
