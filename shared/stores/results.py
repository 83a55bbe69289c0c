"""What reads return: stored cells as the structures of the Thrift1 service."""

from collections.abc import Iterable, Sequence

from Hbase_thrift import TCell, TColumn, TRowResult

from .columns import family_of, in_cell_order
from .engine import Cell, Table, versions


def newest_cells(table: Table, cells: Iterable[Cell]) -> dict[bytes, TCell]:
    """The newest version of each column of one row."""
    # Versions come oldest first, so that the newest one stays.
    newest = {column: TCell(value, timestamp) for column, timestamp, value in cells}
    if table.expires:
        oldest_ms = {name: family.oldest_ms() for name, family in table.families.items()}
        return {column: cell for column, cell in newest.items() if cell.timestamp >= oldest_ms[family_of(column)]}
    return newest


def newest_versions(table: Table, cells: Iterable[Cell], count: int) -> list[TCell]:
    """Column by column, up to `count` versions, newest first."""
    return [TCell(value, timestamp) for kept in versions(table, cells) for _, timestamp, value in kept[:count]]


def visible_versions(table: Table, cells: Sequence[Cell]) -> Sequence[Cell]:
    """What HBase shows a filter of one row: families, then columns in order, each one's versions newest first."""
    if table.expires or len({column for column, _, _ in cells}) < len(cells):
        cells = [cell for kept in versions(table, cells) for cell in kept]
    return cells if table.in_cell_order else sorted(cells, key=lambda cell: in_cell_order(cell[0]))


def ordered_parts(row: bytes, columns: dict[bytes, TCell], batch: int, as_lists: bool) -> list[TRowResult]:
    """One row in parts of `batch` cells, 0 for a single part; the columns of each as a list or as a map."""
    ordered = sorted(columns, key=in_cell_order)
    size = batch or len(ordered)
    parts = [ordered[at : at + size] for at in range(0, len(ordered), size)]
    if as_lists:
        return [TRowResult(row, None, [TColumn(column, columns[column]) for column in part]) for part in parts]
    return [TRowResult(row, {column: columns[column] for column in part}) for part in parts]
