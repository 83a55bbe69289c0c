"""Records how long a page of `profiles` takes in a row with tombstones, on a real HBase.

A trimmed order leaves a tombstone in the row of its user. Each row that is measured has 15 orders and as many
tombstones as its name says. The times are medians. They are measured three times: while HBase has everything in memory,
after it has written a file, and after it has compacted all files.
"""

import json
import sys
import time
from datetime import UTC, datetime
from functools import partial
from os import cpu_count
from statistics import median

import happybase

from domains.profiles import TABLES, OrderSummary, Profile, ProfileRepository
from domains.profiles.keys import ORDER_CELLS, PROFILES
from domains.profiles.readme_blocks import TOMBSTONES
from shared.stores import StoreError, connect
from shared.tables import create_tables, drop_tables
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import named_or_started
from tests.programs.hbase.table_files import write_files
from tests.programs.hbase.timing import milliseconds
from tests.programs.hbase.write_counts import version

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
            cells |= ORDER_CELLS.pack(OrderSummary(user_id, number, f"o-{number}", "mug", 499))
        rows.put(user_id, cells, timestamp=count)
        rows.delete(user_id, [*cells], timestamp=count)


def write_often(connection: happybase.Connection, profiles: ProfileRepository, count: int) -> None:
    """Makes HBase write its memory to files `count` times; the row of another user is in each of them."""
    for number in range(count):
        profiles.store(Profile("other", "Ada", number, attributes={"city": "Lyon"}))
        profiles.add_order(OrderSummary("other", number, "o-1"))
        write_files(connection, PROFILES.name)


def measured(connection: happybase.Connection) -> list[dict[str, float]]:
    """The times for each number of tombstones."""
    profiles = ProfileRepository(connection)
    for count in COUNTS:
        trim(connection.table(PROFILES.name), f"u-{count}", count)
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
    return [
        {"tombstones": count} | {name: took for when in found for name, took in when[count].items()} for count in COUNTS
    ]


def medians(profiles: ProfileRepository, when: str) -> dict[int, dict[str, float]]:
    """The median times of a page and of the newest orders, for each number of tombstones; the rows are read in turn."""
    taken: dict[tuple[int, str], list[float]] = {(count, name): [] for count in COUNTS for name in ("page", "newest")}
    for _ in range(ROUNDS):
        for count in COUNTS:
            taken[count, "page"].append(milliseconds(partial(profiles.page, f"u-{count}")))
            taken[count, "newest"].append(milliseconds(partial(profiles.newest_orders, f"u-{count}")))
    return {
        count: {f"{name}_{when}_ms": round(median(taken[count, name]), 1) for name in ("page", "newest")}
        for count in COUNTS
    }


def main() -> int:
    """Writes the recording."""
    try:
        with named_or_started() as named:
            connection = connect(named.store_url("tombstones_"))
            create_tables(connection, TABLES)
            try:
                rows = measured(connection)
            finally:
                drop_tables(connection, TABLES)
            hbase = version(named.info_url or "")
    except (NotStarted, StoreError) as error:
        print(error, file=sys.stderr)
        return 1
    today = datetime.now(UTC).date().isoformat()
    what = {"hbase": hbase, "date": today, "cores": cpu_count(), "rounds": ROUNDS, "orders": STORED, "rows": rows}
    TOMBSTONES.write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
