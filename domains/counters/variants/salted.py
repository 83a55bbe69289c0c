"""The days salted: a bucket computed from the user, then the day, so that today's logins go to eight regions.

A day is read in eight ranges, merged by user. Users and their days are those of `keys.py`.
"""

from shared.keys import KeyLayout, Salt
from shared.tables import TableLayout

from ..keys import FAMILIES, INTENTS, LOGIN_CELLS, LOGIN_DAYS, LOGINS, UserOfDay

BUCKETS = 8

LOGINS_BY_DAY = TableLayout(
    "logins_by_day_salted",
    "the same logins, by bucket and day",
    KeyLayout(UserOfDay, Salt(of="user", buckets=BUCKETS)),
    LOGIN_CELLS,
    FAMILIES,
)

TABLES = (LOGINS, LOGINS_BY_DAY, LOGIN_DAYS, INTENTS)
