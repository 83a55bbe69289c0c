"""The embedded store's engine: tables, rows, versions and transactions on SQLite. Knows nothing of Thrift."""

import random
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from attrs import astuple, frozen

from .database import explain, open_database

_PUT_KIND = 4  # HBase's type code of a put; see `kind` in the schema

# One version in 16 written is followed by a look at its column for surplus versions. A column rewritten without end
# so keeps some 16 of them on average, while looking after every put would double the cost of a batch.
_WRITES_PER_PRUNING = 16

Cell: TypeAlias = tuple[bytes, int, bytes]
"""A version of a cell within its row: column (family:qualifier), timestamp, value."""

Put: TypeAlias = tuple[bytes, bytes, int, bytes]
"""A version to store: row, column, timestamp, value."""

ColumnRange: TypeAlias = tuple[bytes, bytes]
"""Columns from the first (inclusive) to the second (exclusive)."""

_ROW = "select column, ts, value from cells where table_id = ? and row = ? order by column, ts"
_COLUMNS = (
    "select column, ts, value from cells"
    " where table_id = ? and row = ? and column >= ? and column < ? order by column, ts"
)
_NEWEST = "select column, ts, value from cells where table_id = ? and row = ? and column = ? order by ts desc limit 1"
_SCAN_UP = (
    "select row, column, ts, value from cells where table_id = ? and row >= ? and row < ? order by row, column, ts"
)
_SCAN_DOWN = (
    "select row, column, ts, value from cells"
    " where table_id = ? and row >= ? and row < ? order by row desc, column desc, ts desc"
)
_PUT = f"insert or replace into cells (table_id, row, column, ts, kind, value) values (?, ?, ?, ?, {_PUT_KIND}, ?)"
_DELETE = "delete from cells where table_id = ? and row = ? and column >= ? and column < ? and ts <= ?"
_PRUNE = """
delete from cells where table_id = ?1 and row = ?2 and column = ?3 and ts <=
    (select ts from cells where table_id = ?1 and row = ?2 and column = ?3 order by ts desc limit 1 offset ?4)
"""
_PRUNE_FAMILY = """
delete from cells where table_id = ?1 and (row, column, ts) in (
    select row, column, ts from (
        select row, column, ts, row_number() over (partition by row, column order by ts desc) as age
        from cells where table_id = ?1 and column >= ?2 and column < ?3
    ) where age > ?4
)
"""
_first = itemgetter(0)


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


@frozen
class Table:
    """A table as the catalogue has it."""

    id: int
    name: bytes
    created_ms: int
    enabled: bool
    families: dict[bytes, Family]


