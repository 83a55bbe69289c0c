"""Column names as HBase reads them, and what a list of them selects."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from .engine import Cell, ColumnRange, family_columns
from .rules import UncheckedError, shown


def qualified(column: bytes | None) -> bytes:
    """HBase: this call needs family:qualifier; the qualifier may be empty, the colon may not be missing."""
    if not column or b":" not in column:
        raise UncheckedError(f"column {shown(column)!r} has no qualifier: wants family:qualifier")
    return column


def column_range(column: bytes | None) -> ColumnRange:
    """HBase: `cf` is the whole family, `cf:` the one column with an empty qualifier, `cf:a:b` the qualifier `a:b`."""
    column = column or b""
    return (column, column + b"\0") if b":" in column else family_columns(column)


def family_of(column: bytes) -> bytes:
    """The family of a column's name, or of a family's own."""
    return column.partition(b":")[0]


@frozen
class Selection:
    """The columns that a read asks for: of each family either all, or those named."""

    families: Mapping[bytes, set[bytes] | None]

    @property
    def ranges(self) -> list[ColumnRange]:
        """The selected columns as ranges that do not overlap."""
        return [
            column_range(column)
            for family, columns in self.families.items()
            for column in ([family] if columns is None else columns)
        ]

    def picks(self, cell: Cell) -> bool:
        """Whether the cell's column is selected."""
        column = cell[0]
        family = family_of(column)
        if family not in self.families:
            return False
        columns = self.families[family]
        return columns is None or column in columns


def select(columns: Iterable[bytes]) -> Selection:
    """HBase: of a family and a column of it in one list, the last one wins."""
    families: dict[bytes, set[bytes] | None] = {}
    for column in columns:
        family = family_of(column)
        chosen = families.get(family)
        if family == column:
            families[family] = None
        elif chosen is None:
            families[family] = {column}
        else:
            chosen.add(column)
    return Selection(families)


def in_cell_order(column: bytes) -> tuple[bytes, bytes, bytes]:
    """HBase sorts by family, then qualifier: `cf:z` before `cf1:a`, although '1' sorts before ':'."""
    return column.partition(b":")
