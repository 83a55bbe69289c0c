"""Increments, with the total of a day cut into eight rows: each login adds one to one of them, a reader adds them up.

The number of a shard leads its row, and the table is split there, so eight regions share the increments of a day.
"""

import zlib
from typing import TYPE_CHECKING

import attrs

from shared.keys import Int64, KeyLayout, Splits, UInt8, part, row_key
from shared.tables import COUNTER, Column, RecordCells, TableLayout

from ..keys import LOGINS
from ..records import Login
from ..repository import check_day
from . import increment
from .increment import COLUMN, COUNTS, COUNTS_BY_DAY, CounterTables

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


SHARD_TOTALS = TableLayout(
    "login_shards",
    "a part of the counter of a day",
    KeyLayout(ShardOfDay),
    RecordCells(DayShard, {"count": Column(COLUMN, COUNTER)}),
    splits=Splits(tuple(bytes([shard]) for shard in range(1, SHARDS)), f"{SHARDS} shards: one region each"),
)

TABLES = CounterTables(COUNTS, COUNTS_BY_DAY, SHARD_TOTALS)


def shard_of(login: Login) -> int:
    """The shard of a login: a hash of everything in it, so that the logins of one user are spread, too."""
    return zlib.crc32(b"".join([LOGINS.row(login), *LOGINS.cells.pack(login)])) % SHARDS


class Repository(increment.Repository):
    """The repository of `increment`, whose totals are in shards."""

    def __init__(self, connection: "happybase.Connection", tables: CounterTables = TABLES) -> None:
        super().__init__(connection, tables)

    def _row_of_total(self, login: Login, day_ms: int) -> bytes:
        return self._totals.row(ShardOfDay(shard_of(login), day_ms))

    def day_total(self, day_ms: int) -> int:
        """How often all users together logged in on one day. Costs: one call with a get for each shard."""
        check_day(day_ms)
        rows = [self._totals.row(ShardOfDay(shard, day_ms)) for shard in range(SHARDS)]
        return sum(SHARD_TOTALS.record(row, cells).count for row, cells in self._totals.rows.rows(rows))
