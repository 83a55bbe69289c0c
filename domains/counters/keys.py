"""Two tables of the same logins, a cell for each: by user and day, and by day and user.

A login is a cell, not an increment: putting it again changes nothing. Its qualifier is what the day in the row key
leaves open, so a count is the number of cells of a row. Days are days of UTC.
"""

from shared.keys import EscapedText, Int64, KeyLayout, Rest, Slice, UInt32, UInt64, part, row_key
from shared.tables import ItemCells, TableLayout

from .records import DAY_MS, Login


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
    Costs:  one scan of all cells of the day. Every write of today goes to one region; the variant salted spreads them.
    Fixed:  as `DayOfUser`.
    Source: none
    """

    time_ms: int = part(Slice(Int64, DAY_MS), "start of the UTC day, milliseconds since 1970")
    user: str = part(EscapedText, "who logged in; any text")


@row_key
class WithinDay:
    """The qualifier of a login: what the day in the row key leaves open.

    Order: by time, then by tie.
    """

    time_ms: int = part(Rest(UInt32, DAY_MS), "milliseconds since the start of the day")
    tie: int = part(UInt64, "distinguishes logins of one user in one millisecond")


LOGIN_CELLS = ItemCells(Login, "l", KeyLayout(WithinDay))

LOGINS = TableLayout("logins", "the logins of one user on one day", KeyLayout(DayOfUser), LOGIN_CELLS)
LOGINS_BY_DAY = TableLayout("logins_by_day", "the same logins, by day", KeyLayout(UserOfDay), LOGIN_CELLS)

TABLES = (LOGINS, LOGINS_BY_DAY)
