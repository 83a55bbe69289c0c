"""The embedded store's engine: tables, rows, versions and transactions on SQLite. Knows nothing of Thrift."""

import logging
import random
import sqlite3
import threading
import time
import uuid
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, suppress
from functools import cached_property
from itertools import groupby
from operator import itemgetter, lt
from typing import TypeAlias

from attrs import astuple, frozen

from ...keys import MAX_ROW_BYTES
from ...keys.limits import BLOCK_BYTES, FOREVER_S, LATEST_MS
from ..filters.cells import Cell, family_of
from ..thrift1.errors import StoreError
from .damage import check_database
from .database import SharedDatabase, files_at, open_database, state_of
from .failures import damaged, explain, moved, overtaken
from .schema import BLOCK_SIZES, CLUSTER, HAS_BLOCK_SIZES, HAS_CLUSTER

# One version in 16 written is followed by a look at its column for surplus versions: looking after every put would
# double the cost of a batch. Fewer than 32 of them are left, so that, as in HBase before a flush, a read at an old
# timestamp may still find a version that is beyond the family's maximum.
_WRITES_PER_PRUNING = 16
_SURPLUS_LEFT = 32

# Where a family keeps more versions than this, SQLite picks the newest one; of fewer, Python does so faster.
_FEW_VERSIONS = 3

# A scan passes so many tombstones, and a table that is dropped loses so many cells, before others get their turn.
AT_A_TIME = 2_000

ABOVE_ALL_ROWS = b"\xff" * (MAX_ROW_BYTES + 1)
"""The end of a range that has none."""


Put: TypeAlias = tuple[bytes, bytes, int, bytes]
"""A version to store: row, column, timestamp, value."""

ColumnRange: TypeAlias = tuple[bytes, bytes]
"""Columns from the first (inclusive) to the second (exclusive)."""

_ROW = "select {picked} from cells where table_id = ? and row = ? and ts <= ? {ordered}"
_COLUMNS = (
    "select {picked} from cells where table_id = ? and row = ? and column >= ? and column < ? and ts <= ? {ordered}"
)
_SCAN = "select row, {picked} from cells where table_id = ? and row >= ? and row < ? {ordered}"
_ASCENDING = " order by row, column, ts"
_DESCENDING = " order by row desc, column desc, ts desc"
_UP = {"picked": "column, ts, value", "ordered": _ASCENDING}
_DOWN = {"picked": "column, ts, value", "ordered": _DESCENDING}
# SQLite: with max() the other columns are those of the row that has the maximum.
_NEWEST = {"picked": "column, max(ts), value", "ordered": "group by row, column order by row, column"}
_SCAN_ALL = "select row, column, ts, value from cells where table_id = ?1 and row >= ?2 and row < ?3"
_SCAN_MARKED = f"""
{_SCAN_ALL} union all
select row, column, ts, null as value from tombstones where table_id = ?1 and row >= ?2 and row < ?3
"""
_NEWEST_OF_COLUMN = _COLUMNS.format(**_DOWN) + " limit 1"
_PUT = "insert or replace into cells values (?1, ?2, ?3, ?4, ?5)"
_PUT_UNLESS_MASKED = """
insert or replace into cells select ?1, ?2, ?3, ?4, ?5 where not exists
    (select 1 from tombstones where table_id = ?1 and row = ?2 and column in (?3, ?6) and ts >= ?4)
"""
_WITHOUT_REPLACING = {put: put.replace(" or replace", "", 1) for put in (_PUT, _PUT_UNLESS_MASKED)}
_DELETE = "delete from cells where table_id = ? and row = ? and column >= ? and column < ? and ts <= ?"
_BURY = """
insert into tombstones values (?, ?, ?, ?)
on conflict do update set ts = max(ts, excluded.ts)
"""
_ROW_AFTER_SOME = """
select row from {part} where table_id = ? and row >= ? and row < ? order by row {direction} limit 1 offset ?
"""
_DELETED_UP_TO = "select row, column from tombstones where table_id = ? and ts = ?"
_DELETED_ROWS = """
select count(distinct row) from tombstones as deleted where table_id = ?1 and row >= ?2 and row < ?3
    and not exists (select 1 from cells where table_id = ?1 and row = deleted.row)
"""
_PRUNE = """
delete from cells where table_id = ?1 and row = ?2 and column = ?3 and exists
    (select 1 from cells where table_id = ?1 and row = ?2 and column = ?3 order by ts desc limit 1 offset ?4 + ?5)
    and ts <= (select ts from cells where table_id = ?1 and row = ?2 and column = ?3 order by ts desc limit 1 offset ?4)
"""
_PRUNE_FAMILY = """
delete from cells where table_id = ?1 and (row, column, ts) in (
    select row, column, ts from (
        select row, column, ts, row_number() over (partition by row, column order by ts desc) as age
        from cells where table_id = ?1 and column >= ?2 and column < ?3 and row >= ?5 and row < ?6
    ) where age > ?4
)
"""
_FORGET = """
delete from tombstones where table_id = ?1 and column > ?2 and column < ?3 and ?4 <
    (select count(*) from cells where table_id = ?1 and row = tombstones.row and column = tombstones.column
        and ts > tombstones.ts and ts >= ?5) and row >= ?6 and row < ?7
"""
_EXPIRE = "delete from cells where table_id = ? and column >= ? and column < ? and ts < ?"
_READING = {(read, how is _NEWEST): read.format(**how) for read in (_ROW, _COLUMNS, _SCAN) for how in (_UP, _NEWEST)}
_READING_DOWN = _SCAN.format(**_DOWN)
_CATALOGUE = "select * from tables left join families on table_id = id order by tables.name, families.name"
_CATALOGUE_TYPES = [int, bytes, int, int, int, bytes, int, int, bytes, bytes, int, int]
_SPLITS = "select row from splits where table_id = ? order by row"
_BLOCK_SIZES = "select family, bytes from block_sizes where table_id = ?"
_first = itemgetter(0)
_log = logging.getLogger(__name__)


