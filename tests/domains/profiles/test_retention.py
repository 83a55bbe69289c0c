"""What old orders cost in a table of orders, however they go, and that a TTL of orders leaves the profile."""

import time
from contextlib import closing

import pytest

from domains.profiles import OrderSummary, Profile, ProfileRepository
from domains.profiles.keys import FAMILIES, NEWEST, PROFILES
from domains.profiles.shown.variants import orders_table
from shared.designs import metered
from shared.stores import connect
from shared.tables import Family, create_tables
from shared.writes import Expired, allow_expired, delete_all
from tests.readmes import ROOT

DAY_MS = 86_400_000
TTL = Family(ttl_seconds=30 * 86_400)


@pytest.mark.parametrize("way", ["deleted", "expired by a TTL"])
def test_old_orders_are_read_past_until_a_compaction_but_not_for_the_newest_ones(way):
    now_ms = time.time_ns() // 1_000_000
    table = orders_table.ORDERS if way == "deleted" else orders_table.ORDERS.like(families={"o": TTL})
    with closing(connect("embedded:")) as connection:
        create_tables(connection, [*orders_table.PROFILES.tables, *table.tables])
        allow_expired(connection)
        profiles = orders_table.Repository(connection, table)
        for days_ago in range(100):
            profiles.add_order(OrderSummary("ada", now_ms - days_ago * DAY_MS - DAY_MS // 2, f"order_{days_ago}"))
        if way == "deleted":
            delete_all(profiles.orders_of("ada", until_ms=now_ms - 30 * DAY_MS), table.on(connection))
        costs = []
        for _ in ("before", "after"):
            with metered(connection) as newest:
                profiles.newest_orders("ada")
            with metered(connection) as whole:
                assert profiles.orders_of("ada").count() == 30
            costs.append((newest.rows_read, whole.rows_read))
            connection.compact(table.layout.name)
    assert costs == [(11, 100), (11, 30)]
    page = " ".join((ROOT / "domains/profiles/REFERENCE.md").read_text(encoding="utf-8").split())
    assert "of 100 orders of which 70 were deleted or have expired, it reads 100 rows before and 30 after" in page


def test_a_ttl_of_the_orders_refuses_an_old_order_and_keeps_an_old_profile():
    families = {**FAMILIES, "o": TTL}
    of_profiles, kept_30_days = (table.like(families=families) for table in (PROFILES, NEWEST))
    with closing(connect("embedded:")) as connection:
        create_tables(connection, [*of_profiles.tables, *kept_30_days.tables])
        profiles = ProfileRepository(connection, of_profiles, kept_30_days)
        profiles.store(Profile("ada", "Ada", 1_000_000))
        with pytest.raises(Expired, match="must be dated less than 2,592,000 s ago"):
            profiles.add_order(OrderSummary("ada", 1_000_000, "order_1"))
        page = profiles.page("ada")
    assert page is not None
    assert (page.profile, page.orders) == (Profile("ada", "Ada", 1_000_000), ())
