"""Many records in few calls: puts and deletes that may be repeated, because each is dated by its own record."""

import math
import time
from collections.abc import Callable, Collection, Iterable
from operator import attrgetter
from typing import Any, Protocol, TypeVar

import attrs

from ..queries import Query
from ..queries.scanning import BATCH_ROWS, in_batches
from ..tables import BoundTable, InvalidRow, TableLayout
from .dated_cells import put_dated
from .expiring import Expired, refuse_expired

RECORDS_AT_ONCE = 1000
"""Number of records that `store_all` stores at a time by default."""


class Timed(Protocol):
    """A record with the timestamp of its cells."""

    @property
    def time_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        ...


R = TypeVar("R")
T = TypeVar("T", bound=Timed)


@attrs.define
class NotAllStored(Exception):
    """`store_all` failed; its cause says why. No record is lost, and storing one again changes nothing."""

    stored: int
    """Number of records that are stored, counted from the first."""
    unconfirmed: list[Any]
    """The records that were read after them; some may be stored, but none if the cause is `Expired`, which names those
    that are refused. Store these again, then those not yet read."""
    reason: str

    def __str__(self) -> str:
        following = f"the next {len(self.unconfirmed)}"
        if isinstance(self.__cause__, Expired):
            return f"{self.stored} records stored, none of {following}: {self.reason}"
        return f"{self.stored} records stored; some of {following} may be stored too: {self.reason}"


def store_all(
    records: Iterable[R],
    store_batch: Callable[[list[R]], object],
    *,
    at_once: int | None = None,
    within_s: float = math.inf,
) -> int:
    """Stores records, `at_once` or 1,000 at a time; returns their number. Raises NotAllStored.

    If the cause of that is `Expired`, none of the unconfirmed records is stored, because some are older than a TTL:
    `expired` of the cause has their places among them. Leave these out, and store the others.
    A smaller batch is stored if its last record was read `within_s` seconds or more after its first.
    """
    stored = 0
    unsent: list[R] = []
    first_s = 0.0
    try:
        for record in records:
            read_s = time.monotonic()
            first_s = first_s if unsent else read_s
            unsent.append(record)
            if len(unsent) == (at_once or RECORDS_AT_ONCE) or read_s - first_s >= within_s:
                store_batch(unsent)
                stored += len(unsent)
                unsent = []
        if unsent:
            store_batch(unsent)
    except Exception as error:
        raise NotAllStored(stored, unsent, str(error)) from error
    return stored + len(unsent)


def put_all(
    records: Collection[R], *tables: BoundTable[Any, R], time_of: Callable[[R], int] = attrgetter("time_ms")
) -> None:
    """Puts records into tables, one table after the other, each record with its time as timestamp.

    Encodes every row before it sends the first, so an invalid key stores nothing. If two records have the same cell and
    time, the last one stays. Layouts of one table share their calls, so the cells that they have in one row at one time
    are one put, which is stored whole or not at all.
    Raises LayoutMismatch if another layout made the keys that are stored; Expired, and puts nothing, if a record is
    older than the TTL of a family of its cells, see `refuse_expired`.
    Costs: for each table one call for each 1,000 rows, or 1 MiB. Without Thrift2 (`hbase://` without `thrift2_port`, or
    a connection of happybase's own), one call for each different time: Thrift1 gives a whole call one timestamp. With a
    TTL, also those of `refuse_expired`.
    """
    layouts_of: dict[bytes, list[TableLayout[Any, R]]] = {}
    for table in tables:
        layouts_of.setdefault(table.name, []).append(table.layout)
    packed = {
        name: [
            (layout.row(record), layout.cells.pack(record), time_of(record)) for record in records for layout in layouts
        ]
        for name, layouts in layouts_of.items()
    }
    refuse_expired(records, *tables, time_of=time_of)
    rows_of = {table.name: table.rows for table in tables}
    for name, dated in packed.items():
        put_dated(rows_of[name], dated)


def delete_rows(table: BoundTable[Any, Any], keys: Iterable[bytes], until_ms: int) -> int:
    """Deletes rows of a table, 1,000 rows in a call; returns how many.

    Of each row it deletes all cells in the families of the layout that are dated up to `until_ms`.
    Raises LayoutMismatch if another layout made the keys that are stored.
    Costs: 1 call for each 1,000 rows.
    """
    families = [*table.layout.families]  # happybase would ask the store for them
    deleted = 0
    with table.rows.batch(timestamp=until_ms, batch_size=BATCH_ROWS) as batch:
        for key in keys:
            batch.delete(key, families)
            deleted += 1
    return deleted


def remove_row(table: BoundTable[Any, Any], row: bytes) -> bool:
    """Deletes the cells of a row, each up to its own date, and spares what is put later; returns whether it is gone.

    For a row that cannot be read. Costs: two gets, and a delete for each cell.
    """
    for column, (_, written_ms) in table.rows.row(row, include_timestamp=True).items():
        table.rows.delete(row, [column], timestamp=written_ms)
    return not table.rows.row(row)


def delete_all(query: Query[T], table: BoundTable[Any, T]) -> int:
    """Deletes the row of every record that a query finds in a table; returns how many rows of the query remain.

    For tables into which `put_all` puts a record as one row. A row remains if it cannot be read, or if it was put
    meanwhile. If a call dies, the same call again finishes it. If a deleted record is stored again, it stays hidden
    until a major compaction.
    Costs: the query is read twice, in pages; 1 call for each 1,000 rows.
    """
    unread: list[InvalidRow] = []
    for batch in in_batches(query.on_invalid(lambda _invalid: None)):
        delete_rows(table, map(table.row, batch), max(record.time_ms for record in batch))
    return query.on_invalid(unread.append).count() + len(unread)
