"""Gets, and the conversion of stored cells to the structs that all reads of the Thrift1 service return."""

import time
from collections.abc import Iterable, Sequence

from Hbase_thrift import TCell, TColumn, TRowResult

from ..filters.cells import Cell, cell_sort_key, family_of
from ..thrift1.errors import failed_actions, java_io_error
from ..thrift1.idl import IOError
from .columns import Selection, select_columns
from .engine import Engine
from .rules import check_row, last_read
from .stored_rows import CELLS_PER_TURN, column_range, versions
from .stored_tables import StoredTable
from .table_calls import check_families, enabled_table
from .turns import Watch, let_others_in, turn_end_s


def get_rows(
    engine: Engine,
    name: bytes,
    rows: Sequence[bytes],
    columns: Sequence[bytes] | None,
    before: int | None,
    watch: Watch,
) -> list[TRowResult]:
    """The rows in the requested order. HBase: missing rows are left out, a row requested twice comes twice.

    Many rows are read in several turns with the engine; each turn sees all that is committed by then.
    """
    if len(rows) == 0:
        return []  # HBase: no error for a missing table or a negative timestamp
    up_to = last_read(before)
    for row in rows:
        check_row(row)
    selection = select_columns(columns) if columns else None
    ranges = selection.ranges if selection else None
    if len(rows) == 1:
        with engine.lock:
            table = _table_to_read(engine, name, selection, 1)
            cells = engine.row(table, rows[0], ranges, up_to=up_to, newest=True)
        newest = newest_cells(table, cells)
        results = [TRowResult(rows[0], newest)] if newest else []
        watch(results)
        return results
    results = list[TRowResult]()
    position = 0
    while position < len(rows):
        if position:
            let_others_in()
        stored: list[tuple[bytes, list[Cell]]] = []
        with engine.lock:
            end_s = turn_end_s()
            table = _table_to_read(engine, name, selection, len(rows))
            for row in rows[position : position + CELLS_PER_TURN]:
                stored.append((row, engine.row(table, row, ranges, up_to=up_to, newest=True)))
                if time.monotonic() > end_s:
                    break
        position += len(stored)
        read = [TRowResult(row, newest) for row, cells in stored if (newest := newest_cells(table, cells))]
        watch(read)
        results += read
    return results


def _table_to_read(engine: Engine, name: bytes, selection: Selection | None, row_count: int) -> StoredTable:
    try:
        table = enabled_table(engine, name)
        if selection:
            check_families(table, selection.families)
    except IOError as error:
        raise failed_actions([error] * row_count) if row_count > 1 else error from None
    return table


def get_versions(
    engine: Engine, name: bytes, row: bytes, column: bytes, before: int | None, count: int, watch: Watch
) -> list[TCell]:
    """Up to `count` versions of a column, newest first; for a family, of each of its columns."""
    check_row(row)
    up_to = last_read(before)
    ranges = [column_range(column)]
    if count <= 0:
        raise java_io_error("versions must be positive")
    table = enabled_table(engine, name)
    check_families(table, [column])
    stored = engine.row(table, row, ranges, up_to=up_to)
    cells = [TCell(value, timestamp) for kept in versions(table, stored) for _, timestamp, value in kept[:count]]
    watch(cells)
    return cells


def newest_cells(table: StoredTable, cells: Iterable[Cell]) -> dict[bytes, TCell]:
    """The newest version of each column of one row."""
    # Versions come oldest first, so that the newest one stays in the dict.
    newest = {column: TCell(value, timestamp) for column, timestamp, value in cells}
    if table.expires:
        oldest_ms = {name: family.oldest_ms() for name, family in table.families.items()}
        return {
            column: cell for column, cell in newest.items() if cell.timestamp >= oldest_ms.get(family_of(column), 0)
        }
    return newest


def visible_versions(table: StoredTable, cells: Sequence[Cell]) -> Sequence[Cell]:
    """The cells of one row that HBase shows a filter: by family, then column, each column's versions newest first."""
    if table.expires or len({column for column, _, _ in cells}) < len(cells):
        cells = [cell for kept in versions(table, cells) for cell in kept]
    return cells if table.sorts_as_cells else sorted(cells, key=lambda cell: cell_sort_key(cell[0]))


def ordered_parts(row: bytes, columns: dict[bytes, TCell], batch: int, as_lists: bool) -> list[TRowResult]:
    """One row in parts of `batch` cells (0: in one part), with the columns of each part as a list or as a map."""
    ordered = sorted(columns, key=cell_sort_key)
    size = batch or len(ordered) or 1  # 1 if the last cell has just expired
    parts = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    if as_lists:
        return [TRowResult(row, None, [TColumn(column, columns[column]) for column in part]) for part in parts]
    return [TRowResult(row, {column: columns[column] for column in part}) for part in parts]
