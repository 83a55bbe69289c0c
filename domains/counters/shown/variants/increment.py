"""A counter for each user and day, for each day and user, and for each day: HBase adds one to each of them.

A count is one cell, however many logins there are. But an increment is not idempotent: if its reply is lost, the
client cannot know whether it counted, and retrying may double-count. Nor are the three counters one transaction.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import attrs

from shared.keys import EscapedText, Int64, between, part, row_key
from shared.sources import Table
from shared.tables import COUNTER, Column

from ...records import DAY_MS, DayCount, Login
from ...repository import check_day, check_period, most_frequent

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class DayTotal:
    """How often all users together logged in on one day."""

    day_ms: int
    """The start of the UTC day, milliseconds since 1970."""
    count: int


@row_key
class CountOfUser:
    """The count of one user on one day: a counter.

    Order:  by user, then by day, the oldest first.
    Serves: a user's days of a period; one day of a user.
    Costs:  one scan of one row for each day; one get.
    Fixed:  the zone of a day, UTC.
    Source: S3.6, userId_loginCount_20240315
    """

    user: str = part(EscapedText, "who logged in; any text")
    day_ms: int = part(Int64, "start of the UTC day, milliseconds since 1970")


@row_key
class CountOfDay:
    """The same count in the list of its day.

    Order:  by day, the oldest first, then by user.
    Serves: the top users of a day, and its total.
    Costs:  one scan of one row for each user of the day. Every write of today goes to one region.
    Fixed:  as `CountOfUser`.
    Source: none
    """

    day_ms: int = part(Int64, "start of the UTC day, milliseconds since 1970")
    user: str = part(EscapedText, "who logged in; any text")


@row_key
class TotalOfDay:
    """The counter of a whole day.

    Order:  by day, the oldest first.
    Serves: the total of a day.
    Costs:  one get. Every login adds one to the same row, so one region server does that for all of them.
    Fixed:  as `CountOfUser`.
    Source: none
    """

    day_ms: int = part(Int64, "start of the UTC day, milliseconds since 1970")


COLUMN = "c:n"

COUNTS = Table("login_counts", CountOfUser, DayCount, {"count": Column(COLUMN, COUNTER)})
COUNTS_BY_DAY = Table("login_counts_by_day", CountOfDay, DayCount, COUNTS.layout.cells)
TOTALS = Table("login_totals", TotalOfDay, DayTotal, {"count": Column(COLUMN, COUNTER)})
TABLES = (*COUNTS.tables, *COUNTS_BY_DAY.tables, *TOTALS.tables)


class Repository:
    """Counts logins with counters, and does not store the logins."""

    lacks: ClassVar[Mapping[str, str]] = {"logins": "needs the logins, and a counter keeps only how many there were"}
    """Why a question of `LoginRepository` has no method here, by its name."""

    def __init__(self, connection: "happybase.Connection") -> None:
        self._counts = COUNTS.on(connection)
        self._counts_by_day = COUNTS_BY_DAY.on(connection)
        self._totals = TOTALS.on(connection)

    def store(self, login: Login) -> None:
        """Counts a login. The same login again is counted again. Costs: three increments."""
        day_ms = login.time_ms - login.time_ms % DAY_MS
        count = DayCount(login.user, day_ms, 1)
        tables = (self._counts, self._counts_by_day, self._totals)
        counters = [(table.rows, table.row(count)) for table in tables]  # all layouts are compared before the first
        for rows, row in counters:
            rows.counter_inc(row, COLUMN)

    def day_count(self, user: str, day_ms: int) -> int:
        """How often a user logged in on one day. Costs: one get."""
        check_day(day_ms)
        count = self._counts.ask(user=user, day_ms=day_ms).first()
        return 0 if count is None else count.count

    def days(self, user: str, since_ms: int | None = None, until_ms: int | None = None) -> list[DayCount]:
        """A user's days from `since_ms` to `until_ms` (exclusive), oldest first. Costs: one scan of their rows."""
        check_period(since_ms, until_ms)
        return list(self._counts.ask(user=user, day_ms=between(since_ms, until_ms)))

    def day_total(self, day_ms: int) -> int:
        """How often all users together logged in on one day. Costs: one get."""
        check_day(day_ms)
        total = self._totals.ask(day_ms=day_ms).first()
        return 0 if total is None else total.count

    def top_users(self, day_ms: int, at_most: int = 10) -> list[DayCount]:
        """The users with the most logins of one day. Costs: one scan of a row for each user of the day."""
        check_day(day_ms)
        return most_frequent(self._counts_by_day.ask(day_ms=day_ms), at_most)
