"""The embedded store's catalogue: tables with their families and splits, namespaces, the id of the store."""

import uuid
from collections.abc import Collection, Iterable, Sequence

from attrs import astuple

from ...keys.limits import BLOCK_BYTES
from . import statements
from .failures import damage_error
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
                    block_sizes = dict(self._database.execute(statements.READ_BLOCK_SIZES, (table_id,)))
                    kept_tombstones = dict(self._database.execute(statements.READ_KEPT_TOMBSTONES, (table_id,)))
                    tables[name] = StoredTable(table_id, name, created_ms, bool(enabled), {}, splits)
                family += (block_sizes.get(family[0], BLOCK_BYTES), kept_tombstones.get(family[0], 0))
                if list(map(type, family[-2:])) != [int, int]:
                    raise damage_error("a table is not as it was written")
                tables[name].families[family[0]] = StoredFamily(*family)
        finally:
            self._check_same()
        return tables

    def create_table(self, name: bytes, families: Collection[StoredFamily], split_rows: Iterable[bytes] = ()) -> None:
        """Adds a table, enabled, split into regions at `split_rows`."""
        self._tables = None
        table_id = self._database.execute(
            "insert into tables (name, created_ms, enabled, checksum) values (?, ?, 1, 0)", (name, now_ms())
        ).lastrowid
        self._database.execute(statements.SEAL_TABLE, (table_id,))
        # The last two options of a family have tables of their own.
        self._insert("families", [(table_id, *astuple(family)[:-2]) for family in families])
        self._insert("splits", [(table_id, row) for row in split_rows])
        block_sizes = [(family.name, family.block_bytes) for family in families if family.block_bytes != BLOCK_BYTES]
        self._insert("block_sizes", [(table_id, *size) for size in block_sizes])
        kept_ms = [(family.name, family.keep_tombstones_ms) for family in families if family.keep_tombstones_ms]
        self._insert("kept_tombstones", [(table_id, *kept) for kept in kept_ms])

    def _insert(self, part: str, records: Sequence[tuple[object, ...]]) -> None:
        """Adds records to a table of the catalogue."""
        if records:
            marks = ", ".join(f"?{number}" for number in range(1, len(records[0]) + 1))
            self._database.executemany(f"insert into {part} values ({marks}, record_checksum({marks}))", records)

    def has_namespace(self, name: bytes) -> bool:
        """Whether a namespace exists; `default` always does."""
        if name == b"default":
            return True
        return self._database.execute("select 1 from namespaces where name = ?", (name,)).fetchone() is not None

    def create_namespace(self, name: bytes) -> None:
        """Adds a namespace."""
        self._insert("namespaces", [(name,)])

    def drop_table(self, table: StoredTable) -> None:
        """Removes a table that has no rows."""
        self._tables = None
        for part in ("splits", "families", "block_sizes", "kept_tombstones"):
            self._database.execute(f"delete from {part} where table_id = ?", (table.id,))
        self._database.execute("delete from tables where id = ?", (table.id,))

    def enable_table(self, table: StoredTable, enabled: bool) -> None:
        """Marks a table as enabled or disabled; the caller enforces it."""
        self._tables = None
        self._database.execute("update tables set enabled = ? where id = ?", (enabled, table.id))
        self._database.execute(statements.SEAL_TABLE, (table.id,))

    def cluster_id(self) -> bytes:
        """The id of the store, a random UUID as text: made at the first request, and never changed."""
        cluster_id = self._stored_cluster_id()
        if cluster_id is None:
            with self.writing():
                cluster_id = self._stored_cluster_id()  # another process may have been first
                if cluster_id is None:
                    cluster_id = str(uuid.uuid4()).encode()
                    self._insert("cluster", [(cluster_id,)])
        return cluster_id

    def _stored_cluster_id(self) -> bytes | None:
        if self.path is not None:
            self._follow()
        (cluster_id,) = self._database.execute("select max(id) from cluster").fetchone()
        self._check_same()
        return cluster_id  # type: ignore[no-any-return]
