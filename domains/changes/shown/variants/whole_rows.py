"""Each change with the whole record after it: a record now, or as of a position, is one row.

The writer completes each UPDATE: it first reads the record as it was, by a scan of one row. A record as of a time still
reads all later changes, because the time is in no row key. Choose it if you often ask for a record now, and mostly
read.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import between
from shared.queries import DependentQuery, Query
from shared.sources import Table
from shared.tables import OtherColumns
from shared.upkeep import Upkeep
from shared.writes import CLOCK, WriterClock

from ...history import RecordHistory
from ...keys import BY_POSITION, CHECKPOINTS, COLUMNS, COPY, SOURCES, ChangeOfRecord
from ...records import Change, State, StoredSource, check_as_of
from ...storing import ChangeStore

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class WholeChange(Change):
    """A change, and the record after it."""

    after: Mapping[str, Any] = attrs.field(factory=dict[str, Any], hash=False)
    """All columns of the record; empty after a DELETE."""

    @property
    def change(self) -> Change:
        """The change alone."""
        return Change(**{field.name: getattr(self, field.name) for field in attrs.fields(Change)})


HISTORY = Table(
    "changes_whole_rows",
    ChangeOfRecord,
    WholeChange,
    {**COLUMNS, "after": OtherColumns("w")},
    dated_by="time_ms",
    holds="one change of a record, and the record after it",
)
OF_LOG = SOURCES.like("changes_sources_whole_rows")
TABLES = (*HISTORY.tables, *BY_POSITION.tables, *OF_LOG.tables, *COPY.tables, *CHECKPOINTS.tables)


class Repository(RecordHistory):
    """Stores changes and finds them as `ChangeRepository` does; stores the whole record with each change."""

    def __init__(self, connection: "happybase.Connection", clock: WriterClock = CLOCK) -> None:
        super().__init__(connection, HISTORY, OF_LOG)
        self._log = BY_POSITION.on(connection)
        self._changes = ChangeStore(self, self._log, self._of_source, self.of_table, clock, self._completed)
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

    def _completed(self, changes: list[Change]) -> Iterator[WholeChange]:
        """The changes with the records after them; one that `repair` puts again has its record already.

        Costs: one scan of one row more for each record that an UPDATE changes first.
        """
        known: dict[tuple[str, str, str], Mapping[str, Any]] = {}
        for change in changes:
            record = change.source, change.table, change.key
            after: Mapping[str, Any] = {}
            if isinstance(change, WholeChange):
                after = change.after
            elif change.kind == "INSERT":
                after = change.values
            elif change.kind == "UPDATE":
                after = {**(known[record] if record in known else self._before(change)), **change.values}
            known[record] = after
            values: dict[str, Any] = {**attrs.asdict(change, recurse=False), "after": after}
            yield WholeChange(**values)

    def _before(self, change: Change) -> Mapping[str, Any]:
        positions = between(None, change.position)
        rows = self.by_record.ask(source=change.source, table=change.table, key=change.key, position=positions)
        before: Any = rows.newest_first().first()
        return {} if before is None else before.after

    # ---- questions about records

    def history(self, source: str, table: str, key: str, up_to: int | None = None) -> DependentQuery[Change]:
        """A record's changes, as `RecordHistory.history` returns them. Costs: the same, and more bytes."""
        return super().history(source, table, key, up_to).then(_changes_alone)

    def state(
        self, source: str, table: str, key: str, as_of_ms: int | None = None, up_to: int | None = None
    ) -> State | None:
        """A record as its latest change left it, as `RecordHistory.state` returns it.

        Costs: one get, and one scan of two rows; with `as_of_ms` also of the later changes.
        """
        check_as_of(as_of_ms)
        where = {} if as_of_ms is None else {"time_ms": between(None, as_of_ms + 1)}

        def of_record(stored: StoredSource) -> Query[Any]:
            positions = between(None, stored.position + 1)
            changes = self.by_record.ask(source=source, table=table, key=key, position=positions)
            return changes.where(**where).newest_first()

        last: Any = self.up_to(source, up_to, of_record).first()
        if last is None or last.kind == "DELETE":
            return None
        return State(source, table, key, last.position, last.time_ms, last.after)

    # ---- questions about the log

    def since(self, source: str, after: int = 0, up_to: int | None = None) -> DependentQuery[Change]:
        """As `ChangeRepository.since`."""
        return self.following(source, after, up_to, self._of_source)

    def of_table(self, source: str, table: str, after: int = 0, up_to: int | None = None) -> DependentQuery[Change]:
        """As `ChangeRepository.of_table`."""
        return self.following(source, after, up_to, partial(self._of_table, table))

    def _of_source(self, stored: StoredSource, positions: Any) -> Query[Change]:
        return self._log.ask(source=stored.source, position=positions)

    def _of_table(self, table: str, stored: StoredSource, positions: Any) -> Query[Change]:
        return self._of_source(stored, positions).where(table=table)


def _changes_alone(changes: list[Any]) -> list[Change]:
    return [change.change for change in changes]
