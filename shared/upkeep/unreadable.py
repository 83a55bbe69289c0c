"""Rows that cannot be read, in tables that no other part of an upkeep scans."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..keys import InvalidKey
from ..keys.ranges import EVERY_ROW
from ..queries.scanning import scan_in_batches
from ..tables import BoundTable, InvalidRow
from ..writes.batches import remove_row
from .findings import Instructions, Mendable, unreadable
from .parts import Upkeep


class UnreadableRows(Upkeep):
    """The part of an upkeep that finds rows that cannot be read, and removes them if told.

    Several `tables` may be layouts of one: a row is found if one of them cannot read it.
    """

    def __init__(self, *tables: BoundTable[Any, Any]) -> None:
        self._tables = tables

    def found(self, progress: Callable[[], object], _told: Instructions | None, /) -> Iterator[Mendable]:
        """The rows that cannot be read. Costs: one scan of each table."""
        for name in dict.fromkeys(table.layout.name for table in self._tables):
            tables = [table for table in self._tables if table.layout.name == name]
            for batch in scan_in_batches(tables[0].rows, EVERY_ROW):
                for row, cells in batch:
                    try:
                        for table in tables:
                            table.layout.records(row, cells)
                    except (InvalidKey, InvalidRow) as error:
                        yield Mendable(unreadable(name, row, error), discard=partial(remove_row, tables[-1], row))
                progress()
