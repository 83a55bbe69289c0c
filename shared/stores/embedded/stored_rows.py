"""The embedded store's rows, as SQLite holds them: read by row, by column and by range. Knows nothing of Thrift."""

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, count, groupby, islice
from operator import itemgetter
from typing import Any, TypeAlias

from ...keys.limits import LATEST_MS, MAX_ROW_BYTES
from ..filters.cells import Cell
from . import statements
from .catalogue import Catalogue
from .checksums import Record, verified, verify
from .failures import damage_error
from .stored_tables import StoredTable
from .transactions import Transaction

# The most tombstones that a scan crosses, and the most cells that dropping a table removes, in one turn.
CELLS_PER_TURN = 2_000

# A scan of some columns reads a row whole if it has at most this many cells per range of columns: a seek takes as long
# as some dozen cells.
_FEW_CELLS = 64

ABOVE_ALL_ROWS = b"\xff" * (MAX_ROW_BYTES + 1)
"""The end of a range without an upper bound."""

ColumnRange: TypeAlias = tuple[bytes, bytes]
"""Columns from the first (inclusive) to the second (exclusive)."""

Place: TypeAlias = tuple[bytes, bytes]
"""A row and a column in it."""

_first = itemgetter(0)


class StoredRows(Catalogue):
    """The rows of all tables: columns in byte order, each column's versions oldest first.

    `rows_read` counts the rows that reads have read, returned or not: a scan's rows with a version in its time range,
    and a get's rows with a cell in the requested columns. HBase: a deleted row counts until a compaction. The count
    only grows.

    No statement stays open between two calls, so that an abandoned scan does not hold back a checkpoint of the file.
    """

    def row(
        self,
        table: StoredTable,
        row: bytes,
        columns: Sequence[ColumnRange] | None = None,
        *,
        up_to: int = LATEST_MS,
        newest: bool = False,
    ) -> list[Cell]:
        """The cells of one row, of all columns or of ranges of columns, as they were at one moment.

        Leaves out versions after the timestamp `up_to`; with `newest` it may also leave out all but the newest version
        of any column.
        """
        if self.path is None:
            cells = self._cells(table, row, columns, up_to, newest)
        else:
            cells = self._verified_cells(table, row, columns, up_to)
        if cells:
            self.rows_read += 1
        elif self.has_tombstones(table):
            self.count_deleted(table, row, row_after(row))
        return cells

    def _verified_cells(
        self, table: StoredTable, row: bytes, columns: Sequence[ColumnRange] | None, up_to: int
    ) -> list[Cell]:
        try:
            if columns is None:
                cells = self._cells_between(table, (row, b""), (row_after(row), b""))
            elif len(columns) == 1:
                ((begin, end),) = columns
                cells = self._cells_between(table, (row, begin), (row, end))
            else:
                with Transaction(self, writes=False):
                    cells = [
                        cell for begin, end in columns for cell in self._cells_between(table, (row, begin), (row, end))
                    ]
        finally:
            self._check_same()
        return cells if up_to == LATEST_MS else [cell for cell in cells if cell[1] <= up_to]

    def _cells_between(self, table: StoredTable, low: Place, high: Place) -> list[Cell]:
        records = self._range(table, low, high).fetchall()
        verify(records)
        return [record[2:5] for record in (records if self._is_checked else _inside(records, table, low, high))]

    def _range(
        self, table: StoredTable, low: Place, high: Place, *, down: bool = False, with_tombstones: bool = False
    ) -> sqlite3.Cursor:
        """The records from one place (inclusive) to another (exclusive): in one row, or both at beginnings of rows.

        A damaged row or column can mislead SQLite's search for other cells, which then ends beside the damaged one. So
        the nearest cells outside the range are read and verified too, unless the whole file was checked on opening.
        """
        extent = "columns" if low[0] == high[0] else "row" if high[0] == row_after(low[0]) else "rows"
        select = statements.READ_RECORDS[extent, down, with_tombstones, self._is_checked]
        cursor = self._cursor = self._database.execute(select, (table.id, *low, table.id, *high))
        return cursor

    def _verified(
        self, table: StoredTable, low: Place, high: Place, *, down: bool = False, with_tombstones: bool = False
    ) -> Generator[list[Record], None, None]:
        """The records of `_range`, verified, a few at a time."""
        cursor = self._range(table, low, high, down=down, with_tombstones=with_tombstones)
        try:
            for records in verified(cursor, down=down):
                yield records if self._is_checked else _inside(records, table, low, high)
        finally:
            cursor.close()
            self._check_same()

    def _check_range(self, table: StoredTable, low: bytes, high: bytes) -> None:
        """Verifies the cells in a file that a flush or a compaction may remove."""
        if self.path is not None:
            for _ in self._verified(table, (low, b""), (high, b"")):
                pass

    def _cells(
        self, table: StoredTable, row: bytes, columns: Sequence[ColumnRange] | None, up_to: int, newest: bool
    ) -> list[Cell]:
        if columns is None:
            select = _read_statement(statements.READ_ROW, table, newest)
            return self._database.execute(select, (table.id, row, up_to)).fetchall()
        select = _read_statement(statements.READ_COLUMNS, table, newest)
        if len(columns) == 1:
            return self._database.execute(select, (table.id, row, *columns[0], up_to)).fetchall()
        with Transaction(self, writes=False):
            return [
                cell
                for column_range in columns
                for cell in self._database.execute(select, (table.id, row, *column_range, up_to))
            ]

    def scan(
        self, table: StoredTable, low: bytes, high: bytes, *, down: bool, up_to: int = LATEST_MS, newest: bool = False
    ) -> Generator[tuple[bytes, Sequence[Cell]], None, None]:
        """The rows from `low` (inclusive) to `high` (exclusive), as `row` returns them; close it to end the statement.

        A row whose versions are all after `up_to` comes without cells, so that a scan can pause at every row. The
        caller adds the rows that it read to `rows_read`.
        """
        if up_to < LATEST_MS:
            select = statements.scan_all(down=down)
            with closing(self._rows_of(select, table, low, high, down)) as rows:
                for row, cells in rows:
                    yield row, [cell for cell in cells if cell[1] <= up_to]
        else:
            select = statements.SCAN_DOWN if down else _read_statement(statements.SCAN, table, newest)
            yield from self._rows_of(select, table, low, high, down)

    def scan_columns(
        self,
        table: StoredTable,
        low: bytes,
        high: bytes,
        columns: Sequence[ColumnRange],
        *,
        down: bool,
        up_to: int,
        newest: bool = False,
    ) -> Generator[tuple[bytes, Iterable[Cell]], None, None]:
        """The rows of `scan`: narrow ones with all their cells, as a list, wide ones only with those in `columns`.

        If `columns` is one range, the cells of a wide row are read while the caller iterates over them; it has to stop
        before it requests the next row. A row is narrow if it has few cells, or at most twice as many as the caller
        took from the last wide one: so a caller that needs whole rows does not make the engine read each of them twice.
        """
        at_most = few = _FEW_CELLS * len(columns)
        keeps_all = down or up_to < LATEST_MS
        select = statements.scan_all(down=down) if keeps_all else _read_statement(statements.SCAN, table, newest)
        while low < high:
            wide_row = None
            with closing(self._rows_of(select, table, low, high, down, at_most=at_most + 1)) as rows:
                for row, cells in rows:
                    if len(cells) > at_most:
                        wide_row = row
                        break
                    yield row, [cell for cell in cells if cell[1] <= up_to] if up_to < LATEST_MS else cells
            if wide_row is None:
                return
            if not low <= wide_row < high:  # otherwise a damaged page could return it again and again
                raise damage_error("rows are out of order")
            with closing(self._cells_one_by_one(table, wide_row, columns, up_to, newest)) as wide_cells:
                taken = count()  # zip() steps it with each cell
                yield wide_row, map(_first, zip(wide_cells, taken, strict=False))
                at_most = max(few, 2 * next(taken))
            if down:
                high = wide_row
            else:
                low = row_after(wide_row)

    def _cells_one_by_one(
        self, table: StoredTable, row: bytes, columns: Sequence[ColumnRange], up_to: int, newest: bool
    ) -> Generator[Cell, None, None]:
        """The cells of one row in ranges of columns; for a single range, none is read before it is needed."""
        if len(columns) > 1:
            if self.path is None:
                yield from self._cells(table, row, columns, up_to, newest)
            else:
                yield from self._verified_cells(table, row, columns, up_to)
            return
        ((begin, end),) = columns
        if self.path is not None:
            with closing(self._verified(table, (row, begin), (row, end))) as read:
                yield from (record[2:5] for record in chain.from_iterable(read) if record[3] <= up_to)
            return
        select = _read_statement(statements.READ_COLUMNS, table, newest)
        cursor = self._cursor = self._database.execute(select, (table.id, row, begin, end, up_to))
        with closing(cursor):
            yield from cursor

    def scan_with_tombstones(
        self, table: StoredTable, low: bytes, high: bytes, *, down: bool, up_to: int
    ) -> Generator[tuple[bytes, Sequence[Cell], list[bytes]], None, None]:
        """The rows of `scan` and those that have only tombstones.

        Each row comes with its cells and the columns (or families) of its cells and tombstones.
        """
        has_tombstones = self._latest_tombstone(table) is not None
        select = statements.scan_all(down=down, with_tombstones=has_tombstones)
        with closing(self._rows_of(select, table, low, high, down, with_tombstones=has_tombstones)) as rows:
            for row, stored in rows:
                cells = stored
                if has_tombstones or up_to < LATEST_MS:
                    cells = [cell for cell in stored if type(cell[2]) is bytes and cell[1] <= up_to]
                yield row, cells, [column for column, _, _ in stored]

    def _rows_of(
        self,
        select: str,
        table: StoredTable,
        low: bytes,
        high: bytes,
        down: bool,
        *,
        with_tombstones: bool = False,
        at_most: int | None = None,
    ) -> Generator[tuple[bytes, list[Cell]], None, None]:
        """Rows with their cells, the first `at_most` in the scan's direction.

        In memory `select` reads them. `with_tombstones`, tombstones are among them as cells without a value.
        """
        if self.path is None:
            cursor = self._cursor = self._database.execute(select, (table.id, low, high))
            with closing(cursor):
                yield from _rows(cursor, 0, down, at_most)
        else:
            bounds = (low, b""), (high, b"")
            with closing(self._verified(table, *bounds, down=down, with_tombstones=with_tombstones)) as read:
                yield from _rows(chain.from_iterable(read), 1, down, at_most)

    def newest(self, table: StoredTable, row: bytes, column: bytes) -> Cell | None:
        """The newest version of one column, unless it has expired."""
        begin, end = column_range(column)
        cell: Cell | None
        if self.path is None:
            newest = (table.id, row, begin, end, LATEST_MS)
            cell = self._database.execute(statements.NEWEST_OF_COLUMN, newest).fetchone()
        else:
            with closing(self._verified(table, (row, begin), (row, end), down=True)) as read:
                cell = next((record[2:5] for record in chain.from_iterable(read)), None)
        return cell if cell and cell[1] >= table.family(column).oldest_ms() else None

    def count_deleted(self, table: StoredTable, low: bytes, high: bytes) -> None:
        """Adds the rows from `low` (inclusive) to `high` (exclusive) that have only tombstones to `rows_read`."""
        self.rows_read += self._database.execute(statements.COUNT_DELETED_ROWS, (table.id, low, high)).fetchone()[0]

    def has_tombstones(self, table: StoredTable) -> bool:
        """Whether the table has a tombstone: a delete since its last compaction, or one that a family keeps longer."""
        return self._latest_tombstone(table) is not None

    def range_of_turn(self, table: StoredTable, low: bytes, high: bytes, *, down: bool) -> tuple[bytes, bytes]:
        """The first part of the range, in the scan's direction, with at most CELLS_PER_TURN tombstones."""
        last = self._row_after_some(table, "tombstones", low, high, down=down)
        if last is None:
            return low, high
        return (last, high) if down else (low, row_after(last))

    def _row_after_some(
        self, table: StoredTable, part: str, low: bytes, high: bytes, *, down: bool = False
    ) -> bytes | None:
        """The row of the cell or tombstone CELLS_PER_TURN places after the first; None if there are not as many."""
        select = statements.ROW_AT_OFFSET.format(part=part, direction="desc" if down else "asc")
        last = self._database.execute(select, (table.id, low, high, CELLS_PER_TURN)).fetchone()
        return last[0] if last else None

    def _latest_tombstone(self, table: StoredTable) -> int | None:
        (latest,) = self._database.execute("select max(ts) from tombstones where table_id = ?", (table.id,)).fetchone()
        return latest  # type: ignore[no-any-return]


