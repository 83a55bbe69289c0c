"""Rows that cannot be read, in tables that no other part of an upkeep scans."""

from collections.abc import Callable, Iterator
from typing import Any

from ..keys import InvalidKey
from ..keys.ranges import EVERY_ROW
from ..queries.scanning import scan_in_batches
from ..tables import BoundTable, InvalidRow
from ..writes.batches import remove_row
from .combined import no_progress
from .findings import NOTHING_TOLD, Finding, Instructions, unreadable


class UnreadableRows:
    """The part of an upkeep that finds these rows, and removes them if told.

    Several `tables` may be layouts of one: a row is found if one of them cannot read it.
    """

    def __init__(self, *tables: BoundTable[Any, Any]) -> None:
        self._tables = tables

    def verify(self, progress: Callable[[], object] = no_progress) -> Iterator[Finding]:
        """The rows that cannot be read. Costs: one scan of each table."""
        for name in dict.fromkeys(table.layout.name for table in self._tables):
            yield from self._of(*(table for table in self._tables if table.layout.name == name), progress=progress)

    def _of(self, table: BoundTable[Any, Any], *others: BoundTable[Any, Any], progress: Any) -> Iterator[Finding]:
        layouts = [each.layout for each in (table, *others)]
        for batch in scan_in_batches(table.rows, EVERY_ROW):
            for row, cells in batch:
                try:
                    for layout in layouts:
                        layout.records(row, cells)
                except (InvalidKey, InvalidRow) as error:
                    yield unreadable(table.layout.name, row, error)
            progress()

    def repair(
        self, progress: Callable[[], object] = no_progress, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Removes the rows that cannot be read and that `instructions` discard."""
        tables = {table.layout.name: table for table in self._tables}
        for finding in self.verify(progress):
            yield finding, instructions.discards(finding) and remove_row(tables[finding.table], finding.row)
