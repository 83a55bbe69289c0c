"""Where each new row goes while the number in its key counts up: the region and the server in a table that splits."""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from statistics import median

import attrs

from shared.exhibit.regions.simulated_splits import SimulatedTable, SplitPolicy
from tests.programs.pages.numbered_keys import BUCKETS, SERVERS

STORED = 20_000
REGION_ROWS = 1_000
POLICY = SplitPolicy(flush_bytes=REGION_ROWS / 4, max_bytes=REGION_ROWS)
"""A row counts as one byte; the first regions split at half as many."""
HUNDREDTH = STORED // 100
PLACES = ("the first region", "one between", "the last")


def _hashed(user: str) -> bytes:
    """`MD5(user).substring(0, 8) + "_" + user`, as published."""
    return f"{hashlib.md5(user.encode(), usedforsecurity=False).hexdigest()[:8]}_{user}".encode()


NEWEST_FORMS: Mapping[str, Callable[[int], bytes]] = {
    "`user_00000001`, `user_00000002`, ...": lambda number: b"user_%08d" % number,
    "`user_1`, `user_2`, ...": lambda number: b"user_%d" % number,
    "`3f49044c_user_1`, ...": lambda number: _hashed(f"user_{number}"),
}
"""Keys of users who are numbered in the order in which they are stored; the last two are published (S3.1)."""


@attrs.frozen
class NewestRows:
    """Where the rows of a load went, each at its time."""

    shares: Mapping[str, float]
    """The shares of the rows after the first split that went to each of `PLACES`, in key order."""
    at_once: float
    """The share of the busiest server in a hundredth of the load: the median."""
    of_all: float
    """The share of the busiest server in the whole load."""
    splits: int


@cache
def newest_rows(form: Callable[[int], bytes]) -> NewestRows:
    """Stores the rows one by one in a simulated table."""
    rows = [form(number) for number in range(1, STORED + 1)]
    place_of = {row: place for place, row in enumerate(sorted(rows))}
    table = SimulatedTable(STORED, 1, POLICY, SERVERS)
    places, servers = Counter[str](), list[int]()
    for row in rows:
        region = table.put(place_of[row])
        if table.splits:
            places[_place(table, table.regions.index(region))] += 1
        servers.append(region.server)
        table.split(region)
    parts = [servers[start : start + HUNDREDTH] for start in range(0, STORED, HUNDREDTH)]
    return NewestRows(
        {place: places[place] / places.total() for place in PLACES},
        median(_busiest(part) for part in parts),
        _busiest(servers),
        table.splits,
    )


def _place(table: SimulatedTable, number: int) -> str:
    first, between, last = PLACES
    return first if number == 0 else last if number == len(table.regions) - 1 else between


def _busiest(servers: list[int]) -> float:
    return max(Counter(servers).values()) / len(servers)


BUSY, OTHERS = "ada", 19
"""The user who writes every second row, and the number of users who write the others."""
OWNED_FORMS: Mapping[str, Callable[[str, int], bytes]] = {
    "`[user][time]`": lambda user, time: b"%s_%08d" % (user.encode(), time),
    "`[md5 of the user][user][time]`": lambda user, time: b"%s_%08d" % (_hashed(user), time),
    f"`[1 of {BUCKETS}, of user and time][user][time]`": lambda user, time: (
        b"%d_%s_%08d" % (zlib.crc32(b"%s%d" % (user.encode(), time)) % BUCKETS, user.encode(), time)
    ),
}
"""Keys of what users did, oldest first."""


@attrs.frozen
class RowsOfOneUser:
    """How many regions hold the rows of the busy user at the end, and how far apart the user's new rows went."""

    regions: int
    """Regions that have some of them."""
    of_regions: int
    """All regions of the table."""
    at_once: float
    """The share of the user's rows in a hundredth of the load that the busiest region took: the median."""


@cache
def rows_of_one_user(form: Callable[[str, int], bytes]) -> RowsOfOneUser:
    """Stores what all users did in a simulated table."""
    rows = [form(BUSY if time % 2 else f"user_{time // 2 % OTHERS}", time) for time in range(STORED)]
    place_of = {row: place for place, row in enumerate(sorted(rows))}
    table = SimulatedTable(STORED, 1, POLICY, SERVERS)
    chosen = list[int]()
    for time, row in enumerate(rows):
        region = table.put(place_of[row])
        if time % 2:
            chosen.append(id(region))
        table.split(region)
    owned = {id(table.region_of(place_of[row])) for row in rows[1::2]}
    parts = [chosen[start : start + HUNDREDTH // 2] for start in range(0, len(chosen), HUNDREDTH // 2)]
    return RowsOfOneUser(len(owned), len(table.regions), median(_busiest(part) for part in parts))
