"""The days salted: a bucket computed from the user, then the day, so that today's logins go to eight regions.

A day is read in eight ranges, merged by user.
"""

from shared.keys import KeyLayout, Salt
from shared.tables import TableLayout

from ..keys import FAMILIES, LOGIN_CELLS, UserOfDay
from ..keys import TABLES as MAIN_TABLES

BUCKETS = 8

LOGINS_BY_DAY = TableLayout(
    "logins_by_day_salted",
    "the same logins, by bucket and day",
    KeyLayout(UserOfDay, Salt(of="user", buckets=BUCKETS)),
    LOGIN_CELLS,
    FAMILIES,
)

TABLES = MAIN_TABLES._replace(by_day=LOGINS_BY_DAY)