@frozen
class Family:
    """A column family as its table was created with; `time_to_live_s` is in seconds."""

    name: bytes
    max_versions: int
    time_to_live_s: int
    compression: str
    bloom_filter: str
    in_memory: bool
    block_cache: bool
    block_bytes: int = BLOCK_BYTES

    def oldest_ms(self) -> int:
        """The earliest timestamp that has not expired now."""
        return now_ms() - 1000 * self.time_to_live_s if self.time_to_live_s < FOREVER_S else 0


@frozen(slots=False)  # for its cached properties
class Table:
    """A table as the catalogue has it."""

    id: int
    name: bytes
    created_ms: int
    enabled: bool
    families: dict[bytes, Family]
    splits: tuple[bytes, ...]
    """The first rows of its regions, without that of the first region, which has none."""

    def family(self, column: bytes) -> Family:
        """The family that a stored column belongs to."""
        family = self.families.get(family_of(column))
        if family is None:
            raise damaged("a column is of no family")
        return family

    @cached_property
    def keeps_many(self) -> bool:
        """Whether a column may have many versions."""
        return any(family.max_versions > _FEW_VERSIONS for family in self.families.values())

    @cached_property
    def expires(self) -> bool:
        """Whether a family has a TTL."""
        return any(family.time_to_live_s < FOREVER_S for family in self.families.values())

    @cached_property
    def in_cell_order(self) -> bool:
        """Whether the order of its columns is that of HBase's cells; `cf1:a` sorts before `cf:z`, and not so there."""
        return sorted(self.families) == [name[:-1] for name in sorted(name + b":" for name in self.families)]


class TooSoon(Exception):
    """Puts would lose something in the millisecond `clock_ms`; the table, row and column of one that a delete hides."""

    def __init__(self, clock_ms: int, *hidden: bytes) -> None:
        super().__init__(*hidden)
        self.clock_ms = clock_ms


