"""Scans whose cells are arrays: where each column and each value is in the bytes that arrived.

A scan of happybase makes a dictionary of each row, and objects of each cell. That takes most of the time of a question
that reads many small cells. Here a batch of rows is a few arrays, which numpy makes of the reply itself on a connection
of `connect("hbase://...")`, and of Thrift's objects on any other.

Importing this module does not need numpy, but calling it does.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import attrs

from ..keys.ranges import RowRange
from .side_by_side import read_streams

if TYPE_CHECKING:
    import happybase
    import numpy as np
    from numpy.typing import NDArray


@attrs.frozen(eq=False)
class CellArrays:
    """The cells of some rows, row after row, as arrays of equal length."""

    rows: list[bytes]
    row_of_cell: "NDArray[np.int64]"
    """For each cell the place of its row in `rows`."""
    column_starts: "NDArray[np.int64]"
    """Where in `data` each column starts, with its family."""
    column_lengths: "NDArray[np.int64]"
    value_starts: "NDArray[np.int64]"
    value_lengths: "NDArray[np.int64]"
    written_ms: "NDArray[np.int64]"
    """The timestamp of each cell."""
    data: bytes

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[bytes, Mapping[bytes, tuple[bytes, int]]]]) -> "CellArrays":
        """The cells of rows with value and timestamp by column, as happybase's scans return them."""
        all_rows = [*rows]
        cells = [cell for _, of_row in all_rows for cell in of_row.values()]
        return _joined(
            [row for row, _ in all_rows],
            [len(of_row) for _, of_row in all_rows],
            [column for _, of_row in all_rows for column in of_row],
            [value for value, _ in cells],
            (written_ms for _, written_ms in cells),
        )

    def cells_of(self, row: int) -> range:
        """The numbers of the cells of one row, by its place in `rows`."""
        return range(*self.row_of_cell.searchsorted((row, row + 1)).tolist())

    def column(self, cell: int) -> bytes:
        """The column of one cell."""
        start = int(self.column_starts[cell])
        return self.data[start : start + int(self.column_lengths[cell])]

    def value(self, cell: int) -> bytes:
        """The value of one cell."""
        start = int(self.value_starts[cell])
        return self.data[start : start + int(self.value_lengths[cell])]

    def taking(self, cells: Any) -> "CellArrays":
        """These cells, and all rows."""
        return attrs.evolve(
            self,
            row_of_cell=self.row_of_cell[cells],
            column_starts=self.column_starts[cells],
            column_lengths=self.column_lengths[cells],
            value_starts=self.value_starts[cells],
            value_lengths=self.value_lengths[cells],
            written_ms=self.written_ms[cells],
        )


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
    parts = [_read(table, range_, [*columns], filter, batch_rows) for range_ in ranges]
    with read_streams(table.connection, [parts], 1, 2, filter=filter, one_ahead=True) as (batches,):
        yield from batches


def _read(
    table: "happybase.Table", range_: RowRange, columns: list[bytes], filter: bytes | None, batch_rows: int
) -> Generator[CellArrays]:
    from Hbase_thrift import TScan  # a module that happybase makes

    client = table.connection.client
    fetch = getattr(client, "fetch_frame", client.scannerGetList)
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
            yield _of_frame(rows) if hasattr(rows, "written_ms") else _of_results(rows)
    finally:
        client.scannerClose(scanner)


def _of_frame(frame: Any) -> CellArrays:
    (column_starts, column_lengths), (value_starts, value_lengths) = frame.columns, frame.values
    return CellArrays(
        frame.rows,
        frame.row_of_cell,
        column_starts,
        column_lengths,
        value_starts,
        value_lengths,
        frame.written_ms,
        frame.data,
    )


def _of_results(results: Sequence[Any]) -> CellArrays:
    """The cells of Thrift's TRowResults."""
    cells = [*chain.from_iterable(result.columns.values() for result in results)]
    return _joined(
        [result.row for result in results],
        [len(result.columns) for result in results],
        [*chain.from_iterable(result.columns for result in results)],
        [cell.value for cell in cells],
        (cell.timestamp for cell in cells),
    )


def _joined(
    rows: list[bytes], counts: list[int], columns: list[bytes], values: list[bytes], times_ms: Iterable[int]
) -> CellArrays:
    """The cells of some rows; `counts` says how many each row has."""
    import numpy as np

    column_lengths, value_lengths = (np.fromiter(map(len, texts), np.int64, len(texts)) for texts in (columns, values))
    ends = np.cumsum(np.concatenate([column_lengths, value_lengths]))
    return CellArrays(
        rows,
        np.repeat(np.arange(len(rows)), counts),
        ends[: len(columns)] - column_lengths,
        column_lengths,
        ends[len(columns) :] - value_lengths,
        value_lengths,
        np.fromiter(times_ms, np.int64, len(values)),
        b"".join([*columns, *values]),
    )
