"""Folding a day: its logins become a sum for each user, in both tables, even if processes die meanwhile."""

import heapq
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import attrs

from shared.keys import InvalidQuestion, between
from shared.keys.errors import message_of
from shared.queries import KEYS_ONLY, Query, ServerFilter
from shared.queries.scanning import scan_in_batches
from shared.records import show_time
from shared.sources import BoundSource, Table
from shared.sources.asked_table import AskedTable
from shared.tables import put_if
from shared.upkeep.recovery import Recovery, settle_each
from shared.writes import WriterClock
from shared.writes.server_clock import MAX_SKEW_MS

from .keys import LoginDay, sums_of
from .records import DAY_MS, DayCount, DayState, Login

if TYPE_CHECKING:
    import happybase

ROWS_AT_ONCE = 100
"""Number of row keys that a fold reads in one scan."""
COLUMNS_AT_ONCE = 1000
"""Number of logins that a fold remembers of a row, and that it deletes in one call."""

_CLOSED = ServerFilter((), b"ValueFilter(=, 'substring:closed')")


@attrs.frozen
class LoginTable:
    """One of the two tables of logins, with the sums in its rows."""

    logins: AskedTable[Login]
    sums: AskedTable[DayCount]

    @classmethod
    def of(cls, connection: "happybase.Connection", logins: Table[Login]) -> "LoginTable":
        """The table on a connection."""
        return cls(logins.on(connection), AskedTable(connection, sums_of(logins.layout)))

    @property
    def rows(self) -> "happybase.Table":
        """Happybase's table."""
        return self.logins.rows

    def logins_of(self, user: str, day_ms: int) -> Query[Login]:
        """The logins of a user on one day."""
        row_of_day = self.sums.plan(user=user, time_ms=day_ms)
        return Query(self.logins, attrs.evolve(row_of_day, residual={}))  # at any time of the day

    def put_first(self, count: DayCount) -> bool:
        """Puts a sum into its row, if that has none; returns whether it did.

        The region server dates it, so the tombstone of a damaged sum that was discarded does not hide it.
        Costs: 1 checkAndPut.
        """
        ((column, value),) = self.sums.layout.cells.pack(count).items()
        return put_if(self.rows, self.sums.row(count), column, None, value)


class DayFolder:
    """Folds days, and settles the sum of a user's day."""

    def __init__(
        self, by_user: LoginTable, by_day: LoginTable, days: BoundSource[DayState], clock: WriterClock
    ) -> None:
        self.by_user = by_user
        self.by_day = by_day
        self.days = days
        self._clock = clock

    def fold(self, day_ms: int) -> int:
        """Does what `LoginRepository.fold` says."""
        users = 0
        self.days.write(LoginDay(day_ms), partial(self._closed, day_ms))
        for row in self._rows_with_logins(day_ms):
            self.fold_user(self.by_day.logins.layout.key.decode(row).user, day_ms)
            users += 1
        self.days.write(LoginDay(day_ms), lambda _state: DayState(day_ms, "folded"))
        return users

    def _closed(self, day_ms: int, stored: DayState | None) -> DayState:
        """The state of a day once a fold has begun. Raises InvalidQuestion for an open day that is not over."""
        over_ms = day_ms + DAY_MS + MAX_SKEW_MS  # also by the clock of a writer that is behind
        if stored is None and (now_ms := self._clock.read_ms()) < over_ms:
            wanted = f"must be over for {MAX_SKEW_MS // 1000} s, because a folded day never opens again"
            raise InvalidQuestion(f"day: {wanted} (got {show_time(day_ms)}, and it is {show_time(now_ms)})")
        return stored or DayState(day_ms, "closed")

    def fold_closed(self) -> Recovery:
        """Folds the days that are closed and not folded.

        Costs: one scan of the days ever folded, of which the server returns only those that are not folded yet; for
        each of these what `fold` costs.
        """
        return settle_each(self.closed_rows(), self._fold_row, self.days.table().layout.name)

    def closed_rows(self) -> Iterator[bytes]:
        """The rows of the days that are closed and not folded."""
        closed = self.days.ask_all().where(state="closed").filtered(_CLOSED)
        return map(self.days.table().row, closed)

    def _fold_row(self, row: bytes) -> bool:
        day_ms = self.days.table().layout.key.decode(row).day_ms
        try:
            self.fold(day_ms)
        except Exception as error:
            raise RuntimeError(f"day {show_time(day_ms)}: {message_of(error)}") from error
        return True

    def _rows_with_logins(self, day_ms: int) -> Iterator[bytes]:
        """The rows of a day that have any login. No scan is open while the caller works on one of them."""
        plan = self.by_day.logins.plan(time_ms=between(day_ms, day_ms + DAY_MS))
        for range_ in chain.from_iterable(stream.ranges for stream in plan.streams):
            columns = self.by_day.logins.layout.cells.columns
            for batch in scan_in_batches(
                self.by_day.rows, range_, ROWS_AT_ONCE, columns=columns, filter=KEYS_ONLY.text
            ):
                yield from (row for row, _cells in batch)

    def fold_user(self, user: str, day_ms: int) -> None:
        """Puts both sums of a user's day, then deletes the logins; memory for one page of them.

        The first folder that puts the sum into the day's row decides it. Deletes are sent once both rows have a sum, so
        a folder that counts too few logins, because another one deletes them, finds a sum, and uses it.
        """
        of_day = _remembered(self.by_day.logins_of(user, day_ms))
        of_user = _remembered(self.by_user.logins_of(user, day_ms))
        in_both = heapq.merge(of_day, of_user, key=attrgetter("time_ms", "tie"))
        count = sum(1 for _login in groupby(in_both))
        if count == 0:  # another folder has deleted them
            return
        self.settle(DayCount(user, day_ms, count))
        self.delete_logins(self.by_user, of_user, day_ms)
        self.delete_logins(self.by_day, of_day, day_ms)  # last, because it lists the user

    def settle(self, count: DayCount, *, replaces: bool = False) -> None:
        """Puts the sum into both rows of a user's day: the one that the day's row has, otherwise this count.

        With `replaces`, it is put above another sum that the user's row has, or that was deleted there.
        """
        total, by_user = self._decided(count), self.by_user
        if replaces:
            above_ms = self.days.writer.check_clock().wall_ms + MAX_SKEW_MS
            by_user.rows.put(by_user.sums.row(total), by_user.sums.layout.cells.pack(total), timestamp=above_ms)
        else:  # every folder puts the same value, because the day's row decided it
            by_user.put_first(total)

    def _decided(self, count: DayCount) -> DayCount:
        """The sum in the day's row: this count, if no other folder was first."""
        if self.by_day.put_first(count):
            return count
        sums = self.by_day.sums
        row = sums.row(count)
        return sums.layout.record(row, self.by_day.rows.row(row, columns=[*sums.layout.cells.columns]))

    def delete_logins(self, table: LoginTable, logins: Iterable[Login], day_ms: int) -> None:
        """Deletes logins by column, up to the last time of the day: tombstones of the whole row would hide its sum."""
        with table.rows.batch(timestamp=day_ms + DAY_MS - 1, batch_size=COLUMNS_AT_ONCE) as batch:
            for login in logins:
                batch.delete(table.logins.row(login), [*table.logins.layout.cells.pack(login)])


def _remembered(logins: Query[Login]) -> Iterable[Login]:
    """The logins of a row; if there are many, they are read again each time."""
    page = logins.page(COLUMNS_AT_ONCE)
    return logins if page.cursor else page.records
