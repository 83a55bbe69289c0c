"""Cells of rows as arrays: where each column and each value is in the bytes that arrived.

happybase makes a dictionary of each row, and objects of each cell. That takes most of the time of a question that reads
many small cells. Here a batch of rows is a few arrays, which a store makes of the reply itself, or `queries` of
Thrift's objects: both know this module, which needs numpy only when it is called.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
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
    def of_rows(
        cls,
        rows: Iterable[tuple[bytes, Mapping[bytes, Any]]],
        split: Callable[[list[Any]], tuple[list[bytes], list[int]]] = lambda cells: (
            [value for value, _ in cells],
            [written_ms for _, written_ms in cells],
        ),
    ) -> "CellArrays":
        """The cells of rows by column. `split` returns the values and timestamps of cells.

        If it is omitted, a cell is a value and a timestamp, as happybase's scans return it.
        """
        import numpy as np

        all_rows = [*rows]
        cells = [*chain.from_iterable(of_row.values() for _, of_row in all_rows)]
        values, written_ms = split(cells)
        texts = [*chain.from_iterable(of_row for _, of_row in all_rows), *values]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        starts, count = np.cumsum(lengths) - lengths, len(cells)
        return cls(
            [row for row, _ in all_rows],
            np.repeat(np.arange(len(all_rows)), [len(of_row) for _, of_row in all_rows]),
            starts[:count],
            lengths[:count],
            starts[count:],
            lengths[count:],
            np.array(written_ms, np.int64),
            b"".join(texts),
        )

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.rows)

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

    def without_first(self) -> "CellArrays":
        """All rows but the first."""
        cells = self.taking(self.row_of_cell > 0)
        return attrs.evolve(cells, rows=self.rows[1:], row_of_cell=cells.row_of_cell - 1)
