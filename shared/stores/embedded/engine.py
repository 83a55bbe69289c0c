"""The embedded store's engine: tables, rows, versions and transactions on SQLite. Knows nothing of Thrift."""

import random
import sqlite3
from collections.abc import Sequence
from typing import TypeAlias

from ..filters.cells import family_of
from . import statements
from .checksums import cell_checksum
from .stored_rows import ABOVE_ALL_ROWS, StoredRows, column_range, row_after
from .stored_tables import StoredTable

# After one put in 16 the store removes surplus versions of its column: after every put that would double the cost of a
# batch. Fewer than 32 surplus versions stay, so that, as in HBase before a flush, a read at an old timestamp may still
# return a version beyond the family's maximum.
_WRITES_PER_PRUNING = 16
_SURPLUS_LEFT = 32

Put: TypeAlias = tuple[bytes, bytes, int, bytes]
"""A version to store: row, column, timestamp, value."""


class TooSoon(Exception):
    """Puts in the millisecond `clock_ms` would lose a version.

    If a delete hides one of them, the arguments are its table, row and column.
    """

    def __init__(self, clock_ms: int, *hidden: bytes) -> None:
        super().__init__(*hidden)
        self.clock_ms = clock_ms


class Engine(StoredRows):
    """Rows that are written, inside a transaction of `writing()`."""

    def put(self, table: StoredTable, puts: Sequence[Put], clock_ms: int | None = None) -> None:
        """Stores versions, unless a tombstone hides them; if row, column and timestamp are equal, the last one stays.

        Puts that the server dates have the timestamp `clock_ms`. Raises TooSoon if they need a later one. Also removes
        some versions beyond the family's maximum, which reads never return.
        """
        table_id = table.id
        wait_ms = clock_ms if self.waits_for_clock and not self.has_waited else None
        parameters: Sequence[tuple[object, ...]]
        latest = self._latest_tombstone(table)
        if latest is None or all(timestamp > latest for _, _, timestamp, _ in puts):
            statement, parameters = statements.PUT, [(table_id, *put, cell_checksum(table_id, *put)) for put in puts]
        else:
            if wait_ms is not None:
                self._check_visible(table, puts, wait_ms)
            statement = statements.PUT_UNLESS_HIDDEN
            parameters = [(table_id, *put, cell_checksum(table_id, *put), family_of(put[1])) for put in puts]
        if wait_ms is not None:
            self._put_without_replacing(table, puts, wait_ms, statement, parameters)
        else:
            self._database.executemany(statement, parameters)
        # A random start, because a fixed one would miss a hot cell at the same position of every batch.
        sample = puts[random.randrange(_WRITES_PER_PRUNING) :: _WRITES_PER_PRUNING]
        if sample:
            self._database.executemany(
                statements.PRUNE,
                [
                    (table_id, row, column, table.family(column).max_versions, _SURPLUS_LEFT)
                    for row, column, _, _ in sample
                ],
            )

    def _check_visible(self, table: StoredTable, puts: Sequence[Put], clock_ms: int) -> None:
        """Refuses a put that a delete of the same millisecond hides.

        It does not wait for a tombstone with a later timestamp, which a client may have set to any time ahead.
        """
        deleted = set(self._database.execute(statements.DELETED_AT, (table.id, clock_ms)))
        if not deleted:
            return
        for row, column, timestamp, _ in puts:
            if timestamp == clock_ms and not deleted.isdisjoint([(row, column), (row, family_of(column))]):
                raise TooSoon(clock_ms, table.name, row, column)

    def _put_without_replacing(
        self,
        table: StoredTable,
        puts: Sequence[Put],
        clock_ms: int,
        statement: str,
        parameters: Sequence[tuple[object, ...]],
    ) -> None:
        """Stores versions; raises TooSoon instead of replacing one that its family would keep."""
        try:
            self._database.executemany(statements.WITHOUT_REPLACING[statement], parameters)
        except sqlite3.IntegrityError as error:
            if any(table.family(column).max_versions > 1 for _, column, _, _ in puts):
                raise TooSoon(clock_ms) from error
            self._database.executemany(statement, parameters)

    def delete(self, table: StoredTable, row: bytes, column: bytes, up_to: int) -> None:
        """Removes the versions of a column (family:qualifier) or a family up to a timestamp.

        Leaves a tombstone that also hides later puts up to that timestamp.
        """
        self._database.execute(statements.DELETE, (table.id, row, *column_range(column), up_to))
        tombstone = (table.id, row, column, up_to)
        self._database.execute(statements.PUT_TOMBSTONE, (*tombstone, cell_checksum(*tombstone)))

    def turn_end_row(self, table: StoredTable, low: bytes, part: str = "cells") -> bytes | None:
        """The row (exclusive) at which a turn that starts at `low` ends; None if it reaches the end of the table."""
        last = self._row_after_some(table, part, low, ABOVE_ALL_ROWS)
        return None if last is None else row_after(last)

    def flush(self, table: StoredTable, low: bytes = b"", high: bytes = ABOVE_ALL_ROWS) -> None:
        """Removes every version beyond its family's maximum, from row `low` (inclusive) to `high` (exclusive).

        HBase: a flush does not read a column beyond that maximum, and so drops a tombstone of the column that comes
        after it, unless the qualifier is empty.
        """
        self._check_range(table, low, high)
        for family in table.families.values():
            columns = column_range(family.name)
            self._database.execute(
                statements.DROP_TOMBSTONES, (table.id, *columns, family.max_versions, family.oldest_ms(), low, high)
            )
            self._database.execute(statements.PRUNE_FAMILY, (table.id, *columns, family.max_versions, low, high))

    def compact(self, table: StoredTable) -> None:
        """Removes surplus versions, expired cells and tombstones, so that tombstones no longer hide later puts.

        The tombstones that a family keeps for longer stay.
        """
        self.flush(table)
        for family in table.families.values():
            columns = column_range(family.name)
            self._database.execute(statements.EXPIRE, (table.id, *columns, family.oldest_ms()))
            self._database.execute(
                statements.PURGE_TOMBSTONES, (table.id, family.name, *columns, family.oldest_kept_tombstone_ms())
            )

    def drop_rows(self, table: StoredTable) -> bool:
        """Removes the first rows of a table, as many as fit in one turn; returns whether more are stored."""
        has_more = False
        for part in ("cells", "tombstones"):
            end = self.turn_end_row(table, b"", part)
            self._database.execute(
                f"delete from {part} where table_id = ? and row < ?", (table.id, end or ABOVE_ALL_ROWS)
            )
            has_more |= end is not None
        return has_more
