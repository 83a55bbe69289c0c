"""The steps of a write on its source, its lines and its intents; `writer.py` tells how they make a write."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..keys.errors import listed
from ..tables import InvalidRecord, TableLayout, put_if
from ..tables.recorded_layouts import add_list, check_layouts
from ..writes.clock import CLOCK, Moment, WriterClock
from ..writes.dated_cells import put_dated
from ..writes.server_clock import MAX_SKEW_MS, checked_moment
from .derived_cells import Cell, cells_of, grouped
from .intent_rows import IntentRows, source_row_of
from .reading import Derived, SourceReader
from .slots import SLOTS, Intent, Slot, SlotOfProcess
from .source_cells import REVISION_STEP_MS, SourceCells, SourceRow
from .times import FORGET_MS, FUTURE_MS, KEEP_TOMBSTONES_MS, WINDOW_MS

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")


class WriteSteps(Generic[R]):
    """A source table, the lists that are derived from it, and the table of its intents, on a connection.

    `IntentWriter` says what they are given. Raises InvalidRecord for tables that do not fit.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        source: TableLayout[Any, R],
        intents: TableLayout[SlotOfProcess, Intent],
        lists: Iterable[TableLayout[Any, Any]],
        derive: Callable[[R], Iterable[Derived]],
        *,
        moving: Iterable[TableLayout[Any, Any]] = (),
        dropped: Iterable[str] = (),
        clock: WriterClock = CLOCK,
        window_ms: int = WINDOW_MS,
    ) -> None:
        self.source = source
        self.intents = intents
        self.lists = tuple(lists)
        derive = partial(_lines_in, {table.name for table in self.lists}, source.name, derive)
        self._tables: tuple[TableLayout[Any, Any], ...] = (source, intents, *self.lists)
        self.reader = SourceReader(connection, source, derive, self._tables)
        self.cells: SourceCells[R] = self.reader.cells
        self._derive = derive
        self.moving = {table.name for table in moving}
        self._dropped = {*dropped}
        for number, table in enumerate(self.lists):
            if table.name in {other.name for other in self.lists[:number]}:
                raise InvalidRecord(f"table {table.name}: must have one list (got {table.holds} too)")
            for name in source.key.part_named:
                if name not in table.key.part_named:
                    raise InvalidRecord(f"table {table.name}: its key must have {name}, as {source.name} has")
            if table.name in self._dropped:
                raise InvalidRecord(f"table {table.name}: must be in lists or in dropped, not in both")
            if table.name in self.moving and table.cells.cell_attributes:
                raise InvalidRecord(f"table {table.name}: the cells of a moving list must be a marker")
            add_list(connection, table, source.name, partial(_has_nothing, source, intents))
        self.connection = connection
        self._rows = connection.table(source.name)
        self.intent_rows = IntentRows(connection, intents)
        self._clock = clock
        self._window_ms = window_ms

    def rows(self, table: str) -> "happybase.Table":
        """The rows of a table of the same connection."""
        return self.connection.table(table)

    def derived(self, record: R | None) -> dict[Cell, bytes]:
        """The derived cells of a record; an empty dict for None."""
        cells: dict[Cell, bytes] = {}
        for table, line in () if record is None else self._derive(record):
            row = table.row(line)
            cells |= {(table.name, row, column): value for column, value in table.cells.pack(line).items()}
        return cells

    def check_clock(self) -> Moment:
        """The time now, by a clock that agrees with the region server's. Raises ClockSkew; see `checked_moment`."""
        return checked_moment(self.connection, self.intent_rows.rows, self._clock_row, self._clock)

    def _clock_row(self) -> tuple[bytes, dict[bytes, bytes]]:
        """What is put to compare the clock, once the tables are compared. Raises LayoutMismatch."""
        check_layouts(self.connection, self._tables)
        return self.intent_rows.clock_row()

    def moment(self) -> Moment:
        """The time now, by all clocks of the machine; none of them is compared."""
        return self._clock.moment()

    def is_past_window(self, began: Moment) -> bool:
        """Whether `WINDOW_MS` have passed since a write began."""
        return self._clock.elapsed_ms(began) > self._window_ms

    def slots(self, count: int, began: Moment) -> AbstractContextManager[list[Slot]]:
        """Slots for as many writes at once."""
        return SLOTS.several_taken(count, began.wall_ms + MAX_SKEW_MS)

    def next_revision(self, source: SourceRow[R], record: R | None, now_ms: int, *write_id: bytes) -> SourceRow[R]:
        """The next revision of a source: of another record, or of the same one to raise it."""
        revision = source.revision + 1
        time_ms = max(now_ms, source.time_ms + REVISION_STEP_MS)
        writes = (*source.writes, *write_id)
        cell = self.cells.pack_revision(revision, time_ms, writes, record, source.unknown)
        return SourceRow(cell, revision, time_ms, writes, record)

    def _raised(self, row: bytes, source: SourceRow[R], above_ms: int) -> SourceRow[R] | None:
        """The source after it was raised; None if it has changed since it was read."""
        raised = self.next_revision(source, source.record, above_ms)
        return raised if self.check_and_put(row, source, raised) else None

    def outcome(self, intent: Intent, *, raises_always: bool = False) -> SourceRow[R]:
        """The source, read again and raised until it is certain whether the write was accepted."""
        row = source_row_of(intent)
        while True:
            source = self.reader.read(row)
            if not raises_always and not source.leaves_open(intent.revision, intent.write_id):
                return source
            if raised := self._raised(row, source, self.check_clock().wall_ms):
                return raised

    def complete(
        self,
        intent: Intent,
        source: SourceRow[R],
        derived: Mapping[Cell, bytes],
        began: Moment,
        *,
        puts_moving: bool = False,
    ) -> SourceRow[R]:
        """Step 5. Does it again for a raised source if it ends after the window.

        Tombstones, and the lines of step 3, may be gone then.
        """
        named = set(cells_of(intent))
        while True:
            self.agree(source, derived, named, puts_moving=puts_moving)
            if not self.is_past_window(began):
                return source
            began, puts_moving = self.check_clock(), True
            source = self.outcome(intent, raises_always=True)
            derived = self.derived(source.record)

    def agree(
        self, source: SourceRow[R], derived: Mapping[Cell, bytes], named: Set[Cell], *, puts_moving: bool = False
    ) -> None:
        """Puts the named cells that a source derives, and deletes those that it does not."""
        self.put((self.cells_to_put(derived, named, puts_moving=puts_moving), source.time_ms))
        self.delete(named - derived.keys(), source.time_ms - 1)

    def cells_to_put(
        self, derived: Mapping[Cell, bytes], named: Set[Cell], *, puts_moving: bool = False
    ) -> dict[Cell, bytes]:
        """The named cells among derived ones; those of moving lists have been put before the decision."""
        tables = {name for name, _, _ in named} - (set[str]() if puts_moving else self.moving)
        return {cell: derived[cell] for cell in derived if cell in named and cell[0] in tables}

    def put(self, *dated: tuple[Mapping[Cell, bytes], int]) -> None:
        """Puts derived cells, each mapping with its date. Costs: for each table those of `put_dated`."""
        tables: dict[str, list[tuple[bytes, dict[bytes, bytes], int]]] = {}
        for cells, time_ms in dated:
            for (table, row, column), value in cells.items():
                tables.setdefault(table, []).append((row, {column: value}, time_ms))
        for table, rows in tables.items():
            put_dated(self.rows(table), rows)

    def delete(self, cells: Iterable[Cell], until_ms: int) -> None:
        """Deletes derived cells that are dated `until_ms` or before, in order. Costs: 1 call for each table."""
        for table, rows in grouped(sorted(cells)).items():
            with self.rows(table).batch(timestamp=until_ms) as batch:
                for row, columns in rows.items():
                    batch.delete(row, columns)

    def check_and_put(self, row: bytes, source: SourceRow[R], new: SourceRow[R]) -> bool:
        """Puts the next revision of a source, unless it has changed since it was read; returns whether it did."""
        assert new.cell is not None
        return put_if(self._rows, row, self.cells.columns[0], source.cell, new.cell)

    def repair(self, row: bytes, touched: Iterable[Cell], newest_ms: int = 0) -> None:
        """Makes derived cells agree with the source, whichever client put or deleted them.

        Their timestamps may be up to now, or up to `newest_ms`. Puts the derived cells, also those of moving lists, and
        deletes the cells `touched` that the source does not have. If the source has no cell, it gets none: `touched` is
        deleted, except what is younger than `FORGET_MS`, because the deletes would hide lines of a new record.
        Costs: 1 get, 1 checkAndPut, 1 put for each table, and deletes.
        """
        touched = [*touched]
        while (source := self.reader.read(row)).cell is not None:
            if self.replace(row, source, source.record, touched, newest_ms):
                return
        self.delete(touched, self.check_clock().wall_ms - FORGET_MS)

    def replace(
        self, row: bytes, source: SourceRow[R], record: R | None, touched: Iterable[Cell], newest_ms: int = 0
    ) -> bool:
        """Does what `repair` does, with another record instead of the one in the source as it was read.

        Returns False, and changes nothing, if the source has changed since. After a crash, `repair` completes it.
        """
        now_ms = self.check_clock().wall_ms
        if newest_ms > now_ms + FUTURE_MS:  # otherwise no later revision could have a timestamp above it
            raise ValueError(f"newest_ms: must be at most {FUTURE_MS} ms after now (got {newest_ms - now_ms})")
        above_ms = max(now_ms + MAX_SKEW_MS, newest_ms + 1)  # also above what servers have dated
        decided = self.next_revision(source, record, above_ms)
        if not self.check_and_put(row, source, decided):
            return False
        derived = self.derived(record)
        self.put((derived, decided.time_ms))
        self.delete(set(touched) - derived.keys(), decided.time_ms - 1)
        return True


def _lines_in(lists: Set[str], source: str, derive: Callable[[R], Iterable[Derived]], record: R) -> Iterator[Derived]:
    """The lines of a record, each after its table. Raises InvalidRecord for a table that is not among the lists."""
    for table, line in derive(record):
        if table.name not in lists:
            got = f"got a line of table {table.name}, has {listed(sorted(lists)) if lists else 'none'}"
            raise InvalidRecord(f"table {source}: derive must yield lines of its lists ({got}): add it to lists")
        yield table, line


def _has_nothing(
    source: TableLayout[Any, Any], intents: TableLayout[SlotOfProcess, Intent], connection: "happybase.Connection"
) -> bool:
    """Whether no write is under way, and, read after that, no source is stored."""
    if IntentRows(connection, intents).pending(lambda _invalid: None):
        return False
    return next(connection.table(source.name).scan(columns=[*source.cells.columns], limit=1), None) is None


def before_decision_ms(source: SourceRow[Any], began: Moment) -> int:
    """The timestamp of lines that are put before the next revision of a source is decided.

    For a missing source it is above the tombstones of a record that `forget` has removed, and below every revision.
    """
    return source.time_ms + 1 if source.cell is not None else began.wall_ms - KEEP_TOMBSTONES_MS
