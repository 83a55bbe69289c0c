"""Column names as HBase reads them, and what a list of them selects."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from .engine import Cell, ColumnRange, column_range
from .rules import UncheckedError, shown


def qualified(column: bytes | None) -> bytes:
    """HBase: this call needs family:qualifier; the qualifier may be empty, the colon may not be missing."""
    if not column or b":" not in column:
        raise UncheckedError(f"column {shown(column)!r} has no qualifier: wants family:qualifier")
    return column


def put_column(column: bytes | None) -> bytes:
    """A column to write to. HBase: `:q`, of the family without a name, is not even sent."""
    column = qualified(column)
    if column.startswith(b":"):
        raise UncheckedError(f"Family cannot be null: wants family:qualifier (got {shown(column)!r})")
    return column


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

    def touches(self, cells: Iterable[Cell]) -> bool:
        """Whether a cell is of one of the selected families."""
        return any(family_of(column) in self.families for column, _, _ in cells)

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
