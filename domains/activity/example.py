"""The story of the design: store actions; list a user's latest and a user's day; find one again; erase a user.

Run it: python -m domains.activity.example
"""

from shared.keys import InvalidQuestion
from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .records import Action
from .repository import ActivityRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    activity = ActivityRepository(connection)

    day_ms = parse_time("2026-01-12")
    login = Action("u-1", "login", day_ms + 1_000, source="203.0.113.9")
    opened = Action("u-1", "read", day_ms + 2_000, object="doc-7")
    saved = Action("u-1", "write", day_ms + 2_000, object="doc-7")  # the page sends both in one millisecond
    other = Action("u-12", "login", day_ms + 1_500, source="203.0.113.7")
    print(activity.store_all([login, opened, saved, other]), "actions stored")
    activity.store(saved)  # a retry: the same action again changes nothing

    print("what u-1 did last, newest first, and nothing of u-12:")
    latest = activity.of_user("u-1").page(limit=2).records
    print(*latest, sep="\n")
    assert {*latest} == {opened, saved}

    print("what u-1 did in the first two seconds of the day:")
    first = list(activity.of_user("u-1", day_ms, day_ms + 2_000))
    print(*first, sep="\n")
    assert first == [login]

    assert activity.action("u-1", saved.time_ms, saved.tie) == saved  # the key of an action finds it again
    try:
        activity.of_all(day_ms, day_ms + 2_000)
    except InvalidQuestion as refused:
        print("all users in that period:", refused)

    print("rows of u-1 after it is erased:", activity.erase("u-1"))
    assert [*activity.of_user("u-1"), *activity.of_user("u-12")] == [other]


if __name__ == "__main__":
    main()
