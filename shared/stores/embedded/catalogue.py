"""The embedded store's catalogue: tables with their families and splits, namespaces, the id of the store."""

import uuid
from collections.abc import Collection, Iterable

from attrs import astuple

from ...keys.limits import BLOCK_BYTES
from . import statements
from .failures import damage_error
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
from .transactions import Transactions


class Catalogue(Transactions):
    """The tables of a database."""

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
