"""Records that are older than the TTL of their table: their cells expire as soon as they are put, without an error.

HBase counts a TTL from the timestamp of a cell. So of records that are dated by their own times, such as those of last
year's log, it acknowledges every put, and no read finds one.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

import attrs

from ..tables import BoundTable, TableLayout
from .clock import CLOCK

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")

CLOCK_COLUMN = b"l:c"
"""The cell in the row of `RECORDS` itself, through which clocks are compared; releases without it never ask for it."""

_allowed: "WeakSet[happybase.Connection]" = WeakSet()


@attrs.frozen
class ExpiredRecord:
    """Why a record would expire at once: the family with the shortest TTL of those that its cells are in."""

    table: str
    family: str
    ttl_seconds: int
    is_whole: bool
    """Whether all its cells would expire; otherwise other families would keep theirs."""


@attrs.define
class Expired(ValueError):
    """Some records of a batch would expire at once, wholly or in part. No record of the batch is stored.

    Every family of the layout counts, also one in which this record has no cell, such as that of an empty mapping.
    """

    record: str
    """What the first one is: the name of its class."""
    time_ms: int
    """Its time."""
    expired: Mapping[int, ExpiredRecord]
    """All of them, each by its place in the batch, counted from 0."""
    count: int
    """Number of records in the batch."""

    @property
    def reason(self) -> str:
        """Which record would expire at once and why, without what to do."""
        place, first = next(iter(self.expired.items()))
        return (
            f"{self.record}: must be dated less than {first.ttl_seconds:,} s ago, the TTL of table {first.table}, "
            f"family {first.family} (got {self.time_ms}, record {place + 1:,} of {self.count:,}): "
            f"{len(self.expired):,} would expire at once"
        )

    def __str__(self) -> str:
        return f"{self.reason}; allow_expired stores such records all the same"


def allow_expired(connection: "happybase.Connection") -> None:
    """From now on, a connection accepts records that expire at once, instead of raising Expired.

    For a family that has another TTL in the store than it declares, or MIN_VERSIONS, which Thrift1 cannot show; or if
    other families keep enough of each record.
    """
    _allowed.add(connection)


def expired(
    records: Iterable[R],
    tables: Iterable[TableLayout[Any, Any]],
    now_ms: int,
    time_of: Callable[[R], int] = attrgetter("time_ms"),
) -> dict[int, ExpiredRecord]:
    """The records that are older than the shortest TTL of their families in some tables, by their places from 0.

    `time_of` returns the timestamp of a record's cells. Costs: no call.
    """
    families = [(table.name, name, ttl_s) for table in tables for name, ttl_s in table.lifetimes_s.items()]
    table, family, shortest_s = min(families, key=lambda of_table: of_table[2])
    if shortest_s == math.inf:
        return {}
    longest_ms = 1000 * max(ttl_s for _table, _family, ttl_s in families)
    ages_ms = ((place, now_ms - time_of(record)) for place, record in enumerate(records))
    return {
        place: ExpiredRecord(table, family, int(shortest_s), age_ms >= longest_ms)
        for place, age_ms in ages_ms
        if age_ms >= shortest_s * 1000
    }


def refuse_expired(
    records: Collection[R], *tables: BoundTable[Any, Any], time_of: Callable[[R], int] = attrgetter("time_ms")
) -> None:
    """Raises Expired if any of these records would expire at once in one of the tables; see `expired`.

    Does nothing if the tables have no TTL, or after `allow_expired`. `put_all` calls it; a repository that puts cells
    with a record's time by itself, or passes on its records in another order, calls it first.

    The time is that of a clock that agrees with the region server's. They are compared through a cell of the table
    `rowbook_layouts`, in its own row. If the store has no record of the first table's layout, because another program
    created the table, the writer's own clock counts: one that is behind lets expired records through, and one that is
    ahead refuses records that would live.
    Raises ClockSkew. Costs: with a TTL those of `checked_moment`, 1 put and 1 get in ten minutes; otherwise none.
    """
    layouts = [table.layout for table in tables]
    if not records or not any(ttl_s < math.inf for layout in layouts for ttl_s in layout.lifetimes_s.values()):
        return
    if tables[0].connection in _allowed:
        return
    found = expired(records, layouts, _now_ms(tables[0]), time_of)
    if found:
        first = [*records][next(iter(found))]
        raise Expired(type(first).__name__, time_of(first), found, len(records))


def _now_ms(table: BoundTable[Any, Any]) -> int:
    """The time now, by a clock that was compared if the store has a record of the table."""
    from ..tables.recorded_layouts import RECORDS, has_record, record_row  # only a table with a TTL needs them
    from .server_clock import checked_moment

    connection = table.connection
    if not has_record(connection, table.layout):
        return CLOCK.read_ms()
    row = record_row(connection, RECORDS.name)
    return checked_moment(
        connection, connection.table(RECORDS.name), lambda: (row, {CLOCK_COLUMN: b"1"}), CLOCK
    ).wall_ms
