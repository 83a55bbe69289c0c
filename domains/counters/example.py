"""The story of the design: store logins, some of them twice; count them, fold a day, and count the same.

Run it: python -m domains.counters.example
"""

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .records import DAY_MS, DayCount, Login
from .repository import DayClosed, LoginRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    repository = LoginRepository(connection)

    monday = parse_time("2026-01-12")
    tuesday = monday + DAY_MS
    morning = Login("ada", monday + 8 * 3_600_000)
    second = Login("ada", morning.time_ms, tie=1)  # another one in the same millisecond
    midnight = Login("ada", tuesday)
    other = Login("ada_2", monday + 9 * 3_600_000)
    for login in (morning, second, midnight, other):
        repository.store(login)
    repository.store(morning)  # the reply was lost, so the client tries again: it counts once

    print("ada's days, and none of ada_2:")
    days = repository.days("ada", since_ms=monday, until_ms=monday + 7 * DAY_MS)
    print(*days, sep="\n")
    assert days == [DayCount("ada", monday, 2), DayCount("ada", tuesday, 1)]
    assert repository.day_count("ada", monday) == 2

    print(repository.day_total(monday), "logins on Monday; the top users:")
    top = repository.top_users(monday)
    print(*top, sep="\n")
    assert repository.day_total(monday) == 3
    assert top == [DayCount("ada", monday, 2), DayCount("ada_2", monday, 1)]

    print(repository.fold(monday), "users of Monday folded, each to one cell")
    assert repository.day_total(monday) == 3
    assert repository.days("ada") == days
    try:
        repository.store(morning)
        raise RuntimeError("a folded day took a login")
    except DayClosed as refused:
        print(refused)

    latest = repository.logins("ada").page(limit=1).records
    print("her latest login:", *latest)
    assert latest == [midnight]


if __name__ == "__main__":
    main()
