"""Finding logins and sums that one of the two tables lacks, and mending them.

A writer that dies between the two puts of a login leaves it in the list of its day only. So each table is scanned, and
the other one is asked for the same logins and sums, a page at a time: memory is that of a page, even if a row is wide.
If either row has a sum, its logins count nothing, and only the sums are compared.

Writers and folders may be at work: what disagrees is read again, twice, and reported if it still does.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import Any, TypeVar

from shared.keys import InvalidQuestion, Plan
from shared.keys.errors import shown_bytes
from shared.keys.ranges import EVERY_ROW, Stream
from shared.queries import Query
from shared.records import show_time
from shared.tables import BoundTable, InvalidRow
from shared.upkeep import Finding, Instructions, Mendable, Upkeep
from shared.upkeep.findings import confirmed, reason_told
from shared.upkeep.recovery import Recovery
from shared.writes import Expired, put_all

from .folding import DayFolder, LoginTable
from .keys import LoginDay
from .records import DAY_MS, DayCount, Login

R = TypeVar("R")

AT_ONCE = 250
"""Logins or sums of a page; one call reads the cells to compare with, and names each of their rows and columns."""


class LoginUpkeep(Upkeep):
    """The upkeep of folds and logins.

    Compares the logins and sums by user with those by day, and the sums with the states of their days. `store` puts no
    intent: if a writer dies between the two rows of a login, only `verify` finds it.
    """

    def __init__(self, folder: DayFolder) -> None:
        self._folder = folder
        self.logins = 0
        """Number of logins compared so far, in either table."""
        self.sums = 0
        """Number of sums compared so far, in either table."""

    @property
    def counts(self) -> dict[str, int]:
        """Numbers compared so far, by kind."""
        return {"login": self.logins, "sum": self.sums}

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Folds the days that are closed and not folded yet, whatever `older_than_ms` is.

        Costs: those of `DayFolder.fold_closed`.
        """
        return self._folder.fold_closed()

    def found(self, progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """Every row that lacks a login or a sum, or cannot be read; one finding for each row of a page.

        Calls `progress` after each page. Costs: two scans of each table, in pages of 250; for each page a call to the
        other table, and four more if they disagree.

        `repair` first folds closed days. A login is put into the table that lacks it, with its own time; on a closed
        day, the user's logins of both tables are folded instead. If two sums differ, the one by day stays. A day that
        has sums but takes logins is closed again, because no reader would count them. Cells that cannot be read, and
        rows whose keys cannot, are kept unless `repair` is told to discard them. A login stays missing if it was
        deleted with a later timestamp: HBase hides it until a major compaction.
        """
        failed = () if told is None else self._folder.fold_closed().failed
        yield from self._inconsistencies(progress)
        yield from self._unsettled(failed)

    def _unsettled(self, failed: Collection[str]) -> Iterator[Mendable]:
        """The days among these that still cannot be folded."""
        days = self._folder.days.table().layout
        failed = self._folder.fold_closed().failed if failed else ()
        for row in self._folder.closed_rows() if failed else ():
            if reason := reason_told(failed, days.name, row):
                yield Mendable(Finding("unsettled", days.name, row, None, reason))

    def _inconsistencies(self, progress: Callable[[], object]) -> Iterator[Mendable]:
        """What is wrong in the tables of logins."""
        self.logins = self.sums = 0
        by_user, by_day = self._folder.by_user, self._folder.by_day
        for table, opposite in ((by_day, by_user), (by_user, by_day)):
            for sums, damaged in _pages(table.sums):
                yield from damaged
                yield from self._of_sums(table, opposite, sums)
                self.sums += len(sums)
                progress()
            for logins, damaged in _pages(table.logins):
                yield from damaged
                yield from self._of_logins(table, opposite, logins)
                self.logins += len(logins)
                progress()

    # ---- logins

    def _of_logins(self, table: LoginTable, opposite: LoginTable, logins: list[Login]) -> Iterator[Mendable]:
        """The rows of the other table that lack some of these logins."""
        lacking = confirmed(logins, partial(_without, opposite), partial(_with, table))
        for row, of_row in groupby(lacking, key=opposite.logins.row):
            missing = list(of_row)
            what = f"{len(missing)} login{'s' if len(missing) > 1 else ''} of {table.logins.layout.name}"
            reason = f"{what}, the first at {show_time(missing[0].time_ms)}"
            finding = Finding("missing", opposite.logins.layout.name, row, table.logins.row(missing[0]), reason)
            yield Mendable(finding, partial(_is_mended, self._mend_logins, table, opposite, missing))

    def _mend_logins(self, table: LoginTable, opposite: LoginTable, missing: list[Login]) -> bool:
        day_ms = missing[0].time_ms - missing[0].time_ms % DAY_MS
        if self._is_open(day_ms):
            put_all(missing, opposite.logins)  # if a fold closes the day now, it has counted them, or never will
        else:
            self._folder.fold_user(missing[0].user, day_ms)
        return not _without(opposite, _with(table, missing))

    # ---- sums

    def _of_sums(self, table: LoginTable, opposite: LoginTable, sums: list[DayCount]) -> Iterator[Mendable]:
        """The days of these sums that take logins; the rows of the other table that have no sum, or another one."""
        is_by_day = table is self._folder.by_day
        for day_ms in dict.fromkeys(total.day_ms for total in sums) if is_by_day else ():
            with suppress(InvalidRow):  # the states of days were read before
                if self._is_open(day_ms):
                    yield self._open_day(day_ms)
        unequal = confirmed(sums, partial(_unequal, opposite), partial(_sums_now, table))
        there = _read_sums(opposite, unequal)
        for total in unequal:
            row, source_row = opposite.sums.row(total), table.sums.row(total)
            stored = there.get(row)
            if stored is None:
                reason = f"no sum, and {total.count} in {table.sums.layout.name}"
            elif is_by_day:
                reason = f"the sum {stored.count}, and {total.count} in {table.sums.layout.name}"
            else:
                continue  # reported when the other table was scanned
            finding = Finding("differing" if stored else "missing", opposite.sums.layout.name, row, source_row, reason)
            yield Mendable(finding, partial(_is_mended, self._mend_sum, table, opposite, total))

    def _mend_sum(self, table: LoginTable, opposite: LoginTable, total: DayCount) -> bool:
        self._folder.settle(total, replaces=True)
        return not _unequal(opposite, _sums_now(table, [total]))

    # ---- days

    def _is_open(self, day_ms: int) -> bool:
        return self._folder.days.get(LoginDay(day_ms)) is None

    def _open_day(self, day_ms: int) -> Mendable:
        days = self._folder.days.table().layout
        reason = f"day {show_time(day_ms)} takes logins, but has sums, so its logins do not count"
        finding = Finding("missing", days.name, days.row(LoginDay(day_ms)), None, reason)
        return Mendable(finding, partial(_is_mended, self._mend_day, day_ms))

    def _mend_day(self, day_ms: int) -> bool:
        self._folder.fold(day_ms)
        return not self._is_open(day_ms)


def _is_mended(mend: Callable[..., bool], *arguments: Any) -> bool:
    """Whether a mend leaves nothing wrong; false if it is refused."""
    with suppress(InvalidQuestion, InvalidRow, Expired):  # a day that is not over; an unreadable row; another TTL
        return mend(*arguments)
    return False


def _pages(table: BoundTable[Any, R]) -> Iterator[tuple[list[R], list[Mendable]]]:
    """All records of a table, a page at a time, with the rows and cells that cannot be read."""
    invalid: list[InvalidRow] = []
    every_row = Plan((Stream((EVERY_ROW,), 0),), table=table.layout.name)
    query = Query(table, every_row).on_invalid(invalid.append)
    cursor: str | None = None
    while True:
        page = query.page(AT_ONCE, cursor)
        yield page.records, [_damaged(table, error) for error in invalid]
        invalid.clear()
        if (cursor := page.cursor) is None:
            return


def _damaged(table: BoundTable[Any, Any], error: InvalidRow) -> Mendable:
    where = f"column {shown_bytes(error.column)}: " if error.column else ""
    columns = [error.column] if error.column else list(table.layout.cells.columns)

    def remove() -> bool:
        table.rows.delete(error.row, columns)
        return not table.rows.row(error.row, columns=columns)  # a cell dated in the future stays

    return Mendable(Finding("undecodable", error.table, error.row, None, f"{where}{error.reason}"), discard=remove)


def _with(table: LoginTable, logins: list[Login]) -> list[Login]:
    """The logins that are in the table, in rows without a sum."""
    columns, stored = table.sums.layout.cells.columns, _read(table, logins)
    return [
        login
        for login in logins
        if (cells := stored.get(table.logins.row(login), {})).keys() >= {*table.logins.layout.cells.pack(login)}
        and cells.keys().isdisjoint(columns)
    ]


def _without(table: LoginTable, logins: list[Login]) -> list[Login]:
    """The logins that are not in the table, in rows without a sum."""
    columns, stored = table.sums.layout.cells.columns, _read(table, logins)
    return [
        login
        for login in logins
        if stored.get(table.logins.row(login), {}).keys().isdisjoint({*table.logins.layout.cells.pack(login), *columns})
    ]


def _read(table: LoginTable, logins: list[Login]) -> dict[bytes, dict[bytes, bytes]]:
    """The rows of these logins, with the cells of these logins and the sums."""
    rows = dict.fromkeys(map(table.logins.row, logins))
    pack = table.logins.layout.cells.pack
    columns = {*table.sums.layout.cells.columns, *(column for login in logins for column in pack(login))}
    return dict(table.rows.rows(list(rows), columns=sorted(columns))) if rows else {}


def _unequal(table: LoginTable, sums: list[DayCount]) -> list[DayCount]:
    """The sums that the rows of this table do not have."""
    stored = _read_sums(table, sums)
    return [total for total in sums if stored.get(table.sums.row(total)) != total]


def _sums_now(table: LoginTable, sums: list[DayCount]) -> list[DayCount]:
    """The sums of the same users and days that this table has now."""
    return [*_read_sums(table, sums).values()]


def _read_sums(table: LoginTable, sums: list[DayCount]) -> dict[bytes, DayCount]:
    """The sums of the same users and days in this table, by row; none for a row that cannot be read."""
    stored: dict[bytes, DayCount] = {}
    rows = [table.sums.row(total) for total in sums]
    for row, cells in table.rows.rows(rows, columns=list(table.sums.layout.cells.columns)) if rows else ():
        with suppress(InvalidRow):
            stored[row] = table.sums.layout.record(row, cells)
    return stored