class Engine:
    """One SQLite database: a file, or memory. One thread at a time: the one that has `lock`.

    `rows_read` counts the rows that reads stepped over, returned or not: every row with a version in the time range
    that a scan came by, and every row of a get that has a cell in the columns asked for. HBase: a deleted row is one of
    them until a compaction. It only grows.

    No statement stays open between two calls, so that a scan left alone holds back no checkpoint of the file.

    `waits_for_clock` says whether puts that the server dates wait for the next millisecond where they would lose
    something in this one, and `has_waited` whether those of this thread already did: see `dating.py`.
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
        self._tables: dict[bytes, Table] | None = None
        self._tables_version = 0

    def close(self) -> None:
        """Lets go of the file; what was in memory is gone. Waits for a call that runs."""
        with self.lock:
            if self._is_open and self.path is not None and files_at(self.path) != self._files:
                self._save_moved()
                _log.warning("%s", self.explain(moved()))
            self._is_open = False
            self._database.close()

    def interrupt(self, for_s: float) -> None:
        """Breaks off the statement that runs, from any thread: what it wrote is undone, and its call fails.

        For `for_s` seconds no call waits for another process either.
        """
        if isinstance(self._database, SharedDatabase):
            self._database.stop_waiting(for_s)
        self._database.interrupt()

    def check(self) -> None:
        """Reads the whole store for damage; raises sqlite3.DatabaseError where it finds some."""
        check_database(self._database)

    def explain(self, error: sqlite3.Error) -> str:
        """One line that says what to do about a failure of SQLite."""
        return explain(error, self.path, self.wait_s)

    # A file that cannot be written is read without locks, while nobody writes it

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
        """Refuses what was just read if another process wrote the file meanwhile."""
        if self._state is not None and not self._is_same():
            raise overtaken()

    def _is_same(self) -> bool:
        return self.path is None or state_of(self.path) == self._state

    # Transactions

    @property
    def has_waited(self) -> bool:
        """Whether the transaction of this thread has waited for the clock already."""
        return getattr(self._of_thread, "has_waited", False)

    @has_waited.setter
    def has_waited(self, has_waited: bool) -> None:
        self._of_thread.has_waited = has_waited

    def writing(self) -> AbstractContextManager[None]:
        """All that is written inside, or nothing. Waits `wait_s` seconds for a writer in another process.

        Meanwhile it leaves the engine to other threads, which may read: nothing has happened yet.
        Raises if the file is not at its path any more: then the next process would not find what was written.
        """
        return _Transaction(self, writes=True)

    def undo(self) -> None:
        """Undoes what a call has written that was interrupted before it could do so itself, if there is any."""
        with self.lock:
            self._tables = None
            if self._is_open and self._database.in_transaction:
                self._database.execute("rollback")

    def begin(self, *, writes: bool) -> None:
        """Begins a transaction; one that an interrupted call left is undone first."""
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
        """Ends a transaction; one that wrote is not acknowledged if the file is not at its path any more."""
        self._database.execute("commit")
        if writes and self.path is not None:
            self._check_path()

    def _check_path(self) -> None:
        assert self.path is not None
        self._is_moved = files_at(self.path) != self._files
        if self._is_moved:
            self._save_moved()
            raise moved()

    def _save_moved(self) -> None:
        """Brings what is in the log into the file that is open, wherever that is; SQLite leaves it out then."""
        with suppress(sqlite3.Error):
            self._database.execute("pragma wal_checkpoint(truncate)")

    # The catalogue

    def tables(self) -> dict[bytes, Table]:
        """All tables by name; read again when another process has written."""
        if self.path is not None:
            self._follow()
            (version,) = self._database.execute("pragma data_version").fetchone()
            if version != self._tables_version:
                self._tables, self._tables_version = None, version
        if self._tables is None:
            self._tables = self._read_tables()
        return self._tables

    def _read_tables(self) -> dict[bytes, Table]:
        tables: dict[bytes, Table] = {}
        block_sizes: dict[object, object] = {}
        try:
            # One statement, so that a table created meanwhile is there with all its families or not at all.
            for record in self._database.execute(_CATALOGUE):
                if list(map(type, record)) != _CATALOGUE_TYPES:
                    raise damaged("a table is not as it was written")
                table_id, name, created_ms, enabled, _, *family = record
                if name not in tables:
                    split_rows = self._database.execute(_SPLITS, (table_id,)).fetchall()
                    splits = tuple(row for (row,) in split_rows)
                    block_sizes = self._block_sizes(table_id)
                    tables[name] = Table(table_id, name, created_ms, bool(enabled), {}, splits)
                family[3:5] = (text.decode() for text in family[3:5])
                family.append(block_sizes.get(family[0], BLOCK_BYTES))
                if type(family[-1]) is not int:
                    raise damaged("a table is not as it was written")
                tables[name].families[family[0]] = Family(*family)
        except UnicodeDecodeError as error:
            raise damaged("a table is not as it was written") from error
        finally:
            self._check_same()
        return tables

    def _has_block_sizes(self) -> bool:
        return self._database.execute(HAS_BLOCK_SIZES).fetchone() is not None

    def _block_sizes(self, table_id: int) -> dict[object, object]:
        """The block sizes of a table's families where they are not HBase's own."""
        return dict(self._database.execute(_BLOCK_SIZES, (table_id,))) if self._has_block_sizes() else {}

    def create_table(self, name: bytes, families: Collection[Family], split_rows: Iterable[bytes] = ()) -> None:
        """Adds a table, enabled; each of the rows is the first one of a region, before them all lies one more."""
        self._tables = None
        table_id = self._database.execute(
            "insert into tables (name, created_ms, enabled) values (?, ?, 1)", (name, now_ms())
        ).lastrowid
        self._database.executemany(
            "insert into families values (?, ?, ?, ?, ?, ?, ?, ?)",
            [(table_id, *astuple(each)[:-1]) for each in families],  # the block size goes elsewhere
        )
        self._database.executemany("insert into splits values (?, ?)", [(table_id, row) for row in split_rows])
        block_sizes = [(table_id, each.name, each.block_bytes) for each in families if each.block_bytes != BLOCK_BYTES]
        if block_sizes:
            self._database.execute(BLOCK_SIZES)
            self._database.executemany("insert into block_sizes values (?, ?, ?)", block_sizes)

    def drop_rows(self, table: Table) -> bool:
        """Removes the first rows of a table, as many as one turn has time for; whether there are more."""
        has_more = False
        for part in ("cells", "tombstones"):
            end = self.part_end(table, b"", part)
            self._database.execute(
                f"delete from {part} where table_id = ? and row < ?", (table.id, end or ABOVE_ALL_ROWS)
            )
            has_more |= end is not None
        return has_more

    def drop_table(self, table: Table) -> None:
        """Removes a table that has no rows."""
        self._tables = None
        parts = ["splits", "families", *(["block_sizes"] if self._has_block_sizes() else [])]
        for part in parts:
            self._database.execute(f"delete from {part} where table_id = ?", (table.id,))
        self._database.execute("delete from tables where id = ?", (table.id,))

    def enable_table(self, table: Table, enabled: bool) -> None:
        """Marks a table as enabled or disabled; what that means is up to the caller."""
        self._tables = None
        self._database.execute("update tables set enabled = ? where id = ?", (enabled, table.id))

    def cluster_id(self) -> bytes:
        """The id of the store, a random UUID as text: made when it is first asked for, and never changed."""
        found = self._cluster_id()
        if found is None:
            with self.writing():
                found = self._cluster_id()  # another process may have been first
                if found is None:
                    found = str(uuid.uuid4()).encode()
                    self._database.execute(CLUSTER)
                    self._database.execute("insert into cluster values (?)", (found,))
        return found

    def _cluster_id(self) -> bytes | None:
        if self.path is not None:
            self._follow()
        if self._database.execute(HAS_CLUSTER).fetchone() is None:
            return None
        (found,) = self._database.execute("select max(id) from cluster").fetchone()
        self._check_same()
        if type(found) is not bytes:
            raise damaged("the id of the store is not as it was written")
        return found

    # Reading: columns in byte order, each column's versions oldest first

    def row(
        self,
        table: Table,
        row: bytes,
        columns: Sequence[ColumnRange] | None = None,
        *,
        up_to: int = LATEST_MS,
        newest: bool = False,
    ) -> list[Cell]:
        """One row's cells, of all columns or of some ranges of them, as they were at one moment.

        Versions after the timestamp `up_to` are left out; with `newest`, older ones may be, of any column.
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
        self, table: Table, row: bytes, columns: Sequence[ColumnRange] | None, up_to: int, newest: bool
    ) -> list[Cell]:
        try:
            cells = self._cells(table, row, columns, up_to, newest)
            _check_cells(row, cells, in_order=columns is None)
            return cells
        finally:
            self._check_same()

    def _cells(
        self, table: Table, row: bytes, columns: Sequence[ColumnRange] | None, up_to: int, newest: bool
    ) -> list[Cell]:
        if columns is None:
            return self._database.execute(_reading(_ROW, table, newest), (table.id, row, up_to)).fetchall()
        select = _reading(_COLUMNS, table, newest)
        if len(columns) == 1:
            return self._database.execute(select, (table.id, row, *columns[0], up_to)).fetchall()
        with _Transaction(self, writes=False):
            return [cell for each in columns for cell in self._database.execute(select, (table.id, row, *each, up_to))]

    def scan(
        self, table: Table, low: bytes, high: bytes, *, down: bool, up_to: int = LATEST_MS, newest: bool = False
    ) -> Generator[tuple[bytes, Sequence[Cell]], None, None]:
        """The rows from `low` (inclusive) to `high` (exclusive), as `row` has them; close it to end the statement.

        A row whose versions are all after `up_to` comes without cells: a scan can pause at every row. The caller adds
        the rows that it took to `rows_read`.
        """
        if up_to < LATEST_MS:
            select = _SCAN_ALL + (_DESCENDING if down else _ASCENDING)
            with closing(self._rows_of(select, (table.id, low, high), down)) as rows:
                for row, cells in rows:
                    yield row, [cell for cell in cells if cell[1] <= up_to]
        else:
            select = _READING_DOWN if down else _reading(_SCAN, table, newest)
            yield from self._rows_of(select, (table.id, low, high), down)

    def scan_marked(
        self, table: Table, low: bytes, high: bytes, *, down: bool, up_to: int
    ) -> Generator[tuple[bytes, Sequence[Cell], list[bytes]], None, None]:
        """The rows that `scan` has, and rows of tombstones alone, each with the columns that it has anything of."""
        marked = self._latest_tombstone(table) is not None
        select = (_SCAN_MARKED if marked else _SCAN_ALL) + (_DESCENDING if down else _ASCENDING)
        with closing(self._rows_of(select, (table.id, low, high), down, marked=marked)) as rows:
            for row, stored in rows:
                cells = stored
                if marked or up_to < LATEST_MS:
                    cells = [cell for cell in stored if type(cell[2]) is bytes and cell[1] <= up_to]
                yield row, cells, [column for column, _, _ in stored]

    def _rows_of(
        self, select: str, parameters: tuple[object, ...], down: bool, *, marked: bool = False
    ) -> Generator[tuple[bytes, list[Cell]], None, None]:
        """Rows with their cells; where they are `marked`, tombstones are cells without a value."""
        in_file = self.path is not None
        passed = None
        cursor = None
        try:
            cursor = self._database.execute(select, parameters)
            for row, stored in groupby(cursor, _first):
                cells: list[Cell] = [version[1:] for version in stored]
                if down:
                    cells.reverse()
                if in_file:
                    # Where a page is damaged, SQLite may come by other rows than asked for, or by the same forever.
                    if type(row) is not bytes or (passed is not None and (row >= passed if down else row <= passed)):
                        raise damaged("rows are out of order")
                    _check_cells(row, cells, marked=marked)
                    passed = row
                yield row, cells
        finally:
            if cursor is not None:
                cursor.close()
            self._check_same()

    def newest(self, table: Table, row: bytes, column: bytes) -> Cell | None:
        """The newest version of one column, unless it has expired."""
        cell: Cell | None = self._database.execute(
            _NEWEST_OF_COLUMN, (table.id, row, *column_range(column), LATEST_MS)
        ).fetchone()
        return cell if cell and cell[1] >= table.family(column).oldest_ms() else None

    def count_deleted(self, table: Table, low: bytes, high: bytes) -> None:
        """Counts the rows from `low` (inclusive) to `high` (exclusive) that have tombstones and no cells as read."""
        self.rows_read += self._database.execute(_DELETED_ROWS, (table.id, low, high)).fetchone()[0]

    def has_tombstones(self, table: Table) -> bool:
        """Whether anything was deleted in the table since its last compaction."""
        return self._latest_tombstone(table) is not None

    def near_tombstones(self, table: Table, low: bytes, high: bytes, *, down: bool) -> tuple[bytes, bytes]:
        """The part of the range that a scan passes in one turn, however much was deleted there."""
        last = self._row_after_some(table, "tombstones", low, high, down=down)
        if last is None:
            return low, high
        return (last, high) if down else (low, row_after(last))

    def _row_after_some(self, table: Table, part: str, low: bytes, high: bytes, *, down: bool = False) -> bytes | None:
        """The row of the cell or tombstone that comes AT_A_TIME others after the first; None if there are fewer."""
        select = _ROW_AFTER_SOME.format(part=part, direction="desc" if down else "asc")
        last = self._database.execute(select, (table.id, low, high, AT_A_TIME)).fetchone()
        return last[0] if last else None

    def _latest_tombstone(self, table: Table) -> int | None:
        (latest,) = self._database.execute("select max(ts) from tombstones where table_id = ?", (table.id,)).fetchone()
        return latest  # type: ignore[no-any-return]

    # Writing, inside `writing()`

    def put(self, table: Table, puts: Sequence[Put], clock_ms: int | None = None) -> None:
        """Stores versions, unless a tombstone masks them; of equal row, column and timestamp the last one stays.

        Puts that the server dates have the timestamp `clock_ms`. Raises TooSoon where they must have a later one.
        Versions beyond the family's maximum go here too, by and by: reads never show them, so nothing waits for it.
        """
        table_id = table.id
        wait_ms = clock_ms if self.waits_for_clock and not self.has_waited else None
        parameters: Sequence[tuple[object, ...]]
        latest = self._latest_tombstone(table)
        if latest is None or all(timestamp > latest for _, _, timestamp, _ in puts):
            statement, parameters = _PUT, [(table_id, *put) for put in puts]
        else:
            if wait_ms is not None:
                self._check_visible(table, puts, wait_ms)
            statement, parameters = _PUT_UNLESS_MASKED, [(table_id, *put, family_of(put[1])) for put in puts]
        if wait_ms is not None:
            self._put_beside(table, puts, wait_ms, statement, parameters)
        else:
            self._database.executemany(statement, parameters)
        # At random, since a stride would miss a hot cell that comes at the same place of every batch.
        looked_at = puts[random.randrange(_WRITES_PER_PRUNING) :: _WRITES_PER_PRUNING]
        if looked_at:
            self._database.executemany(
                _PRUNE,
                [
                    (table_id, row, column, table.family(column).max_versions, _SURPLUS_LEFT)
                    for row, column, _, _ in looked_at
                ],
            )

    def _check_visible(self, table: Table, puts: Sequence[Put], clock_ms: int) -> None:
        """Refuses a put that a delete of its own millisecond hides.

        A tombstone of a later timestamp is not waited for: a client set it, to any time ahead.
        """
        deleted = set(self._database.execute(_DELETED_UP_TO, (table.id, clock_ms)))
        if not deleted:
            return
        for row, column, timestamp, _ in puts:
            if timestamp == clock_ms and not deleted.isdisjoint([(row, column), (row, family_of(column))]):
                raise TooSoon(clock_ms, table.name, row, column)

    def _put_beside(
        self, table: Table, puts: Sequence[Put], clock_ms: int, statement: str, parameters: Sequence[tuple[object, ...]]
    ) -> None:
        """Stores versions, but none in place of another one that its family would keep."""
        try:
            self._database.executemany(_WITHOUT_REPLACING[statement], parameters)
        except sqlite3.IntegrityError as error:
            if any(table.family(column).max_versions > 1 for _, column, _, _ in puts):
                raise TooSoon(clock_ms) from error
            self._database.executemany(statement, parameters)

    def delete(self, table: Table, row: bytes, column: bytes, up_to: int) -> None:
        """Removes the versions of a column (family:qualifier) or a family, and masks such as are still to come."""
        self._database.execute(_DELETE, (table.id, row, *column_range(column), up_to))
        self._database.execute(_BURY, (table.id, row, column, up_to))

    def part_end(self, table: Table, low: bytes, part: str = "cells") -> bytes | None:
        """The row before which a turn with the rows from `low` on ends; None if it takes all that are left."""
        last = self._row_after_some(table, part, low, ABOVE_ALL_ROWS)
        return None if last is None else row_after(last)

    def flush(self, table: Table, low: bytes = b"", high: bytes = ABOVE_ALL_ROWS) -> None:
        """Removes every version beyond its family's maximum, from the row `low` to before `high`.

        HBase: it reads a column no further than that, and so loses the column's tombstone below, though not that of an
        empty qualifier.
        """
        for family in table.families.values():
            columns = column_range(family.name)
            self._database.execute(_FORGET, (table.id, *columns, family.max_versions, family.oldest_ms(), low, high))
            self._database.execute(_PRUNE_FAMILY, (table.id, *columns, family.max_versions, low, high))

    def compact(self, table: Table) -> None:
        """Removes what no read shows: surplus versions, expired cells, and the tombstones, which mask no more."""
        self.flush(table)
        for family in table.families.values():
            self._database.execute(_EXPIRE, (table.id, *column_range(family.name), family.oldest_ms()))
        self._database.execute("delete from tombstones where table_id = ?", (table.id,))


