"""Copies of the tables of sources, which are fed with their changes. Any feeder may die or be late, and none is lost.

Applying a change is one put into the row of its record, dated by the position of the change. HBase shows the cell with
the highest timestamp, so a change that is applied twice, or after later ones, changes nothing. The feeder stores its
position after the changes, dated in the same way: it never goes back, and whoever feeds next continues there.

A DELETE is a put too, of a fence: readers drop the cells of the row that are older than it. So a late put of an older
change stays hidden. A real delete would not last: HBase drops a tombstone dated by a position, which counts as a time
of 1970, at the next compaction. An INSERT puts a fence of its own, because its record has no other columns.

The families of a copy must not have a TTL, which would count from 1970 too: each cell would expire at once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from shared.keys import InvalidKey, Plan
from shared.queries import Query
from shared.queries.scanning import in_batches, scan_in_batches
from shared.sources import Table
from shared.tables import BoundTable, InvalidRow
from shared.upkeep.findings import too_new_to_delete
from shared.upkeep.recovery import Recovery, settle_each
from shared.writes import delete_rows

from .history import check_without_ttl
from .keys import CHECKPOINTS, COPY, CopiedTable, RecordInCopy
from .records import Change, Checkpoint, CopiedRecord, Kind, State

if TYPE_CHECKING:
    import happybase

DatedCells = dict[bytes, tuple[bytes, int]]
"""Cells by column, each with its timestamp, which is a position."""

_PUT: Mapping[Kind, tuple[str, ...]] = {
    "INSERT": ("kind", "time_ms", "fence", "values"),
    "UPDATE": ("kind", "time_ms", "values"),
    "DELETE": ("kind", "time_ms", "fence"),
}
"""The cells that a change puts."""
_CELLS: Any = COPY.layout.cells
_KIND, _FENCE = _CELLS.column("kind"), _CELLS.column("fence")


class Copies:
    """The copies of tables, in one table of a store.

    `watermark` and `changes` are those of the repository, which may be on another connection.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        watermark: Callable[[str], int],
        changes: Callable[[str, str, int, int], Iterable[Change]],
        copy: Table[CopiedRecord] = COPY,
        checkpoints: Table[Checkpoint] = CHECKPOINTS,
    ) -> None:
        for table in (copy, checkpoints):
            check_without_ttl(table.layout, "cells are dated by positions")
        self.table = copy.on(connection)
        self.checkpoints = checkpoints.on(connection)
        self.watermark = watermark
        self._changes = changes

    # ---- writes

    def feed(self, source: str, table: str) -> int:
        """Applies the changes of a table after its copy's position, up to the watermark; returns their number.

        The first call begins the copy. If a call dies, the same call again or `recover` continues it; any number of
        feeders may run at once.
        Costs: two gets, the scans of `of_table`, one put for each change, and one for each 1,000 of them.
        """
        position = self.position(source, table)
        if position is None:
            position = 0
            self._advance(source, table, position)  # before the first change, so that `recover` knows the copy
        watermark, applied = self.watermark(source), 0
        for changes in in_batches(self._changes(source, table, position, watermark)):
            for change in changes:
                self.apply(change)
            self._advance(source, table, changes[-1].position)
            applied += len(changes)
        if watermark > position:
            self._advance(source, table, watermark)
        return applied

    def apply(self, change: Change) -> None:
        """Puts a change into its record. Costs: one put; Thrift1 dates all cells of a call alike."""
        self.table.rows.put(self.table.row(change), _cells(change), timestamp=change.position)

    def _advance(self, source: str, table: str, position: int) -> None:
        checkpoint, layout = Checkpoint(source, table, position), self.checkpoints.layout
        self.checkpoints.rows.put(layout.row(checkpoint), layout.cells.pack(checkpoint), timestamp=position)

    def erase(self, source: str, table: str, key: str) -> bool:
        """Deletes a record with its fence; returns whether its row remains, because a change was applied meanwhile.

        So does a cell that no feed has put, dated after `last_applied`: a delete would also hide later changes.
        Costs: one delete and four gets, or one get if the record has no row.
        """
        if cells := self.cells_of(source, table, [key])[key]:
            newest = max(position for _, position in cells.values())
            until = min(newest, self.last_applied(source, table) or newest)
            delete_rows(self.table, [self.row(source, table, key)], until)
            return bool(self.cells_of(source, table, [key])[key])
        return False

    # ---- questions

    def position(self, source: str, table: str) -> int | None:
        """The position up to which a copy has every change; None if there is no copy. Costs: one get."""
        checkpoint = self.checkpoints.ask(source=source, table=table).first()
        return None if checkpoint is None else checkpoint.position

    def last_applied(self, source: str, table: str) -> int:
        """The last position that a feed may have applied: a delete up to it hides no later change. Costs: two gets."""
        copied = 0
        with suppress(InvalidRow):
            copied = self.position(source, table) or 0
        return max(copied, self.watermark(source))

    def record(self, source: str, table: str, key: str) -> State | None:
        """The record in its copy; None if it is not there, or deleted. Costs: one get."""
        return self._state(self.row(source, table, key), self.cells_of(source, table, [key])[key])

    def records(self, source: str, table: str) -> Iterator[State]:
        """All records of a copy, by key. Costs: one scan for each 1,000 rows; deleted records have rows too."""
        for row, cells in self.dated_rows(self.table.plan(source=source, table=table)):
            if (state := self._state(row, cells)) is not None:
                yield state

    def dated_rows(self, plan: Plan) -> Iterator[tuple[bytes, DatedCells]]:
        """All rows of a plan of one range."""
        (range_,) = plan.ranges
        columns = [*self.table.layout.cells.columns]
        for batch in scan_in_batches(self.table.rows, range_, columns=columns, include_timestamp=True):
            yield from batch

    def cells_of(self, source: str, table: str, keys: Iterable[str]) -> dict[str, DatedCells]:
        """The cells of some records, by key; empty for a record that has no row. Costs: one call."""
        row_of = {key: self.row(source, table, key) for key in keys}
        columns = [*self.table.layout.cells.columns]
        stored = dict(self.table.rows.rows([*row_of.values()], columns=columns, include_timestamp=True))
        return {key: stored.get(row, {}) for key, row in row_of.items()}

    def row(self, source: str, table: str, key: str) -> bytes:
        """The row of a record."""
        return self.table.row(RecordInCopy(source, table, key))

    def _state(self, row: bytes, cells: DatedCells) -> State | None:
        live = live_cells(cells)
        if not live:
            return None
        record = self.table.layout.record(row, {column: value for column, (value, _) in live.items()})
        if record.kind == "DELETE":
            return None
        return State(record.source, record.table, record.key, live[_KIND][1], record.time_ms, record.values)

    # ---- upkeep

    def all(self) -> Query[Checkpoint]:
        """All copies that were begun. Costs: one scan of a row for each."""
        return self.checkpoints.ask_all()

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Continues every copy that is behind the watermark, whatever `older_than_ms` is: all feeders may run at once.

        Costs: one scan of the copies; for each of them those of `feed`.
        """
        invalid: list[InvalidRow] = []
        rows = [*map(self.checkpoints.row, self.all().on_invalid(invalid.append))]
        return settle_each(rows, self._continue, self.checkpoints.layout.name).with_invalid(invalid)

    def _continue(self, row: bytes) -> bool | None:
        key: CopiedTable = self.checkpoints.layout.key.decode(row)
        return True if self.feed(key.source, key.table) else None

    def begin_again(self, row: bytes) -> bool:
        """Lets a copy whose position cannot be read begin at 0, which changes nothing; returns whether that is put.

        Its cell is replaced: HBase would hide positions that are dated before a delete.
        """
        layout, column = self.checkpoints.layout, self.checkpoints.layout.cells.columns[0]
        with suppress(InvalidKey):
            key = layout.key.decode(row)
            for _, dated_at in self.checkpoints.rows.row(row, [column], include_timestamp=True).values():
                cells = layout.cells.pack(Checkpoint(key.source, key.table, 0))
                self.checkpoints.rows.put(row, cells, timestamp=dated_at)
                return True
        return False

    def too_new(self, table: BoundTable[Any, Any], row: bytes) -> str:
        """Why no cell of a row may be deleted or replaced: one is dated after `last_applied`; "" if none is.

        All may be if nothing is stored of the source.
        Raises InvalidKey for a row that belongs to no copy, and InvalidRow if its source cannot be read.
        """
        key = table.layout.key.decode(row)
        cells: DatedCells = table.rows.row(row, [*table.layout.cells.columns], include_timestamp=True)
        column, date = max(((column, date) for column, (_, date) in cells.items()), key=itemgetter(1), default=(b"", 0))
        is_too_new = 0 < self.last_applied(key.source, key.table) < date
        return too_new_to_delete(table.name, row, column, date) if is_too_new else ""


def live_cells(cells: Mapping[bytes, tuple[bytes, int]]) -> DatedCells:
    """The cells of a row that its fence does not hide."""
    _, fence = cells.get(_FENCE, (b"", 0))
    return {column: cell for column, cell in cells.items() if cell[1] >= fence}


def copied_cells(newest_first: Iterable[Change]) -> DatedCells:
    """The live cells of a record in a copy, by its changes."""
    cells: DatedCells = {}
    for change in newest_first:
        cells = {column: (value, change.position) for column, value in _cells(change).items()} | cells
        if change.kind != "UPDATE":
            break
    return cells


def _cells(change: Change) -> dict[bytes, bytes]:
    """The cells that a change puts, all dated by its position."""
    record = CopiedRecord(change.source, change.table, change.key, change.kind, change.time_ms, change.values, True)
    packed: dict[bytes, bytes] = _CELLS.pack(record, only=_PUT[change.kind])
    return packed
