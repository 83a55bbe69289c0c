"""Column names as HBase reads them, and the columns that a list of names selects."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from ..filters.cells import Cell, family_of
from ..thrift1.errors import UncheckedError, name_text
from .stored_rows import ColumnRange, column_range


def with_qualifier(column: bytes | None) -> bytes:
    """The column, if it is family:qualifier. HBase: the qualifier may be empty, but the colon is required."""
    if not column or b":" not in column:
        raise UncheckedError(f"column {name_text(column)!r} has no qualifier: wants family:qualifier")
    return column


def column_to_put(column: bytes | None) -> bytes:
    """The column, if it can be written to. HBase: the gateway does not send `:q`, whose family has no name."""
    column = with_qualifier(column)
    if column.startswith(b":"):
        raise UncheckedError(f"Family cannot be null: wants family:qualifier (got {name_text(column)!r})")
    return column


@frozen
class Selection:
    """The columns that a read requests: for each family, a set of columns, or None for all of them."""

    families: Mapping[bytes, set[bytes] | None]
    names: frozenset[bytes] | None
    """All selected columns, if no family is selected as a whole."""

    @property
    def ranges(self) -> list[ColumnRange]:
        """The selected columns as ranges that do not overlap."""
        return [
            column_range(column)
            for family, columns in self.families.items()
            for column in ([family] if columns is None else columns)
        ]

    def covers_any(self, columns: Iterable[bytes]) -> bool:
        """Whether one of them is a selected family or belongs to one."""
        return any(family_of(column) in self.families for column in columns)

    def chosen(self, cells: Iterable[Cell]) -> Iterable[Cell]:
        """The cells whose columns are selected."""
        names = self.names
        return filter(self._selects, cells) if names is None else [cell for cell in cells if cell[0] in names]

    def _selects(self, cell: Cell) -> bool:
        column = cell[0]
        family = family_of(column)
        if family not in self.families:
            return False
        columns = self.families[family]
        return columns is None or column in columns


def select_columns(columns: Iterable[bytes]) -> Selection:
    """The columns that a list names. HBase: if it has a family and a column of that family, the later one wins."""
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
    of_families = families.values()
    names = None if None in of_families else frozenset[bytes]().union(*filter(None, of_families))
    return Selection(families, names)
