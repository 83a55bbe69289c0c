# ruff: noqa: D102 - Filter documents each method once
"""HBase's filters, each with its rule and its trap.

A scan calls its filter, row by row and in this order:

1. `refuses_row`: does the row's key alone rule the row out?
2. `judge`, cell by cell, family by family: is the cell kept, and which cell of the family comes next?
3. `trim`, then `drops_row`: which of the kept cells stay, and does the row stay at all?
4. `reset`: forget the row. State that outlives a row lasts for one region, because each region gets a fresh filter.

AND, OR, SKIP and WHILE (`combined.py`) call their filters in the same way. Every trap here is HBase's, seen on 2.6.1.
`filtered_rows.py` is the scanner that calls them.
"""

from bisect import bisect_right
from collections.abc import Sequence
from enum import Enum
from typing import Any, ClassVar

from attrs import define, field

from .cells import Cell, family_of
from .comparators import Comparison


class Verdict(Enum):
    """Whether a cell is kept, and the step from it: 0 to the next version, 1 to the next column, 2 to the next family.

    NEXT_ROW has HBase's name, but the scan still reads other families of the row. SEEK_NEXT_USING_HINT (3) goes to the
    column that the filter's `hint` returns.
    """

    INCLUDE = (True, 0)
    INCLUDE_AND_NEXT_COL = (True, 1)
    SKIP = (False, 0)
    NEXT_COL = (False, 1)
    NEXT_ROW = (False, 2)
    SEEK_NEXT_USING_HINT = (False, 3)

    def __init__(self, keeps: bool, step: int) -> None:
        self.keeps = keeps
        self.step = step


INCLUDE = Verdict.INCLUDE
INCLUDE_AND_NEXT_COL = Verdict.INCLUDE_AND_NEXT_COL
SKIP = Verdict.SKIP
NEXT_COL = Verdict.NEXT_COL
NEXT_ROW = Verdict.NEXT_ROW
SEEK_NEXT_USING_HINT = Verdict.SEEK_NEXT_USING_HINT


def remembered(at_first: Any) -> Any:
    """A field for a filter's state: it is not an argument, not compared and not in the repr."""
    return field(init=False, default=at_first, eq=False, repr=False)


@define
class Filter:
    """The base of all filters: it keeps every cell of every row; each filter overrides the methods that differ."""

    hinting: ClassVar[bool] = False
    """Whether it is one of the four filters that HBase's AND treats as the only ones that give hints."""

    def refuses_row(self, row: bytes) -> bool:
        """Whether the key rules the row out. HBase: filterRowKey."""
        return False

    def judge(self, cell: Cell) -> Verdict:
        """Whether a cell is kept, and the step from it. HBase: filterCell."""
        return INCLUDE

    def hint(self, cell: Cell) -> bytes | None:
        """The column to continue at after SEEK_NEXT_USING_HINT; None for the next cell. HBase: getNextCellHint."""
        return None

    def transform(self, cell: Cell) -> Cell:
        """The cell to return in place of a kept cell. HBase: transformCell."""
        return cell

    def trim(self, cells: list[Cell]) -> list[Cell]:
        """The kept cells of a row that stay. HBase: filterRowCells."""
        return cells

    def drops_row(self) -> bool:
        """Whether the row is dropped after all; called only if it has kept cells. HBase: filterRow."""
        return False

    def reset(self) -> None:
        """Forgets the row."""

    def is_done(self) -> bool:
        """Whether no more rows of the region can pass. HBase: filterAllRemaining."""
        return False

    def has_row_filter(self) -> bool:
        """Whether it looks at whole rows, so HBase refuses a batch size. HBase: hasFilterRow."""
        return False

    def is_essential(self, family: bytes) -> bool:
        """Whether it must see the family to decide on a row. HBase: isFamilyEssential."""
        return True

    def can_end_within_row(self) -> bool:
        """Whether `judge` can make `is_done` true."""
        return False

    def reverse(self) -> None:
        """Called once, at the start, if the rows come last to first. HBase: setReversed."""

    def is_streaming(self) -> bool:
        """Whether a scan may read a row's cells while the filter judges them, and only as far as the filter goes.

        A streaming filter overrides `judge`, `hint` and `reset` only, and judges quickly.
        """
        return False

    def first_qualifier(self) -> bytes:
        """The first qualifier that a streaming filter needs: it keeps no cell before that, nor counts one."""
        return b""


# Cells: values and timestamps


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


# Columns


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


# Columns, counted


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


# Rows, by their keys


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


# Rows, by one of their columns


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


def qualifier_of(cell: Cell) -> bytes:
    """The qualifier of the cell's column."""
    column = cell[0]
    return column[column.index(b":") + 1 :]


def column_in_family_of(cell: Cell, qualifier: bytes) -> bytes:
    """The column with this qualifier in the cell's family."""
    column = cell[0]
    return column[: column.index(b":") + 1] + qualifier
