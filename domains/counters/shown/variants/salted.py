"""The days salted: a bucket computed from the user, then the day, so that today's logins go to eight regions.

A day is read in eight ranges, merged by user.
"""

from functools import partial

from shared.keys import KeyLayout, Salt

from ...keys import ERASURES, LOGIN_DAYS, LOGINS, LOGINS_BY_DAY, UserOfDay
from ...repository import LoginRepository

BUCKETS = 8

SALTED = LOGINS_BY_DAY.like("logins_by_day_salted", KeyLayout(UserOfDay, Salt(of="user", buckets=BUCKETS)))
TABLES = (*LOGINS.tables, *SALTED.tables, *LOGIN_DAYS.tables, *ERASURES.tables)
Repository = partial(LoginRepository, by_day=SALTED)
