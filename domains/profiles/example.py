"""The story of the design: store a profile, add orders, read the page, change the profile, erase the user.

Run it: python -m domains.profiles.example
"""

import attrs

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import SHOWN, TABLES, TRIM_AT
from .records import OrderSummary, Profile, UserPage
from .repository import ProfileRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    profiles = ProfileRepository(connection)

    day_ms = parse_time("2026-01-12")
    ada = Profile("12", "Ada", day_ms, "ada@example.org", attributes={"city": "Lyon", "phone:home": "555-0100"})
    orders = [OrderSummary("12", day_ms + number, f"order_{number}", "mug", 499) for number in range(25)]
    profiles.store(ada)
    for order in reversed(orders):  # they arrive in the wrong order
        profiles.add_order(order)
    profiles.add_order(orders[24])  # a retry: the same order again changes nothing

    page = profiles.page("12")
    print("the page of user 12, from one get:", page, sep="\n")
    newest = orders[: -SHOWN - 1 : -1]
    assert page == UserPage(ada, tuple(newest))
    assert profiles.newest_orders("1") == []  # another user

    stored = connection.table("profiles").row(b"12", columns=[b"o"])
    print(len(orders), "orders were added;", len(stored), "are stored")
    assert SHOWN <= len(stored) <= TRIM_AT

    moved = attrs.evolve(ada, time_ms=day_ms + 1, age=36, attributes={"city": "Oslo"})
    profiles.store(moved)
    print("the profile now:", profiles.profile("12"))
    assert profiles.profile("12") == moved  # without the telephone number
    profiles.store(ada)  # an old profile that arrives late
    assert profiles.profile("12") == moved

    print("rows of user 12 after it is erased:", profiles.erase("12"))
    assert profiles.page("12") is None


if __name__ == "__main__":
    main()
