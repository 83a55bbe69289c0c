"""A log for each table: in the key of the log the table comes before the position.

All changes of one table are one range. The changes of a source are one range for each of its tables, and the client
merges them; the row of the source names its tables. Choose it if readers follow single tables, as copies do.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from shared.keys import EscapedText, UInt64, any_of, part, row_key
from shared.queries import DependentQuery, Query
from shared.upkeep import Upkeep
from shared.writes import CLOCK, WriterClock

from ...history import RecordHistory
from ...keys import BY_POSITION, BY_RECORD, CHECKPOINTS, COLUMNS, COPY, SOURCES
from ...records import Change, StoredSource
from ...storing import ChangeStore

if TYPE_CHECKING:
    import happybase


@row_key
class ChangeOfTable:
    """One change in the log of its table.

    Order:  by source, then by table, then by position, oldest first.
    Serves: the changes of a table after a position; those of a source, by one range for each table.
    Costs:  one get of the watermark, and one scan of a page's rows and one more, or as many scans as there are tables.
            New rows go to one region for each busy table.
    Fixed:  the sequence of the parts.
    Source: none
    """

    source: str = part(EscapedText, "the database whose record changed; any text")
    table: str = part(EscapedText, "its table")
    position: int = part(UInt64, "the number of the change in the log of its source")


LOG = BY_POSITION.like("changes_log_by_table", ChangeOfTable, {"key": "m:r", **COLUMNS}, holds="one change of a table")
OF_LOG = SOURCES.like("changes_sources_by_table")
TABLES = (*BY_RECORD.tables, *LOG.tables, *OF_LOG.tables, *COPY.tables, *CHECKPOINTS.tables)


class Repository(RecordHistory):
    """Stores changes and finds them as `ChangeRepository` does, with a log for each table."""

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
        """As `ChangeRepository.since`. Costs: one get, and one scan for each table."""
        return self.following(source, after, up_to, self._of_source)

    def of_table(self, source: str, table: str, after: int = 0, up_to: int | None = None) -> DependentQuery[Change]:
        """As `ChangeRepository.of_table`. Costs: one get, and one scan of a page's rows and one more."""
        return self.following(source, after, up_to, partial(self._of_table, table))

    def _of_source(self, stored: StoredSource, positions: Any) -> Query[Change]:
        tables = any_of(sorted(stored.tables), merged=True)
        return self._log.ask(source=stored.source, table=tables, position=positions)

    def _of_table(self, table: str, stored: StoredSource, positions: Any) -> Query[Change]:
        return self._log.ask(source=stored.source, table=table, position=positions)
