"""Logins in two tables; one method for each question and each write."""

import heapq
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, TypeAlias

import happybase

from shared.keys import InvalidQuestion, Plan, between
from shared.keys.errors import shown
from shared.queries import Query
from shared.records import show_time
from shared.tables import TableLayout

from .keys import TABLES
from .records import DAY_MS, DayCount, Login

LoginTables: TypeAlias = tuple[TableLayout[Any, Login], TableLayout[Any, Login]]
"""The logins by user and day, and by day and user."""


class LoginRepository:
    """Stores logins, and counts them by user and day.

    The two rows of a login are not one transaction. `store` puts the user's row first, then the day's, both with the
    login's own time as timestamp. So a crash leaves a login that a day's total lacks, and the same call again adds it.

    Counts are made of the logins as they are read: nothing has to be kept in step, and the client needs the memory of
    one page, however many logins there are. Days are days of UTC; a period starts and ends with one.
    Costs are those of `TABLES`. A happybase connection serves one thread at a time, and so does a repository: make one
    per thread.
    """

    def __init__(self, connection: happybase.Connection, tables: LoginTables = TABLES) -> None:
        self._by_user, self._by_day = tables
        self._user_rows, self._day_rows = (connection.table(table.name) for table in tables)

    def store(self, login: Login) -> None:
        """Stores a login. The same login again is the same two cells, with the same timestamp. Costs: two puts.

        Makes both rows before it puts the first, so that an invalid key leaves nothing half stored.
        """
        puts = [
            (self._user_rows, self._by_user.row(login), self._by_user.cells.pack(login)),
            (self._day_rows, self._by_day.row(login), self._by_day.cells.pack(login)),
        ]
        for rows, row, cells in puts:
            rows.put(row, cells, timestamp=login.time_ms)

    def logins(self, user: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Login]:
        """A user's logins from `since_ms` up to but not at `until_ms`, any times, newest first.

        Costs: one reverse scan of a page's logins; a row with many more than that is read from its start.
        """
        return Query(self._user_rows, self._by_user, self._of_user(user, since_ms, until_ms), newest_first=True)

    def day_count(self, user: str, day_ms: int) -> int:
        """How often a user logged in on one day. Costs: one scan of the day's logins."""
        check_days(day_ms=day_ms)
        return Query(self._user_rows, self._by_user, self._of_user(user, day_ms, day_ms + DAY_MS)).count()

    def days(self, user: str, since_ms: int | None = None, until_ms: int | None = None) -> list[DayCount]:
        """A user's days from `since_ms` up to but not at `until_ms`, the oldest first, without days without logins.

        Costs: one scan of the logins of these days.
        """
        check_days(since_ms=since_ms, until_ms=until_ms)
        return list(_counts(Query(self._user_rows, self._by_user, self._of_user(user, since_ms, until_ms))))

    def day_total(self, day_ms: int) -> int:
        """How often all users together logged in on one day. Costs: one scan of the day's logins."""
        return self._of_day(day_ms).count()

    def top_users(self, day_ms: int, at_most: int = 10) -> list[DayCount]:
        """The users with the most logins of one day, the first ones by name if they have equally many.

        Costs: one scan of the day's logins.
        """
        return most_frequent(_counts(self._of_day(day_ms)), at_most)

    def _of_user(self, user: str, since_ms: int | None, until_ms: int | None) -> Plan:
        return self._by_user.plan(user=user, time_ms=between(since_ms, until_ms))

    def _of_day(self, day_ms: int) -> Query[Login]:
        check_days(day_ms=day_ms)
        plan = self._by_day.plan(time_ms=between(day_ms, day_ms + DAY_MS))
        return Query(self._day_rows, self._by_day, plan)


def check_days(**times_ms: int | None) -> None:
    """Raises InvalidQuestion for a time that is not the start of a UTC day; None means no bound."""
    for name, time_ms in times_ms.items():
        if time_ms is not None and (type(time_ms) is not int or time_ms % DAY_MS):
            given = show_time(time_ms) if type(time_ms) is int else shown(time_ms)
            raise InvalidQuestion(f"{name.removesuffix('_ms')}: must be the start of a UTC day (got {given})")


def most_frequent(counts: Iterable[DayCount], at_most: int) -> list[DayCount]:
    """The largest counts, in the memory of as many; equal counts by user."""
    if type(at_most) is not int or at_most < 1:
        raise InvalidQuestion(f"at_most: must be 1 or more (got {shown(at_most)})")
    return heapq.nsmallest(at_most, counts, key=lambda count: (-count.count, count.user))


def _counts(logins: Iterable[Login]) -> Iterator[DayCount]:
    """The counts of logins that come by user and day."""
    for (user, day), same in groupby(logins, key=lambda login: (login.user, login.time_ms // DAY_MS)):
        yield DayCount(user, day * DAY_MS, sum(1 for _ in same))