class Engine:
    """One SQLite database: a file, or memory. One thread at a time.

    No statement stays open between two calls, so that a scan left alone holds back no checkpoint of the file.
    """

    def __init__(self, path: str | None, wait_s: float) -> None:
        self.path = path
        self.wait_s = wait_s
        self.open()

    # Opening and closing

    def is_open(self) -> bool:
        """Whether calls can be made."""
        return self._is_open

    def open(self) -> None:
        """Opens the file, or a new and empty store in memory."""
        self._database = open_database(self.path, self.wait_s)
        self._is_open = True
        self._tables: dict[bytes, Table] | None = None
        self._tables_version = 0

    def close(self) -> None:
        """Lets go of the file; what was in memory is gone."""
        self._is_open = False
        self._database.close()

    def explain(self, error: sqlite3.Error) -> str:
        """One line that says what to do about a failure of SQLite."""
        return explain(error, self.path, self.wait_s)

    # Transactions

    @contextmanager
    def writing(self) -> Generator[None, None, None]:
        """All that is written inside, or nothing. Waits `wait_s` seconds for a writer in another process."""
        with self._transaction("begin immediate"):
            yield

    @contextmanager
    def _transaction(self, begin: str) -> Generator[None, None, None]:
        self._database.execute(begin)
        try:
            yield
            self._database.execute("commit")
        except BaseException:
            self._tables = None
            if self._database.in_transaction:
                self._database.execute("rollback")
            raise

    # The catalogue

    def tables(self) -> dict[bytes, Table]:
        """All tables by name; read again when another process has written."""
        if self.path is not None:
            (version,) = self._database.execute("pragma data_version").fetchone()
            if version != self._tables_version:
                self._tables, self._tables_version = None, version
        if self._tables is None:
            self._tables = self._read_tables()
        return self._tables

    def _read_tables(self) -> dict[bytes, Table]:
        tables: dict[bytes, Table] = {}
        # One statement, so that a table created meanwhile is there with all its families or not at all.
        for table_id, name, created_ms, enabled, _, *family in self._database.execute(
            "select * from tables join families on table_id = id order by tables.name, families.name"
        ):
            table = tables.setdefault(name, Table(table_id, name, created_ms, bool(enabled), {}))
            table.families[family[0]] = Family(*family)
        return tables

    def create_table(self, name: bytes, families: Iterable[Family]) -> None:
        """Adds a table, enabled."""
        self._tables = None
        created_ms = time.time_ns() // 1_000_000
        table_id = self._database.execute(
            "insert into tables (name, created_ms, enabled) values (?, ?, 1)", (name, created_ms)
        ).lastrowid
        self._database.executemany(
            "insert into families values (?, ?, ?, ?, ?, ?, ?, ?)", [(table_id, *astuple(each)) for each in families]
        )

    def drop_table(self, table: Table) -> None:
        """Removes a table and all its cells."""
        self._tables = None
        self._database.execute("delete from cells where table_id = ?", (table.id,))
        self._database.execute("delete from families where table_id = ?", (table.id,))
        self._database.execute("delete from tables where id = ?", (table.id,))

    def enable_table(self, table: Table, enabled: bool) -> None:
        """Marks a table as enabled or disabled; what that means is up to the caller."""
        self._tables = None
        self._database.execute("update tables set enabled = ? where id = ?", (enabled, table.id))

    # Reading: columns in byte order, each column's versions oldest first

    def row(self, table: Table, row: bytes, columns: Sequence[ColumnRange] | None = None) -> list[Cell]:
        """One row's cells, of all columns or of some ranges of them, as they were at one moment."""
        if columns is None:
            return self._database.execute(_ROW, (table.id, row)).fetchall()
        if len(columns) == 1:
            return self._database.execute(_COLUMNS, (table.id, row, *columns[0])).fetchall()
        with self._transaction("begin"):
            return [cell for each in columns for cell in self._database.execute(_COLUMNS, (table.id, row, *each))]

    def newest(self, table: Table, row: bytes, column: bytes) -> Cell | None:
        """The newest version of one column."""
        newest: Cell | None = self._database.execute(_NEWEST, (table.id, row, column)).fetchone()
        return newest

    def scan(
        self, table: Table, low: bytes, high: bytes, *, down: bool
    ) -> Generator[tuple[bytes, Iterable[Cell]], None, None]:
        """The rows from `low` (inclusive) to `high` (exclusive); close the iterator to end the statement."""
        cursor = self._database.execute(_SCAN_DOWN if down else _SCAN_UP, (table.id, low, high))
        try:
            for row, stored in groupby(cursor, _first):
                cells: list[Cell] = [version[1:] for version in stored]
                yield row, reversed(cells) if down else cells
        finally:
            cursor.close()

    # Writing, inside `writing()`

    def put(self, table: Table, puts: Sequence[Put]) -> None:
        """Stores versions; of equal row, column and timestamp the last one stays.

        Versions beyond the family's maximum go here too, by and by: reads never show them, so nothing waits for it.
        """
        table_id = table.id
        self._database.executemany(_PUT, [(table_id, *put) for put in puts])
        # At random, since a stride would miss a hot cell that comes at the same place of every batch.
        looked_at = puts[random.randrange(_WRITES_PER_PRUNING) :: _WRITES_PER_PRUNING]
        self._database.executemany(
            _PRUNE,
            [(table_id, row, column, max_versions_of(table, column)) for row, column, _, _ in looked_at],
        )

    def delete(self, table: Table, row: bytes, columns: ColumnRange, up_to: int) -> None:
        """Removes the versions up to and including the timestamp."""
        self._database.execute(_DELETE, (table.id, row, *columns, up_to))

    def prune(self, table: Table) -> None:
        """Removes every version beyond its family's maximum."""
        for family in table.families.values():
            low, high = family_columns(family.name)
            self._database.execute(_PRUNE_FAMILY, (table.id, low, high, family.max_versions))


def max_versions_of(table: Table, column: bytes) -> int:
    """How many versions of a column its family keeps."""
    return table.families[column[: column.index(b":")]].max_versions


def family_columns(family: bytes) -> ColumnRange:
    """All columns of a family; ';' is the byte after ':'."""
    return family + b":", family + b";"


def versions(table: Table, cells: Iterable[Cell]) -> Iterator[tuple[bytes, list[Cell]]]:
    """Each column with its newest versions, at most its family's maximum, newest first."""
    for column, stored in groupby(cells, _first):
        yield column, list(stored)[: -max_versions_of(table, column) - 1 : -1]
