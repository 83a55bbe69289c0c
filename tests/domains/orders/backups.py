"""Backups of tables that are copied one after the other while orders are placed and change, and their restore."""

import time
from collections.abc import Callable, Iterable, Sequence

import attrs
import happybase

from domains.orders import TABLES, Order, OrderRepository
from shared.intents.source_cells import SourceCells
from shared.upkeep import Instructions
from tests.engines import Engine
from tests.programs.hbase.hbase_shell import in_shell

SOURCES = [table.name for table in TABLES if isinstance(table.cells, SourceCells)]
OTHERS = [table.name for table in TABLES if table.name not in SOURCES]
ORDERS = {"lists first, sources last": (OTHERS, SOURCES), "sources first, lists last": (SOURCES, OTHERS)}
"""The tables of a backup, in two parts; between these, writers go on."""
CHANGED = 16
"""Orders that are placed or change between the two parts."""
Restore = Callable[[happybase.Connection], object]
"""Makes the tables as the backup has them, dates of cells included."""


@attrs.frozen
class Snapshots:
    """A backup by HBase's snapshots, from its shell."""

    info_url: str

    def take(self, connection: happybase.Connection, names: Iterable[str]) -> Restore:
        """Takes a snapshot of each table."""
        snapshots = {name: f"backup_of_{_full_name(connection, name)}" for name in names}
        taken = (f"snapshot '{_full_name(connection, name)}', '{snapshots[name]}'" for name in snapshots)
        in_shell(self.info_url, *taken)
        return lambda restored: self._restore(restored, snapshots)

    def _restore(self, restored: happybase.Connection, snapshots: dict[str, str]) -> None:
        tables = {_full_name(restored, name): snapshot for name, snapshot in snapshots.items()}
        restored = (
            f"disable '{table}'\ndrop '{table}'\nclone_snapshot '{snapshot}', '{table}'\ndelete_snapshot '{snapshot}'"
            for table, snapshot in tables.items()
        )
        in_shell(self.info_url, *restored)


def _full_name(connection: happybase.Connection, name: str) -> str:
    return connection.table(name).name.decode()


@attrs.frozen
class Copies:
    """A backup by scans: the newest version of each cell, with its timestamp unless these are lost."""

    keeps_dates: bool = True

    def take(self, connection: happybase.Connection, names: Iterable[str]) -> Restore:
        """Copies some tables."""
        copies = {name: [*connection.table(name).scan(include_timestamp=True)] for name in names}
        return lambda restored: [self._put(restored.table(name), rows) for name, rows in copies.items()]

    def _put(self, table: happybase.Table, rows: Sequence[tuple[bytes, dict[bytes, tuple[bytes, int]]]]) -> None:
        time.sleep(0 if self.keeps_dates else 0.05)  # the newest source may be dated some milliseconds ahead
        for row, cells in rows:
            for column, (value, time_ms) in cells.items():
                table.put(row, {column: value}, timestamp=time_ms if self.keeps_dates else None)


@attrs.frozen
class Restored:
    """What a restored backup needs: the orders with rows that disagree, before and after `repair`."""

    found: int
    left: int
    left_with_restore: int


def measured(engine: Engine, parts: Sequence[Sequence[str]], backup: Snapshots | Copies) -> Restored:
    """Takes a backup in two parts, restores it into a store of its own, and repairs that."""
    with engine.store(*TABLES) as connection:
        orders = OrderRepository(connection)
        placed = [Order(f"n-{number}", "s-1", "b-1", number, "lamp", 100) for number in range(CHANGED)]
        orders.place_all(placed[::2])
        restores = [backup.take(connection, parts[0])]
        orders.place_all(placed[1::2])
        for order in placed[::2]:
            orders.change_status(order.order_number, "paid")
        restores.append(backup.take(connection, parts[1]))
    with engine.store(*TABLES) as connection:
        for restore in restores:
            restore(connection)
        upkeep = OrderRepository(connection).upkeep
        found = {finding.source_row for finding in upkeep.verify()}
        left = [
            {finding.source_row for finding, is_mended in upkeep.repair(instructions=told) if not is_mended}
            for told in (Instructions(), Instructions(restore=True))
        ]
    return Restored(len(found), *map(len, left))
