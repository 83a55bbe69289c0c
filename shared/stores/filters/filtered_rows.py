"""The rows of one region with a filter applied to them, as HBase's scanner applies it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..thrift1.errors import io_error
from .cells import Cell, cell_sort_key, family_of
from .filter import INCLUDE, INCLUDE_AND_NEXT_COL, NEXT_ROW, SEEK_NEXT_USING_HINT, SKIP, Filter


class FilteredRows:
    """A filter that is applied to the rows of one region; `reverse` says that they come last to first.

    `families` are those of the scan, each with the columns that it requests, or None for the whole family.
    """

    def __init__(self, filter: Filter, *, reverse: bool, families: Mapping[bytes, Collection[bytes] | None]) -> None:
        if reverse:
            filter.reverse()
        self._filter = filter
        self._reverse = reverse
        self._families = families
        self._open = {family for family in families if filter.is_essential(family)}
        self._joined = families.keys() - self._open
        self.done = not self._open
        """Whether no more rows of this region can be returned."""
        self.ends_scan = False
        """Whether the filter itself is done, so that the scan may end with this region."""
        self._can_end_within_row = filter.can_end_within_row()
        self.first_column: bytes | None = None
        """The column from which a scan may read each row while the filter judges its cells.

        None if the filter is not streaming, or if the scan does not read exactly one whole family: then rows are read
        first.
        """
        if filter.is_streaming() and list(families.values()) == [None]:
            self.first_column = next(iter(families)) + b":" + filter.first_qualifier()
        if reverse and self._joined:
            raise io_error("DoNotRetryIOException", "Reverse scan with loading CFs on demand is not supported")

    def cells_of(self, row: bytes, cells: Iterable[Cell], stored_columns: Iterable[bytes] = ()) -> list[Cell]:
        """The cells of the row to return, at most one version of each column.

        `cells` are those that the scan can see: by family, then qualifier, versions newest first. `stored_columns` are
        the columns and families of all cells and tombstones of the row: HBase passes the filter the key of every stored
        row, even if the scan sees no cell in it, and that may end the filter.
        """
        by_family = self._by_family(cells)
        if self._can_end_within_row:
            stored_families = {family_of(column) for column in stored_columns} & self._families.keys()
            by_family = dict[bytes, Iterable[Cell]].fromkeys(sorted(stored_families), ()) | by_family
        if self.done or self._open.isdisjoint(by_family):
            return []
        kept = self._kept_cells(row, by_family)
        self._filter.reset()
        self.ends_scan = self._filter.is_done()
        self.done = self.ends_scan or not self._open
        return kept

    def _by_family(self, cells: Iterable[Cell]) -> dict[bytes, Iterable[Cell]]:
        if len(self._families) == 1 and cells:
            return dict.fromkeys(self._families, cells)
        if not isinstance(cells, Sequence):
            cells = list(cells)
        by_family: dict[bytes, Iterable[Cell]] = {}
        start, end = 0, len(cells)
        while start < end:
            family = family_of(cells[start][0])
            prefix, stop = family + b":", start + 1
            while stop < end and cells[stop][0].startswith(prefix):
                stop += 1
            by_family[family] = cells[start:stop]
            start = stop
        return by_family

    def _kept_cells(self, row: bytes, by_family: Mapping[bytes, Iterable[Cell]]) -> list[Cell]:
        if self._filter.refuses_row(row):
            # HBase: a forward scan skips a row by passing its cells to the filter: they may end a WHILE in it.
            if self._can_end_within_row and not self._reverse and not self._filter.is_done():
                self._passing_cells(by_family, self._open)
            return []
        if self._filter.is_done():
            return []
        passed = self._passing_cells(by_family, self._open)
        if not passed:
            return []
        kept = self._filter.trim(passed)
        if kept and self._filter.drops_row():
            return []
        if self._joined:
            kept = sorted(kept + self._passing_cells(by_family, self._joined), key=_sort_key)
        return kept

    def _passing_cells(self, by_family: Mapping[bytes, Iterable[Cell]], families: set[bytes]) -> list[Cell]:
        """The cells of some families that the filter keeps. A family in which the filter is done stays closed."""
        passed: list[Cell] = []
        for family, cells in by_family.items():
            if family in families:
                whole = self._families[family] is None
                self._judge(cells, passed, unnamed=family + b":" if whole else None)
                if self._can_end_within_row and self._filter.is_done():
                    families.discard(family)
        return passed

    def _judge(self, cells: Iterable[Cell], passed: list[Cell], *, unnamed: bytes | None) -> None:
        """Adds to `passed` the cells of a family that the filter keeps, at most one version of each column.

        HBase: once a version has passed, the filter still sees the next one, which is not returned. The filter sees all
        versions of the `unnamed` column, the one with the empty qualifier: there a step to the next column is a step to
        the next version. (Not if the scan requests columns by name, nor within the blocks of a large file.)
        """
        filter, can_end = self._filter, self._can_end_within_row
        column_passed = column_left = hint = None
        for cell in cells:
            column = cell[0]
            if column == column_left or (hint is not None and column < hint):
                continue
            if can_end and filter.is_done():
                break
            verdict = filter.judge(cell)
            if verdict is SKIP:
                continue
            if verdict is INCLUDE or verdict is INCLUDE_AND_NEXT_COL:
                if column != column_passed:
                    column_passed = column
                    passed.append(filter.transform(cell))
                    if verdict is INCLUDE:
                        continue
            elif verdict is NEXT_ROW:
                break
            elif verdict is SEEK_NEXT_USING_HINT:
                hint = None if self._reverse else filter.hint(cell)
                continue
            if column != unnamed:
                column_left = column


def _sort_key(cell: Cell) -> tuple[bytes, bytes, bytes]:
    return cell_sort_key(cell[0])
