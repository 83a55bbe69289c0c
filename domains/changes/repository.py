"""Changes in two tables, one by record and one by position; one method for each question and each write."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from shared.queries import DependentQuery, Query
from shared.sources import Table
from shared.upkeep import Upkeep
from shared.writes import CLOCK, WriterClock

from .history import RecordHistory
from .keys import BY_POSITION, BY_RECORD, SOURCES
from .records import BegunSource, Change, StoredSource
from .storing import ChangeStore

if TYPE_CHECKING:
    import happybase


class ChangeRepository(RecordHistory):
    """Stores the changes of sources in the order of their logs, and finds them by record and by position.

    A source has one writer at a time, which starts after the watermark and stores every change of the log in order. A
    call first decides by checkAndPut which changes have its positions, then puts both rows of each, then moves the
    watermark. Readers ask up to the watermark only, so each of them sees all of the changes of a call or none, in both
    tables; also after a crash, because the next writer puts the same rows again. A writer that has other changes at
    these positions is refused before it puts a row, so no change that a reader has seen is ever replaced.

    Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        by_record: Table[Change] = BY_RECORD,
        by_position: Table[Change] = BY_POSITION,
        sources: Table[BegunSource] = SOURCES,
        clock: WriterClock = CLOCK,
    ) -> None:
        super().__init__(connection, by_record, sources)
        self._by_position = by_position.on(connection)
        self._changes = ChangeStore(self, self._by_position, self._of_source, self.of_table, clock)
        self.copies = self._changes.copies
        self.upkeep: Upkeep = self._changes.upkeep

    # ---- writes

    def store(self, change: Change) -> None:
        """Stores a change. Storing it again changes nothing.

        Raises RefusedChange, AnotherWriter, and Expired if the change is older than a TTL of the log.
        Costs: two puts and two checkAndPuts; once for each source a get and a scan, and once for each table of a source
        a put.
        """
        self._changes.store([change])

    def store_all(self, changes: Iterable[Change]) -> int:
        """Stores changes as `store` does, but up to 1,000 at a time; returns their number. Raises NotAllStored.

        Readers see these 1,000 all at once, so give all changes of a transaction to one call.
        Costs: for each 1,000 changes two puts (without Thrift2, for each different time), and two checkAndPuts for each
        source.
        """
        return self._changes.store_all(changes)

    # ---- questions about the log

    def since(self, source: str, after: int = 0, up_to: int | None = None) -> DependentQuery[Change]:
        """The changes of a source after a position, oldest first; up to the position `up_to`, or to the watermark.

        Costs: one get, and one scan of a page's rows and one more.
        """
        return self.following(source, after, up_to, self._of_source)

    def of_table(self, source: str, table: str, after: int = 0, up_to: int | None = None) -> DependentQuery[Change]:
        """The changes of one table after a position, oldest first; up to the position `up_to`, or to the watermark.

        Costs: as `since`, and the rows of the source's other tables, which the client drops.
        """
        return self.following(source, after, up_to, partial(self._of_table, table))

    def _of_source(self, stored: StoredSource, positions: Any) -> Query[Change]:
        return self._by_position.ask(source=stored.source, position=positions)

    def _of_table(self, table: str, stored: StoredSource, positions: Any) -> Query[Change]:
        return self._of_source(stored, positions).where(table=table)

    # ---- upkeep

    def erase(self, key: str) -> int:
        """Deletes all changes of the records with a key, in all tables of all sources, and the records in the copies.

        Returns how many rows of these records remain: a row remains if it cannot be read, if it was put meanwhile, or
        if it is in a copy and has a cell that no feed has put, which `verify` names. Each source that cannot be read
        counts as one row more, because its tables are unknown. If a call dies, the same call again finishes it; run it
        before `repair`. A feed that had read some of the changes may put the record into its copy again: `verify` finds
        it, and the same call again removes it.
        Costs: one scan of the sources; for each table of each source two scans of the record's changes, four gets and
        one delete for its copy, and four calls for each 1,000 changes.
        """
        return self._changes.erase(key)
