"""What a filter of HBase is, and how a scan calls it; the filters by kind are in the files beside, each with its trap.

A scan calls its filter, row by row and in this order:

1. `refuses_row`: does the row's key alone rule the row out?
2. `judge`, cell by cell, family by family: is the cell kept, and which cell of the family comes next?
3. `trim`, then `drops_row`: which of the kept cells stay, and does the row stay at all?
4. `reset`: forget the row. State that outlives a row lasts for one region, because each region gets a fresh filter.

AND, OR, SKIP and WHILE (`combined.py`) call their filters in the same way. Every trap here is HBase's, seen on 2.6.1.
`filtered_rows.py` is the scanner that calls them.
"""

from enum import Enum
from typing import Any, ClassVar

from attrs import define, field

from .cells import Cell


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


# Columns


# Columns, counted


# Rows, by their keys


# Rows, by one of their columns


def qualifier_of(cell: Cell) -> bytes:
    """The qualifier of the cell's column."""
    column = cell[0]
    return column[column.index(b":") + 1 :]


def column_in_family_of(cell: Cell, qualifier: bytes) -> bytes:
    """The column with this qualifier in the cell's family."""
    column = cell[0]
    return column[: column.index(b":") + 1] + qualifier
