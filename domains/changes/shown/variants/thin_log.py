"""A log that holds only the key of the other row: an index by position, as the published index table (S0.13).

A change is stored once. A page of the log gets its changes from the table by record, all in one call. If a row there is
lost, the log cannot restore it. Choose it if storage is tight and the log is seldom read.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.queries import DependentQuery, Query
from shared.sources import Table
from shared.tables import InvalidRow
from shared.upkeep import Upkeep
from shared.writes import CLOCK, WriterClock

from ...history import RecordHistory
from ...keys import BY_RECORD, CHECKPOINTS, COPY, SOURCES, ChangeByPosition
from ...records import Change, StoredSource
from ...storing import ChangeStore

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class LogEntry:
    """The key of a change by record, at its position."""

    source: str
    position: int
    table: str
    key: str


LOG = Table("changes_log_thin", ChangeByPosition, LogEntry, {"table": "m:b", "key": "m:r"}, holds="the key of a change")
OF_LOG = SOURCES.like("changes_sources_thin")
TABLES = (*BY_RECORD.tables, *LOG.tables, *OF_LOG.tables, *COPY.tables, *CHECKPOINTS.tables)


class Repository(RecordHistory):
    """Stores changes and finds them as `ChangeRepository` does; gets the changes of the log by record."""

    def __init__(self, connection: "happybase.Connection", clock: WriterClock = CLOCK) -> None:
        super().__init__(connection, BY_RECORD, OF_LOG)
        self._log = LOG.on(connection)
        self._changes = ChangeStore(self, self._log, self._of_source, self.of_table, clock)
        self.copies = self._changes.copies
        self.upkeep: Upkeep = self._changes.upkeep

    # ---- writes

    def store(self, change: Change) -> None:
        """Stores a change as `ChangeRepository.store` does."""
        self._changes.store([change])

    def store_all(self, changes: Iterable[Change]) -> int:
        """Stores changes as `ChangeRepository.store_all` does."""
        return self._changes.store_all(changes)

    def erase(self, key: str) -> int:
        """Deletes changes as `ChangeRepository.erase` does."""
        return self._changes.erase(key)

    # ---- questions about the log

    def since(self, source: str, after: int = 0, up_to: int | None = None) -> DependentQuery[Change]:
        """As `ChangeRepository.since`. Costs: one call more."""
        return self.following(source, after, up_to, self._of_source)

    def of_table(self, source: str, table: str, after: int = 0, up_to: int | None = None) -> DependentQuery[Change]:
        """As `ChangeRepository.of_table`. Costs: one call more."""
        return self.following(source, after, up_to, partial(self._of_table, table))

    def _of_source(self, stored: StoredSource, positions: Any) -> Query[Change]:
        return self._log.ask(source=stored.source, position=positions).then(self._changes_of)

    def _of_table(self, table: str, stored: StoredSource, positions: Any) -> Query[Change]:
        entries = self._log.ask(source=stored.source, position=positions)
        return entries.where(table=table).then(self._changes_of)

    def _changes_of(self, entries: list[Any]) -> Sequence[Change | InvalidRow]:
        """The changes of these entries. An entry without its change is an error: it has been stored."""
        layout = self.by_record.layout
        rows = [layout.row(entry) for entry in entries]
        stored = dict(self.by_record.rows.rows(rows, columns=[*layout.cells.columns]))
        return [self._change(row, stored.get(row)) for row in rows]

    def _change(self, row: bytes, cells: dict[bytes, bytes] | None) -> Change | InvalidRow:
        if cells is None:
            return InvalidRow(self.by_record.layout.name, row, "is missing, but is in the log")
        try:
            change: Change = self.by_record.layout.record(row, cells)
        except InvalidRow as error:
            return error
        return change
