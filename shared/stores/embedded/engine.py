"""The embedded store's engine: tables, rows, versions and transactions on SQLite. Knows nothing of Thrift."""

import logging
import os
import random
import sqlite3
import threading
import uuid
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, suppress
from itertools import count, groupby, islice
from operator import itemgetter, lt
from typing import TypeAlias
from weakref import WeakSet

from attrs import astuple

from ...keys.limits import BLOCK_BYTES, LATEST_MS, MAX_ROW_BYTES
from ..filters.cells import Cell, family_of
from ..thrift1.connection_errors import StoreError
from . import statements
from .damage import check_database
from .database import SharedDatabase, files_at, open_database, state_of
from .failures import damage_error, explain, moved_error, overtaken_error
from .schema import (
    BLOCK_SIZES,
    CLUSTER,
    HAS_BLOCK_SIZES,
    HAS_CLUSTER,
    HAS_KEPT_TOMBSTONES,
    HAS_NAMESPACES,
    KEPT_TOMBSTONES,
    NAMESPACES,
)
from .stored_tables import StoredFamily, StoredTable, now_ms

# After one put in 16 the store removes surplus versions of its column: after every put that would double the cost of a
# batch. Fewer than 32 surplus versions stay, so that, as in HBase before a flush, a read at an old timestamp may still
# return a version beyond the family's maximum.
_WRITES_PER_PRUNING = 16
_SURPLUS_LEFT = 32

# The most tombstones that a scan crosses, and the most cells that dropping a table removes, in one turn.
CELLS_PER_TURN = 2_000

# A scan of some columns reads a row whole if it has at most this many cells per range of columns: a seek takes as long
# as some dozen cells.
_FEW_CELLS = 64

ABOVE_ALL_ROWS = b"\xff" * (MAX_ROW_BYTES + 1)
"""The end of a range without an upper bound."""


Put: TypeAlias = tuple[bytes, bytes, int, bytes]
"""A version to store: row, column, timestamp, value."""

ColumnRange: TypeAlias = tuple[bytes, bytes]
"""Columns from the first (inclusive) to the second (exclusive)."""

_first = itemgetter(0)
_log = logging.getLogger(__name__)


class TooSoon(Exception):
    """Puts in the millisecond `clock_ms` would lose a version.

    If a delete hides one of them, the arguments are its table, row and column.
    """

    def __init__(self, clock_ms: int, *hidden: bytes) -> None:
        super().__init__(*hidden)
        self.clock_ms = clock_ms


