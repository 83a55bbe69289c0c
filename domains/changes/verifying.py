"""Finding changes that one of the two tables lacks, and records of a copy that differ from the log; mending both.

A writer puts both rows of a change before it moves the watermark, so a row up to the watermark without its other row
was lost in an accident, or by an erasure that died. Rows beyond the watermark belong to a call under way, or to a
writer that died; the next writer puts them again, so they are not compared. What a writer has begun ten minutes ago,
and not ended, is reported.

A copy is compared by position: each of its cells must be dated by the change that put it. Its feeder may be at work, so
a row may be ahead of the copy's position; but it is always as one of its record's changes left it.

What disagrees is read again, twice, and reported if it still does.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from shared.keys import InvalidKey, between
from shared.keys.ranges import EVERY_ROW
from shared.queries import DependentQuery, Query
from shared.queries.scanning import in_batches, scan_in_batches
from shared.tables import BoundTable, InvalidRow
from shared.upkeep import Finding, Instructions, Mendable, Upkeep
from shared.upkeep.findings import TIMES_READ_AGAIN, confirmed
from shared.upkeep.recovery import Recovery
from shared.writes import Expired, WriterClock, put_all
from shared.writes.batches import remove_row

from .copying import Copies, DatedCells, copied_cells, live_cells
from .keys import SOURCES
from .records import BegunSource, Change, Checkpoint

BEGUN_MS = 600_000
"""A writer that has begun to store changes so long ago counts as dead."""
_CELLS: Any = SOURCES.layout.cells
_BEGUN = _CELLS.column("begun")
((_TABLES, _IS_TABLE),) = _CELLS.pack(BegunSource("", tables={"": True}), only=["tables"]).items()
AT_ONCE = 250
"""Records of a copy that are read in one call, each with all its changes in memory."""


class ChangeUpkeep(Upkeep):
    """The upkeep of sources, and of the two tables of changes: each is scanned, and the other one asked for the same.

    `completed` returns changes as the history stores them.
    """

    def __init__(
        self,
        by_record: BoundTable[Any, Change],
        by_position: BoundTable[Any, Any],
        sources: BoundTable[Any, BegunSource],
        completed: Callable[[list[Change]], Iterable[Change]],
        clock: WriterClock,
    ) -> None:
        self._by_record = by_record
        self._by_position = by_position
        self._sources = sources
        self._completed = completed
        self._clock = clock
        self._watermarks: dict[str, int] = {}
        self._rows = 0

    @property
    def counts(self) -> Mapping[str, int]:
        """Rows compared so far, in either table."""
        return {"change": self._rows}

    def found(self, progress: Callable[[], object], _told: Instructions | None, /) -> Iterator[Mendable]:
        """Every row up to the watermark that lacks its other row, or differs from it; and those that cannot be read.

        The changes of a source that cannot be read are not compared. Also finds the sources whose writers died.
        Costs: one scan of each table; for each 1,000 rows a call to the other table, and four more if they disagree.

        `repair` puts each wrong row again, as the other table has it; the history is right if they differ. It is dated
        as before, or as the newest cell in it if that is later.

        If neither table has all of a change, its rows are kept unless `repair` is told to discard them. So is a change
        in the history at whose position the log has another one. A row stays missing if it was deleted: HBase hides it
        until a major compaction. If `repair` is told to discard a source that cannot be read, it removes it, but keeps
        the names of its tables. If it is told to discard another source, it forgets the changes that its writer has
        begun, provided that no row of them is stored.
        """
        self._rows, self._watermarks = 0, {}
        yield from self._of_sources()
        differing = set[bytes]()
        for table, other in ((self._by_record, self._by_position), (self._by_position, self._by_record)):
            for batch in scan_in_batches(table.rows, EVERY_ROW, columns=table.layout.cells.columns):
                records = list[Any]()
                for row, cells in batch:
                    try:
                        records.append(table.layout.record(row, cells))
                    except InvalidRow as error:
                        if row not in differing and not table.layout.has_expired(cells):
                            yield self._undecodable(table, row, error.reason)
                stored = [record for record in records if self._is_stored(record)]
                wrong = confirmed(stored, partial(self._disagreeing, other), partial(_still_there, table))
                differing.update(map(other.row, wrong))
                yield from (self._wrong(table, other, record) for record in wrong)
                self._rows += len(batch)
                progress()

    def _of_sources(self) -> Iterator[Mendable]:
        """The sources that cannot be read, and those whose writers died; notes the watermarks of all that can."""
        layout, rows = self._sources.layout, self._sources.rows
        batches = scan_in_batches(rows, EVERY_ROW, columns=layout.cells.columns, include_timestamp=True)
        for row, cells in chain.from_iterable(batches):
            try:
                source = layout.record(row, {column: value for column, (value, _) in cells.items()})
            except InvalidRow as error:
                finding = Finding("undecodable", layout.name, row, None, error.reason)
                yield Mendable(finding, discard=partial(self._begun_again, row), is_source=True)
                continue
            self._watermarks[source.source] = source.position
            begun = [position for position in source.begun if position > source.position]
            _, begun_ms = cells.get(_BEGUN, (b"", 0))
            if begun and self._clock.read_ms() - begun_ms >= BEGUN_MS:
                wanted = "store the log again from its watermark on"
                reason = f"{len(begun)} changes from position {min(begun)} on were begun, and have not been stored"
                finding = Finding("unsettled", layout.name, row, None, f"{reason}: {wanted}")
                yield Mendable(finding, discard=partial(self._forgotten, row, source, begun_ms))

    def _begun_again(self, row: bytes) -> bool:
        """Removes what a source has but the names of its tables, by which `erase` finds its changes."""
        layout, rows = self._sources.layout, self._sources.rows
        for column, (_, dated_ms) in rows.row(row, [*layout.cells.columns], include_timestamp=True).items():
            if column.startswith(_TABLES):
                rows.put(row, {column: _IS_TABLE}, timestamp=dated_ms)  # maybe it is what cannot be read
            else:
                rows.delete(row, [column], timestamp=dated_ms)
        try:
            layout.record(row, rows.row(row, [*layout.cells.columns]))
        except InvalidRow:  # by its key, or by the name of a table
            return remove_row(self._sources, row)
        return True

    def _forgotten(self, row: bytes, source: BegunSource, begun_ms: int) -> bool:
        """Forgets the changes that a writer has begun, if none of their rows is stored; returns whether it has."""
        beyond = between(source.position + 1, None)
        for table in (self._by_record, self._by_position):
            rows = Query(table, table.narrow(source=source.source, position=beyond))
            if rows.on_invalid(lambda _invalid: None).first() is not None:
                return False
        self._sources.rows.delete(row, [_BEGUN], timestamp=begun_ms)
        return True

    def _is_stored(self, record: Any) -> bool:
        """Whether a change, or its entry in the log, is up to the watermark, as far as that is known."""
        return bool(record.position <= self._watermarks.get(record.source, 0))

    def _disagreeing(self, other: BoundTable[Any, Any], records: Collection[Any]) -> list[Any]:
        """The records whose row in the other table is missing; or differs, if that is the table by position."""
        stored = _cells_of(other, map(other.row, records))
        if other is self._by_record:
            return [record for record in records if other.row(record) not in stored]
        return [record for record in records if not self._is_right(record, stored.get(other.row(record)))]

    def _is_right(self, change: Change, cells: Mapping[bytes, bytes] | None) -> bool:
        """Whether these are the cells of a change by position; some of them or none if it is older than their TTL."""
        wanted = self._by_position.layout.cells.pack(change)
        return (cells or {}).items() <= wanted.items() if self._has_expired(change) else cells == wanted

    def _has_expired(self, change: Change) -> bool:
        """Whether a change is older than the TTL of the table by position."""
        layout = self._by_position.layout
        ttls = [family.ttl_seconds for family in layout.families.values() if family.ttl_seconds is not None]
        return bool(ttls) and change.time_ms <= self._clock.read_ms() - 1000 * min(ttls)

    def _wrong(self, table: BoundTable[Any, Any], other: BoundTable[Any, Any], record: Any) -> Mendable:
        row, source_row = other.row(record), table.row(record)
        if not isinstance(record, Change):
            reason = f"{other.layout.name} has no row of it, and this one has not all of the change"
            finding = Finding("orphaned", table.layout.name, source_row, row, reason)
            return Mendable(finding, discard=partial(remove_row, table, source_row))
        is_there = bool(cells := _cells_of(other, [row]).get(row))
        if cells and other is self._by_position and self._is_of_another(cells, row, record):
            reason = f"at position {record.position} of {record.source}, {other.layout.name} has another change"
            finding = Finding("orphaned", table.layout.name, source_row, row, reason)
            return Mendable(finding, discard=partial(remove_row, table, source_row))
        reason = f"position {record.position} of {record.source}, as in {table.layout.name}"
        finding = Finding("differing" if is_there else "missing", other.layout.name, row, source_row, reason)
        return Mendable(finding, partial(self._put_again, other, record))

    def _is_of_another(self, cells: dict[bytes, bytes], row: bytes, change: Change) -> bool:
        """Whether the row of a change by position is that of another change in the history: two writers stored both."""
        with suppress(InvalidRow):
            other_row = self._by_record.row(self._by_position.layout.record(row, cells))
            return other_row != self._by_record.row(change) and bool(_cells_of(self._by_record, [other_row]))
        return False

    def _undecodable(self, table: BoundTable[Any, Any], row: bytes, reason: str) -> Mendable:
        finding = Finding("undecodable", table.layout.name, row, None, reason)
        discard = partial(remove_row, table, row)
        if table is self._by_record:
            return Mendable(finding, partial(self._restored, row), discard)
        return Mendable(finding, discard=discard)

    def _restored(self, row: bytes) -> bool:
        """Puts a row by record again, if the table by position has all of its change."""
        with suppress(InvalidKey, InvalidRow, KeyError):
            other_row = self._by_position.row(self._by_record.layout.key.decode(row))
            change = self._by_position.layout.record(other_row, _cells_of(self._by_position, [other_row])[other_row])
            return isinstance(change, Change) and self._put_again(self._by_record, change)
        return False

    def _put_again(self, table: BoundTable[Any, Any], change: Change) -> bool:
        """Puts both rows of a change, and deletes the columns of a wrong one that the change does not have.

        If the wrong row has cells that are dated later than the change, they would hide its cells. Then the whole row
        gets the date of its newest cell, so that a TTL ends all of it at once. If the change has expired, what is left
        of its row is deleted.
        """
        (whole,) = self._completed([change])
        row, wanted = table.row(change), table.layout.cells.pack(whole)
        stored = table.rows.row(row, [*table.layout.cells.columns], include_timestamp=True)
        newest_ms = max((dated_ms for _, dated_ms in stored.values()), default=0)
        if table is self._by_position and self._has_expired(change):
            wanted = {}
        with suppress(Expired):  # the log keeps it no longer
            put_all([whole], self._by_record, self._by_position)
        for column in sorted(stored.keys() - wanted.keys()):
            table.rows.delete(row, [column], timestamp=stored[column][1])
        if wanted and newest_ms > change.time_ms:
            table.rows.put(row, wanted, timestamp=newest_ms)
        return bool(not wanted or _still_there(table, [change])) and not self._disagreeing(table, [change])


class CopyUpkeep(Upkeep):
    """The upkeep of the copies: each record of the log is compared with its row there, and each row with the log.

    `changes_of_keys` returns the changes of the records of a table whose keys meet a condition, by key, newest first.
    """

    def __init__(
        self,
        copies: Copies,
        by_record: BoundTable[Any, Change],
        changes_of_keys: Callable[[str, str, Any], DependentQuery[Change]],
    ) -> None:
        self._copies = copies
        self._by_record = by_record
        self._changes_of_keys = changes_of_keys
        self._records = 0

    @property
    def counts(self) -> Mapping[str, int]:
        """Records compared so far."""
        return {"copied record": self._records}

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Continues the copies, see `Copies.recover`."""
        return self._copies.recover(older_than_ms)

    def found(self, progress: Callable[[], object], _told: Instructions | None, /) -> Iterator[Mendable]:
        """Every row of a copy that is not as the changes up to its position left it, or that the log does not have.

        Records whose changes or source cannot all be read are not compared: `ChangeUpkeep` finds them.
        Costs: for each copy two scans of its table's changes and one of its rows, and a call for each 250 records.

        `repair` puts what a row lacks, dated as before. Cells that the log does not have are kept unless it is told to
        discard orphaned ones: maybe the log lost them.
        """
        self._records = 0
        invalid = list[InvalidRow]()
        copies = [*self._copies.all().on_invalid(invalid.append)]
        for unread in invalid:
            finding = Finding("undecodable", unread.table, unread.row, None, unread.reason)
            with suppress(InvalidKey, InvalidRow):
                if reason := self._copies.too_new(self._copies.checkpoints, unread.row):
                    yield Mendable(Finding("future", unread.table, unread.row, None, reason))
                    continue
            begin = partial(self._copies.begin_again, unread.row)
            yield Mendable(finding, begin, partial(remove_row, self._copies.checkpoints, unread.row))
        for copy in copies:
            if self._is_readable(copy.source):
                yield from self._of_log(copy, progress)
        yield from self._of_rows({(copy.source, copy.table): copy for copy in copies}, progress)

    def _is_readable(self, source: str) -> bool:
        """Whether a source can be read; `ChangeUpkeep` reports those that cannot."""
        with suppress(InvalidRow):
            self._copies.watermark(source)
            return True
        return False

    def _of_log(self, copy: Checkpoint, progress: Callable[[], object]) -> Iterator[Mendable]:
        """The records of the log whose rows are missing or wrong."""
        damaged = set[str]()
        of_keys = groupby(self._read(copy, between(), damaged), key=attrgetter("key"))
        for batch in in_batches(((key, [*changes]) for key, changes in of_keys), AT_ONCE):
            stored = self._copies.cells_of(copy.source, copy.table, [key for key, _ in batch])
            for key, changes in batch:
                if key not in damaged and not _agrees(copy, changes, stored[key]):
                    yield from self._read_again(copy, key)
            self._records += len(batch)
            progress()

    def _of_rows(
        self, copies: Mapping[tuple[str, str], Checkpoint], progress: Callable[[], object]
    ) -> Iterator[Mendable]:
        """The rows of copies that the log does not have, or that cannot be read."""
        layout = self._copies.table.layout
        for batch in in_batches(self._copies.dated_rows(self._copies.table.whole_table()), AT_ONCE):
            keys_of: dict[tuple[str, str], list[str]] = {}
            for row, _cells in batch:
                try:
                    key = layout.key.decode(row)
                except InvalidKey as error:
                    finding = Finding("undecodable", layout.name, row, None, str(error))
                    yield Mendable(finding, discard=partial(remove_row, self._copies.table, row))
                else:
                    keys_of.setdefault((key.source, key.table), []).append(key.key)
            for (source, table), keys in keys_of.items():
                if not self._is_readable(source):
                    continue
                copy = copies.get((source, table), Checkpoint(source, table, 0))  # if it has none, the row is compared
                damaged = set[str]()
                in_log = {change.key for change in self._read(copy, between(keys[0], f"{keys[-1]}\0"), damaged)}
                for record_key in keys:
                    if record_key not in in_log | damaged:
                        yield from self._read_again(copy, record_key)
            progress()

    def _read(self, copy: Checkpoint, keys: Any, damaged: set[str]) -> Iterable[Change]:
        """The changes of some records of a copy; adds the keys of those that cannot all be read to `damaged`."""

        def note(error: InvalidRow) -> None:
            with suppress(InvalidKey):
                damaged.add(self._by_record.layout.key.decode(error.row).key)

        return self._changes_of_keys(copy.source, copy.table, keys).on_invalid(note)

    def _read_again(self, copy: Checkpoint, key: str) -> Iterator[Mendable]:
        """A record that disagreed, if it still does, twice."""
        for is_last in [False] * (TIMES_READ_AGAIN - 1) + [True]:
            changes, cells = self._record(copy, key)
            if _agrees(copy, changes, cells):
                return
            if is_last:
                yield self._wrong(copy, key, changes, cells)

    def _record(self, copy: Checkpoint, key: str) -> tuple[list[Change], DatedCells]:
        """The changes of a record, and its cells in the copy."""
        return [*self._read(copy, key, set())], self._copies.cells_of(copy.source, copy.table, [key])[key]

    def _wrong(self, copy: Checkpoint, key: str, changes: list[Change], cells: DatedCells) -> Mendable:
        layout, row = self._copies.table.layout, self._copies.row(copy.source, copy.table, key)
        wanted, live = _wanted(copy, changes, cells), live_cells(cells)
        mend = partial(self._mended, copy, key)
        if unknown := sorted(_dated(live) - _dated(wanted)):
            if reason := self._copies.too_new(self._copies.table, row):
                return Mendable(Finding("future", layout.name, row, None, reason))
            names = (
                f"{column.decode(errors='backslashreplace')} at position {position}" for column, position in unknown
            )
            finding = Finding("orphaned", layout.name, row, None, f"the log does not have {', '.join(names)}")
            return Mendable(finding, discard=mend)
        columns = sorted({column for column, _cell in wanted.items() ^ live.items()})
        reason = f"in {b', '.join(columns).decode(errors='backslashreplace')}" if cells else ""
        return Mendable(Finding("differing" if cells else "missing", layout.name, row, None, reason), mend)

    def _mended(self, copy: Checkpoint, key: str) -> bool:
        """Deletes what no change has put, and puts what the row lacks; an older cell is hidden until a compaction."""
        changes, cells = self._record(copy, key)
        row, rows = self._copies.row(copy.source, copy.table, key), self._copies.table.rows
        wanted = _wanted(copy, changes, cells)
        for column, position in _dated(live_cells(cells)) - _dated(wanted):
            rows.delete(row, [column], timestamp=position)
        for column, (value, position) in wanted.items():
            rows.put(row, {column: value}, timestamp=position)
        return _agrees(copy, *self._record(copy, key))


