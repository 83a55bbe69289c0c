# ruff: noqa: D102 - what a method means is said once, in Filter
"""AND, OR, SKIP and WHILE: filters that ask other filters."""

from collections.abc import Sequence

from attrs import define, field

from .cells import Cell, family_of, in_cell_order
from .filters import (
    INCLUDE,
    INCLUDE_AND_NEXT_COL,
    NEXT_COL,
    NEXT_ROW,
    SEEK_NEXT_USING_HINT,
    SKIP,
    Filter,
    Verdict,
    remembered,
)

_VERDICTS = {(verdict.keeps, verdict.step): verdict for verdict in Verdict}
_HINT = SEEK_NEXT_USING_HINT.step


@define
class Combined(Filter):
    """Filters in a row; what AND and OR have in common."""

    filters: Sequence[Filter]
    _reversed: bool = remembered(False)

    def trim(self, cells: list[Cell]) -> list[Cell]:
        for each in self.filters:
            cells = each.trim(cells)
        return cells

    def reset(self) -> None:
        for each in self.filters:
            each.reset()

    def has_row_filter(self) -> bool:
        return any(each.has_row_filter() for each in self.filters)

    def is_essential(self, family: bytes) -> bool:
        return any(each.is_essential(family) for each in self.filters)

    def can_end_within_row(self) -> bool:
        return any(each.can_end_within_row() for each in self.filters)

    def reverse(self) -> None:
        self._reversed = True
        for each in self.filters:
            each.reverse()


@define
class And(Combined):
    """What all of the filters let pass.

    A filter sees a cell only if all before it keep it, so their order matters; the longest step counts. A row is
    refused or dropped by any of them.

    Trap: with one of TimestampsFilter, ColumnPrefixFilter, MultipleColumnPrefixFilter and ColumnRangeFilter in it no
    row is refused by its key, and the scan may seek that one's column even where an earlier filter ruled the cell out.
    """

    _hinters: list[Filter] = field(init=False, factory=list[Filter], eq=False, repr=False)

    def refuses_row(self, row: bytes) -> bool:
        refused = let_pass = False
        for each in self.filters:
            if each.is_done():
                return True
            if each.refuses_row(row):
                refused = True
            elif each.hinting:
                let_pass = True
        return refused and not let_pass

    def judge(self, cell: Cell) -> Verdict:
        kept = INCLUDE
        for at, each in enumerate(self.filters):
            verdict = NEXT_ROW if each.is_done() else each.judge(cell)
            if verdict is INCLUDE_AND_NEXT_COL:
                kept = verdict
            elif verdict is not INCLUDE:
                hinting = [other for other in self.filters[at + 1 :] if other.hinting]
                self._hinters = [other for other in hinting if other.judge(cell) is SEEK_NEXT_USING_HINT]
                if verdict is SEEK_NEXT_USING_HINT:
                    self._hinters.append(each)
                if self._hinters:
                    return SEEK_NEXT_USING_HINT
                return NEXT_COL if verdict is SKIP and kept is INCLUDE_AND_NEXT_COL else verdict
        return kept

    def hint(self, cell: Cell) -> bytes | None:
        hints = [hint for each in self._hinters if not each.is_done() and (hint := each.hint(cell)) is not None]
        return (min if self._reversed else max)(hints, default=None)

    def transform(self, cell: Cell) -> Cell:
        for each in self.filters:
            cell = each.transform(cell)
        return cell

    def drops_row(self) -> bool:
        return any(each.drops_row() for each in self.filters)

    def reset(self) -> None:
        self._hinters = []
        super().reset()

    def is_done(self) -> bool:
        return any(each.is_done() for each in self.filters)


