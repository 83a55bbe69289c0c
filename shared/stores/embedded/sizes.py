"""How much memory the results of a call take."""

from collections.abc import Sequence

from Hbase_thrift import TCell, TRowResult

# Python's objects, measured: a value of a message; a row and a cell of a reply, beside the bytes of both.
VALUE_BYTES = 100
ROW_BYTES = 400
CELL_BYTES = 300


def results_bytes(results: Sequence[TRowResult | TCell]) -> int:
    """About how much memory rows and cells take."""
    return sum(
        CELL_BYTES + len(result.value) if isinstance(result, TCell) else _row_bytes(result) for result in results
    )


def _row_bytes(result: TRowResult) -> int:
    cells = result.columns or {column.columnName: column.cell for column in result.sortedColumns or ()}
    values = sum(len(column) + len(cell.value) for column, cell in cells.items())
    return ROW_BYTES + len(cells) * CELL_BYTES + len(result.row) + values
