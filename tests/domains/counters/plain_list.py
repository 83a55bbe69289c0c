"""Logins in a plain list: what every variant has to answer."""

from collections import Counter

from domains.counters import DAY_MS, DayCount
from domains.counters.shown.design import DESIGN
from shared.keys import InvalidQuestion
from shared.records import LAST_MS
from shared.testing import PlainList
from tests.domains.periods import in_period

from .stopped_writes import DAY


def start_of_day(time_ms):
    return time_ms - time_ms % DAY_MS


class PlainLogins:
    """The questions of `LoginRepository`."""

    def __init__(self, variant, logins):
        self.has_logins = variant in ("counters", "salted")
        self._logins = sorted(logins, key=lambda login: (login.time_ms, login.tie), reverse=True)

    def logins(self, user, since_ms=None, until_ms=None):
        if not self.has_logins:
            raise InvalidQuestion("logins: are not kept")
        return in_period(self._logins, since_ms, until_ms, user=user)

    def days(self, user, since_ms=None, until_ms=None):
        counts = Counter(
            start_of_day(login.time_ms) for login in in_period(self._logins, since_ms, until_ms, user=user)
        )
        return [DayCount(user, day_ms, counts[day_ms]) for day_ms in sorted(counts)]

    def day_count(self, user, day_ms):
        return self._users(day_ms)[user]

    def day_total(self, day_ms):
        return self._users(day_ms).total()

    def top_users(self, day_ms, at_most=10):
        ranked = sorted(self._users(day_ms).items(), key=lambda item: (-item[1], item[0]))
        return [DayCount(user, day_ms, count) for user, count in ranked[:at_most]]

    def _users(self, day_ms):
        return Counter(login.user for login in self._logins if start_of_day(login.time_ms) == day_ms)


DAYS = [0, DAY - DAY_MS, DAY, DAY + DAY_MS, LAST_MS - LAST_MS % DAY_MS]
TIMES_MS = [day_ms + at_ms for day_ms in DAYS for at_ms in (0, 1, DAY_MS // 2, DAY_MS - 1)]

PLAIN_LIST = PlainList(
    DESIGN,
    PlainLogins,
    {
        "user": ["ada", "ada2", "ada_2", "a", "ad", "a\0", "é", "🐘"],
        "time_ms": TIMES_MS,
        "logins.since_ms": TIMES_MS,
        "logins.until_ms": TIMES_MS,
        "since_ms": DAYS,
        "until_ms": DAYS,
        "day_ms": DAYS,
        "at_most": range(1, 10),
    },
)