@define
class Or(Combined):
    """What any of the filters lets pass; the shortest step counts.

    A filter that asked for a longer one is not asked again before it. A row is refused or dropped only if all of them
    say so.

    Traps: what SingleColumnValueExcludeFilter and DependentColumnFilter take out of a row is gone, as in an AND. In a
    reversed scan a filter that seeks is passed over behind the column that it seeks, where its cells are, and not
    before it.
    """

    _waits: list[tuple[Verdict, Cell] | None] = field(init=False, eq=False, repr=False)
    _kept: list[bool] = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.reset()

    def refuses_row(self, row: bytes) -> bool:
        refused = True
        for each in self.filters:
            if not each.is_done() and not each.refuses_row(row):
                refused = False
        return refused

    def judge(self, cell: Cell) -> Verdict:
        keeps, shortest = False, None
        for at, each in enumerate(self.filters):
            self._kept[at] = False
            if each.is_done():
                continue
            wait = self._waits[at]
            verdict = (wait and self._waiting(each, wait, cell)) or each.judge(cell)
            step = verdict.step
            self._waits[at] = (verdict, cell) if step else None
            if verdict.keeps:
                self._kept[at] = keeps = True
            if shortest is None:
                shortest = step
            elif step != shortest:  # nobody knows how far a hint leads, so that beside another step it is the least
                shortest = 0 if _HINT in (step, shortest) else min(step, shortest)
        return _VERDICTS[keeps, shortest or 0]

    def _waiting(self, filter: Filter, wait: tuple[Verdict, Cell], cell: Cell) -> Verdict | None:
        """The verdict of a filter that need not be asked, since its last step leads beyond the cell."""
        verdict, last = wait
        if verdict is SEEK_NEXT_USING_HINT:
            hint = filter.hint(last)
            return verdict if hint is not None and self._comes_before(cell[0], hint) else None
        if verdict is NEXT_ROW:
            return verdict if family_of(cell[0]) == family_of(last[0]) else None
        return NEXT_COL if cell[0] == last[0] else None

    def _comes_before(self, column: bytes, other: bytes) -> bool:
        first, second = in_cell_order(column), in_cell_order(other)
        return first >= second if self._reversed else first < second

    def hint(self, cell: Cell) -> bytes | None:
        hints = [each.hint(cell) for each in self.filters if not each.is_done()]
        known = [hint for hint in hints if hint is not None]
        return (max if self._reversed else min)(known, default=None) if len(known) == len(hints) else None

    def transform(self, cell: Cell) -> Cell:
        for each, kept in zip(self.filters, self._kept, strict=True):
            if kept:
                cell = each.transform(cell)
        return cell

    def drops_row(self) -> bool:
        return all(each.drops_row() for each in self.filters)

    def reset(self) -> None:
        self._waits = [None] * len(self.filters)
        self._kept = [False] * len(self.filters)
        super().reset()

    def is_done(self) -> bool:
        return all(each.is_done() for each in self.filters)


@define
class Skip(Filter):
    """Rows all of whose cells get a plain INCLUDE from the filter.

    Traps: any other verdict drops the row, even one that keeps the cell. The row's key is never shown to the filter,
    nor is it asked to trim or drop rows, whether it is done, or for hints, and it does not learn that a scan is
    reversed. So `SKIP RowFilter`, `SKIP PageFilter` and `SKIP InclusiveStopFilter` filter nothing, while
    `SKIP PrefixFilter`, `SKIP ColumnPaginationFilter` and `SKIP ColumnCountGetFilter` drop every row. Of a column whose
    newest version passed, the next one is judged as well.
    """

    filter: Filter
    _drops: bool = remembered(False)

    def judge(self, cell: Cell) -> Verdict:
        verdict = self.filter.judge(cell)
        self._drops = self._drops or verdict is not INCLUDE
        return verdict

    def transform(self, cell: Cell) -> Cell:
        return self.filter.transform(cell)

    def drops_row(self) -> bool:
        return self._drops

    def reset(self) -> None:
        self.filter.reset()
        self._drops = False

    def has_row_filter(self) -> bool:
        return True

    def is_essential(self, family: bytes) -> bool:
        return self.filter.is_essential(family)


@define
class While(Filter):
    """What passes the filter up to the first cell or row that does not, which ends the region.

    Traps: the cells before it are returned, as part of their row. Any verdict but a plain INCLUDE ends it, even one
    that keeps the cell: `WHILE ColumnPaginationFilter(2,0)` returns one cell in all. The filter is not asked to trim
    rows or for hints, and does not learn that a scan is reversed.
    """

    filter: Filter
    _ended: bool = remembered(False)

    def refuses_row(self, row: bytes) -> bool:
        if self.is_done():
            return True
        self._ended = self.filter.refuses_row(row)
        return self._ended

    def judge(self, cell: Cell) -> Verdict:
        verdict = self.filter.judge(cell)
        self._ended = self._ended or verdict is not INCLUDE
        return verdict

    def transform(self, cell: Cell) -> Cell:
        return self.filter.transform(cell)

    def drops_row(self) -> bool:
        drops = self.filter.drops_row()
        self._ended = self._ended or drops
        return drops

    def reset(self) -> None:
        self.filter.reset()

    def is_done(self) -> bool:
        return self._ended or self.filter.is_done()

    def has_row_filter(self) -> bool:
        return True

    def is_essential(self, family: bytes) -> bool:
        return self.filter.is_essential(family)

    def can_end_within_row(self) -> bool:
        return True
