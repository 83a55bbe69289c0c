"""A counter for each user and day, for each day and user, and for each day: HBase adds one to each of them.

A count is one cell, however many logins there are. But an increment is not idempotent: if its reply is lost, the
client cannot know whether it counted, and retrying may double-count. Nor are the three counters one transaction.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import attrs

from shared.keys import EscapedText, Int64, KeyLayout, between, part, row_key
from shared.queries import Query
from shared.tables import COUNTER, BoundTable, Column, RecordCells, TableLayout

from ..records import DAY_MS, DayCount, Login
from ..repository import check_day, check_period, most_frequent

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
COUNT_CELLS = RecordCells(DayCount, {"count": Column(COLUMN, COUNTER)})

COUNTS = TableLayout("login_counts", "the counter of one user on one day", KeyLayout(CountOfUser), COUNT_CELLS)
COUNTS_BY_DAY = TableLayout("login_counts_by_day", "the same counter, by day", KeyLayout(CountOfDay), COUNT_CELLS)
TOTALS = TableLayout(
    "login_totals",
    "the counter of a day",
    KeyLayout(TotalOfDay),
    RecordCells(DayTotal, {"count": Column(COLUMN, COUNTER)}),
)


class CounterTables(NamedTuple):
    """The counters of users and days, of days and users, and of days."""

    by_user: TableLayout[CountOfUser, DayCount]
    by_day: TableLayout[CountOfDay, DayCount]
    totals: TableLayout[Any, Any]


TABLES = CounterTables(COUNTS, COUNTS_BY_DAY, TOTALS)


class Repository:
    """Counts logins with counters, and does not store the logins."""

    lacks: ClassVar[Mapping[str, str]] = {"logins": "needs the logins, and a counter keeps only how many there were"}
    """Why a question of `LoginRepository` has no method here, by its name."""

    def __init__(self, connection: "happybase.Connection", tables: CounterTables = TABLES) -> None:
        self._counts = BoundTable(connection, tables.by_user)
        self._counts_by_day = BoundTable(connection, tables.by_day)
        self._totals = BoundTable(connection, tables.totals)

    def store(self, login: Login) -> None:
        """Counts a login. The same login again is counted again. Costs: three increments."""
        day_ms = login.time_ms - login.time_ms % DAY_MS
        count = DayCount(login.user, day_ms, 1)
        counters = [  # all layouts are compared before the first increment
            (self._counts.rows, self._counts.row(count)),
            (self._counts_by_day.rows, self._counts_by_day.row(count)),
            (self._totals.rows, self._row_of_total(login, day_ms)),
        ]
        for rows, row in counters:
            rows.counter_inc(row, COLUMN)

    def _row_of_total(self, login: Login, day_ms: int) -> bytes:
        return self._totals.row(TotalOfDay(day_ms))

    def day_count(self, user: str, day_ms: int) -> int:
        """How often a user logged in on one day. Costs: one get."""
        check_day(day_ms)
        count = Query(self._counts, self._counts.plan(user=user, day_ms=day_ms)).first()
        return 0 if count is None else count.count

    def days(self, user: str, since_ms: int | None = None, until_ms: int | None = None) -> list[DayCount]:
        """A user's days from `since_ms` to `until_ms` (exclusive), oldest first. Costs: one scan of their rows."""
        check_period(since_ms, until_ms)
        return list(Query(self._counts, self._counts.plan(user=user, day_ms=between(since_ms, until_ms))))

    def day_total(self, day_ms: int) -> int:
        """How often all users together logged in on one day. Costs: one get."""
        check_day(day_ms)
        total = Query(self._totals, self._totals.plan(day_ms=day_ms)).first()
        return 0 if total is None else int(total.count)

    def top_users(self, day_ms: int, at_most: int = 10) -> list[DayCount]:
        """The users with the most logins of one day. Costs: one scan of a row for each user of the day."""
        check_day(day_ms)
        return most_frequent(Query(self._counts_by_day, self._counts_by_day.plan(day_ms=day_ms)), at_most)
