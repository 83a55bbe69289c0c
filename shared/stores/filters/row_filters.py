# ruff: noqa: D102 - Filter documents each method once
"""Filters that judge a row by its key."""

from attrs import define

from .cells import Cell
from .comparators import Comparison
from .filter import INCLUDE, NEXT_ROW, Filter, Verdict, remembered


@define
class RowFilter(Filter):
    """Rows by their keys."""

    comparison: Comparison
    _refused: bool = remembered(False)

    def refuses_row(self, row: bytes) -> bool:
        self._refused = not self.comparison.holds(row)
        return self._refused

    def judge(self, cell: Cell) -> Verdict:
        return NEXT_ROW if self._refused else INCLUDE

    def drops_row(self) -> bool:
        return self._refused

    def reset(self) -> None:
        self._refused = False


@define
class PrefixFilter(Filter):
    """Rows that start with the prefix; it is done once the scan is past them.

    Trap: a row shorter than the prefix never ends the scan, wherever it sorts.
    """

    prefix: bytes
    _reversed: bool = remembered(False)
    _refused: bool = remembered(True)
    _passed: bool = remembered(False)

    def refuses_row(self, row: bytes) -> bool:
        if self._passed or len(row) < len(self.prefix):
            return True
        start = row[: len(self.prefix)]
        if start < self.prefix if self._reversed else start > self.prefix:
            self._passed = True
        self._refused = start != self.prefix
        return self._refused

    def judge(self, cell: Cell) -> Verdict:
        return NEXT_ROW if self._refused else INCLUDE

    def drops_row(self) -> bool:
        return self._refused

    def reset(self) -> None:
        self._refused = True

    def is_done(self) -> bool:
        return self._passed

    def reverse(self) -> None:
        self._reversed = True


@define
class InclusiveStopFilter(Filter):
    """Rows up to the stop row, inclusive; with an empty one no row passes."""

    stop: bytes
    _reversed: bool = remembered(False)
    _passed: bool = remembered(False)

    def refuses_row(self, row: bytes) -> bool:
        self._passed = self._passed or (row < self.stop if self._reversed else row > self.stop)
        return self._passed

    def judge(self, cell: Cell) -> Verdict:
        return NEXT_ROW if self._passed else INCLUDE

    def is_done(self) -> bool:
        return self._passed

    def reverse(self) -> None:
        self._reversed = True
