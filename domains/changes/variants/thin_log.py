"""A log that holds only the key of the other row: an index by position, as the published index table (S0.13).

A change is stored once. A page of the log gets its changes from the table by record, all in one call. If a row there is
lost, the log cannot restore it. Choose it if storage is tight and the log is seldom read.
"""

from collections.abc import Sequence
from typing import Any

import attrs

from shared.keys import KeyLayout
from shared.queries import Query
from shared.tables import Column, InvalidRow, RecordCells, TableLayout

from ..keys import TABLES as MAIN_TABLES
from ..keys import ChangeByPosition, sources_table
from ..records import Change, StoredSource
from ..repository import ChangeRepository


@attrs.frozen
class LogEntry:
    """The key of a change by record, at its position."""

    source: str
    position: int
    table: str
    key: str


TABLES = MAIN_TABLES._replace(
    by_position=TableLayout(
        "changes_log_thin",
        "the key of a change",
        KeyLayout(ChangeByPosition),
        RecordCells(LogEntry, {"table": Column("m:b"), "key": Column("m:r")}),
    ),
    sources=sources_table("changes_sources_thin"),
)


class Repository(ChangeRepository):
    """Finds the changes of the log by record."""

    def __init__(self, connection: Any, **options: Any) -> None:
        super().__init__(connection, TABLES, **options)

    def _of_source(self, stored: StoredSource, positions: Any) -> Query[Change]:
        return super()._of_source(stored, positions).then(self._changes)

    def _of_table(self, stored: StoredSource, table: str, positions: Any) -> Query[Change]:
        return super()._of_table(stored, table, positions).then(self._changes)

    def _changes(self, entries: list[Any]) -> Sequence[Change | InvalidRow]:
        """The changes of these entries. An entry without its change is an error: it has been stored."""
        layout = self._by_record.layout
        rows = [layout.row(entry) for entry in entries]
        stored = dict(self._by_record.rows.rows(rows, columns=[*layout.cells.columns]))
        return [self._change(row, stored.get(row)) for row in rows]

    def _change(self, row: bytes, cells: dict[bytes, bytes] | None) -> Change | InvalidRow:
        if cells is None:
            return InvalidRow(self._by_record.layout.name, row, "is missing, but is in the log")
        try:
            return self._by_record.layout.record(row, cells)
        except InvalidRow as error:
            return error
