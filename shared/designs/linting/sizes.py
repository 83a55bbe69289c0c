"""The sizes of keys and cells: of the samples of a table, and of one key."""

from collections.abc import Iterable
from typing import Any

from ...keys import MAX_ROW_BYTES
from ...tables import ItemCells, OtherColumns, RecordCells, TableLayout
from ..comparison import CELL_BYTES, stored_bytes
from .linting import Linted
from .subjects import LintedTable

SIZE_COLUMNS = ("table", "key", "cells a row", "a cell", "of it keys", "columns", "values")
SIZES_CAPTION = (
    f"Averages. HBase stores row key, family and qualifier again with each cell, and {CELL_BYTES} bytes besides. "
    f"A row key has at most {MAX_ROW_BYTES:,} bytes."
)
COLUMNS_SHOWN = 3
"""The most columns of a record whose cells are named."""


def sized_tables(linted: Iterable[Linted]) -> list[LintedTable]:
    """The tables of some variants that have samples, each layout once."""
    tables: dict[tuple[str, str], LintedTable] = {}
    for of_variant in linted:
        for table in of_variant.tables:
            if table.samples.cells:
                tables.setdefault((table.layout.name, table.layout.holds), table)
    return list(tables.values())


def size_row(table: LintedTable) -> tuple[str, ...]:
    """The sizes of a table in words, under `SIZE_COLUMNS`."""
    sizes = sizes_of(table)
    return (
        table.layout.name,
        f"{sizes['key']:.0f}",
        f"{sizes['cells_per_row']:.1f}",
        f"{sizes['cell']:.0f}",
        f"{sizes['keys']:.0%}",
        f"{sizes['columns']:.0%}",
        f"{sizes['values']:.0%}",
    )


def sizes_of(table: LintedTable) -> dict[str, float]:
    """The average bytes of a key and of a cell, the cells of a row, and the shares of keys, columns and values."""
    samples = table.samples
    rows, cells, stored = len(samples.rows), len(samples.cells), samples.stored_bytes
    return {
        "key": samples.key_bytes / rows,
        "cells_per_row": cells / rows,
        "cell": stored / cells,
        "keys": (samples.key_bytes + samples.repeated_key_bytes) / stored,
        "columns": samples.name_bytes / stored,
        "values": samples.value_bytes / stored,
    }


def key_size_words(table: TableLayout[Any, Any], row: bytes) -> str:
    """The size of a row key, and the bytes that each cell of its row takes besides its value, in words."""
    columns = _columns(table)
    shown = [f"{column.decode()} {stored_bytes(row, column, b'')}" for column in columns[:COLUMNS_SHOWN]]
    more = f" and {len(columns) - COLUMNS_SHOWN} more" if len(columns) > COLUMNS_SHOWN else ""
    size = f"{len(row)} bytes of at most {MAX_ROW_BYTES:,}"
    if not shown:
        each = stored_bytes(row, b"", b"") + 1  # `stored_bytes` leaves out the colon of a column
        return f"{size}; each cell takes {each} bytes and its column and value"
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
