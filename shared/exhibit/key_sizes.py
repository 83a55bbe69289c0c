"""The size of one row key, and what each cell of its row takes besides its value."""

from typing import Any

from ..keys.limits import MAX_ROW_BYTES
from ..tables import ItemCells, OtherColumns, RecordCells, TableLayout
from .comparison import stored_bytes
from .hfiles import CELL_BYTES

COLUMNS_SHOWN = 3
"""The most columns of a record whose cells are named."""


def key_size_words(table: TableLayout[Any, Any], row: bytes) -> str:
    """The size of a row key, and the bytes that each cell of its row takes besides its value, in words."""
    columns = _columns(table)
    shown = [f"{column.decode()} {stored_bytes(row, column, b'')}" for column in columns[:COLUMNS_SHOWN]]
    more = f" and {len(columns) - COLUMNS_SHOWN} more" if len(columns) > COLUMNS_SHOWN else ""
    size = f"{len(row)} {'byte' if len(row) == 1 else 'bytes'} of at most {MAX_ROW_BYTES:,}"
    if not shown:
        return f"{size}; each cell takes {CELL_BYTES + len(row)} bytes, and those of its column and value"
    return f"{size}; besides their values the cells take {', '.join(shown)}{more}"


def _columns(table: TableLayout[Any, Any]) -> list[bytes]:
    """The columns of a row's cells; none if their qualifiers depend on the records."""
    cells = table.cells
    if isinstance(cells, RecordCells):
        marker = [] if cells.marker is None else [cells.marker.encode()]
        names = [name for name, column in cells.attributes.items() if not isinstance(column, OtherColumns)]
        return [*marker, *(cells.column(name) for name in names)]
    is_fixed = not isinstance(cells, ItemCells) and all(column.partition(b":")[2] for column in cells.columns)
    return [*cells.columns] if is_fixed else []
