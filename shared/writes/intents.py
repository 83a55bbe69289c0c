"""Writes over several rows that survive a crash.

HBase is atomic within one row. So one row, the **source**, holds the record, in one cell (`sources.py`), and all other
rows are **derived** from it: they are the **lines** of lists, whether readers see them or they only serve as indexes. A
write that dies may leave derived cells that disagree with the source. So it first puts an **intent**, which names the
cells that it changes, and `recover` makes them agree with the source, as `recover` then reads it. `recover` never
repeats a write.

Every change of the source's cell is a new **revision**: a number, a time T in milliseconds, the record, and the ids of
the latest accepted writes. T is the time of the writer's clock, but at least 3 above the T of the previous revision. A
missing source counts as revision 0.

    writer.write(key, decide)

    1. Read the source: revision R, time T. `decide` returns the new record, or raises.
    2. Put the intent: the table and row of the source, R, a new id, and its named cells: those of the lines in which
       the cells or values of the old and of the new record differ.
    3. Put the new lines of *moving* lists with the timestamp T + 1; if the source is missing, with that of 21 minutes
       before step 1 (`KEEP_TOMBSTONES_MS`). A list must be moving if a write can change the keys of its lines, and such
       a write is refused for a list that is not; any list whose lines hold only a marker may be.
    4. `checkAndPut` the source: revision R + 1, with the new record, the id among the accepted writes, and a new T. It
       fails if the source has changed since step 1. It is not sent later than 10 minutes (`WINDOW_MS`) after step 1.
    5. Put the named cells that the source's record has, except those of moving lists, with the source's T as timestamp.
       Then delete the named cells that the record does not have, up to T - 1.
       If that ends later than 10 minutes after step 1, raise the source (see below), and do step 5 again for all lists.
    6. Mark the intent as ended. If the id is not among the accepted writes, start again at 1.

Why it holds:

- **The timestamp of every derived cell comes from a revision of the source**, and later revisions have later
  timestamps. If a put arrives late, its timestamp is below the puts and tombstones of later revisions, so HBase hides
  it.
- A delete spares the cells of the revision that its sender read, and its timestamp is below that revision's T. So it
  hides only cells of earlier revisions.
- **A cell that disagrees with its source is named by an intent that has not ended.** A decision changes what the source
  wants of its named cells only, and a writer puts and deletes no others. So a put that is still under way has an intent
  that names its cell, and what a recoverer leaves in that cell hides the put. If step 5 put all cells of the record, a
  late put of a cell that no intent names would stay, once the tombstone of a later write is gone.
- The price: a line that a dead writer has not put stays old, or missing, until `recover`, because another write of the
  record names a line only if it changes it. It then names all cells of the row, so no line is ever stored in part.
- A source never has the same bytes twice. Once it has changed, a `checkAndPut` that expects revision R fails, however
  late it arrives. If the reply to step 4 was lost and the source still has revision R, the call may still be under way.
  Then the writer **raises** the revision, with the same record; only after that is the write certain to be refused.
- `recover` always raises, because it deletes: HBase keeps a tombstone for a time that counts from its timestamp. It
  also puts the lines of moving lists: its writer may have been stopped for so long that those of step 3 are gone.
- Every date comes from a clock that was compared with the region server's (`checked_moment`). Lengths of time are
  those of the clock that shows the most, so a clock that is set back neither opens the window again nor stops anything.
- After a lost reply, the id tells an accepted write from a refused one. The source keeps the latest 64 ids. A writer
  that does not find its id among them, but more than 64 new revisions, raises `UnknownOutcome`.
- **A moving list always has every line of the present record**: a line is put before the decision that needs it, and
  stays until after a decision that removes it. Lines of refused writes and of dead writers may be there too. So readers
  fetch the sources, and drop every line that its source does not have (`agreeing`). Other lists show old values between
  steps 4 and 5.

A list may be in the table of its sources, under the same key: then a line is in the row of its source, in columns of
its own, such as a part of the record that a server-side filter compares, or that a reader fetches without the rest.
Through Thrift1, `checkAndPut` puts one cell. So these **computed columns** are put in step 5, as the lines of any list
that does not move: they may show old values until the write is complete.

Two releases of a design may work on one store. A source keeps the cells that a release does not know (`SourceCells`),
and `recover` leaves intents that name lists which it does not know. A release that does not know a list does not put
its lines: first deploy the release that derives a new list everywhere, then `repair`, then deploy its readers. A
release that gives up a list names its table in `dropped`: intents of earlier releases name it, too.

The key of every list must have all parts of the source's key, so that a derived cell belongs to one source. The
families of sources, intents and moving lists must not have a TTL. Tombstones of derived cells should outlast
compactions for `KEEP_TOMBSTONES_MS`. Otherwise a put that arrives after a compaction may leave a line that no source
has: the readers of a moving list drop it, and `WriterUpkeep` finds it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from ..events import report
from ..keys.errors import listed, shown, shown_bytes
from ..queries import in_batches
from ..tables import InvalidRecord, InvalidRow, TableLayout, check_layouts, put_if
from ..tables.cells import check_cell_size
from ..tables.recorded_layouts import add_list
from .clock import CLOCK, Moment, WriterClock
from .derived_cells import Cell, cells_of, check_that_no_line_moves, grouped, of_changed_lines
from .intent_rows import Dated, IntentRows, Pending, is_young, source_row_of
from .reading import Derived, SourceReader
from .recovery import Recovery, check_age, settle_each
from .server_clock import MAX_DRIFT_MS, MAX_SKEW_MS, checked_moment
from .slots import SLOTS, Intent, Slot, SlotOfProcess
from .sources import REVISION_STEP_MS, WRITE_ID_BYTES, SourceCells, SourceRow

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")
D = TypeVar("D")

WINDOW_MS = 600_000
"""If step 5 ends later than this after step 1, it is done again. More than twice the longest call with its retries."""
KEEP_TOMBSTONES_MS = 2 * WINDOW_MS + MAX_SKEW_MS
"""How long tombstones of lines outlast a compaction: `Family.keep_tombstones_ms`."""
FORGET_MS = 2 * KEEP_TOMBSTONES_MS
"""How long `forget` keeps the source cell of a deleted record. After that, no delayed call can put or delete a line of
the record any more, and no tombstone of its lines hides a line of a new record."""
FUTURE_MS = 3 * MAX_SKEW_MS
"""The most that a writer or `repair` dates a cell after now, by a clock that may be behind theirs."""
IDLE_MS = 24 * 60 * 60 * 1000
"""`recover` deletes the rows of slots that were idle for longer."""


class UnknownOutcome(Exception):
    """So many later writes were accepted that the source no longer tells whether this write was accepted."""


class IntentWriter(Generic[R]):
    """Writes the records of one source table and the lines derived from them.

    `lists` are the tables of the lines. `derive` yields the lines of a record, each after its table. `moving` are the
    lists whose lines are put before the decision: all lists whose keys contain fields that a write can change, and any
    others. The cells of a moving list must be a marker. A table holds one list; that may be the table of the sources.
    `dropped` names the tables of lists that earlier releases had: `recover` ignores them, even if they are deleted.
    Raises InvalidRecord for tables that do not fit.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
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

    def is_past_window(self, began: Moment) -> bool:
        """Whether `WINDOW_MS` have passed since a write began."""
        return self._clock.elapsed_ms(began) > self._window_ms

    # ---- writing

    def write(self, key: object, decide: Callable[[R | None], D]) -> D:
        """Stores the record that `decide` returns, and returns that record.

        `decide` gets the stored record, or None, and returns the new one, or None to delete it, or raises. It is called
        again if another write won. If it returns the stored record, the source is not changed, but its derived cells
        are put again: so repeating a call completes a write that died, except for lines that the write removes, which
        stay until `recover`. Everything is encoded before anything is put. After any error but those of `decide`, the
        write may have been accepted or not; the same call again, or `recover`, completes it.

        Raises UnknownOutcome; ClockSkew before anything is decided; and InvalidRecord for a record that does not fit,
        or whose line moves in a list that is not moving.
        Costs: 1 get, 2 puts of the intent, 1 checkAndPut; 1 put for each table whose lines change, and 1 delete for
        each table that loses cells. Once in ten minutes 1 put and 1 get more, to compare clocks.
        """
        row = self.source.row(key)
        while True:
            began = self._clock.moment()
            source = self.reader.read(row)
            wanted = decide(source.record)
            record: Any = wanted
            if record == source.record:
                derived = self.derived(source.record)
                self.agree(source, derived, derived.keys())
                if self.is_past_window(began):  # others may have removed what was put
                    self.repair(row, derived)
                return wanted
            if self._attempt(row, source, record, began):
                return wanted
            report("conflict", table=self.source.name)

    def prepared(self, row: bytes, source: SourceRow[R], record: R | None, began: Moment) -> "Prepared[R]":
        """A write of a record, encoded; `source` is its row as it was read. Raises InvalidRecord."""
        if record is not None and self.source.row(record) != row:
            raise InvalidRecord(f"{type(record).__name__}: a write must not change the key of its source")
        old, new = self.derived(source.record), self.derived(record)
        check_that_no_line_moves(old, new, self.moving)
        first = {cell: new[cell] for cell in new if cell[0] in self.moving and cell not in old}
        write_id = os.urandom(WRITE_ID_BYTES)
        decided = self.next_revision(source, record, began.wall_ms, write_id)
        name = f"{self.cells.record.__name__} in row {shown_bytes(row)}"
        check_cell_size(name, self.cells.columns[0], decided.cell or b"", row)
        named = grouped(of_changed_lines(old, new))
        return Prepared(self.source.name, row, source, decided, new, first, named, write_id)

    def _attempt(self, row: bytes, source: SourceRow[R], record: R | None, began: Moment) -> bool:
        """Steps 2 to 6; returns whether the write was accepted."""
        prepared = self.prepared(row, source, record, began)
        if self.check_clock().drift_ms(began) > MAX_DRIFT_MS:  # the clock has been set since
            return False
        is_sent = is_accepted = False
        lost_reply: Exception | None = None
        with self.slots(1, began) as (slot,):
            started_ms = max(began.wall_ms, slot.last_ms + 1)
            slot.last_ms = started_ms + 1
            intent = prepared.intent(slot)
            self.intent_rows.begin(intent, started_ms)
            self.put(prepared.first, before_decision_ms(source, began))
            try:
                if not self.is_past_window(began):
                    is_sent = True
                    is_accepted = self.check_and_put(row, source, prepared.decided)
            except Exception as error:
                lost_reply = error
            current = prepared.decided if is_accepted else self.outcome(intent)
            derived = prepared.derived if is_accepted else self.derived(current.record)
            current = self.complete(intent, current, derived, began)
            self.intent_rows.end(intent, started_ms + 1)
        if is_accepted or prepared.write_id in current.writes:
            return True
        if is_sent and current.forgets(source.revision):
            raise unknown_outcome(self.source, row)
        if lost_reply is not None:  # it is certain that the write was refused; the error may come again
            raise lost_reply
        return False

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
        self.put(self.cells_to_put(derived, named, puts_moving=puts_moving), source.time_ms)
        self.delete(named - derived.keys(), source.time_ms - 1)

    def cells_to_put(
        self, derived: Mapping[Cell, bytes], named: Set[Cell], *, puts_moving: bool = False
    ) -> dict[Cell, bytes]:
        """The named cells among derived ones; those of moving lists have been put before the decision."""
        tables = {name for name, _, _ in named} - (set[str]() if puts_moving else self.moving)
        return {cell: derived[cell] for cell in derived if cell in named and cell[0] in tables}

    def put(self, cells: Mapping[Cell, bytes], time_ms: int) -> None:
        """Puts derived cells, dated `time_ms`. Costs: 1 call for each table."""
        for table, rows in grouped(cells).items():
            batch = self.rows(table).batch(timestamp=time_ms)
            for row, columns in rows.items():
                batch.put(row, {column: cells[table, row, column] for column in columns})
            batch.send()

    def delete(self, cells: Iterable[Cell], until_ms: int) -> None:
        """Deletes derived cells that are dated `until_ms` or before, in order. Costs: 1 call for each table."""
        for table, rows in grouped(sorted(cells)).items():
            batch = self.rows(table).batch(timestamp=until_ms)
            for row, columns in rows.items():
                batch.delete(row, columns)
            batch.send()

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
        self.put(derived, decided.time_ms)
        self.delete(set(touched) - derived.keys(), decided.time_ms - 1)
        return True

    # ---- intents

    def pending(self, on_invalid: Callable[[InvalidRow], object] = lambda _error: None) -> list[Pending]:
        """The intents that have not ended, the oldest first: writes that are under way, and those of dead writers.

        Intents that cannot be read are not among them: calls `on_invalid` with each. `recover` reports them, too.
        Costs: one scan of the intents' table, a row for each slot.
        """
        check_layouts(self.connection, self._tables)
        return self.intent_rows.pending(on_invalid)

    def under_way(self) -> Set[bytes]:
        """The source rows of the writes that are younger than 10 minutes: their writers are probably at work.

        An intent that is older, or dated after what any clock may show, is one that `recover` has to settle.
        Raises ClockSkew. Costs: those of `pending`.
        """
        now_ms = self.check_clock().wall_ms
        young = (slot for slot in self.pending() if is_young(now_ms - slot.started_ms, self._window_ms))
        return {slot.source_row for slot in young}

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Completes writes that have been under way for `older_than_ms`, 10 minutes if omitted, and ends their intents.

        With 0 it completes all, also those of writers whose clock is ahead of this one. A write whose writer is alive
        starts again, unless it was accepted before. Any number of recoverers may run at once. An intent that names a
        list which this release neither has nor has dropped comes from a later release: it is kept, with all its lines,
        and counts as failed. So does an intent whose named lines are newer than its source, or whose writer has read a
        later revision: the source was restored from a backup. So does a write of another source: two writers were given
        one intents table. Raises ClockSkew before anything is changed.
        Costs: one scan of the intents' table; for each such write 2 gets and 1 checkAndPut; for each table 1 get, 1 put
        and deletes. The rows of slots that were idle for a day are deleted.
        """
        check_age(older_than_ms)
        check_layouts(self.connection, self._tables)
        age_ms = self._window_ms if older_than_ms is None else older_than_ms
        now_ms = self.check_clock().wall_ms
        stored = self.intent_rows.stored()
        return settle_each(stored, lambda row: self._settle(row, stored[row], now_ms, age_ms), self.intents.name)

    def _settle(self, row: bytes, cells: Dated, now_ms: int, age_ms: int) -> bool | None:
        """Completes the write of a slot; False if it is too young, None if the slot is idle."""
        slot = self.intent_rows.read(row, cells)
        if slot.intent.source_row is None:
            if now_ms - slot.started_ms > IDLE_MS:
                self.intent_rows.delete_idle(slot)
            return None
        if age_ms > 0 and is_young(now_ms - slot.started_ms, age_ms):
            return False
        self._recover(slot)
        return True

    def _recover(self, slot: Pending) -> None:
        if (name := slot.intent.source_table) not in ("", self.source.name):
            wanted = f"must be a write of table {self.source.name}"
            raise InvalidRecord(f"{wanted} (got {shown(name)}); each source needs an intents table of its own")
        touched = {name: rows for name, rows in slot.intent.touched.items() if name not in self._dropped}
        if unknown := touched.keys() - {table.name for table in self.lists}:
            advice = "use a later one, or name in dropped what it has given up"
            raise InvalidRecord(f"must name lists of this release (got {listed(sorted(unknown))}); {advice}")
        slot = attrs.evolve(slot, intent=attrs.evolve(slot.intent, touched=touched))
        began = self.check_clock()
        self._check_no_revision_is_lost(slot, began)
        source = self.outcome(slot.intent, raises_always=True)
        self.complete(slot.intent, source, self.derived(source.record), began, puts_moving=True)
        self.intent_rows.end(slot.intent, slot.started_ms + 1)

    def _check_no_revision_is_lost(self, slot: Pending, now: Moment) -> None:
        """Raises InvalidRecord if a source has been restored from a backup since a write read it.

        A line of the write is then newer than its source, or the writer has read a later revision. Lines may be the
        last copy of what the source held, and a new revision would hide that they are newer.
        """
        newest_ms = 0
        columns = {table.name: [*table.cells.columns] for table in self.lists}
        for name, rows in slot.intent.touched.items():  # before the source, which another process may raise meanwhile
            for batch in in_batches(rows):
                for _, cells in self.rows(name).rows(batch, columns=columns[name], include_timestamp=True):
                    dates = (written_ms for _, written_ms in cells.values())
                    newest_ms = max([newest_ms, *(ms for ms in dates if ms <= now.wall_ms + FUTURE_MS)])
        source = self.reader.read(slot.source_row)
        if source.revision < slot.intent.revision and 0 < source.time_ms < slot.started_ms:
            lost = f"must be {slot.intent.revision} or later (got {source.revision})"
            raise InvalidRecord(f"its source has lost a revision: {lost}")
        if source.cell is not None and newest_ms > source.time_ms + 1:
            raise InvalidRecord(f"its source has lost a revision: a line is {newest_ms - source.time_ms} ms newer")
        if source.cell is None and newest_ms > slot.started_ms - KEEP_TOMBSTONES_MS:
            others = (other.started_ms for other in self.pending() if other.source_row == slot.source_row)
            is_of_first_writes = newest_ms <= max(others, default=0) - KEEP_TOMBSTONES_MS
            if not is_of_first_writes and self.reader.read(slot.source_row).cell is None:  # still
                raise InvalidRecord("its source is missing, and its lines are not those of a first write")


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


def unknown_outcome(source: TableLayout[Any, Any], row: bytes) -> UnknownOutcome:
    """The error of a write whose source does not remember whether it was accepted."""
    return UnknownOutcome(f"{source.name}: row {shown_bytes(row)}: many later writes were accepted")


@attrs.frozen
class Prepared(Generic[R]):
    """A write that is encoded, and of which nothing has been put yet."""

    source_table: str
    row: bytes
    """The row of its source."""
    source: SourceRow[R]
    """The source as it was read."""
    decided: SourceRow[R]
    """The next revision, if the write is accepted."""
    derived: Mapping[Cell, bytes]
    """All derived cells of that revision."""
    first: Mapping[Cell, bytes]
    """The new lines of moving lists, which are put before the decision."""
    named: dict[str, dict[bytes, list[bytes]]]
    """The derived cells that the write changes: columns by row, by table."""
    write_id: bytes

    def intent(self, slot: Slot) -> Intent:
        """The intent of the write, in a slot."""
        return Intent(
            slot.process, slot.slot, self.row, self.source.revision, self.write_id, self.named, self.source_table
        )


def before_decision_ms(source: SourceRow[Any], began: Moment) -> int:
    """The timestamp of lines that are put before the next revision of a source is decided.

    For a missing source it is above the tombstones of a record that `forget` has removed, and below every revision.
    """
    return source.time_ms + 1 if source.cell is not None else began.wall_ms - KEEP_TOMBSTONES_MS


def writers_of(repository: Any) -> list[IntentWriter[Any]]:
    """The writers that a repository has, or that its bound sources have: each with a source and intents of its own."""
    attributes: Any = repository.__dict__
    writers: dict[IntentWriter[Any], None] = {}
    for value in attributes.values():
        writer: Any = getattr(value, "writer", value)
        if isinstance(writer, IntentWriter):
            writers[writer] = None
    return [*writers]
