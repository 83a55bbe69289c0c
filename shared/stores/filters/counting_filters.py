# ruff: noqa: D102 - Filter documents each method once
"""Filters that count: the cells of a row, or rows."""

from attrs import define

from .cells import Cell
from .filter import INCLUDE, INCLUDE_AND_NEXT_COL, NEXT_COL, NEXT_ROW, Filter, Verdict, remembered


@define
class FirstKeyOnlyFilter(Filter):
    """The first cell of each row."""

    _cell_seen: bool = remembered(False)

    def judge(self, cell: Cell) -> Verdict:
        if self._cell_seen:
            return NEXT_ROW
        self._cell_seen = True
        return INCLUDE

    def reset(self) -> None:
        self._cell_seen = False

    def is_streaming(self) -> bool:
        return True


@define
class ColumnCountGetFilter(Filter):
    """The first `limit` columns of each row, for gets.

    Trap: once the count exceeds the limit, a scan stops reading the family where that happened, so later rows lack it.
    They may still have others.
    """

    limit: int
    _count: int = remembered(0)

    def refuses_row(self, row: bytes) -> bool:
        return self.is_done()

    def judge(self, cell: Cell) -> Verdict:
        self._count += 1
        return NEXT_COL if self.is_done() else INCLUDE_AND_NEXT_COL

    def reset(self) -> None:
        self._count = 0

    def is_done(self) -> bool:
        return self._count > self.limit

    def can_end_within_row(self) -> bool:
        return True


@define
class ColumnPaginationFilter(Filter):
    """`limit` columns of each row after its first `offset` columns, counted over all families.

    Trap: limit and offset are added as 32-bit ints, so with a sum above 2,147,483,647 no cell passes.
    """

    limit: int
    offset: int
    _end: int = remembered(0)
    _count: int = remembered(0)

    def __attrs_post_init__(self) -> None:
        end = self.limit + self.offset
        self._end = end if end < 2**31 else end - 2**32

    def judge(self, cell: Cell) -> Verdict:
        if self._count >= self._end:
            return NEXT_ROW
        self._count += 1
        return INCLUDE_AND_NEXT_COL if self._count > self.offset else NEXT_COL

    def reset(self) -> None:
        self._count = 0

    def is_streaming(self) -> bool:
        return True


@define
class PageFilter(Filter):
    """The first `size` rows of each region.

    It counts rows that still have a cell. Trap: in an AND it also counts rows that a later filter drops as a whole, as
    SingleColumnValueFilter does; put it last.
    """

    size: int
    _rows: int = remembered(0)

    def refuses_row(self, row: bytes) -> bool:
        return self.is_done()

    def drops_row(self) -> bool:
        self._rows += 1
        return self._rows > self.size

    def is_done(self) -> bool:
        return self._rows >= self.size

    def has_row_filter(self) -> bool:
        return True