class Engine:
    """One SQLite database: a file, or memory. Only the thread that holds `lock` may call.

    `rows_read` counts the rows that reads have read, returned or not: a scan's rows with a version in its time range,
    and a get's rows with a cell in the requested columns. HBase: a deleted row counts until a compaction. The count
    only grows.

    No statement stays open between two calls, so that an abandoned scan does not hold back a checkpoint of the file.

    `waits_for_clock` says whether puts that the server dates wait for the next millisecond if they would lose a version
    in this one, and `has_waited` whether the puts of this thread already did: see `dating.py`.
    """

    def __init__(self, path: str | None, wait_s: float) -> None:
        self.path = path
        self.wait_s = wait_s
        self.rows_read = 0
        self.lock = threading.RLock()
        self.waits_for_clock = True
        self._others = threading.Condition(self.lock)
        self._of_thread = threading.local()
        self.open()
        _engines.add(self)

    # Opening and closing

    def is_open(self) -> bool:
        """Whether calls can be made."""
        return self._is_open

    def open(self) -> None:
        """Opens the file, or a new and empty store in memory."""
        self._database, self._state = open_database(self.path, self.wait_s)
        self._files = files_at(self.path) if self.path is not None else []
        self._is_moved = False
        self._is_open = True
        self.why_closed = "the store is closed"
        self._cursor: sqlite3.Cursor | None = None
        self._tables: dict[bytes, StoredTable] | None = None
        self._tables_version = 0

    def close(self) -> None:
        """Closes the file; a store in memory is lost. Waits for a running call."""
        with self.lock:
            if self._is_open and self.path is not None and files_at(self.path) != self._files:
                self._save_moved()
                _log.warning("%s", self.explain(moved_error()))
            self._is_open = False
            self._database.close()

    def leave_to_parent(self) -> Iterator[sqlite3.Connection]:
        """In a forked process, closes the store but not its database, which it yields if the store was open."""
        self.lock = threading.RLock()
        self._others = threading.Condition(self.lock)
        if self._is_open:
            yield self._database
            self._database = sqlite3.connect(":memory:")
            self._database.close()
            self._is_open = False
            self.why_closed = "the store belongs to the process that this one was forked from: connect again here"

    def interrupt(self, for_s: float) -> None:
        """Interrupts the running statement, from any thread: its writes are undone, and its call fails.

        For `for_s` seconds calls do not wait for another process either.
        """
        if isinstance(self._database, SharedDatabase):
            self._database.stop_waiting(for_s)
        self._database.interrupt()

    def copy_to(self, other: "Engine") -> None:
        """Copies the whole store into another one, which nothing has read yet."""
        with self.lock, other.lock:
            self._database.backup(other._database)

    def check(self) -> None:
        """Reads the whole store and raises sqlite3.DatabaseError if it is damaged."""
        check_database(self._database)

    def explain(self, error: sqlite3.Error) -> str:
        """One line that says what to do about a failure of SQLite."""
        return explain(error, self.path, self.wait_s)

    # A read-only file is read without locks as long as no process writes it

    def _follow(self) -> None:
        """Opens the file again if another process has written it."""
        if self._state is not None and not self._is_same():
            stale = self._database
            try:
                self.open()
            except StoreError as error:
                text = str(error).removeprefix(f"{self.path}: ")
                raise sqlite3.OperationalError(f"the file has changed and cannot be opened again: {text}") from error
            stale.close()

    def _check_same(self) -> None:
        """Raises if another process has written the file during the read."""
        if self._state is not None and not self._is_same():
            raise overtaken_error()

    def _is_same(self) -> bool:
        return self.path is None or state_of(self.path) == self._state

    # Transactions

    @property
    def has_waited(self) -> bool:
        """Whether the transaction of this thread has already waited for the clock."""
        return getattr(self._of_thread, "has_waited", False)

    @has_waited.setter
    def has_waited(self, has_waited: bool) -> None:
        self._of_thread.has_waited = has_waited

    def writing(self) -> AbstractContextManager[None]:
        """A transaction: all writes inside the block, or none. Waits `wait_s` seconds for a writer in another process.

        While it waits, other threads may read. Raises if the file is no longer at its path, because the next process
        would not see the writes.
        """
        return _Transaction(self, writes=True)

    def undo(self) -> None:
        """Ends the scan and rolls back the transaction that an interrupted call left open, if there are any."""
        with self.lock:
            self._tables = None
            if self._is_open:
                if self._cursor is not None:
                    self._cursor.close()  # an open statement would keep showing the store as it was
                if self._database.in_transaction:
                    self._database.execute("rollback")

    def begin(self, *, writes: bool) -> None:
        """Begins a transaction; first rolls back one that an interrupted call left open."""
        if self._database.in_transaction:
            self.undo()
        if not writes:
            self._database.execute("begin")
            return
        if self._is_moved:
            self._check_path()
        if isinstance(self._database, SharedDatabase):
            self._database.execute("begin immediate", pause=self._leave_to_others)
        else:
            self._database.execute("begin immediate")

    def _leave_to_others(self, seconds: float) -> None:
        with self._others:
            self._others.wait(seconds)

    def commit(self, *, writes: bool) -> None:
        """Commits a transaction; a write is not acknowledged if the file is no longer at its path."""
        self._database.execute("commit")
        if writes and self.path is not None:
            self._check_path()

    def _check_path(self) -> None:
        assert self.path is not None
        self._is_moved = files_at(self.path) != self._files
        if self._is_moved:
            self._save_moved()
            raise moved_error()

    def _save_moved(self) -> None:
        """Copies the log into the open file, wherever that is now; on closing SQLite would not copy it."""
        with suppress(sqlite3.Error):
            self._database.execute("pragma wal_checkpoint(truncate)")

    # The catalogue

    def tables(self) -> dict[bytes, StoredTable]:
        """All tables by name; read again after another process has written."""
        if self.path is not None:
            self._follow()
            (version,) = self._database.execute("pragma data_version").fetchone()
            if version != self._tables_version:
                self._tables, self._tables_version = None, version
        if self._tables is None:
            self._tables = self._read_tables()
        return self._tables

    def _read_tables(self) -> dict[bytes, StoredTable]:
        tables: dict[bytes, StoredTable] = {}
        block_sizes: dict[object, object] = {}
        kept_tombstones: dict[object, object] = {}
        try:
            # One statement, so that a table that another process is creating appears with all its families or not yet.
            for record in self._database.execute(statements.CATALOGUE):
                if list(map(type, record)) != statements.CATALOGUE_TYPES:
                    raise damage_error("a table is not as it was written")
                table_id, name, created_ms, enabled, _, *family = record
                if name not in tables:
                    split_rows = self._database.execute(statements.READ_SPLITS, (table_id,)).fetchall()
                    splits = tuple(row for (row,) in split_rows)
                    block_sizes = self._block_sizes(table_id)
                    kept_tombstones = self._kept_tombstones(table_id)
                    tables[name] = StoredTable(table_id, name, created_ms, bool(enabled), {}, splits)
                family[3:5] = (text.decode() for text in family[3:5])
                family += (block_sizes.get(family[0], BLOCK_BYTES), kept_tombstones.get(family[0], 0))
                if list(map(type, family[-2:])) != [int, int]:
                    raise damage_error("a table is not as it was written")
                tables[name].families[family[0]] = StoredFamily(*family)
        except UnicodeDecodeError as error:
            raise damage_error("a table is not as it was written") from error
        finally:
            self._check_same()
        return tables

    def _has_block_sizes(self) -> bool:
        return self._database.execute(HAS_BLOCK_SIZES).fetchone() is not None

    def _block_sizes(self, table_id: int) -> dict[object, object]:
        """The block sizes of those families of a table that do not have HBase's default."""
        return dict(self._database.execute(statements.READ_BLOCK_SIZES, (table_id,))) if self._has_block_sizes() else {}

    def _has_kept_tombstones(self) -> bool:
        return self._database.execute(HAS_KEPT_TOMBSTONES).fetchone() is not None

    def _kept_tombstones(self, table_id: int) -> dict[object, object]:
        """How long those families of a table that keep tombstones past a compaction keep them, in milliseconds."""
        if not self._has_kept_tombstones():
            return {}
        return dict(self._database.execute(statements.READ_KEPT_TOMBSTONES, (table_id,)))

    def create_table(self, name: bytes, families: Collection[StoredFamily], split_rows: Iterable[bytes] = ()) -> None:
        """Adds a table, enabled, split into regions at `split_rows`."""
        self._tables = None
        table_id = self._database.execute(
            "insert into tables (name, created_ms, enabled) values (?, ?, 1)", (name, now_ms())
        ).lastrowid
        self._database.executemany(
            "insert into families values (?, ?, ?, ?, ?, ?, ?, ?)",
            [(table_id, *astuple(family)[:-2]) for family in families],  # the last two have tables of their own
        )
        self._database.executemany("insert into splits values (?, ?)", [(table_id, row) for row in split_rows])
        own_sizes = [family for family in families if family.block_bytes != BLOCK_BYTES]
        if own_sizes:
            block_sizes = [(table_id, family.name, family.block_bytes) for family in own_sizes]
            self._database.execute(BLOCK_SIZES)
            self._database.executemany("insert into block_sizes values (?, ?, ?)", block_sizes)
        kept = [(table_id, family.name, family.keep_tombstones_ms) for family in families if family.keep_tombstones_ms]
        if kept:
            self._database.execute(KEPT_TOMBSTONES)
            self._database.executemany("insert into kept_tombstones values (?, ?, ?)", kept)

    def has_namespace(self, name: bytes) -> bool:
        """Whether a namespace exists; `default` always does."""
        if name == b"default":
            return True
        if self._database.execute(HAS_NAMESPACES).fetchone() is None:
            return False
        return self._database.execute("select 1 from namespaces where name = ?", (name,)).fetchone() is not None

    def create_namespace(self, name: bytes) -> None:
        """Adds a namespace."""
        self._database.execute(NAMESPACES)
        self._database.execute("insert into namespaces values (?)", (name,))

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

    def drop_table(self, table: StoredTable) -> None:
        """Removes a table that has no rows."""
        self._tables = None
        parts = ["splits", "families"]
        parts += ["block_sizes"] if self._has_block_sizes() else []
        parts += ["kept_tombstones"] if self._has_kept_tombstones() else []
        for part in parts:
            self._database.execute(f"delete from {part} where table_id = ?", (table.id,))
        self._database.execute("delete from tables where id = ?", (table.id,))

    def enable_table(self, table: StoredTable, enabled: bool) -> None:
        """Marks a table as enabled or disabled; the caller enforces it."""
        self._tables = None
        self._database.execute("update tables set enabled = ? where id = ?", (enabled, table.id))

    def cluster_id(self) -> bytes:
        """The id of the store, a random UUID as text: made at the first request, and never changed."""
        cluster_id = self._stored_cluster_id()
        if cluster_id is None:
            with self.writing():
                cluster_id = self._stored_cluster_id()  # another process may have been first
                if cluster_id is None:
                    cluster_id = str(uuid.uuid4()).encode()
                    self._database.execute(CLUSTER)
                    self._database.execute("insert into cluster values (?)", (cluster_id,))
        return cluster_id

    def _stored_cluster_id(self) -> bytes | None:
        if self.path is not None:
            self._follow()
        if self._database.execute(HAS_CLUSTER).fetchone() is None:
            return None
        (cluster_id,) = self._database.execute("select max(id) from cluster").fetchone()
        self._check_same()
        if type(cluster_id) is not bytes:
            raise damage_error("the id of the store is not as it was written")
        return cluster_id

    # Reading: columns in byte order, each column's versions oldest first

    def row(
        self,
        table: StoredTable,
        row: bytes,
        columns: Sequence[ColumnRange] | None = None,
        *,
        up_to: int = LATEST_MS,
        newest: bool = False,
    ) -> list[Cell]:
        """The cells of one row, of all columns or of ranges of columns, as they were at one moment.

        Leaves out versions after the timestamp `up_to`; with `newest` it may also leave out all but the newest version
        of any column.
        """
        if self.path is None:
            cells = self._cells(table, row, columns, up_to, newest)
        else:
            cells = self._checked_cells(table, row, columns, up_to, newest)
        if cells:
            self.rows_read += 1
        elif self.has_tombstones(table):
            self.count_deleted(table, row, row_after(row))
        return cells

    def _checked_cells(
        self, table: StoredTable, row: bytes, columns: Sequence[ColumnRange] | None, up_to: int, newest: bool
    ) -> list[Cell]:
        try:
            cells = self._cells(table, row, columns, up_to, newest)
            _check_cells(row, cells, in_order=columns is None)
            return cells
        finally:
            self._check_same()

    def _cells(
        self, table: StoredTable, row: bytes, columns: Sequence[ColumnRange] | None, up_to: int, newest: bool
    ) -> list[Cell]:
        if columns is None:
            select = _read_statement(statements.READ_ROW, table, newest)
            return self._database.execute(select, (table.id, row, up_to)).fetchall()
        select = _read_statement(statements.READ_COLUMNS, table, newest)
        if len(columns) == 1:
            return self._database.execute(select, (table.id, row, *columns[0], up_to)).fetchall()
        with _Transaction(self, writes=False):
            return [
                cell
                for column_range in columns
                for cell in self._database.execute(select, (table.id, row, *column_range, up_to))
            ]

    def scan(
        self, table: StoredTable, low: bytes, high: bytes, *, down: bool, up_to: int = LATEST_MS, newest: bool = False
    ) -> Generator[tuple[bytes, Sequence[Cell]], None, None]:
        """The rows from `low` (inclusive) to `high` (exclusive), as `row` returns them; close it to end the statement.

        A row whose versions are all after `up_to` comes without cells, so that a scan can pause at every row. The
        caller adds the rows that it read to `rows_read`.
        """
        if up_to < LATEST_MS:
            select = statements.scan_all(down=down)
            with closing(self._rows_of(select, (table.id, low, high), down)) as rows:
                for row, cells in rows:
                    yield row, [cell for cell in cells if cell[1] <= up_to]
        else:
            select = statements.SCAN_DOWN if down else _read_statement(statements.SCAN, table, newest)
            yield from self._rows_of(select, (table.id, low, high), down)

    def scan_columns(
        self,
        table: StoredTable,
        low: bytes,
        high: bytes,
        columns: Sequence[ColumnRange],
        *,
        down: bool,
        up_to: int,
        newest: bool = False,
    ) -> Generator[tuple[bytes, Iterable[Cell]], None, None]:
        """The rows of `scan`: narrow ones with all their cells, as a list, wide ones only with those in `columns`.

        If `columns` is one range, the cells of a wide row are read while the caller iterates over them; it has to stop
        before it requests the next row. A row is narrow if it has few cells, or at most twice as many as the caller
        took from the last wide one: so a caller that needs whole rows does not make the engine read each of them twice.
        """
        at_most = few = _FEW_CELLS * len(columns)
        keeps_all = down or up_to < LATEST_MS
        select = statements.scan_all(down=down) if keeps_all else _read_statement(statements.SCAN, table, newest)
        while low < high:
            wide_row = None
            with closing(self._rows_of(select, (table.id, low, high), down, at_most=at_most + 1)) as rows:
                for row, cells in rows:
                    if len(cells) > at_most:
                        wide_row = row
                        break
                    yield row, [cell for cell in cells if cell[1] <= up_to] if up_to < LATEST_MS else cells
            if wide_row is None:
                return
            if not low <= wide_row < high:  # otherwise a damaged page could return it again and again
                raise damage_error("rows are out of order")
            with closing(self._cells_one_by_one(table, wide_row, columns, up_to, newest)) as wide_cells:
                taken = count()  # zip() steps it with each cell
                yield wide_row, map(_first, zip(wide_cells, taken, strict=False))
                at_most = max(few, 2 * next(taken))
            if down:
                high = wide_row
            else:
                low = row_after(wide_row)

    def _cells_one_by_one(
        self, table: StoredTable, row: bytes, columns: Sequence[ColumnRange], up_to: int, newest: bool
    ) -> Generator[Cell, None, None]:
        """The cells of one row in ranges of columns; for a single range, none is read before it is needed."""
        if len(columns) > 1:
            yield from self._checked_cells(table, row, columns, up_to, newest)
            return
        last_cell = None
        cursor = None
        try:
            select = _read_statement(statements.READ_COLUMNS, table, newest)
            cursor = self._cursor = self._database.execute(select, (table.id, row, *columns[0], up_to))
            if self.path is None:
                yield from cursor
                return
            for cell in cursor:
                _check_cells(row, [cell] if last_cell is None else [last_cell, cell])
                last_cell = cell
                yield cell
        finally:
            if cursor is not None:
                cursor.close()
            self._check_same()

    def scan_with_tombstones(
        self, table: StoredTable, low: bytes, high: bytes, *, down: bool, up_to: int
    ) -> Generator[tuple[bytes, Sequence[Cell], list[bytes]], None, None]:
        """The rows of `scan` and those that have only tombstones.

        Each row comes with its cells and the columns (or families) of its cells and tombstones.
        """
        has_tombstones = self._latest_tombstone(table) is not None
        select = statements.scan_all(down=down, with_tombstones=has_tombstones)
        with closing(self._rows_of(select, (table.id, low, high), down, with_tombstones=has_tombstones)) as rows:
            for row, stored in rows:
                cells = stored
                if has_tombstones or up_to < LATEST_MS:
                    cells = [cell for cell in stored if type(cell[2]) is bytes and cell[1] <= up_to]
                yield row, cells, [column for column, _, _ in stored]

    def _rows_of(
        self,
        select: str,
        parameters: tuple[object, ...],
        down: bool,
        *,
        with_tombstones: bool = False,
        at_most: int | None = None,
    ) -> Generator[tuple[bytes, list[Cell]], None, None]:
        """Rows with their cells, the first `at_most` in the scan's direction.

        `with_tombstones`, tombstones are among them as cells without a value.
        """
        in_file = self.path is not None
        last_row = None
        cursor = None
        try:
            cursor = self._cursor = self._database.execute(select, parameters)
            for row, stored in groupby(cursor, _first):
                if at_most is not None:
                    stored = islice(stored, at_most)
                cells: list[Cell] = [version[1:] for version in stored]
                if down:
                    cells.reverse()
                if in_file:
                    # If a page is damaged, SQLite may return rows outside the range, or the same rows forever.
                    if type(row) is not bytes or (
                        last_row is not None and (row >= last_row if down else row <= last_row)
                    ):
                        raise damage_error("rows are out of order")
                    _check_cells(row, cells, with_tombstones=with_tombstones)
                    last_row = row
                yield row, cells
        finally:
            if cursor is not None:
                cursor.close()
            self._check_same()

    def newest(self, table: StoredTable, row: bytes, column: bytes) -> Cell | None:
        """The newest version of one column, unless it has expired."""
        cell: Cell | None = self._database.execute(
            statements.NEWEST_OF_COLUMN, (table.id, row, *column_range(column), LATEST_MS)
        ).fetchone()
        return cell if cell and cell[1] >= table.family(column).oldest_ms() else None

    def count_deleted(self, table: StoredTable, low: bytes, high: bytes) -> None:
        """Adds the rows from `low` (inclusive) to `high` (exclusive) that have only tombstones to `rows_read`."""
        self.rows_read += self._database.execute(statements.COUNT_DELETED_ROWS, (table.id, low, high)).fetchone()[0]

    def has_tombstones(self, table: StoredTable) -> bool:
        """Whether the table has a tombstone: a delete since its last compaction, or one that a family keeps longer."""
        return self._latest_tombstone(table) is not None

    def range_of_turn(self, table: StoredTable, low: bytes, high: bytes, *, down: bool) -> tuple[bytes, bytes]:
        """The first part of the range, in the scan's direction, with at most CELLS_PER_TURN tombstones."""
        last = self._row_after_some(table, "tombstones", low, high, down=down)
        if last is None:
            return low, high
        return (last, high) if down else (low, row_after(last))

    def _row_after_some(
        self, table: StoredTable, part: str, low: bytes, high: bytes, *, down: bool = False
    ) -> bytes | None:
        """The row of the cell or tombstone CELLS_PER_TURN places after the first; None if there are not as many."""
        select = statements.ROW_AT_OFFSET.format(part=part, direction="desc" if down else "asc")
        last = self._database.execute(select, (table.id, low, high, CELLS_PER_TURN)).fetchone()
        return last[0] if last else None

    def _latest_tombstone(self, table: StoredTable) -> int | None:
        (latest,) = self._database.execute("select max(ts) from tombstones where table_id = ?", (table.id,)).fetchone()
        return latest  # type: ignore[no-any-return]

    # Writing, inside `writing()`

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
            statement, parameters = statements.PUT, [(table_id, *put) for put in puts]
        else:
            if wait_ms is not None:
                self._check_visible(table, puts, wait_ms)
            statement, parameters = statements.PUT_UNLESS_HIDDEN, [(table_id, *put, family_of(put[1])) for put in puts]
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
        self._database.execute(statements.PUT_TOMBSTONE, (table.id, row, column, up_to))

    def turn_end_row(self, table: StoredTable, low: bytes, part: str = "cells") -> bytes | None:
        """The row (exclusive) at which a turn that starts at `low` ends; None if it reaches the end of the table."""
        last = self._row_after_some(table, part, low, ABOVE_ALL_ROWS)
        return None if last is None else row_after(last)

    def flush(self, table: StoredTable, low: bytes = b"", high: bytes = ABOVE_ALL_ROWS) -> None:
        """Removes every version beyond its family's maximum, from row `low` (inclusive) to `high` (exclusive).

        HBase: a flush does not read a column beyond that maximum, and so drops a tombstone of the column that comes
        after it, unless the qualifier is empty.
        """
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


