"""Two tables of the same logins, a cell for each: by user and day, and by day and user.

A third table has the days that were closed. A login is a cell, not an increment: putting it again changes nothing. Its
qualifier is its time within the day and a tie-breaker, so a count is the number of cells of a row. A fold puts the sum
into another family of the row, and deletes the logins. Days are days of UTC.
"""

from typing import Any

from shared.intents import ErasuresTable
from shared.keys import EscapedText, Int64, KeyLayout, Rest, Slice, UInt32, UInt64, part, row_key
from shared.sources import Source, Table
from shared.tables import Family, ItemCells, RecordCells, TableLayout

from .records import DAY_MS, DayCount, DayState, Login


@row_key
class DayOfUser:
    """The logins of one user on one day.

    Order:  by user, then by day, the oldest first; in a row by time.
    Serves: a user's days of a period; one day of a user; the logins themselves.
    Costs:  one scan of all cells of these days, which the client counts.
    Fixed:  the length of a day and its zone, UTC; another one means a new table.
    Source: S3.6, userId_loginCount_20240315
    """

    user: str = part(EscapedText, "who logged in; any text, and u-1 never matches u-17")
    time_ms: int = part(Slice(Int64, DAY_MS), "start of the UTC day, milliseconds since 1970")


@row_key
class UserOfDay:
    """The same logins in the list of their day.

    Order:  by day, the oldest first, then by user; in a row by time.
    Serves: the total of a day; the top users of a day.
    Costs:  one scan of all cells of the day. Every write of today goes to one region; a salt of the user spreads them.
    Fixed:  as `DayOfUser`.
    Source: none
    """

    time_ms: int = part(Slice(Int64, DAY_MS), "start of the UTC day, milliseconds since 1970")
    user: str = part(EscapedText, "who logged in; any text")


@row_key
class WithinDay:
    """The qualifier of a login: its time within the day and a tie-breaker.

    Order: by time, then by tie.
    """

    time_ms: int = part(Rest(UInt32, DAY_MS), "milliseconds since the start of the day")
    tie: int = part(UInt64, "distinguishes logins of one user in one millisecond")


@row_key
class LoginDay:
    """Whether a day takes logins; a day without a row does.

    Order:  by day, the oldest first.
    Serves: each login, which reads it before and after its puts; recovery, which reads the days not folded yet.
    Costs:  two gets for each login. Today's row is read by every writer, from the server's memory.
    Fixed:  the zone of a day, UTC.
    Source: none
    """

    day_ms: int = part(Int64, "start of the UTC day, milliseconds since 1970")


FAMILIES = {"l": Family(), "s": Family()}
"""The family of the sums must not have a TTL: a row whose sum expired would count nothing."""

LOGINS = Table(
    "logins",
    DayOfUser,
    Login,
    ItemCells(Login, "l", KeyLayout(WithinDay)),
    dated_by="time_ms",
    holds="the logins of one user on one day",
    families=FAMILIES,
)
LOGINS_BY_DAY = Table(
    "logins_by_day",
    UserOfDay,
    Login,
    LOGINS.layout.cells,
    dated_by="time_ms",
    holds="the same logins, by day",
    families=FAMILIES,
)
LOGIN_DAYS = Source(
    "login_days",
    LoginDay,
    DayState,
    {"state": "d:s"},
    cell="d:day",
    intents="logins_intents",
    holds="a day that takes no more logins",
)
ERASURES = ErasuresTable("logins_erasures", writers=0)
"""The users who are being erased."""

TABLES = (*LOGINS.tables, *LOGINS_BY_DAY.tables, *LOGIN_DAYS.tables, *ERASURES.tables)


def sums_of(logins: TableLayout[Any, Login]) -> TableLayout[Any, DayCount]:
    """The sums of a table of logins, which are in its rows."""
    cells = RecordCells(DayCount, {"count": "s:n"}, key_names={"day_ms": "time_ms"})
    return TableLayout(logins.name, "the sum of a day", logins.key, cells, logins.families, logins.splits)
