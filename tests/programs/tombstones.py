"""Records how long a page of `profiles` takes in a row with tombstones, on a real HBase.

A trimmed order leaves a tombstone in the row of its user. Each row that is measured has 15 orders and as many
tombstones as its name says. The times are medians. They are measured three times: while HBase has everything in memory,
after it has written a file, and after it has compacted all files.
"""

import sys
import time
from functools import partial
from statistics import median
from typing import Any

import happybase

from domains.profiles import TABLES, OrderSummary, Profile, ProfileRepository
from domains.profiles.keys import NEWEST, PROFILES
from domains.profiles.shown.measured import TOMBSTONES
from shared.tables import create_tables
from tests.programs.hbase.named import NamedHBase
from tests.programs.hbase.recording import record, times_in_turns
from tests.programs.hbase.table_files import write_files

COUNTS = (0, 100, 1_000, 10_000, 100_000)
STORED = 15
ROUNDS = 41
AT_ONCE = 1_000
NEW_MS = 1_768_205_250_123
FILES_TO_COMPACT = 3
"""HBase compacts all files of a family, and so drops the tombstones, once it has written so many."""


def trim(rows: happybase.Table, user_id: str, count: int) -> None:
    """Stores orders and deletes them, as a writer trims them, in fewer calls."""
    for first in range(0, count, AT_ONCE):
        cells: dict[bytes, bytes] = {}
        for number in range(first, min(count, first + AT_ONCE)):
            cells |= NEWEST.layout.cells.pack(OrderSummary(user_id, number, f"o-{number}", "mug", 499))
        rows.put(user_id, cells, timestamp=count)
        rows.delete(user_id, [*cells], timestamp=count)


def write_often(connection: happybase.Connection, profiles: ProfileRepository, count: int) -> None:
    """Makes HBase write its memory to files `count` times; the row of another user is in each of them."""
    for number in range(count):
        profiles.store(Profile("other", "Ada", number, attributes={"city": "Lyon"}))
        profiles.add_order(OrderSummary("other", number, "o-1"))
        write_files(connection, PROFILES.layout.name)


def measured(connection: happybase.Connection, _named: NamedHBase) -> dict[str, Any]:
    """The times for each number of tombstones."""
    create_tables(connection, TABLES)
    profiles = ProfileRepository(connection)
    for count in COUNTS:
        trim(connection.table(PROFILES.layout.name), f"u-{count}", count)
        profiles.store(Profile(f"u-{count}", "Ada", NEW_MS))
        for number in range(STORED):
            profiles.add_order(OrderSummary(f"u-{count}", NEW_MS + number, f"new-{number}", "mug", 499))
    medians(profiles, "not used")  # the first calls of a server are slow
    found = [medians(profiles, "memory")]
    write_often(connection, profiles, 1)
    found.append(medians(profiles, "file"))
    write_often(connection, profiles, FILES_TO_COMPACT)
    time.sleep(10)  # HBase compacts in the background
    found.append(medians(profiles, "compacted"))
    rows = [
        {"tombstones": count} | {name: took for when in found for name, took in when[count].items()} for count in COUNTS
    ]
    return {"rounds": ROUNDS, "orders": STORED, "rows": rows}


def medians(profiles: ProfileRepository, when: str) -> dict[int, dict[str, float]]:
    """The median times of a page and of the newest orders, for each number of tombstones; the rows are read in turn."""
    calls = {
        (count, name): partial(ask, f"u-{count}")
        for count in COUNTS
        for name, ask in (("page", profiles.page), ("newest", profiles.newest_orders))
    }
    taken = times_in_turns(calls, ROUNDS)
    return {
        count: {f"{name}_{when}_ms": round(median(taken[count, name]), 1) for name in ("page", "newest")}
        for count in COUNTS
    }


if __name__ == "__main__":
    sys.exit(record(TOMBSTONES, measured))