class _Transaction:
    """A transaction as a context manager. A generator would leave the transaction open after Ctrl-C."""

    def __init__(self, engine: Engine, *, writes: bool) -> None:
        self._engine = engine
        self._writes = writes

    def __enter__(self) -> None:
        try:
            self._engine.begin(writes=self._writes)
        except BaseException:
            self._engine.undo()
            raise

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._engine.commit(writes=self._writes)
                return
        except BaseException:
            self._engine.undo()
            raise
        self._engine.undo()


def _check_cells(row: bytes, cells: Sequence[Cell], *, in_order: bool = True, with_tombstones: bool = False) -> None:
    """Raises if cells are not as the store writes them: SQLite reads a damaged file without noticing."""
    for column, timestamp, value in cells:
        if type(column) is not bytes or type(timestamp) is not int or not (type(value) is bytes or with_tombstones):
            raise damage_error(f"a cell of row {row!r} is not of its type")
    if in_order and not all(map(lt, cells, cells[1:])):
        raise damage_error(f"the cells of row {row!r} are out of order")


def _read_statement(select: str, table: StoredTable, newest: bool) -> str:
    # Python's dict keeps the last version of a column, which is the newest: with few versions that is faster.
    return statements.READ_STATEMENTS[select, newest and table.keeps_many]


