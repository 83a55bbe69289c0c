"""Increments, with the total of a day cut into eight rows: each login adds one to one of them, a reader adds them up.

The number of a shard leads its row, and the table is split there, so eight regions share the increments of a day.
"""

import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import attrs

from shared.keys import Int64, Splits, UInt8, between, part, row_key
from shared.sources import Table
from shared.tables import COUNTER, Column

from ...keys import LOGINS
from ...records import DAY_MS, DayCount, Login
from ...repository import check_day, check_period, most_frequent
from .increment import COLUMN, COUNTS, COUNTS_BY_DAY

if TYPE_CHECKING:
    import happybase

SHARDS = 8


@attrs.frozen
class DayShard:
    """A part of a day's total."""

    shard: int
    day_ms: int
    """The start of the UTC day, milliseconds since 1970."""
    count: int


@row_key
class ShardOfDay:
    """One of the counters whose sum is the total of a day.

    Order:  by shard, then by day, the oldest first.
    Serves: the total of a day, of all its shards together.
    Costs:  one call that gets a row of each shard. A login adds one to the shard that its hash chooses.
    Fixed:  the split points. Shards may be added, but not removed: a reader must add up all that were ever written.
    Source: none
    """

    shard: int = part(UInt8, f"below {SHARDS}; a hash of the login, but any writer may choose as it likes")
    day_ms: int = part(Int64, "start of the UTC day, milliseconds since 1970")


SHARDS_OF_DAYS = Table(
    "login_shards",
    ShardOfDay,
    DayShard,
    {"count": Column(COLUMN, COUNTER)},
    splits=Splits(tuple(bytes([shard]) for shard in range(1, SHARDS)), f"{SHARDS} shards: one region each"),
)
TABLES = (*COUNTS.tables, *COUNTS_BY_DAY.tables, *SHARDS_OF_DAYS.tables)


def shard_of(login: Login) -> int:
    """The shard of a login: a hash of everything in it, so that the logins of one user are spread, too."""
    logins = LOGINS.layout
    return zlib.crc32(b"".join([logins.row(login), *logins.cells.pack(login)])) % SHARDS


class Repository:
    """Counts logins with counters, and does not store the logins; the total of a day is in shards."""

    lacks: ClassVar[Mapping[str, str]] = {"logins": "needs the logins, and a counter keeps only how many there were"}
    """Why a question of `LoginRepository` has no method here, by its name."""

    def __init__(self, connection: "happybase.Connection") -> None:
        self._counts = COUNTS.on(connection)
        self._counts_by_day = COUNTS_BY_DAY.on(connection)
        self._shards = SHARDS_OF_DAYS.on(connection)

    def store(self, login: Login) -> None:
        """Counts a login. The same login again is counted again. Costs: three increments."""
        day_ms = login.time_ms - login.time_ms % DAY_MS
        count = DayCount(login.user, day_ms, 1)
        counters = [  # all layouts are compared before the first increment
            (self._counts.rows, self._counts.row(count)),
            (self._counts_by_day.rows, self._counts_by_day.row(count)),
            (self._shards.rows, self._shards.row(ShardOfDay(shard_of(login), day_ms))),
        ]
        for rows, row in counters:
            rows.counter_inc(row, COLUMN)

    def day_count(self, user: str, day_ms: int) -> int:
        """How often a user logged in on one day. Costs: one get."""
        check_day(day_ms)
        count = self._counts.ask(user=user, day_ms=day_ms).first()
        return 0 if count is None else count.count

    def days(self, user: str, since_ms: int | None = None, until_ms: int | None = None) -> list[DayCount]:
        """A user's days from `since_ms` to `until_ms` (exclusive), oldest first. Costs: one scan of their rows."""
        check_period(since_ms, until_ms)
        return list(self._counts.ask(user=user, day_ms=between(since_ms, until_ms)))

    def day_total(self, day_ms: int) -> int:
        """How often all users together logged in on one day. Costs: one call with a get for each shard."""
        check_day(day_ms)
        shards = self._shards
        rows = [shards.row(ShardOfDay(shard, day_ms)) for shard in range(SHARDS)]
        return sum(shards.layout.record(row, cells).count for row, cells in shards.rows.rows(rows))

    def top_users(self, day_ms: int, at_most: int = 10) -> list[DayCount]:
        """The users with the most logins of one day. Costs: one scan of a row for each user of the day."""
        check_day(day_ms)
        return most_frequent(self._counts_by_day.ask(day_ms=day_ms), at_most)
