# ruff: noqa: D102 - Filter documents each method once
"""Filters that judge a cell by itself."""

from collections.abc import Sequence

from attrs import define

from .cells import Cell, family_of
from .comparators import Comparison
from .filter import INCLUDE, NEXT_COL, NEXT_ROW, SKIP, Filter, Verdict, remembered


@define
class KeyOnlyFilter(Filter):
    """Cells without their values, or with the value's length as 4 bytes, big-endian, in its place.

    Other filters of an AND see the real value, whichever comes first.
    """

    length_as_value: bool = False

    def transform(self, cell: Cell) -> Cell:
        column, timestamp, value = cell
        return column, timestamp, len(value).to_bytes(4, "big") if self.length_as_value else b""


@define
class ValueFilter(Filter):
    """Cells by their values.

    Trap: if the newest version does not pass, an older version that passes is returned.
    """

    comparison: Comparison

    def judge(self, cell: Cell) -> Verdict:
        return INCLUDE if self.comparison.holds(cell[2]) else SKIP


@define
class TimestampsFilter(Filter):
    """Cells with one of the timestamps, at most the newest such version of each column; without any, no cells."""

    hinting = True
    timestamps: Sequence[int]
    _listed: frozenset[int] = remembered(frozenset[int]())
    _oldest: int = remembered(0)

    def __attrs_post_init__(self) -> None:
        self._listed = frozenset(self.timestamps)
        self._oldest = min(self.timestamps, default=2**63 - 1)

    def judge(self, cell: Cell) -> Verdict:
        timestamp = cell[1]
        if timestamp in self._listed:
            return INCLUDE
        return NEXT_COL if timestamp < self._oldest else SKIP


@define
class ColumnValueFilter(Filter):
    """The cell of one column, if its value passes, and no other cells.

    Other families are not even read. Trap: a reversed scan that covers another family fails.
    """

    column: bytes
    comparison: Comparison
    _column_seen: bool = remembered(False)

    def judge(self, cell: Cell) -> Verdict:
        if cell[0] != self.column:
            return NEXT_ROW if self._column_seen else NEXT_COL
        self._column_seen = True
        return INCLUDE if self.comparison.holds(cell[2]) else SKIP

    def reset(self) -> None:
        self._column_seen = False

    def is_essential(self, family: bytes) -> bool:
        return family == family_of(self.column)
