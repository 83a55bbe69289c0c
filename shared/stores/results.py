"""What reads return: stored cells as the structures of the Thrift1 service."""

from collections.abc import Iterable

from Hbase_thrift import TCell, TColumn, TRowResult

from .columns import in_cell_order
from .engine import Cell, Table, versions


def newest_cells(table: Table, cells: Iterable[Cell], before: int | None) -> dict[bytes, TCell]:
    """The newest version of each column of one row; HBase: `before` is exclusive, whatever happybase says."""
    if before is None:
        # Versions come oldest first, so that the newest one stays.
        return {column: TCell(value, timestamp) for column, timestamp, value in cells}
    newest: dict[bytes, TCell] = {}
    for column, kept in versions(table, cells):
        for _, timestamp, value in kept:
            if timestamp < before:
                newest[column] = TCell(value, timestamp)
                break
    return newest


def newest_versions(table: Table, cells: Iterable[Cell], before: int | None, count: int) -> list[TCell]:
    """Column by column, up to `count` versions, newest first."""
    return [
        TCell(value, timestamp)
        for _, kept in versions(table, cells)
        for _, timestamp, value in [cell for cell in kept if before is None or cell[1] < before][:count]
    ]


def ordered_parts(row: bytes, columns: dict[bytes, TCell], batch: int, as_lists: bool) -> list[TRowResult]:
    """One row in parts of `batch` cells, 0 for a single part; the columns of each as a list or as a map."""
    ordered = sorted(columns, key=in_cell_order)
    size = batch or len(ordered)
    parts = [ordered[at : at + size] for at in range(0, len(ordered), size)]
    if as_lists:
        return [TRowResult(row, None, [TColumn(column, columns[column]) for column in part]) for part in parts]
    return [TRowResult(row, {column: columns[column] for column in part}) for part in parts]
