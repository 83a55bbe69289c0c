"""Column names as HBase reads them, and what a list of them selects."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from ..filters.cells import Cell, family_of
from ..thrift1.errors import UncheckedError, shown
from .engine import ColumnRange, column_range


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

    def touches(self, columns: Iterable[bytes]) -> bool:
        """Whether one of them is, or is of, a selected family."""
        return any(family_of(column) in self.families for column in columns)

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
