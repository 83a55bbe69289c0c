# ruff: noqa: D102 - Filter documents each method once
"""Filters that judge a row by a value or a timestamp of one of its columns."""

from attrs import define, field

from .cells import Cell, family_of
from .comparators import Comparison
from .filter import INCLUDE, NEXT_ROW, SKIP, Filter, Verdict, remembered


@define
class SingleColumnValueFilter(Filter):
    """Rows by the value of one column.

    Traps: a row without the column passes, unless `filter_if_missing`; the column also counts as missing if the scan
    does not request it or an earlier filter of an AND refused it. With `latest_version_only` False it is enough that
    one of the two newest versions passes. With `filter_if_missing` other families are read only for rows that pass, and
    a reversed scan that covers another family fails.
    """

    column: bytes
    comparison: Comparison
    filter_if_missing: bool = False
    latest_version_only: bool = True
    _column_seen: bool = remembered(False)
    _passed: bool = remembered(False)

    def judge(self, cell: Cell) -> Verdict:
        if self._passed:
            return INCLUDE
        if self._column_seen and self.latest_version_only:
            return NEXT_ROW
        if cell[0] != self.column:
            return INCLUDE
        self._column_seen = True
        self._passed = self.comparison.holds(cell[2])
        return INCLUDE if self._passed or not self.latest_version_only else NEXT_ROW

    def drops_row(self) -> bool:
        return not self._passed if self._column_seen else self.filter_if_missing

    def reset(self) -> None:
        self._column_seen = self._passed = False

    def has_row_filter(self) -> bool:
        return True

    def is_essential(self, family: bytes) -> bool:
        return not self.filter_if_missing or family == family_of(self.column)


@define
class SingleColumnValueExcludeFilter(SingleColumnValueFilter):
    """Rows as by SingleColumnValueFilter, without the column itself; a row without other columns disappears."""

    def trim(self, cells: list[Cell]) -> list[Cell]:
        return [cell for cell in cells if cell[0] != self.column]


@define
class DependentColumnFilter(Filter):
    """Cells with the timestamp of one column of their row; a row without that column disappears.

    `drop_dependent_column` removes the column itself. Traps: not only the timestamp of the column's newest version
    counts, but also that of the next one, and with `drop_dependent_column` those of all versions; with a comparison, an
    older version that passes is returned. Of the other columns only the newest version counts.
    """

    column: bytes
    drop_dependent_column: bool = False
    comparison: Comparison | None = None
    _timestamps: set[int] = field(init=False, factory=set[int], eq=False, repr=False)

    def judge(self, cell: Cell) -> Verdict:
        if cell[0] != self.column:
            return INCLUDE
        if self.comparison is not None and not self.comparison.holds(cell[2]):
            return SKIP
        self._timestamps.add(cell[1])
        return SKIP if self.drop_dependent_column else INCLUDE

    def trim(self, cells: list[Cell]) -> list[Cell]:
        return [cell for cell in cells if cell[1] in self._timestamps]

    def reset(self) -> None:
        self._timestamps.clear()

    def has_row_filter(self) -> bool:
        return True
