"""The rows of changes: stored so that readers see all changes of a call or none, erased, fed to copies, compared."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

import attrs

from shared.keys import between, shown
from shared.queries import DependentQuery, Query
from shared.queries.scanning import in_batches
from shared.records import check_text
from shared.tables import BoundTable, InvalidRow, put_if
from shared.upkeep import CombinedUpkeep, Upkeep
from shared.writes import WriterClock, delete_rows, put_all, refuse_expired, store_all

from .copying import Copies
from .history import RecordHistory
from .keys import BY_POSITION, SOURCES
from .records import BegunSource, Change, StoredSource
from .verifying import ChangeUpkeep, CopyUpkeep

CALL_CHANGES = 1000
"""The most changes that a call begins to store."""
_SOURCE_CELLS: Any = SOURCES.layout.cells


class RefusedChange(ValueError):
    """The change is not stored: it comes out of order, or another change is stored at its position."""


class AnotherWriter(Exception):
    """Another process has stored changes of this source since this one began: only one of them may go on."""


class ChangeStore:
    """Stores the changes of sources, and erases records, as `ChangeRepository` promises.

    `log` reads the changes of a source at some positions, `of_table` those of one table, as `Copies` needs it.
    `completed` returns changes as the history stores them.
    """

    def __init__(
        self,
        records: RecordHistory,
        by_position: BoundTable[Any, Any],
        log: Callable[[StoredSource, Any], Query[Change]],
        of_table: Callable[[str, str, int, int], DependentQuery[Change]],
        clock: WriterClock,
        completed: Callable[[list[Change]], Iterable[Change]] = iter,
    ) -> None:
        self._records = records
        self._by_record = records.by_record
        self._by_position = by_position
        self._sources = records.sources
        self._log = log
        self._completed = completed
        self._clock = clock
        self._stored: dict[str, BegunSource] = {}
        """What this writer knows of its sources."""
        self.copies = Copies(by_position.connection, records.watermark, of_table)
        changes = ChangeUpkeep(self._by_record, self._by_position, self._sources, completed, clock)
        self.upkeep: Upkeep = CombinedUpkeep(changes, CopyUpkeep(self.copies, self._by_record, records.changes_of_keys))

    # ---- writes

    def store_all(self, changes: Iterable[Change]) -> int:
        """Stores changes, up to 1,000 at a time; returns their number. Raises NotAllStored."""
        return store_all(changes, self.store)

    def store(self, changes: list[Change]) -> None:
        """Stores changes in one call. Raises RefusedChange, AnotherWriter, and Expired."""
        refuse_expired(changes, self._by_record, self._by_position)
        by_source: dict[str, list[Change]] = {}
        for change in changes:
            by_source.setdefault(change.source, []).append(change)
        for source, of_source in by_source.items():
            _check_in_order(of_source)
            self._stored[source] = self._store_of_source(self._stored.get(source) or self._to_write(source), of_source)

    def _to_write(self, source: str) -> BegunSource:
        """A source for its writer. A release that does not put `begun` may have left rows after the watermark: begun.

        Costs: one get, and one scan of the log after the watermark.
        """
        while True:
            stored = self._sources.ask(source=source).first() or BegunSource(source)
            rows = self._log(stored, between(stored.position + 1, None)).on_invalid(lambda _invalid: None)
            left = {change.position: digest_of(change) for change in rows.page(CALL_CHANGES).records}
            if left.keys() <= stored.begun.keys():
                return stored
            decided = attrs.evolve(stored, begun={**left, **stored.begun})
            if self._put_if(stored, decided, "begun"):
                return decided

    def _store_of_source(self, stored: BegunSource, changes: list[Change]) -> BegunSource:
        """Stores the changes after the watermark; the others must be stored already. Returns what is stored then."""
        self._check_stored(stored, [change for change in changes if change.position <= stored.position])
        new = [change for change in changes if change.position > stored.position]
        for change in new:
            self._by_record.row(change)  # a key that cannot be encoded is refused before its position is begun
        if new:
            stored = self._with_begun(stored, new)
        if new and stored.position < new[-1].position:
            stored = self._with_tables(stored, new)
            self._put_all(new)
            stored = self._moved(stored, new)
        return stored

    def _with_begun(self, stored: BegunSource, changes: list[Change]) -> BegunSource:
        """Decides, by checkAndPut, that these changes have their positions; only then may their rows be put.

        Nothing is to be decided if a writer has begun to store the same changes. Raises RefusedChange for others.
        """
        digests = {change.position: digest_of(change) for change in changes}
        while stored.position < changes[-1].position and not _are_begun(stored, digests):
            decided = attrs.evolve(stored, begun=digests)
            is_decided = self._put_if(stored, decided, "begun")
            stored = decided if is_decided else self._found(stored, changes, may_wait=True)
        return stored

    def _put_all(self, changes: list[Change]) -> None:
        put_all([*self._completed(changes)], self._by_record, self._by_position)

    def _with_tables(self, stored: BegunSource, changes: list[Change]) -> BegunSource:
        """Puts the names of tables that the source does not have yet, before their first changes.

        They are dated now, and after the first change: older releases dated them by that, and if they discarded a
        source, its tombstones hide them.
        """
        tables = {change.table: True for change in changes}
        if tables.keys() <= stored.tables.keys():
            return stored
        stored = attrs.evolve(stored, tables={**stored.tables, **tables})
        cells, dated_ms = _SOURCE_CELLS.pack(stored, only=["tables"]), self._clock.now_ms(changes[0].time_ms)
        self._sources.rows.put(self._sources.row(stored), cells, timestamp=dated_ms)
        return stored

    def _moved(self, stored: BegunSource, changes: list[Change]) -> BegunSource:
        """Moves the watermark from where this writer knows it to be. Raises AnotherWriter if it is elsewhere."""
        moved = attrs.evolve(stored, position=changes[-1].position)
        return moved if self._put_if(stored, moved, "position") else self._found(stored, changes)

    def _put_if(self, stored: BegunSource, changed: BegunSource, name: str) -> bool:
        """Puts one attribute of a source if it is as this writer knows it; returns whether it was."""
        ((column, value),) = _SOURCE_CELLS.pack(changed, only=[name]).items()
        expected = _SOURCE_CELLS.pack(stored, only=[name])[column] if getattr(stored, name) else None
        return put_if(self._sources.rows, self._sources.row(changed), column, expected, value)

    def _found(self, stored: BegunSource, changes: list[Change], *, may_wait: bool = False) -> BegunSource:
        """The source after a refused checkAndPut, if its watermark is at the last change: all of them are stored.

        An earlier call of this writer may have stored them, and its reply was lost. If they `may_wait`, the watermark
        may also be where this writer knows it to be. Raises AnotherWriter otherwise.
        """
        found = self._to_write(stored.source)
        waits = may_wait and found.position == stored.position and found.begun != stored.begun
        if not waits and found.position != changes[-1].position:
            raise AnotherWriter(
                f"source {shown(stored.source)}: this writer has stored up to {stored.position}, another one up to "
                f"{found.position}: let only one of them go on, after the watermark"
            )
        self._check_stored(found, [] if waits else changes)
        return found

    def _check_stored(self, stored: StoredSource, changes: list[Change]) -> None:
        """Raises RefusedChange for a change up to the watermark that is not stored, or differs from the stored one."""
        if not changes:
            return
        positions = between(changes[0].position, changes[-1].position + 1)
        there = {change.position: change for change in self._log(stored, positions)}
        for change in changes:
            if change.position not in there:
                raise RefusedChange(
                    f"Change.position: must be after the watermark of source {shown(stored.source)}, {stored.position} "
                    f"(got {change.position}, which is not stored: it came too late, or was erased, or has expired)"
                )
            if change != there[change.position]:
                raise RefusedChange(
                    f"Change.position: must be that of one change (got {change.position}, at which source "
                    f"{shown(stored.source)} has another one)"
                )

    # ---- upkeep

    def erase(self, key: str) -> int:
        """Deletes all changes of the records with a key, and the records in the copies; returns how many rows remain.

        Each source that cannot be read counts as one row more, because its tables are unknown.
        """
        check_text("key", key, empty=False)
        self._by_record.plan(source="", table="", key=key)  # refuses what is not Unicode, before the first source
        remaining, unread = 0, list[InvalidRow]()
        for stored in self._records.watermarks.ask_all().on_invalid(unread.append):
            for table in stored.tables:
                remaining += self._erase(stored.source, table, key)
        return remaining + len(unread)

    def _erase(self, source: str, table: str, key: str) -> int:
        unread: list[InvalidRow] = []
        changes = self._by_record.ask(source=source, table=table, key=key)
        for batch in in_batches(changes.on_invalid(lambda _invalid: None)):
            for of_changes in (self._by_position, self._by_record):  # the history last: the same call finds the changes
                rows, columns = [*map(of_changes.row, batch)], [*of_changes.layout.cells.columns]
                stored = of_changes.rows.rows(rows, columns=columns, include_timestamp=True)
                repaired_ms = (dated_ms for _, cells in stored for _, dated_ms in cells.values())
                delete_rows(of_changes, rows, max(*(change.time_ms for change in batch), *repaired_ms, 0))
        remaining = self.copies.erase(source, table, key)
        return remaining + changes.on_invalid(unread.append).count() + len(unread)


def _check_in_order(changes: list[Change]) -> None:
    """Raises RefusedChange for a position that is not above the one before; the same change may come again."""
    for before, change in pairwise(changes):
        if change.position < before.position or (change.position == before.position and change != before):
            raise RefusedChange(
                f"Change.position: must be above the one before, {before.position} (got {change.position})"
            )


def digest_of(change: Change) -> bytes:
    """What tells a change from others at its position: 16 bytes of a hash of its cells."""
    cells = sorted(BY_POSITION.layout.cells.pack(change).items())
    return hashlib.blake2b(repr(cells).encode(), digest_size=16).digest()


def _are_begun(stored: BegunSource, digests: Mapping[int, bytes]) -> bool:
    """Whether a writer has begun to store all of these changes, which come first after the watermark.

    Raises RefusedChange if it has begun to store others.
    """
    begun = sorted((position, digest) for position, digest in stored.begun.items() if position > stored.position)
    for (position, digest), (of_begun, begun_digest) in zip(digests.items(), begun, strict=False):
        if position != of_begun:
            raise RefusedChange(
                f"Change.position: must be {of_begun} next, which a writer of source {shown(stored.source)} has begun "
                f"to store after the watermark, {stored.position} (got {position})"
            )
        if digest != begun_digest:
            raise RefusedChange(
                f"Change.position: must be that of one change (got {position}, at which a writer of source "
                f"{shown(stored.source)} has begun to store another one)"
            )
    return len(digests) <= len(begun)
