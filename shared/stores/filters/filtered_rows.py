"""What a filter leaves of the rows of one region, asked as HBase's scanner asks it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..thrift1.errors import io_error
from .cells import Cell, family_of, in_cell_order
from .filters import INCLUDE, INCLUDE_AND_NEXT_COL, NEXT_ROW, SEEK_NEXT_USING_HINT, SKIP, Filter


class FilteredRows:
    """A fresh filter and where it stands among the rows of a region; `reverse` if they come last to first.

    `families` are those that the scan covers, each with the columns it asks for, or None for the whole family.
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
        """Whether nothing more of this region can be returned."""
        self.ends_scan = False
        """Whether it is the filter that is done, so that the scan may end with this region."""
        self._can_end_within_row = filter.can_end_within_row()
        if reverse and self._joined:
            raise io_error("DoNotRetryIOException", "Reverse scan with loading CFs on demand is not supported")

    def cells_of(self, row: bytes, cells: Sequence[Cell], touched: Iterable[bytes] = ()) -> list[Cell]:
        """The cells of the row that are returned, at most one version of a column.

        `cells` are what the scan can see: families, then qualifiers ascending, versions newest first. `touched`
        are the columns and families of which the row has anything at all, tombstones too: HBase shows the filter the
        key of a row in which the scan sees nothing, and that may end it.
        """
        found = self._by_family(cells)
        if self._can_end_within_row:
            there = {family_of(column) for column in touched} & self._families.keys()
            found = dict[bytes, Sequence[Cell]].fromkeys(sorted(there), ()) | found
        if self.done or self._open.isdisjoint(found):
            return []
        kept = self._kept_of(row, found)
        self._filter.reset()
        self.ends_scan = self._filter.is_done()
        self.done = self.ends_scan or not self._open
        return kept

    def _by_family(self, cells: Sequence[Cell]) -> dict[bytes, Sequence[Cell]]:
        if len(self._families) == 1 and cells:
            return dict.fromkeys(self._families, cells)
        found: dict[bytes, Sequence[Cell]] = {}
        start, end = 0, len(cells)
        while start < end:
            family = family_of(cells[start][0])
            prefix, at = family + b":", start + 1
            while at < end and cells[at][0].startswith(prefix):
                at += 1
            found[family] = cells[start:at]
            start = at
        return found

    def _kept_of(self, row: bytes, found: Mapping[bytes, Sequence[Cell]]) -> list[Cell]:
        if self._filter.refuses_row(row):
            # HBase steps over a row forwards by showing its cells to the filter: a WHILE in it may end for them.
            if self._can_end_within_row and not self._reverse and not self._filter.is_done():
                self._passed_of(found, self._open)
            return []
        if self._filter.is_done():
            return []
        passed = self._passed_of(found, self._open)
        if not passed:
            return []
        kept = self._filter.trim(passed)
        if kept and self._filter.drops_row():
            return []
        if self._joined:
            kept = sorted(kept + self._passed_of(found, self._joined), key=_in_cell_order)
        return kept

    def _passed_of(self, found: Mapping[bytes, Sequence[Cell]], families: set[bytes]) -> list[Cell]:
        """The cells that the filter keeps of some families. A family in which it is done is closed for good."""
        passed: list[Cell] = []
        for family, cells in found.items():
            if family in families:
                whole = self._families[family] is None
                self._judge(cells, passed, unnamed=family + b":" if whole else None)
                if self._can_end_within_row and self._filter.is_done():
                    families.discard(family)
        return passed

    def _judge(self, cells: Sequence[Cell], passed: list[Cell], *, unnamed: bytes | None) -> None:
        """Adds to `passed` what the filter keeps of a family: of each column at most one version.

        HBase: once a version has passed, the filter still sees the next one, though it is not returned. Of the
        `unnamed` column, that with the empty qualifier, it sees all of them: the step to the next column is one to the
        next version there. (Not where the scan asks for columns one by one, nor within the blocks of a large file.)
        """
        filter, can_end = self._filter, self._can_end_within_row
        at, end = 0, len(cells)
        column_passed = None
        while at < end and not (can_end and filter.is_done()):
            cell = cells[at]
            column = cell[0]
            at += 1
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
                while hint is not None and at < end and cells[at][0] < hint:
                    at += 1
                continue
            if column != unnamed:
                while at < end and cells[at][0] == column:
                    at += 1


def _in_cell_order(cell: Cell) -> tuple[bytes, bytes, bytes]:
    return in_cell_order(cell[0])
