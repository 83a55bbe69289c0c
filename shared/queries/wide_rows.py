"""Rows that hold many records, read cell by cell: memory is bounded whatever the width of a row.

A scan asks for the first `n` cells of each row. If a row has more, each further `n` are a scan of that row alone, which
starts after the last qualifier that arrived:

    ColumnRangeFilter('low', true, 'high', false) AND ColumnPaginationFilter(n, 0)

Each such scan is stateless, so a client that loses its scanner can continue after the last row; a scan with
`scan_batching` could not, and HBase refuses it together with filters of whole rows.

The width of a row is not known beforehand. So a stream fetches two batches of `FIRST_ROWS` rows, then as many rows at
once as their width allows. In reverse, HBase keeps the cells of a row in ascending order: the row is read from its
start, and its last cells are kept.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from ..keys import Plan
from ..keys.ranges import RowRange, next_row
from .scanning import BATCH_ROWS, BUFFER_ROWS, CellPosition, StoredRows, in_direction, merged, ranges_after, read_range
from .server_filters import quoted
from .side_by_side import read_streams, rows_of_batch

if TYPE_CHECKING:
    import happybase

    from ..tables import ItemCells

StoredCell = tuple[bytes, bytes, bytes]
"""Row key, qualifier and value."""
StoredCells = Generator[StoredCell, None, None]
"""Cells in the order of row key and qualifier, or in its reverse; closing it closes the scanners."""

FIRST_ROWS = 2
"""Rows in each of the first two batches of a stream, whose width is not known yet."""
CHUNK_CELLS = 1000
"""The most cells of one row that a scan asks for."""
REVERSE_CHUNK_CELLS = 5 * CHUNK_CELLS
"""The most cells of one scan if a row is read backwards: it is read to its end to keep its last `CHUNK_CELLS`."""


@attrs.frozen
class CellReader:
    """Reads the cells of a plan's rows, of one layout, for about `wanted` records."""

    table: "happybase.Table"
    cells: "ItemCells[Any]"
    wanted: int
    reverse: bool
    qualifiers: RowRange | None = None
    """The qualifiers to read of every row; None for all that the cells claim."""
    before_ms: int | None = None
    """Only cells that are dated before this timestamp are read; None for all."""

    @property
    def bounds(self) -> tuple[bytes, bytes | None]:
        """The first qualifier to read, and the first one beyond the last; None if there is no such bound."""
        low, high = self.cells.claimed
        if self.qualifiers is None:
            return low, high
        ends = [end for end in (high, self.qualifiers.stop) if end is not None]
        return max(low, self.qualifiers.start), min(ends, default=None)

    def read(self, plan: Plan, after: Sequence[CellPosition | None]) -> StoredCells:
        """The cells of a plan; each stream continues after its position, or begins at its start."""
        if plan.point is not None and plan.column is not None:
            family_bytes = len(self.cells.family) + 1
            for column, value in self.table.row(plan.point, [plan.column], self.before_ms).items():
                yield plan.point, column[family_bytes:], value
            return
        most_rows = max(1, BUFFER_ROWS // max(1, len(plan.streams)))
        streams = [
            self._parts(stream.ranges, position, most_rows)
            for stream, position in zip(plan.streams, after, strict=True)
        ]
        batch = rows_of_batch(self.wanted, max(1, len(streams)), most_rows)
        with read_streams(self.table.connection, streams, batch, self.wanted) as opened:
            yield from merged(opened, plan, self.reverse, _cell_order)

    def _parts(self, ranges: tuple[RowRange, ...], after: CellPosition | None, most_cells: int) -> list[StoredCells]:
        """The cells of each range of a stream; before them those that remain of the row of a position."""
        parts: list[StoredCells] = []
        if after is not None:
            if any(after.row in range_ for range_ in ranges):
                parts.append(self._remaining_cells(after))
            ranges = ranges_after(ranges, after.row, self.reverse, inclusive=False)
        return parts + [self._of_range(range_, most_cells) for range_ in in_direction(ranges, self.reverse)]

    def _of_range(self, range_: RowRange, most_cells: int) -> StoredCells:
        with closing(self._rows(range_, most_cells)) as rows:
            for row, cells, is_whole in rows:
                if not self.reverse:
                    yield from self._of_row(row, cells)
                    if not is_whole:
                        last = max(cells)[len(self.cells.family) + 1 :]
                        yield from self._forward(row, last, inclusive=False)
                elif is_whole:
                    yield from reversed(list(self._of_row(row, cells)))
                else:
                    yield from self._backward(row, None, inclusive=False)

    def _rows(self, range_: RowRange, most_cells: int) -> Generator[tuple[bytes, dict[bytes, bytes], bool], None, None]:
        """The rows of a range, each with its first cells, and whether these are all it has.

        Two small batches come first, then as many rows at once as their width allows, each with up to four times as
        many cells.
        """
        first_cells = min(self.wanted + 1, CHUNK_CELLS)
        rows_read = cells_read = 0
        last = b""
        with closing(self._scan(range_, FIRST_ROWS, first_cells)) as rows:
            for row, cells in islice(rows, 2 * FIRST_ROWS):
                yield row, cells, len(cells) < first_cells
                rows_read, cells_read, last = rows_read + 1, cells_read + len(cells), row
        if rows_read < 2 * FIRST_ROWS:
            return
        width = -(-cells_read // rows_read)
        batch_rows = max(FIRST_ROWS, min(self.wanted // width + 1, most_cells // width, BATCH_ROWS))
        first_cells = min(first_cells, 4 * max(width, 4))
        for rest in ranges_after((range_,), last, self.reverse, inclusive=False):
            with closing(self._scan(rest, batch_rows, first_cells)) as rows:
                for row, cells in rows:
                    yield row, cells, len(cells) < first_cells

    def _scan(self, range_: RowRange, batch_rows: int, first_cells: int) -> StoredRows:
        low, high = self.bounds
        filter = _filter(low, True, high, first_cells)
        return read_range(partial(self._read, filter=filter), range_, self.reverse, batch_rows)

    @property
    def _read(self) -> Callable[..., StoredRows]:
        """The table's `scan`, of the cells' columns."""
        return partial(self.table.scan, columns=self.cells.columns, timestamp=self.before_ms)

    def _remaining_cells(self, after: CellPosition) -> StoredCells:
        read = self._backward if self.reverse else self._forward
        return read(after.row, after.qualifier, inclusive=after.inclusive)

    def _forward(self, row: bytes, after: bytes, *, inclusive: bool) -> StoredCells:
        """The cells of a row after a qualifier, in chunks."""
        _low, high = self.bounds
        at_once = min(self.wanted + 1, CHUNK_CELLS)
        while True:
            cells = self._chunk(row, after, inclusive, high, at_once)
            yield from cells
            if len(cells) < at_once:
                return
            after, inclusive = cells[-1][1], False

    def _backward(self, row: bytes, before: bytes | None, *, inclusive: bool) -> StoredCells:
        """The cells of a row before a qualifier, or all of them, in descending order.

        The row is read from its start for every `CHUNK_CELLS` cells that the caller takes.
        """
        low, high = self.bounds
        if before is not None:
            high = before + b"\x00" if inclusive else before
        while True:
            kept: deque[StoredCell] = deque(maxlen=CHUNK_CELLS)
            after, is_first = low, True
            while True:
                cells = self._chunk(row, after, is_first, high, REVERSE_CHUNK_CELLS)
                kept.extend(cells)
                if len(cells) < REVERSE_CHUNK_CELLS:
                    break
                after, is_first = cells[-1][1], False
            yield from reversed(kept)
            if len(kept) < CHUNK_CELLS:
                return
            high = kept[0][1]

    def _chunk(self, row: bytes, after: bytes, inclusive: bool, high: bytes | None, at_once: int) -> list[StoredCell]:
        """The next cells of a row below `high`, fewer than `at_once` only if no more follow."""
        if high is not None and high <= after:
            return []
        filter = _filter(after, inclusive, high, at_once)
        with closing(self._read(row, next_row(row), filter=filter, limit=1, batch_size=1)) as rows:
            return [cell for row, cells in rows for cell in self._of_row(row, cells)]

    def _of_row(self, row: bytes, cells: dict[bytes, bytes]) -> Iterator[StoredCell]:
        family_bytes = len(self.cells.family) + 1
        for column in sorted(cells):
            yield row, column[family_bytes:], cells[column]


def _cell_order(prefix_bytes: int) -> Callable[[StoredCell], tuple[bytes, bytes]]:
    return lambda cell: (cell[0][prefix_bytes:], cell[1])


def _filter(low: bytes, inclusive: bool, high: bytes | None, cells: int) -> bytes:
    """A filter for the first `cells` of each row, with qualifiers from `low` on, or after it, and below `high`."""
    first_cells = b"ColumnPaginationFilter(%d, 0)" % cells
    if not inclusive:  # HBase reads the empty qualifier as no bound, even if it is excluded
        low += b"\x00"
    if not low and high is None:
        return first_cells
    bounds = quoted(low), quoted(high or b""), b"true" if high is None else b"false"
    return b"ColumnRangeFilter(%s, true, %s, %s) AND %s" % (*bounds, first_cells)