class _Transaction:
    """What happens inside, whole or not at all. No generator, which Ctrl-C would leave behind with its transaction."""

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


def _check_cells(row: bytes, cells: Sequence[Cell], *, in_order: bool = True, marked: bool = False) -> None:
    """Refuses cells that SQLite read from a damaged file without noticing."""
    for column, timestamp, value in cells:
        if type(column) is not bytes or type(timestamp) is not int or not (type(value) is bytes or marked):
            raise damaged(f"a cell of row {row!r} is not of its type")
    if in_order and not all(map(lt, cells, cells[1:])):
        raise damaged(f"the cells of row {row!r} are out of order")


def _reading(select: str, table: Table, newest: bool) -> str:
    # Python's dict keeps the last version of a column, which is the newest: of few versions that is faster.
    return _READING[select, newest and table.keeps_many]


def now_ms() -> int:
    """The clock in milliseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1_000_000


def row_after(row: bytes) -> bytes:
    """The smallest row above `row`."""
    return row + b"\0"


def column_range(column: bytes) -> ColumnRange:
    """HBase: `cf` is the whole family, `cf:` the one column with an empty qualifier, `cf:a:b` the qualifier `a:b`."""
    # ';' is the byte after ':'.
    return (column, column + b"\0") if b":" in column else (column + b":", column + b";")


def versions(table: Table, cells: Iterable[Cell]) -> Iterator[list[Cell]]:
    """Column by column its newest versions, at most its family's maximum, newest first; without expired ones."""
    for column, stored in groupby(cells, _first):
        family = table.family(column)
        kept = list(stored)[: -family.max_versions - 1 : -1]
        yield [cell for cell in kept if cell[1] >= family.oldest_ms()] if table.expires else kept
