"""Logins, the variants that a test runs for, and what stores logins, for the tests of counters."""

import pytest

from domains.counters.design import DESIGN

from .stopped_writes import DAY, LATE, login, logins_of_three, stored

__all__ = ["COUNTING", "DAY", "HOUR_MS", "KEEPING", "LATE", "login", "logins_of_three", "stored"]

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


def put(connection, table, *logins):
    """Puts logins into one table only."""
    for new in logins:
        connection.table(table.name).put(table.row(new), table.cells.pack(new), timestamp=new.time_ms)
