"""The sizes of keys and cells in the samples of a table."""

from collections.abc import Iterable

from ...keys.limits import MAX_ROW_BYTES
from ..hfiles import CELL_BYTES
from .linting import Linted
from .subjects import LintedTable

SIZE_COLUMNS = ("table", "key", "cells", "cell", "keys", "columns", "values")
SIZES_CAPTION = (
    "Averages: bytes of a row key, cells of a row, bytes of a cell; then how much of the bytes are keys, columns and "
    f"values. HBase stores row key, family and qualifier again with each cell, and {CELL_BYTES} bytes besides. A row "
    f"key has at most {MAX_ROW_BYTES:,} bytes."
)


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
