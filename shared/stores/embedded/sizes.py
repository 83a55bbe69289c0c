"""How much memory the results of a call need."""

from collections.abc import Sequence

from Hbase_thrift import TCell, TRowResult

# The sizes of Python's objects, measured: a value of a message; a row and a cell of a reply, without their bytes.
VALUE_OBJECT_BYTES = 100
ROW_OBJECT_BYTES = 400
CELL_OBJECT_BYTES = 300


def results_bytes(results: Sequence[TRowResult | TCell]) -> int:
    """About how much memory rows and cells need, in bytes."""
    return sum(
        CELL_OBJECT_BYTES + len(result.value) if isinstance(result, TCell) else _row_bytes(result) for result in results
    )


def _row_bytes(result: TRowResult) -> int:
    cells = result.columns or {column.columnName: column.cell for column in result.sortedColumns or ()}
    values = sum(len(column) + len(cell.value) for column, cell in cells.items())
    return ROW_OBJECT_BYTES + len(cells) * CELL_OBJECT_BYTES + len(result.row) + values
