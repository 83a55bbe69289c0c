"""Reading sources, and the records of the lines that are derived from them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from ..keys.errors import InvalidKey
from ..queries.scanning import in_batches
from ..tables import InvalidRecord, InvalidRow, TableLayout
from ..tables.recorded_layouts import check_filled, check_layouts
from .source_cells import SourceCells, SourceRow

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")

Derived: TypeAlias = tuple[TableLayout[Any, Any], Any]
"""A line of a record, after its table."""


class SourceReader(Generic[R]):
    """Reads the sources of one table, and the records of their lines.

    `derive` yields the lines of a record, like that of `IntentWriter`. The layouts of `checked` are compared with
    those that made the stored keys. Raises InvalidRecord for a table that holds no sources.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        source: TableLayout[Any, R],
        derive: Callable[[R], Iterable[Derived]],
        checked: Sequence[TableLayout[Any, Any]],
    ) -> None:
        if not isinstance(source.cells, SourceCells):
            raise InvalidRecord(f"table {source.name}: the cells of a source must be SourceCells (got {source.cells})")
        self._connection = connection
        self._source = source
        self.cells: SourceCells[R] = source.cells
        self._rows = connection.table(source.name)
        self._derive = derive
        self._checked = checked

    def read(self, row: bytes) -> SourceRow[R]:
        """A source row as it is now. Raises InvalidRow and LayoutMismatch. Costs: one get."""
        check_layouts(self._connection, self._checked)
        return self.source_of(row, self._rows.row(row, columns=[*self.cells.columns]))

    def read_all(self, rows: Iterable[bytes]) -> dict[bytes, SourceRow[R]]:
        """Source rows as they are now. Raises InvalidRow. Costs: one call for each 1,000 rows."""
        stored = self.cells_of(self._source, dict.fromkeys(rows))
        return {row: self.source_of(row, cells) for row, cells in stored}

    def read_each(self, rows: Iterable[bytes]) -> dict[bytes, SourceRow[R] | InvalidRow]:
        """Source rows as they are now, or why they cannot be read. Costs: those of `read_all`."""
        stored = self.cells_of(self._source, dict.fromkeys(rows))
        return {row: self.source_or_error(row, cells) for row, cells in stored}

    def cells_of(
        self, table: TableLayout[Any, Any], rows: Iterable[bytes]
    ) -> Iterator[tuple[bytes, Mapping[bytes, bytes]]]:
        """Each of these rows with its cells that the table claims. Costs: one call for each 1,000 rows."""
        check_layouts(self._connection, self._checked)
        columns = [*table.cells.columns]
        for batch in in_batches(rows):
            stored = dict(self._connection.table(table.name).rows(batch, columns=columns))
            yield from ((row, stored.get(row, {})) for row in batch)

    def source_of(self, row: bytes, cells: Mapping[bytes, bytes]) -> SourceRow[R]:
        """The source in these cells of a row. Raises InvalidRow."""
        try:
            return self.cells.source(self._source.key.decode(row), cells.get(self.cells.columns[0]))
        except (InvalidKey, InvalidRecord) as error:
            raise InvalidRow.of(self._source.name, row, error) from None

    def source_or_error(self, row: bytes, cells: Mapping[bytes, bytes]) -> SourceRow[R] | InvalidRow:
        """The source in these cells of a row, or why it cannot be read."""
        try:
            return self.source_of(row, cells)
        except InvalidRow as error:
            return error

    def agreeing(self, table: TableLayout[Any, Any], lines: list[Any]) -> list[R | InvalidRow | None]:
        """The record of each line of a moving list; None for a line that its source does not have, or no longer has.

        If a source cannot be read, the error takes the place of its record; see `Query.then`.
        Raises UnfilledList if `repair` has not filled the list yet.
        Costs: one call for each 1,000 lines.
        """
        check_filled(self._connection, table)
        source_rows = [self._source.row(line) for line in lines]
        sources = self.read_each(source_rows)
        return [
            self._agreeing(sources[row], table, table.row(line)) for line, row in zip(lines, source_rows, strict=True)
        ]

    def _agreeing(
        self, source: SourceRow[R] | InvalidRow, table: TableLayout[Any, Any], line: bytes
    ) -> R | InvalidRow | None:
        if isinstance(source, InvalidRow):
            return source
        return source.record if source.record is not None and self.has_line(source.record, table, line) else None

    def has_line(self, record: R, table: TableLayout[Any, Any], row: bytes) -> bool:
        """Whether a record has the line of a list in this row."""
        return any(derived.name == table.name and derived.row(line) == row for derived, line in self._derive(record))