def _rows(
    records: Iterable[tuple[Any, ...]], at: int, down: bool, at_most: int | None
) -> Iterator[tuple[bytes, list[Cell]]]:
    """Rows, each with at most so many cells; in a record, the row is at the index `at`, and the cell follows it."""
    for row, stored in groupby(records, itemgetter(at)):
        cells: list[Cell] = [record[at + 1 : at + 4] for record in islice(stored, at_most)]
        if down:
            cells.reverse()
        yield row, cells


def _inside(records: Iterable[Record], table: StoredTable, low: Place, high: Place) -> list[Record]:
    return [record for record in records if low <= record[1:3] < high and record[0] == table.id]


def _read_statement(select: str, table: StoredTable, newest: bool) -> str:
    # Python's dict keeps the last version of a column, which is the newest: with few versions that is faster.
    return statements.READ_STATEMENTS[select, newest and table.keeps_many]


def row_after(row: bytes) -> bytes:
    """The smallest row above `row`."""
    return row + b"\0"


def column_range(column: bytes) -> ColumnRange:
    """HBase: `cf` is the whole family, `cf:` the one column with an empty qualifier, `cf:a:b` the qualifier `a:b`."""
    # ';' is the byte after ':'.
    return (column, column + b"\0") if b":" in column else (column + b":", column + b";")


def versions(table: StoredTable, cells: Iterable[Cell]) -> Iterator[list[Cell]]:
    """The newest versions of each column, newest first, at most the family's maximum, without expired ones."""
    for column, stored in groupby(cells, _first):
        family = table.family(column)
        kept = list(stored)[: -family.max_versions - 1 : -1]
        yield [cell for cell in kept if cell[1] >= family.oldest_ms()] if table.expires else kept
