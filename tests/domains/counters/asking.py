"""Logins, the variants that a test runs for, and what stores logins, for the tests of counters."""

import pytest

from domains.counters import DAY_MS, Login, Repeats
from domains.counters.design import DESIGN

from .plain_list import DAY

BY_NAME = {variant.name: variant for variant in DESIGN.variants}
KEEPING = ["counters", "salted"]
"""The variants that keep every login."""
COUNTING = ["increment", "sharded"]
HOUR_MS = 3_600_000


def only(*names):
    """Runs a test for these variants."""
    return pytest.mark.parametrize("variant", [BY_NAME[name] for name in names], ids=names)


keeping = only(*KEEPING)
main_variant = only(DESIGN.main.name)
long_salted = pytest.param(BY_NAME["salted"], marks=pytest.mark.long)
keeping_main_or_long = pytest.mark.parametrize("variant", [BY_NAME["counters"], long_salted], ids=KEEPING)
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


def put(connection, table, *logins):
    """Puts logins into one table only."""
    for new in logins:
        connection.table(table.name).put(table.row(new), table.cells.pack(new), timestamp=new.time_ms)
