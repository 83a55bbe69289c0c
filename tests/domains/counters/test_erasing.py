"""Erasing a user, beyond what every design promises: logins of one table and of the future, damaged cells."""

import time

from domains.counters import DAY_MS, Login
from domains.counters.shown.design import DESIGN
from shared.testing.erased_person import ErasureTests

from .erased import DAY, ERASED, three_users

VARIANTS = [DESIGN.main]


def test_logins_of_the_future_and_those_that_only_the_list_of_days_has_are_erased_too(engine, connection, variant):
    three_users(lambda: variant.open(connection))
    logins = variant.open(connection)
    logins.store(future := Login("ada", time.time_ns() // 1_000_000 + 2 * DAY_MS))
    by_day, late = variant.tables[1], Login("ada", DAY + 5 * DAY_MS)
    connection.table(by_day.name).put(by_day.row(late), by_day.cells.pack(late), timestamp=late.time_ms)
    assert logins.erase("ada") == len(ErasureTests(engine, ERASED, variant).naming(connection)) == 0
    assert logins.day_count("ada", future.time_ms - future.time_ms % DAY_MS) == 0
