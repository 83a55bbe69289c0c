# ruff: noqa: D102 - Filter documents each method once
"""Filters that judge a cell by its column."""

from bisect import bisect_right
from collections.abc import Sequence

from attrs import define

from .cells import Cell, family_of
from .comparators import Comparison
from .filter import (
    INCLUDE,
    NEXT_COL,
    NEXT_ROW,
    SEEK_NEXT_USING_HINT,
    SKIP,
    Filter,
    Verdict,
    column_in_family_of,
    qualifier_of,
    remembered,
)


@define
class FamilyFilter(Filter):
    """Cells by their families."""

    comparison: Comparison

    def judge(self, cell: Cell) -> Verdict:
        return INCLUDE if self.comparison.holds(family_of(cell[0])) else NEXT_ROW


@define
class QualifierFilter(Filter):
    """Cells by their qualifiers."""

    comparison: Comparison

    def judge(self, cell: Cell) -> Verdict:
        return INCLUDE if self.comparison.holds(qualifier_of(cell)) else SKIP


@define
class ColumnPrefixFilter(Filter):
    """Cells whose qualifier starts with the prefix."""

    hinting = True
    prefix: bytes

    def judge(self, cell: Cell) -> Verdict:
        qualifier = qualifier_of(cell)
        if qualifier.startswith(self.prefix):
            return INCLUDE
        return SEEK_NEXT_USING_HINT if qualifier < self.prefix else NEXT_ROW

    def hint(self, cell: Cell) -> bytes | None:
        return column_in_family_of(cell, self.prefix)

    def is_streaming(self) -> bool:
        return True

    def first_qualifier(self) -> bytes:
        return self.prefix


@define
class MultipleColumnPrefixFilter(Filter):
    """Cells whose qualifier starts with one of the prefixes; without any, all cells.

    Trap: only the greatest prefix that is not above the qualifier is compared, so with `a` and `ab` the qualifier `ac`
    is lost.
    """

    hinting = True
    prefixes: Sequence[bytes]
    _sorted: Sequence[bytes] = remembered(())
    _next_prefix: bytes | None = remembered(None)

    def __attrs_post_init__(self) -> None:
        self._sorted = sorted(self.prefixes)

    def judge(self, cell: Cell) -> Verdict:
        if not self.prefixes:
            return INCLUDE
        qualifier = qualifier_of(cell)
        above = bisect_right(self._sorted, qualifier)
        if above and qualifier.startswith(self._sorted[above - 1]):
            return INCLUDE
        if above == len(self._sorted):
            return NEXT_ROW
        self._next_prefix = self._sorted[above]
        return SEEK_NEXT_USING_HINT

    def hint(self, cell: Cell) -> bytes | None:
        return None if self._next_prefix is None else column_in_family_of(cell, self._next_prefix)


@define
class ColumnRangeFilter(Filter):
    """Cells with qualifiers from `low` to `high`, each inclusive or not; an empty one is not a bound."""

    hinting = True
    low: bytes
    includes_low: bool
    high: bytes
    includes_high: bool

    def judge(self, cell: Cell) -> Verdict:
        qualifier = qualifier_of(cell)
        if qualifier < self.low:
            return SEEK_NEXT_USING_HINT
        if self.low and qualifier == self.low and not self.includes_low:
            return NEXT_COL
        if not self.high or qualifier < self.high or (self.includes_high and qualifier == self.high):
            return INCLUDE
        return NEXT_ROW

    def hint(self, cell: Cell) -> bytes | None:
        return column_in_family_of(cell, self.low)

    def is_streaming(self) -> bool:
        return True

    def first_qualifier(self) -> bytes:
        return self.low
