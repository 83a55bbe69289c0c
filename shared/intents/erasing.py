"""Erasures: the steps after the deletion of all records that name a person, stored so that none is forgotten.

The source of a deleted record keeps its cell for `FORGET_MS`, and a late call may put a line of the record meanwhile.
So an erasure is stored before its first delete. Once all is deleted, it holds the rows of these sources. When
`FORGET_MS` have passed, `forget` deletes their cells, `delete_strays` the lines that were put late, and `remove` the
erasure's own row. Only cells of deleted records and lines without a source are deleted, because the person may have
come back.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from ..keys import InvalidKey
from ..keys.errors import listed
from ..queries import Query
from ..queries.scanning import in_batches, scan_in_batches
from ..tables import BoundTable, InvalidRecord, InvalidRow, TableLayout
from ..upkeep.findings import Finding, Instructions, Mendable, reason_told
from ..upkeep.parts import Upkeep
from ..upkeep.recovery import Recovery, settle_each
from ..writes.batches import remove_row
from ..writes.server_clock import MAX_SKEW_MS
from .attempts import DELETED
from .derived_cells import Cell
from .erasures_table import ErasedName, ErasedSource, Erasure, ErasuresTable
from .intent_rows import CLOCKS_APART_MS, dated_in_future
from .source_cells import SourceRow
from .times import FORGET_MS, FUTURE_MS, WINDOW_MS
from .without_intents import forget
from .writer import IntentWriter

if TYPE_CHECKING:
    import happybase

OnKept: TypeAlias = Callable[[InvalidRow], None]
"""Is called with the reason that keeps a row that must go."""
Deleted: TypeAlias = Collection[tuple[BoundTable[Any, ErasedSource], Collection[bytes]]]
"""The rows of deleted sources, by the table that lists those of one writer."""


class Erasures(Upkeep):
    """Erases persons from a repository, and finishes their erasures as a part of its upkeep.

    `table` has as many writers as there are `writers`. `clock` is the writer by whose clock erasures are dated, if it
    is not one of them. `design` is the design's name in commands.

    `rows_of(name, until_ms)` returns the rows of the sources that name a person, for each writer; if a time is given,
    without those of later records. It may first remove the name from records that stay. `delete_lines(erasures,
    erasure, on_kept)` deletes lines that name an erased person and that no record needs, see `delete_strays`; it
    returns how many other lines name the person, and calls `on_kept` with the reason that keeps a line. If two erasures
    of one name overlap, the one that began later ends both.

    An erasure whose next step is ten minutes late is unsettled: `erase` died, or `recover` did not run. If `ends_dead`,
    `recover` completes the erasure of a dead process, and spares records that are dated more than two minutes
    (`CLOCKS_APART_MS`) later. The record of a host whose clock is ahead may be dated so long after an eraser whose
    clock is behind; so what a person stores who comes back in the minutes after such a death is erased, too. Otherwise
    records from before the erasure cannot be told from those of a person who came back, so only calling `erase` again
    completes it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        table: ErasuresTable,
        writers: Iterable[IntentWriter[Any]],
        rows_of: Callable[[str, int | None], Sequence[Collection[bytes]]],
        delete_lines: Callable[["Erasures", Erasure, OnKept], int],
        design: str,
        *,
        ends_dead: bool = False,
        clock: IntentWriter[Any] | None = None,
    ) -> None:
        self._table = table.layout
        self._erasures = BoundTable(connection, table.layout)
        self._sources = [BoundTable(connection, of_writer) for of_writer in table.sources]
        self._writers = tuple(writers)
        self._clock = clock or self._writers[0]
        self._source_tables = tuple(writer.source.name for writer in self._writers)
        self._rows_of = rows_of
        self._delete_lines = delete_lines
        self._ends_dead = ends_dead
        again = f"rowbook recover {design} ends it" if ends_dead else "call it again"
        self._not_ended = f"erase has not ended; if it is not running, {again}"
        self._remains = f"rows of an erased person remain; rowbook recover {design} removes them, or says why not"

    def erase(self, name: str) -> int:
        """Deletes all that names a person; returns how many rows remain for now."""
        return self._delete_all(self.begin(name), None)

    def _delete_all(self, begun: Erasure, until_ms: int | None) -> int:
        rows = self._rows_of(begun.name, until_ms)
        self._delete_records(rows)
        erasure = self.end(begun.name, rows, begun)
        remaining = self.forget(erasure, _ignore) + self._delete_lines(self, erasure, _ignore)
        if erasure.is_ended and remaining == 0:
            self.remove(erasure)
        return remaining

    # ---- upkeep

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Removes what erasures have left over, 42 minutes after `erase` has returned.

        For its first 10 minutes, whatever `older_than_ms` is, an erasure that has not ended counts as waiting; then it
        is completed, or is among the failed. A row that must go and cannot is among the failed, too.
        Costs: one scan of the erasures. For each that is due: its sources are read and deleted, and all lists that may
        name the person are scanned.
        """
        invalid: list[InvalidRow] = []
        erasures = {self._table.row(erasure): erasure for erasure in self.stored(invalid.append)}
        settle = partial(self._settle, erasures, invalid.append)
        return settle_each(erasures, settle, self._table.name).with_invalid(invalid)

    def _settle(self, erasures: dict[bytes, Erasure], on_invalid: OnKept, row: bytes) -> bool | None:
        erasure = erasures[row]
        if erasure.source_tables not in ((), self._source_tables):  # two repositories were given one table of erasures
            wanted = f"must be an erasure of {listed(self._source_tables)}"
            raise InvalidRecord(f"{wanted} (got {listed(erasure.source_tables)}); each needs a table of its own")
        if erasure.is_ended:
            return True if self._finish(erasure, on_invalid) else None
        if not self._is_overdue(erasure):
            return False
        if not self._ends_dead:
            raise RuntimeError(self._not_ended)
        self._delete_all(erasure, erasure.at_ms + CLOCKS_APART_MS)
        return True

    def _finish(self, erasure: Erasure, on_invalid: OnKept) -> bool:
        """Deletes what an erasure has left over, if it is due; returns whether it is over.

        It is not over while a row stays that must go: calls `on_invalid` with the reason.
        """
        if not self.is_due(erasure) or self.forget(erasure, on_invalid):
            return False
        kept: dict[tuple[str, bytes], InvalidRow] = {}

        def keep(invalid: InvalidRow) -> None:
            kept.setdefault((invalid.table, invalid.row), invalid)

        self._delete_lines(self, erasure, keep)
        for invalid in kept.values():
            on_invalid(invalid)
        if not kept:
            self.remove(erasure)
        return not kept

    def found(self, progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """The erasures whose next step is ten minutes late, and those that cannot be read. Costs: one scan of them.

        `repair` first recovers; the erasures that are not over are found with the reason. If it is told to discard
        those that cannot be read, their names are lost: erase the person again.
        """
        failed = () if told is None else self.recover(older_than_ms=0).failed
        name, damaged = self._table.name, list[InvalidRow]()
        for erasure in self.stored(damaged.append):
            row = self._table.row(erasure)
            reason = reason_told(failed, name, row)
            if reason or self._is_overdue(erasure):
                otherwise = self._remains if erasure.is_ended else self._not_ended
                yield Mendable(Finding("unsettled", name, row, None, reason or otherwise))
        for invalid in damaged:
            finding = Finding("undecodable", invalid.table, invalid.row, None, invalid.reason)
            yield Mendable(finding, discard=partial(remove_row, self._erasures, invalid.row))

    # ---- steps

    def stored(self, on_invalid: Callable[[InvalidRow], None]) -> Query[Erasure]:
        """All erasures that are not over. Costs: one scan of their rows."""
        return Query(self._erasures, self._erasures.whole_table()).on_invalid(on_invalid)

    def is_due(self, erasure: Erasure) -> bool:
        """Whether all its records were deleted `FORGET_MS` ago."""
        return erasure.is_ended and self.now_ms() - erasure.at_ms >= FORGET_MS

    def _is_overdue(self, erasure: Erasure) -> bool:
        """Whether its next step is ten minutes late: its process died and was not recovered, or its date is wrong."""
        age_ms = self.now_ms() - erasure.at_ms
        return not -FUTURE_MS <= age_ms < WINDOW_MS + (FORGET_MS if erasure.is_ended else 0)

    def is_old(self, time_ms: int) -> bool:
        """Whether a delete with this date hides nothing that a write under way, or a later one, puts.

        What was put before an erasure ended is old when the erasure is due, even if its writer's clock was ahead.
        """
        return time_ms <= self.now_ms() - FORGET_MS + FUTURE_MS

    def now_ms(self) -> int:
        """The time now, by a clock that agrees with the region server's. Raises ClockSkew."""
        return self._clock.check_clock().wall_ms

    def begin(self, name: str) -> Erasure:
        """Stores an erasure, before its first delete; returns it. Costs: 2 gets, 1 put."""
        return self._put(self._erasure(name, is_ended=False), [])

    def _delete_records(self, rows: Iterable[Collection[bytes]]) -> None:
        """Deletes the records of these sources, given by writer; those that cannot be read stay.

        Costs: 1 call that reads the sources for each 1,000; for each record those of `IntentWriter.write`.
        """
        for writer, of_writer in zip(self._writers, rows, strict=True):
            for batch in in_batches(of_writer):
                for row, source in writer.reader.read_each(batch).items():
                    if not isinstance(source, InvalidRow) and source.record is not None:
                        writer.write(writer.source.key.decode(row), lambda _stored: DELETED)

    def end(self, name: str, deleted: Iterable[Collection[bytes]], begun: Erasure | None = None) -> Erasure:
        """Stores the rows of the deleted sources, given by writer, and then that all records were deleted.

        If another erasure of the name has begun since `begun`, and has not ended, returns that one, and does not end
        it: its eraser may have read records that this one has not, and may die before it deletes them.
        Costs: 2 gets, 1 put for each 1,000 rows, and 1 more; 1 get if `begun` is given.
        """
        of_writers = [*zip(self._sources, deleted, strict=True)]
        if begun is not None:
            stored = Query(self._erasures, self._erasures.plan(name=name)).on_invalid(lambda _invalid: None).first()
            if stored is not None and not stored.is_ended and stored.at_ms > begun.at_ms:
                self._put_sources(stored, of_writers)
                return stored
        return self._put(self._erasure(name, is_ended=True), of_writers)

    def _erasure(self, name: str, *, is_ended: bool) -> Erasure:
        """An erasure of now, or dated after the stored one.

        Raises InvalidRow if the stored row is dated after what any clock may show.
        """
        row, now_ms = self._table.key.encode(ErasedName(name)), self.now_ms()
        stored = self._erasures.rows.row(row, include_timestamp=True)
        newest_ms = max((put_ms for _, put_ms in stored.values()), default=0)
        if newest_ms > now_ms + FUTURE_MS:
            raise InvalidRow(self._table.name, row, f"must be dated at most {FUTURE_MS} ms after now (got {newest_ms})")
        return Erasure(name, max(now_ms, newest_ms + 1), is_ended, self._source_tables)

    def _put(self, erasure: Erasure, deleted: Deleted) -> Erasure:
        """Puts an erasure after the rows of its sources; returns it as it is dated in the end.

        A host whose clock is ahead may store one of the same name meanwhile, which hides this one, and its tombstone
        does so when it is removed. So this one is dated later until its row shows it.
        """
        row, rows = self._table.row(erasure), self._erasures.rows
        while True:
            self._put_sources(erasure, deleted)
            cells = self._table.cells.pack(erasure)
            rows.put(row, cells, timestamp=erasure.at_ms)
            if rows.row(row, columns=[*cells]) == cells:
                return erasure
            erasure = attrs.evolve(erasure, at_ms=erasure.at_ms + MAX_SKEW_MS)

    def _put_sources(self, erasure: Erasure, deleted: Deleted) -> None:
        row = self._table.row(erasure)
        for table, source_rows in deleted:
            for batch in in_batches(source_rows):
                sources = (ErasedSource(erasure.name, source_row) for source_row in batch)
                cells = {
                    column: value for source in sources for column, value in table.layout.cells.pack(source).items()
                }
                self._erasures.rows.put(row, cells, timestamp=erasure.at_ms)

    def forget(self, erasure: Erasure, on_invalid: Callable[[InvalidRow], object]) -> int:
        """Deletes the cells of its sources; returns how many remain: those that are too young, or cannot be read.

        A record that came back stays. Calls `on_invalid` for a source that cannot be read.
        Costs: one scan of its sources, 1 call for each 1,000, and those of `forget`.
        """
        remaining = 0
        for writer, table in zip(self._writers, self._sources, strict=True):
            sources = Query(table, table.plan(name=erasure.name))
            for batch in in_batches(source.source_row for source in sources):
                for source in writer.reader.read_each(batch).values():
                    if isinstance(source, InvalidRow):
                        on_invalid(source)
                        remaining += 1
                remaining += forget(writer, batch)
        return remaining

    def remove(self, erasure: Erasure) -> None:
        """Deletes its own row, but spares a later erasure of the same name. Costs: 1 delete."""
        self._erasures.rows.delete(self._table.row(erasure), timestamp=erasure.at_ms)

    def delete_strays(
        self, names: Callable[[Any], bool], until_ms: int, on_kept: Callable[[InvalidRow], object]
    ) -> int:
        """Deletes old lines without a source among those that `names` chooses; returns how many of these it kept.

        A line is old if it is dated `until_ms` or before, and at least `FORGET_MS` ago: no write under way has put it,
        and the tombstone hides no line of a later one. Lines whose source has a cell stay: `forget` comes first, and
        `WriterUpkeep` finds what disagrees after it. Calls `on_kept` with the reason for keeping a line that no record
        needs: its source cannot be read, or it is dated in the future.
        Costs: one scan of every list, 1 call for each 1,000 chosen lines to read the sources, and deletes.
        """
        others = 0
        now_ms = self.now_ms()
        old_ms = min(until_ms, now_ms - FORGET_MS)
        for writer in self._writers:
            for table in writer.lists:
                for lines in _lines(writer, table, names):
                    sources = writer.reader.read_each(line.source_row for line in lines)
                    for line in lines:
                        source = sources[line.source_row]
                        if line.time_ms <= old_ms and _is_missing(source):
                            writer.delete(line.cells, line.time_ms)
                            continue
                        others += 1
                        if isinstance(source, InvalidRow):
                            on_kept(source)
                        elif line.time_ms > now_ms + FUTURE_MS and _is_missing(source):
                            on_kept(dated_in_future(table, line.cells[0][1], line.time_ms))
        return others


@attrs.frozen
class _Line:
    source_row: bytes
    cells: list[Cell]
    time_ms: int


def _lines(
    writer: IntentWriter[Any], table: TableLayout[Any, Any], names: Callable[[Any], bool]
) -> Iterator[list[_Line]]:
    """The lines of a list that `names` chooses by their keys, in batches, without rows that are not keys."""
    (range_,) = table.key.whole_table().ranges
    columns = [*table.cells.columns]
    for batch in scan_in_batches(writer.rows(table.name), range_, columns=columns, include_timestamp=True):
        lines: list[_Line] = []
        for row, cells in batch:
            with suppress(InvalidKey):
                if names(key := table.key.decode(row)):
                    source_row = writer.source.key.row_of(key)
                    newest_ms = max(time_ms for _, time_ms in cells.values())
                    lines.append(_Line(source_row, [(table.name, row, column) for column in cells], newest_ms))
        yield lines


def _ignore(_invalid: InvalidRow) -> None:
    """Ignores why a row is kept, because `recover` reports it."""


def _is_missing(source: SourceRow[Any] | InvalidRow) -> bool:
    return not isinstance(source, InvalidRow) and source.cell is None
