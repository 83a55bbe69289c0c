"""The user first against the time first: what a question reads on average, by how many of them name a user."""

from contextlib import closing
from typing import Any

from shared.designs import Design, metered, scratch_store
from shared.exhibit import Crossing, Series
from shared.keys import between
from shared.queries import Query
from shared.records import parse_time

from ..keys import ACTIVITY, TABLES
from ..repository import ActivityRepository
from .variants import time_first

DAY = parse_time("2026-01-16"), parse_time("2026-01-17")
USER = "u-17"
OF_ONE_USER = (1, 2, 4, 8, 16, 32, 64)
"""Questions about one user, for each question about all users."""


def crossing(design: Design) -> Crossing:
    """The rows that a question about one day reads; `activity` pays a full table scan for one that it refuses."""
    actions = list(design.loads[0].sample_records())
    with closing(scratch_store([*TABLES, *time_first.TABLES])) as connection:
        by_user, by_time = ActivityRepository(connection), time_first.Repository(connection)
        for repository in (by_user, by_time):
            repository.store_all(actions)

        def rows_read(query: Query[Any]) -> int:
            with metered(connection) as cost:
                assert query.count()
            return cost.rows_fetched

        full_scan = rows_read(ACTIVITY.on(connection).ask_all().where(time_ms=between(*DAY)))
        of_one, of_one_by_time = rows_read(by_user.of_user(USER, *DAY)), rows_read(by_time.of_user(USER, *DAY))
        of_all_by_time = rows_read(by_time.of_all(*DAY))

    def average(name: str, one: int, all_users: int) -> Series:
        return Series(name, [(number * one + all_users) / (number + 1) for number in OF_ONE_USER])

    least = next(
        number
        for number in range(101)
        if number * of_one + (100 - number) * full_scan < number * of_one_by_time + (100 - number) * of_all_by_time
    )
    return Crossing(
        f"User first pays if {least} of 100 questions name a user",
        "rows read by a question, on average",
        "questions of one user for each one of all users",
        OF_ONE_USER,
        (average("activity", of_one, full_scan), average("time-first", of_one_by_time, of_all_by_time)),
        f"A day of one user reads {of_one} rows in `activity` and {of_one_by_time} in `time-first`; that day of all "
        f"users reads {full_scan:,} rows by a full scan of `activity`, and {of_all_by_time} in `time-first`. With both "
        "tables, each question reads fewest.",
    )
