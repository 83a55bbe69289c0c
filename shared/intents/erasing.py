"""Erasures: the steps after the deletion of all records that name a person, stored so that none is forgotten.

The source of a deleted record keeps its cell for `FORGET_MS`, and a late call may put a line of the record meanwhile.
So an erasure is stored before its first delete. Once all is deleted, it holds the rows of these sources. When
`FORGET_MS` have passed, `forget` deletes their cells, `delete_strays` the lines that were put late, and `remove` the
erasure's own row. Only cells of deleted records and lines without a source are deleted, because the person may have
come back.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import attrs

from ..keys import InvalidKey, KeyLayout, TrailingBytes, TrailingText, part, row_key
from ..keys.errors import listed
from ..queries import Query
from ..queries.scanning import in_batches, scan_in_batches
from ..records import LAST_MS, integer
from ..tables import TEXTS, BoundTable, Column, InvalidRecord, InvalidRow, ItemCells, RecordCells, TableLayout
from ..writes.batches import remove_row
from ..writes.server_clock import MAX_SKEW_MS
from .claiming import forget
from .derived_cells import Cell
from .intent_rows import dated_in_future
from .sources import SourceRow
from .times import FORGET_MS, FUTURE_MS, WINDOW_MS
from .writer import IntentWriter

if TYPE_CHECKING:
    import happybase


@row_key
class ErasedName:
    """One name that is erased.

    Order:  by name.
    Serves: recovery, which reads all erasures.
    Costs:  one put to begin an erasure, one to end it, and one for each 1,000 sources.
    Fixed:  nothing; the row goes with the last trace of the name.
    Source: none
    """

    name: str = part(TrailingText, "who is erased")


@row_key
class ErasedRow:
    """The row of a source that an erasure deleted, as the qualifier of a cell.

    Order:  by row.
    Serves: `forget`, after `FORGET_MS`.
    Costs:  one cell for each source, so that no cell grows.
    Fixed:  nothing
    Source: none
    """

    source_row: bytes = part(TrailingBytes, "the row of the source")


@attrs.frozen
class Erasure:
    """An erasure that has left traces."""

    name: str
    at_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """When the last record was deleted; before that, when the erasure began."""
    is_ended: bool
    """Whether all records were deleted. If not, the eraser is at work, or has died."""
    source_tables: tuple[str, ...] = ()
    """The names of its sources' tables; empty if an earlier release has stored it, or if it has no sources."""


@attrs.frozen
class ErasedSource:
    """A source whose record an erasure deleted."""

    name: str
    source_row: bytes


class ErasureTables(NamedTuple):
    """The table of erasures; and the same table, for the sources of each writer."""

    erasures: TableLayout[ErasedName, Erasure]
    sources: tuple[TableLayout[ErasedName, ErasedSource], ...]

    @property
    def tables(self) -> tuple[TableLayout[Any, Any], ...]:
        """Both, for `create_tables`."""
        return (self.erasures, *self.sources)


Deleted: TypeAlias = Collection[tuple[BoundTable[Any, ErasedSource], Collection[bytes]]]
"""The rows of deleted sources, by the table that lists those of one writer."""


def erasures_tables(name: str, writers: int) -> ErasureTables:
    """The table of the erasures of one domain, with a family for the sources of each of its writers. Without a TTL."""
    columns = {"at_ms": Column("e:t"), "is_ended": Column("e:e"), "source_tables": Column("e:n", TEXTS)}
    cells = RecordCells(Erasure, columns)
    sources = (ItemCells(ErasedSource, f"s{number}", KeyLayout(ErasedRow)) for number in range(writers))
    rows = (TableLayout(name, "the sources of erased records", KeyLayout(ErasedName), of_one) for of_one in sources)
    return ErasureTables(TableLayout(name, "an erasure that is not over", KeyLayout(ErasedName), cells), tuple(rows))


