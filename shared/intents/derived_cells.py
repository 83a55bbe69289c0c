"""The derived cells of records, and which of them a write changes."""

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TypeAlias

from ..tables import InvalidRecord
from .slots import Intent

Cell: TypeAlias = tuple[str, bytes, bytes]
"""Table, row and column of a derived cell."""


def of_changed_lines(old: Mapping[Cell, bytes], new: Mapping[Cell, bytes]) -> Iterator[Cell]:
    """The cells of the lines that differ between two records."""
    changed = {(table, row) for (table, row, _), _ in old.items() ^ new.items()}
    return (cell for cell in {**old, **new} if cell[:2] in changed)


def check_that_no_line_moves(old: Iterable[Cell], new: Iterable[Cell], moving: Set[str]) -> None:
    """Raises InvalidRecord if a write removes a line of a list that is not `moving`, and adds another one there."""
    old_lines, new_lines = ({(table, row) for table, row, _ in cells} for cells in (old, new))
    tables_with_both = {table for table, _ in old_lines - new_lines} & {table for table, _ in new_lines - old_lines}
    for table in sorted(tables_with_both - moving):
        raise InvalidRecord(
            f"table {table}: must be a moving list, because a write changes the key of a line (got a list)"
        )


def cells_of(intent: Intent) -> Iterator[Cell]:
    """The cells that an intent names."""
    for table, rows in intent.touched.items():
        for row, columns in rows.items():
            for column in columns:
                yield table, row, column


def grouped(cells: Iterable[Cell]) -> dict[str, dict[bytes, list[bytes]]]:
    """The columns of cells, by row, by table."""
    columns_of: dict[str, dict[bytes, list[bytes]]] = {}
    for table, row, column in cells:
        columns_of.setdefault(table, {}).setdefault(row, []).append(column)
    return columns_of
