# ruff: noqa: D102 - Filter documents each method once
"""AND, OR, SKIP and WHILE: filters that consist of other filters."""

from collections.abc import Sequence

from attrs import define, field

from .cells import Cell, cell_sort_key, family_of
from .filter import (
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
    """A sequence of filters: the common base of AND and OR."""

    filters: Sequence[Filter]
    _reversed: bool = remembered(False)

    def trim(self, cells: list[Cell]) -> list[Cell]:
        for filter in self.filters:
            cells = filter.trim(cells)
        return cells

    def reset(self) -> None:
        for filter in self.filters:
            filter.reset()

    def has_row_filter(self) -> bool:
        return any(filter.has_row_filter() for filter in self.filters)

    def is_essential(self, family: bytes) -> bool:
        return any(filter.is_essential(family) for filter in self.filters)

    def can_end_within_row(self) -> bool:
        return any(filter.can_end_within_row() for filter in self.filters)

    def reverse(self) -> None:
        self._reversed = True
        for filter in self.filters:
            filter.reverse()


@define
class And(Combined):
    """Cells that pass all of the filters.

    A filter sees a cell only if all filters before it keep it, so their order matters; the longest step counts. Any of
    them can refuse or drop a row.

    Trap: if TimestampsFilter, ColumnPrefixFilter, MultipleColumnPrefixFilter or ColumnRangeFilter is among them, no row
    is refused by its key, and the scan may seek the column of that filter even if an earlier filter refused the cell.
    """

    _hinters: list[Filter] = field(init=False, factory=list[Filter], eq=False, repr=False)

    def refuses_row(self, row: bytes) -> bool:
        is_refused = passes_hinting = False
        for filter in self.filters:
            if filter.is_done():
                return True
            if filter.refuses_row(row):
                is_refused = True
            elif filter.hinting:
                passes_hinting = True
        return is_refused and not passes_hinting

    def judge(self, cell: Cell) -> Verdict:
        include = INCLUDE
        for index, filter in enumerate(self.filters):
            verdict = NEXT_ROW if filter.is_done() else filter.judge(cell)
            if verdict is INCLUDE_AND_NEXT_COL:
                include = verdict
            elif verdict is not INCLUDE:
                hinting = [later for later in self.filters[index + 1 :] if later.hinting]
                self._hinters = [later for later in hinting if later.judge(cell) is SEEK_NEXT_USING_HINT]
                if verdict is SEEK_NEXT_USING_HINT:
                    self._hinters.append(filter)
                if self._hinters:
                    return SEEK_NEXT_USING_HINT
                return NEXT_COL if verdict is SKIP and include is INCLUDE_AND_NEXT_COL else verdict
        return include

    def hint(self, cell: Cell) -> bytes | None:
        hinters = [filter for filter in self._hinters if not filter.is_done()]
        hints = [hint for filter in hinters if (hint := filter.hint(cell)) is not None]
        return (min if self._reversed else max)(hints, default=None)

    def transform(self, cell: Cell) -> Cell:
        for filter in self.filters:
            cell = filter.transform(cell)
        return cell

    def drops_row(self) -> bool:
        return any(filter.drops_row() for filter in self.filters)

    def reset(self) -> None:
        self._hinters = []
        super().reset()

    def is_done(self) -> bool:
        return any(filter.is_done() for filter in self.filters)

    def is_streaming(self) -> bool:
        return all(filter.is_streaming() for filter in self.filters)

    def first_qualifier(self) -> bytes:
        return self.filters[0].first_qualifier()


@define
class Or(Combined):
    """Cells that pass any of the filters; the shortest step counts.

    A filter that asked for a longer step does not see the cells within that step. A row is refused or dropped only if
    all of them refuse or drop it.

    Traps: cells that SingleColumnValueExcludeFilter and DependentColumnFilter remove from a row are gone, as in an AND.
    In a reversed scan a filter that seeks a column does not see the cells from that column on, which it would keep,
    and sees those before it.
    """

    _last_steps: list[tuple[Verdict, Cell] | None] = field(init=False, eq=False, repr=False)
    _kept: list[bool] = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.reset()

    def refuses_row(self, row: bytes) -> bool:
        is_refused = True
        for filter in self.filters:  # all of them, because each must see the row
            if not filter.is_done() and not filter.refuses_row(row):
                is_refused = False
        return is_refused

    def judge(self, cell: Cell) -> Verdict:
        keeps, shortest = False, None
        for index, filter in enumerate(self.filters):
            self._kept[index] = False
            if filter.is_done():
                continue
            last_step = self._last_steps[index]
            verdict = (last_step and self._verdict_within(filter, last_step, cell)) or filter.judge(cell)
            step = verdict.step
            self._last_steps[index] = (verdict, cell) if step else None
            if verdict.keeps:
                self._kept[index] = keeps = True
            if shortest is None:
                shortest = step
            elif step != shortest:  # a hint leads to an unknown place, so next to another step it counts as none
                shortest = 0 if _HINT in (step, shortest) else min(step, shortest)
        return _VERDICTS[keeps, shortest or 0]

    def _verdict_within(self, filter: Filter, last_step: tuple[Verdict, Cell], cell: Cell) -> Verdict | None:
        """The verdict of a filter whose last step leads beyond the cell, so that it does not see the cell."""
        verdict, last = last_step
        if verdict is SEEK_NEXT_USING_HINT:
            hint = filter.hint(last)
            return verdict if hint is not None and self._comes_before(cell[0], hint) else None
        if verdict is NEXT_ROW:
            return verdict if family_of(cell[0]) == family_of(last[0]) else None
        return NEXT_COL if cell[0] == last[0] else None

    def _comes_before(self, column: bytes, other: bytes) -> bool:
        first, second = cell_sort_key(column), cell_sort_key(other)
        return first >= second if self._reversed else first < second

    def hint(self, cell: Cell) -> bytes | None:
        hints = [filter.hint(cell) for filter in self.filters if not filter.is_done()]
        known = [hint for hint in hints if hint is not None]
        return (max if self._reversed else min)(known, default=None) if len(known) == len(hints) else None

    def transform(self, cell: Cell) -> Cell:
        for filter, keeps in zip(self.filters, self._kept, strict=True):
            if keeps:
                cell = filter.transform(cell)
        return cell

    def drops_row(self) -> bool:
        return all(filter.drops_row() for filter in self.filters)

    def reset(self) -> None:
        self._last_steps = [None] * len(self.filters)
        self._kept = [False] * len(self.filters)
        super().reset()

    def is_done(self) -> bool:
        return all(filter.is_done() for filter in self.filters)


@define
class Skip(Filter):
    """Rows all of whose cells get a plain INCLUDE from the filter.

    Traps: any other verdict drops the row, even one that keeps the cell. The filter never sees the row's key, cannot
    trim or drop rows, end the scan or give hints, and does not learn that a scan is reversed. So `SKIP RowFilter`,
    `SKIP PageFilter` and `SKIP InclusiveStopFilter` filter nothing, while `SKIP PrefixFilter`,
    `SKIP ColumnPaginationFilter` and `SKIP ColumnCountGetFilter` drop every row. If the newest version of a column
    passes, the next one is judged too.
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
    """Cells that pass the filter, up to the first cell or row that does not, which ends the region.

    Traps: the cells before it are returned, as part of their row. Any verdict but a plain INCLUDE ends the region, even
    one that keeps the cell: `WHILE ColumnPaginationFilter(2,0)` returns one cell in all. The filter cannot trim rows or
    give hints, and does not learn that a scan is reversed.
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
