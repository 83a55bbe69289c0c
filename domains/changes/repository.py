"""Changes in two tables, one by record and one by position; one method for each question and each write."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby, islice, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from shared.keys import InvalidQuestion, between, shown
from shared.queries import MAX_LIMIT, DependentQuery, Query, in_batches
from shared.records import check_int, check_text
from shared.tables import BoundTable, InvalidRow, TableLayout, put_if
from shared.writes import CLOCK, CombinedUpkeep, Upkeep, WriterClock, delete_rows, put_all, refuse_expired, store_all

from .copying import Copies, check_without_ttl
from .keys import LOG_CELLS, READ_CELLS, SOURCE_CELLS, TABLES, ChangeTables
from .records import BegunSource, Change, State, StoredSource, as_of, check_as_of, state_after
from .verifying import ChangeUpkeep, CopyUpkeep

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")

CALL_CHANGES = 1000
"""The most changes that a call begins to store."""


class RefusedChange(ValueError):
    """The change is not stored: it comes out of order, or another change is stored at its position."""


class AnotherWriter(Exception):
    """Another process has stored changes of this source since this one began: only one of them may go on."""


class ChangeRepository:
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
        self, connection: "happybase.Connection", tables: ChangeTables = TABLES, clock: WriterClock = CLOCK
    ) -> None:
        check_without_ttl(tables.sources, "an expired source forgets its watermark and its tables")
        self._by_record = BoundTable(connection, tables.by_record)
        self._by_position = BoundTable(connection, tables.by_position)
        self._sources = BoundTable(connection, tables.sources)
        layout: TableLayout[Any, Any] = tables.sources
        self._watermarks: BoundTable[Any, StoredSource] = BoundTable(connection, attrs.evolve(layout, cells=READ_CELLS))
        self._clock = clock
        self._stored: dict[str, BegunSource] = {}
        """What this writer knows of its sources."""
        self.copies = Copies(connection, tables, self.watermark, self.of_table)
        changes = ChangeUpkeep(self._by_record, self._by_position, self._sources, self._completed, clock)
        copies = CopyUpkeep(self.copies, self._by_record, self._changes_of_keys)
        self.upkeep: Upkeep = CombinedUpkeep(changes, copies)

    # ---- writes

    def store(self, change: Change) -> None:
        """Stores a change. Storing it again changes nothing.

        Raises RefusedChange, AnotherWriter, and Expired if the change is older than a TTL of the log.
        Costs: two puts and two checkAndPuts; once for each source a get and a scan, and once for each table of a source
        a put.
        """
        self._store_batch([change])

    def store_all(self, changes: Iterable[Change]) -> int:
        """Stores changes as `store` does, but up to 1,000 at a time; returns their number. Raises NotAllStored.

        Readers see these 1,000 all at once, so give all changes of a transaction to one call.
        Costs: for each 1,000 changes two puts (without Thrift2, for each different time), and two checkAndPuts for each
        source.
        """
        return store_all(changes, self._store_batch)

    def _store_batch(self, changes: list[Change]) -> None:
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
            stored = Query(self._sources, self._sources.plan(source=source)).first() or BegunSource(source)
            rows = self._of_source(stored, between(stored.position + 1, None)).on_invalid(lambda _invalid: None)
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

    def _completed(self, changes: list[Change]) -> Iterable[Change]:
        """The changes as the history stores them."""
        return changes

    def _with_tables(self, stored: BegunSource, changes: list[Change]) -> BegunSource:
        """Puts the names of tables that the source does not have yet, before their first changes.

        They are dated now, and after the first change: older releases dated them by that, and if they discarded a
        source, its tombstones hide them.
        """
        tables = {change.table: True for change in changes}
        if tables.keys() <= stored.tables.keys():
            return stored
        stored = attrs.evolve(stored, tables={**stored.tables, **tables})
        cells, dated_ms = SOURCE_CELLS.pack(stored, only=["tables"]), self._clock.now_ms(changes[0].time_ms)
        self._sources.rows.put(self._sources.row(stored), cells, timestamp=dated_ms)
        return stored

    def _moved(self, stored: BegunSource, changes: list[Change]) -> BegunSource:
        """Moves the watermark from where this writer knows it to be. Raises AnotherWriter if it is elsewhere."""
        moved = attrs.evolve(stored, position=changes[-1].position)
        return moved if self._put_if(stored, moved, "position") else self._found(stored, changes)

    def _put_if(self, stored: BegunSource, changed: BegunSource, name: str) -> bool:
        """Puts one attribute of a source if it is as this writer knows it; returns whether it was."""
        ((column, value),) = SOURCE_CELLS.pack(changed, only=[name]).items()
        expected = SOURCE_CELLS.pack(stored, only=[name])[column] if getattr(stored, name) else None
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
        there = {change.position: change for change in self._of_source(stored, positions)}
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

    # ---- questions

    def watermark(self, source: str) -> int:
        """The position up to which every change of a source is stored; 0 if none is. Costs: one get."""
        return (self._source(source).first() or StoredSource(source)).position

    def history(self, source: str, table: str, key: str, up_to: int | None = None) -> DependentQuery[Change]:
        """A record's changes, newest first; those up to the position `up_to` if one is given.

        Costs: one get, and one scan of a page's rows and one more.
        """
        return self._up_to(source, up_to, lambda stored: self._of_record(stored, table, key))

    def state(
        self, source: str, table: str, key: str, as_of_ms: int | None = None, up_to: int | None = None
    ) -> State | None:
        """A record as its latest change left it; None if it is not stored, or deleted.

        With `as_of_ms`, its latest change dated then or earlier; with `up_to`, its latest change up to that position.
        Costs: one get, and one scan of the record's changes.
        """
        check_as_of(as_of_ms)
        return state_after(as_of(self.history(source, table, key, up_to), as_of_ms))

    def states(
        self,
        source: str,
        table: str,
        as_of_ms: int | None = None,
        up_to: int | None = None,
        after_key: str = "",
        at_most: int = 1000,
    ) -> list[State]:
        """The records of a table by key, as `state` finds each; for the next ones pass the last key as `after_key`.

        Costs: one get, and one scan of all changes of these records. The copy has a row for each record.
        """
        check_as_of(as_of_ms)
        check_text("after_key", after_key)
        check_at_most(at_most)
        following = between(f"{after_key}\0" if after_key else None, None)
        changes = self._changes_of_keys(source, table, following, up_to)
        states = (state_after(as_of(of_key, as_of_ms)) for _, of_key in groupby(changes, key=attrgetter("key")))
        return [*islice(filter(None, states), at_most)]

    def since(self, source: str, after: int = 0, up_to: int | None = None) -> DependentQuery[Change]:
        """The changes of a source after a position, oldest first; up to the position `up_to`, or to the watermark.

        Costs: one get, and one scan of a page's rows and one more.
        """
        check_int("after", after, 0)
        return self._up_to(source, up_to, lambda stored: self._of_source(stored, _after(stored, after)))

    def of_table(self, source: str, table: str, after: int = 0, up_to: int | None = None) -> DependentQuery[Change]:
        """The changes of one table after a position, oldest first; up to the position `up_to`, or to the watermark.

        Costs: as `since`, and the rows of the source's other tables, which the client drops.
        """
        check_int("after", after, 0)
        return self._up_to(source, up_to, lambda stored: self._of_table(stored, table, _after(stored, after)))

    def _up_to(self, source: str, up_to: int | None, ask: Callable[[StoredSource], Query[R]]) -> DependentQuery[R]:
        """A question about a source up to its watermark, as each page finds it, or up to a position before that."""
        if up_to is not None:
            check_int("up_to", up_to, 0)

        def bounded(lookup: Query[StoredSource]) -> Query[R]:
            stored = lookup.first() or StoredSource(source)
            if up_to is None:
                return ask(stored)
            if up_to > stored.position:
                of_source = f"the watermark of source {shown(source)}, {stored.position}"
                raise InvalidQuestion(f"up_to: must be at most {of_source} (got {shown(up_to)})")
            return ask(attrs.evolve(stored, position=up_to))

        return DependentQuery(self._source(source), bounded, "the positions up to the watermark", "ask with up_to")

    def _source(self, source: str) -> Query[StoredSource]:
        return Query(self._watermarks, self._watermarks.plan(source=source))

    def _of_record(self, stored: StoredSource, table: str, key: str) -> Query[Change]:
        positions = between(None, stored.position + 1)
        plan = self._by_record.plan(source=stored.source, table=table, key=key, position=positions)
        return Query(self._by_record, plan).newest_first()

    def _changes_of_keys(self, source: str, table: str, keys: Any, up_to: int | None = None) -> DependentQuery[Change]:
        """The changes of the records whose keys meet a condition, by key, newest first."""

        def of_keys(stored: StoredSource) -> Query[Change]:
            positions = between(None, stored.position + 1)
            plan = self._by_record.narrow(source=source, table=table, key=keys, position=positions)
            return Query(self._by_record, plan)

        return self._up_to(source, up_to, of_keys)

    def _of_source(self, stored: StoredSource, positions: Any) -> Query[Change]:
        return Query(self._by_position, self._by_position.plan(source=stored.source, position=positions))

    def _of_table(self, stored: StoredSource, table: str, positions: Any) -> Query[Change]:
        plan = self._by_position.plan(source=stored.source, position=positions)
        return Query(self._by_position, plan).where(table=table)

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
        check_text("key", key, empty=False)
        self._by_record.plan(source="", table="", key=key)  # refuses what is not Unicode, before the first source
        remaining, unread = 0, list[InvalidRow]()
        for stored in Query(self._watermarks, self._watermarks.whole_table()).on_invalid(unread.append):
            for table in stored.tables:
                remaining += self._erase(stored.source, table, key)
        return remaining + len(unread)

    def _erase(self, source: str, table: str, key: str) -> int:
        unread: list[InvalidRow] = []
        changes = Query(self._by_record, self._by_record.plan(source=source, table=table, key=key))
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
    cells = sorted(LOG_CELLS.pack(change).items())
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


def check_at_most(at_most: int) -> None:
    """Raises InvalidQuestion for a number of records that is not 1..MAX_LIMIT."""
    if type(at_most) is not int or not 1 <= at_most <= MAX_LIMIT:
        raise InvalidQuestion(f"at_most: must be 1..{MAX_LIMIT} (got {shown(at_most)})")


def _after(stored: StoredSource, after: int) -> Any:
    """The positions after `after` up to the watermark."""
    return between(min(after, stored.position) + 1, stored.position + 1)