class Erasures:
    """The erasures of a domain, with one family of their table for each of its `writers`.

    `clock` is the writer by whose clock erasures are dated, if it is not one of them.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        tables: ErasureTables,
        writers: Iterable[IntentWriter[Any]],
        clock: IntentWriter[Any] | None = None,
    ) -> None:
        self.table = tables.erasures
        self._erasures = BoundTable(connection, self.table)
        self._sources = [BoundTable(connection, table) for table in tables.sources]
        self._writers = tuple(writers)
        self._clock = clock or self._writers[0]
        self._source_tables = tuple(writer.source.name for writer in self._writers)

    def stored(self, on_invalid: Callable[[InvalidRow], None]) -> Query[Erasure]:
        """All erasures that are not over. Costs: one scan of their rows."""
        return Query(self._erasures, self._erasures.whole_table()).on_invalid(on_invalid)

    def check_sources(self, erasure: Erasure) -> None:
        """Raises InvalidRecord for an erasure of other sources: two repositories were given one table of erasures."""
        if erasure.source_tables not in ((), self._source_tables):
            wanted = f"must be an erasure of {listed(self._source_tables)}"
            raise InvalidRecord(f"{wanted} (got {listed(erasure.source_tables)}); each needs a table of its own")

    def is_due(self, erasure: Erasure) -> bool:
        """Whether all its records were deleted `FORGET_MS` ago."""
        return erasure.is_ended and self.now_ms() - erasure.at_ms >= FORGET_MS

    def is_overdue(self, erasure: Erasure) -> bool:
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

    def delete_records(self, rows: Iterable[Collection[bytes]]) -> None:
        """Deletes the records of these sources, given by writer; those that cannot be read stay.

        Costs: 1 call that reads the sources for each 1,000; for each record those of `IntentWriter.write`.
        """
        for writer, of_writer in zip(self._writers, rows, strict=True):
            for batch in in_batches(of_writer):
                for row, source in writer.reader.read_each(batch).items():
                    if not isinstance(source, InvalidRow) and source.record is not None:
                        writer.write(writer.source.key.decode(row), _nothing)

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
        row, now_ms = self.table.key.encode(ErasedName(name)), self.now_ms()
        stored = self._erasures.rows.row(row, include_timestamp=True)
        newest_ms = max((put_ms for _, put_ms in stored.values()), default=0)
        if newest_ms > now_ms + FUTURE_MS:
            raise InvalidRow(self.table.name, row, f"must be dated at most {FUTURE_MS} ms after now (got {newest_ms})")
        return Erasure(name, max(now_ms, newest_ms + 1), is_ended, self._source_tables)

    def _put(self, erasure: Erasure, deleted: Deleted) -> Erasure:
        """Puts an erasure after the rows of its sources; returns it as it is dated in the end.

        A host whose clock is ahead may store one of the same name meanwhile, which hides this one, and its tombstone
        does so when it is removed. So this one is dated later until its row shows it.
        """
        row, rows = self.table.row(erasure), self._erasures.rows
        while True:
            self._put_sources(erasure, deleted)
            cells = self.table.cells.pack(erasure)
            rows.put(row, cells, timestamp=erasure.at_ms)
            if rows.row(row, columns=[*cells]) == cells:
                return erasure
            erasure = attrs.evolve(erasure, at_ms=erasure.at_ms + MAX_SKEW_MS)

    def _put_sources(self, erasure: Erasure, deleted: Deleted) -> None:
        row = self.table.row(erasure)
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
        self._erasures.rows.delete(self.table.row(erasure), timestamp=erasure.at_ms)

    def discard(self, row: bytes) -> bool:
        """Removes the row of an erasure that cannot be read; returns whether it is gone."""
        return remove_row(self._erasures, row)

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


def _nothing(_stored: object) -> None:
    """Decides for no record, which deletes the stored one."""


def _is_missing(source: SourceRow[Any] | InvalidRow) -> bool:
    return not isinstance(source, InvalidRow) and source.cell is None
