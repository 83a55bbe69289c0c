"""Each change with the whole record after it: a record now, or as of a position, is one row.

The writer completes each UPDATE: it first reads the record as it was, by a scan of one row. A record as of a time still
reads all later changes, because the time is in no row key. Choose it if you often ask for a record now, and mostly
read.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from shared.keys import between
from shared.queries import DependentQuery, Query
from shared.tables import OtherColumns, RecordCells, TableLayout

from ..keys import BY_RECORD, HISTORY_CELLS, sources_table
from ..keys import TABLES as MAIN_TABLES
from ..records import Change, State, StoredSource, check_as_of
from ..repository import ChangeRepository


@attrs.frozen
class WholeChange(Change):
    """A change, and the record after it."""

    after: Mapping[str, str | None] = attrs.field(factory=dict[str, str | None], hash=False)
    """All columns of the record; empty after a DELETE."""

    @property
    def change(self) -> Change:
        """The change alone."""
        return Change(**{field.name: getattr(self, field.name) for field in attrs.fields(Change)})


TABLES = MAIN_TABLES._replace(
    by_record=TableLayout(
        "changes_whole_rows",
        "one change of a record, and the record after it",
        BY_RECORD.key,
        RecordCells(WholeChange, {**HISTORY_CELLS.attributes, "after": OtherColumns("w")}),
    ),
    sources=sources_table("changes_sources_whole_rows"),
)


class Repository(ChangeRepository):
    """Stores the whole record with each change."""

    def __init__(self, connection: Any, **options: Any) -> None:
        super().__init__(connection, TABLES, **options)

    # ---- writes

    def _completed(self, changes: list[Change]) -> Iterator[WholeChange]:
        """The changes with the records after them; one that `repair` puts again has its record already.

        Costs: one scan of one row more for each record that an UPDATE changes first.
        """
        known: dict[tuple[str, str, str], Mapping[str, str | None]] = {}
        for change in changes:
            record = change.source, change.table, change.key
            after: Mapping[str, str | None] = {}
            if isinstance(change, WholeChange):
                after = change.after
            elif change.kind == "INSERT":
                after = change.values
            elif change.kind == "UPDATE":
                after = {**(known[record] if record in known else self._before(change)), **change.values}
            known[record] = after
            values: dict[str, Any] = {**attrs.asdict(change, recurse=False), "after": after}
            yield WholeChange(**values)

    def _before(self, change: Change) -> Mapping[str, str | None]:
        positions = between(None, change.position)
        plan = self._by_record.plan(source=change.source, table=change.table, key=change.key, position=positions)
        before: Any = Query(self._by_record, plan).newest_first().first()
        return {} if before is None else before.after

    # ---- questions

    def history(self, source: str, table: str, key: str, up_to: int | None = None) -> DependentQuery[Change]:
        """A record's changes, as `ChangeRepository.history` returns them. Costs: the same, and more bytes."""
        return super().history(source, table, key, up_to).then(_changes_alone)

    def state(
        self, source: str, table: str, key: str, as_of_ms: int | None = None, up_to: int | None = None
    ) -> State | None:
        """A record as its latest change left it, as `ChangeRepository.state` returns it.

        Costs: one get, and one scan of two rows; with `as_of_ms` also of the later changes.
        """
        check_as_of(as_of_ms)
        where = {} if as_of_ms is None else {"time_ms": between(None, as_of_ms + 1)}

        def of_record(stored: StoredSource) -> Query[Any]:
            positions = between(None, stored.position + 1)
            plan = self._by_record.plan(source=source, table=table, key=key, position=positions)
            return Query(self._by_record, plan).where(**where).newest_first()

        last: Any = self._up_to(source, up_to, of_record).first()
        if last is None or last.kind == "DELETE":
            return None
        return State(source, table, key, last.position, last.time_ms, last.after)


def _changes_alone(changes: list[Any]) -> list[Change]:
    return [change.change for change in changes]
