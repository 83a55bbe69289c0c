"""Helpers of the variants' tests: questions as data, and the answers of a plain list."""

from collections import Counter

import pytest

from domains.counters import DAY_MS, DayCount, Login, Repeats
from domains.counters.design import DESIGN

BY_NAME = {variant.name: variant for variant in DESIGN.variants}
KEEPING = ["counters", "salted"]
"""The variants that keep every login."""
COUNTING = ["increment", "sharded"]
DAY = 1_768_176_000_000  # 2026-01-12T00:00:00.000Z
HOUR_MS = 3_600_000


def only(*names):
    """Runs a test for these variants."""
    return pytest.mark.parametrize("variant", [BY_NAME[name] for name in names], ids=names)


keeping = only(*KEEPING)
counting = only(*COUNTING)
main_variant = only(DESIGN.main.name)
keeping_main_or_long = pytest.mark.parametrize(
    "variant",
    [BY_NAME["counters"], pytest.param(BY_NAME["salted"], marks=pytest.mark.long)],
    ids=KEEPING,
)
"""Runs a test that takes seconds: the one variant in `make test`, the other in `make test-long`."""


def login(time_ms=DAY, user="ada", tie=0):
    return Login(user, time_ms, tie)


LATE = [login(DAY + 7), login(DAY + 7, "zoe")]
"""A login of a user whose day has others, and one of a user whose day has none."""


def logins_of_three():
    """Logins of three users on one day, and of one of them on the days beside it."""
    return [
        *(login(DAY + at, user) for at, user in enumerate(["ada", "ada", "bob", "ada_2"])),
        login(DAY + DAY_MS - 1),
        login(DAY - 1),
        login(DAY + DAY_MS),
    ]


def stored(repository, *logins):
    """Stores logins, those of one user and millisecond with ties of their own, and returns them."""
    repeats = Repeats()
    numbered = [repeats(new) for new in logins]
    for new in numbered:
        repository.store(new)
    return numbered


def dump(connection, variant):
    """Every cell of the variant's tables, with its timestamp."""
    return {table.name: list(connection.table(table.name).scan(include_timestamp=True)) for table in variant.tables}


def start_of_day(time_ms):
    return time_ms - time_ms % DAY_MS


def answer(repository, question):
    """The answer to (method, arguments), a query as the list of its records."""
    ask, *arguments = question
    answered = getattr(repository, ask)(*arguments)
    return list(answered) if ask == "logins" else answered


def expected(logins, question):
    """The answer of a plain list of logins."""
    ask, *arguments = question
    if ask == "day_total":
        return sum(start_of_day(login.time_ms) == arguments[0] for login in logins)
    if ask == "day_count":
        user, day_ms = arguments
        return sum((login.user, start_of_day(login.time_ms)) == (user, day_ms) for login in logins)
    if ask == "top_users":
        day_ms, at_most = arguments
        counts = Counter(login.user for login in logins if start_of_day(login.time_ms) == day_ms)
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return [DayCount(user, day_ms, count) for user, count in ranked[:at_most]]
    user, since_ms, until_ms = arguments
    matching = [
        login
        for login in logins
        if login.user == user
        and (since_ms is None or since_ms <= login.time_ms)
        and (until_ms is None or login.time_ms < until_ms)
    ]
    if ask == "logins":
        return sorted(matching, key=lambda login: (login.time_ms, login.tie), reverse=True)
    days = Counter(start_of_day(login.time_ms) for login in matching)
    return [DayCount(user, day_ms, days[day_ms]) for day_ms in sorted(days)]