def _dated(cells: DatedCells) -> set[tuple[bytes, int]]:
    """The columns of cells, each with its position."""
    return {(column, position) for column, (_, position) in cells.items()}


def _newest(cells: DatedCells) -> int:
    return max((position for _, position in cells.values()), default=0)


def _wanted(copy: Checkpoint, changes: Iterable[Change], cells: DatedCells) -> DatedCells:
    """The live cells of a record up to the position of its copy, or to that of its newest cell if that is later."""
    applied = max(copy.position, _newest(cells))
    return copied_cells(change for change in changes if change.position <= applied)


def _agrees(copy: Checkpoint, changes: Iterable[Change], cells: DatedCells) -> bool:
    return live_cells(cells) == _wanted(copy, changes, cells)


def _cells_of(table: BoundTable[Any, Any], rows: Iterable[bytes]) -> dict[bytes, dict[bytes, bytes]]:
    """The cells of these rows, by row."""
    rows = list(rows)
    return dict(table.rows.rows(rows, columns=[*table.layout.cells.columns])) if rows else {}


def _still_there(table: BoundTable[Any, Any], records: list[Any]) -> list[Any]:
    """The records that the table still has, as they are now."""
    stored = _cells_of(table, map(table.row, records))
    there = list[Any]()
    for row, cells in stored.items():
        with suppress(InvalidRow):
            there.append(table.layout.record(row, cells))
    return there