def row_after(row: bytes) -> bytes:
    """The smallest row above `row`."""
    return row + b"\0"


def column_range(column: bytes) -> ColumnRange:
    """HBase: `cf` is the whole family, `cf:` the one column with an empty qualifier, `cf:a:b` the qualifier `a:b`."""
    # ';' is the byte after ':'.
    return (column, column + b"\0") if b":" in column else (column + b":", column + b";")


def versions(table: StoredTable, cells: Iterable[Cell]) -> Iterator[list[Cell]]:
    """The newest versions of each column, newest first, at most the family's maximum, without expired ones."""
    for column, stored in groupby(cells, _first):
        family = table.family(column)
        kept = list(stored)[: -family.max_versions - 1 : -1]
        yield [cell for cell in kept if cell[1] >= family.oldest_ms()] if table.expires else kept


# A forked process must neither use nor close SQLite's connections of its parent (sqlite.org/howtocorrupt.html, 2.6). No
# call runs during a fork, so that the child has no half of a transaction; there each store is closed, but its database
# is kept, unused, until the child ends.
_engines: "WeakSet[Engine]" = WeakSet()
_forking = threading.Lock()
_held: list[Engine] = []
_of_parents: list[sqlite3.Connection] = []


def _before_fork() -> None:
    _forking.acquire()
    _held[:] = _engines
    for engine in _held:
        engine.lock.acquire()


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().lock.release()
    _forking.release()


def _after_fork_in_child() -> None:
    while _held:
        _of_parents.extend(_held.pop().leave_to_parent())
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
