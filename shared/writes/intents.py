"""Writes over several rows that survive a crash.

HBase is atomic within one row. So one row, the **source**, holds the record, in one cell (`sources.py`), and all other
rows are **derived** from it: lines of lists, entries of indexes. A write that dies may leave derived cells that
disagree with the source. So it first puts an **intent**, which names those cells, and `recover` makes them agree with
the source, as `recover` then reads it. `recover` never repeats a write.

Every change of the source's cell is a new **revision**: a number, a time T in milliseconds, the record, and the ids of
the latest accepted writes. T is the time of the writer's clock, but at least 3 above the T of the previous revision. A
missing source counts as revision 0.

    writer.write(key, decide)

    1. Read the source: revision R, time T. `decide` returns the new record, or raises.
    2. Put the intent: the row of the source, R, a new id, and the derived cells of the old and of the new record.
    3. Put the new lines of *moving* lists with the timestamp T + 1; if the source is missing, with that of 21 minutes
       before step 1 (`KEEP_TOMBSTONES_MS`). A list must be moving if a write can change the keys of its lines; any list
       whose lines hold only a marker may be.
    4. `checkAndPut` the source: revision R + 1, with the new record, the id among the accepted writes, and a new T. It
       fails if the source has changed since step 1. It is not sent later than 10 minutes (`WINDOW_MS`) after step 1.
    5. Put the derived cells of the source's record, except those of moving lists, with the source's T as timestamp.
       Then delete those cells of the intent that the record does not have, up to T - 1.
    6. Mark the intent as ended. If the id is not among the accepted writes, start again at 1.

Why it holds:

- **The timestamp of every derived cell comes from a revision of the source**, and later revisions have later
  timestamps. If a put arrives late, its timestamp is below the puts and tombstones of later revisions, so HBase hides
  it.
- A delete spares the cells of the revision that its sender read, and its timestamp is below that revision's T. So it
  hides only cells of earlier revisions.
- A source never has the same bytes twice. Once it has changed, a `checkAndPut` that expects revision R fails, however
  late it arrives. If the reply to step 4 was lost and the source still has revision R, the call may still be under way.
  Then the writer **raises** the revision, with the same record; only after that is the write certain to be refused.
- `recover` always raises, because it deletes: HBase keeps a tombstone for a time that counts from its timestamp.
- After a lost reply, the id tells an accepted write from a refused one. The source keeps the latest 64 ids. A writer
  that does not find its id among them, but more than 64 new revisions, raises `UnknownOutcome`.
- **A moving list always has every line of the present record**: a line is put before the decision that needs it, and
  stays until after a decision that removes it. Lines of refused writes and of dead writers may be there too. So readers
  fetch the sources, and drop every line that its source does not have (`agreeing`). Other lists show old values between
  steps 4 and 5.

The key of every list must have all parts of the source's key, so that a derived cell belongs to one source. The
families of sources, intents and moving lists must not have a TTL. Tombstones of derived cells should outlast
compactions for `KEEP_TOMBSTONES_MS`. Otherwise a put that arrives after a compaction may leave a line that no source
has: the readers of a moving list drop it, and `Verifier` finds it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from typing import Any, Generic, TypeAlias, TypeVar

import attrs
import happybase
from Hbase_thrift import Mutation

from ..keys.errors import InvalidKey, message_of, shown_bytes
from ..queries import in_batches
from ..tables import InvalidRecord, InvalidRow, TableLayout, check_layouts
from .clock import CLOCK, WriterClock
from .server_clock import MAX_SKEW_MS, check_clock
from .slots import CLOCK_SLOT, INTENT_CELLS, SLOTS, Intent, Slot, SlotOfProcess, idle
from .sources import REVISION_STEP_MS, Source, SourceCells

R = TypeVar("R")
D = TypeVar("D")

Cell: TypeAlias = tuple[str, bytes, bytes]
"""Table, row and column of a derived cell."""

WINDOW_MS = 600_000
"""If step 5 ends later than this after step 2, it is done again. More than twice the longest call with its retries."""
KEEP_TOMBSTONES_MS = 2 * WINDOW_MS + MAX_SKEW_MS
"""How long tombstones of derived rows outlast a compaction: `Family.keep_tombstones_ms`."""
FORGET_MS = 2 * KEEP_TOMBSTONES_MS
"""How long `forget` keeps the source cell of a deleted record. After that, no delayed call can put or delete a line of
the record any more, and no tombstone of its lines hides a line of a new record."""
WRITE_ID_BYTES = 8
IDLE_MS = 24 * 60 * 60 * 1000
"""`recover` deletes the rows of slots that were idle for longer."""


class UnknownOutcome(Exception):
    """So many later writes were accepted that the source no longer tells whether this write was accepted."""


@attrs.frozen
class Pending:
    """A write that is under way, or whose writer died."""

    intent: Intent
    started_ms: int


@attrs.frozen
class Recovery:
    """What a call of `recover` found."""

    settled: int
    """Number of writes that were completed: their derived rows agree with their sources."""
    waiting: int
    """Number of younger writes, whose writers are probably at work."""
    failed: tuple[str, ...]
    """One message for each intent that failed; those intents are kept."""


class IntentWriter(Generic[R]):
    """Writes the records of one source table and the rows derived from them.

    `lists` are the tables of derived rows. `derive` yields each derived row of a record: one of these tables, and the
    line to store there. `moving` are the lists whose lines are put before the decision: all whose keys contain fields
    that a write can change, and any other whose cells are a marker, without values, which moving lists need. Raises
    InvalidRecord for tables that do not fit.
    A happybase connection serves one thread at a time, and so does a writer.
    """

    def __init__(
        self,
        connection: happybase.Connection,
        source: TableLayout[Any, R],
        intents: TableLayout[SlotOfProcess, Intent],
        lists: Iterable[TableLayout[Any, Any]],
        derive: Callable[[R], Iterable[tuple[TableLayout[Any, Any], Any]]],
        *,
        moving: Iterable[TableLayout[Any, Any]] = (),
        clock: WriterClock = CLOCK,
        window_ms: int = WINDOW_MS,
    ) -> None:
        if not isinstance(source.cells, SourceCells):
            raise InvalidRecord(f"table {source.name}: the cells of a source must be SourceCells (got {source.cells})")
        self.source = source
        self.cells: SourceCells[R] = source.cells
        self.intents = intents
        self.lists = tuple(lists)
        self._tables: tuple[TableLayout[Any, Any], ...] = (source, intents, *self.lists)
        self.derive = derive
        self.moving = {table.name for table in moving}
        for table in self.lists:
            for name in source.layout.part_named:
                if name not in table.layout.part_named:
                    raise InvalidRecord(f"table {table.name}: its key must have {name}, as that of {source.name} has")
            if table.name in self.moving and table.cells.cell_attributes:
                raise InvalidRecord(f"table {table.name}: the cells of a moving list must be a marker")
        self._connection = connection
        self._rows = connection.table(source.name)
        self._intent_rows = connection.table(intents.name)
        self._clock = clock
        self._window_ms = window_ms

    # ---- reading

    def rows(self, table: str) -> happybase.Table:
        """The rows of a table of the same connection."""
        return self._connection.table(table)

    def read(self, row: bytes) -> Source[R]:
        """A source row as it is now. Raises InvalidRow and LayoutMismatch. Costs: one get."""
        check_layouts(self._connection, self._tables)
        cells = self._rows.row(row, columns=[*self.cells.columns])
        return self.source_of(row, cells)

    def read_all(self, rows: Iterable[bytes]) -> dict[bytes, Source[R]]:
        """Source rows as they are now. Raises InvalidRow. Costs: one call for each 1,000 rows."""
        stored = self.cells_of(self.source, dict.fromkeys(rows))
        return {row: self.source_of(row, cells) for row, cells in stored}

    def cells_of(
        self, table: TableLayout[Any, Any], rows: Iterable[bytes]
    ) -> Iterator[tuple[bytes, Mapping[bytes, bytes]]]:
        """Each of these rows with its cells that the table claims. Costs: one call for each 1,000 rows."""
        check_layouts(self._connection, self._tables)
        columns = [*table.cells.columns]
        for batch in in_batches(rows):
            stored = dict(self.rows(table.name).rows(batch, columns=columns))
            yield from ((row, stored.get(row, {})) for row in batch)

    def source_of(self, row: bytes, cells: Mapping[bytes, bytes]) -> Source[R]:
        """The source in these cells of a row. Raises InvalidRow."""
        try:
            return self.cells.source(self.source.layout.decode(row), cells.get(self.cells.columns[0]))
        except InvalidRecord as error:
            raise InvalidRow(self.source.name, row, str(error)) from None

    def agreeing(self, table: TableLayout[Any, Any], lines: list[Any]) -> list[R | None]:
        """The record of each line of a moving list; None for a line that its source does not have (any more).

        Costs: one call for each 1,000 lines.
        """
        source_rows = [self.source.row(line) for line in lines]
        sources = self.read_all(source_rows)
        records = (sources[row].record for row in source_rows)
        return [
            record if record is not None and self._has_line(record, table, table.row(line)) else None
            for line, record in zip(lines, records, strict=True)
        ]

    def _has_line(self, record: R, table: TableLayout[Any, Any], row: bytes) -> bool:
        return any(derived.name == table.name and derived.row(line) == row for derived, line in self.derive(record))

    def derived(self, record: R | None) -> dict[Cell, bytes]:
        """The derived cells of a record; an empty dict for None."""
        cells: dict[Cell, bytes] = {}
        for table, line in () if record is None else self.derive(record):
            row = table.row(line)
            cells |= {(table.name, row, column): value for column, value in table.cells.pack(line).items()}
        return cells

    # ---- writing

    def write(self, key: object, decide: Callable[[R | None], D]) -> D:
        """Stores the record that `decide` returns, and returns that record.

        `decide` gets the stored record, or None, and returns the new one, or None to delete it, or raises. It is called
        again if another write won. If it returns the stored record, the source is not changed, but its derived cells
        are put again: so the same call again completes a write that died, except that lines which that write removes
        stay until `recover`. Everything is encoded before anything is put. After any error but those of `decide`, the
        write may have been accepted or not; the same call again, or `recover`, completes it.

        Raises UnknownOutcome, and ClockSkew before anything is decided.
        Costs: 1 get, 2 puts of the intent, 1 checkAndPut; 1 put for each table, and 1 delete for each table that loses
        cells. Once in ten minutes 1 put and 1 get more, to compare clocks.
        """
        row = self.source.row(key)
        while True:
            began_ms = self._clock.read_ms()
            source = self.read(row)
            wanted = decide(source.record)
            record: Any = wanted
            if record == source.record:
                self._agree(source, set())
                return wanted
            if self._attempt(row, source, record, began_ms):
                return wanted

    def _attempt(self, row: bytes, source: Source[R], record: R | None, began_ms: int) -> bool:
        """Steps 2 to 6; returns whether the write was accepted."""
        if record is not None and self.source.row(record) != row:
            raise InvalidRecord(f"{type(record).__name__}: a write must not change the key of its source")
        old, new = self.derived(source.record), self.derived(record)
        first = {cell: new[cell] for cell in new if cell[0] in self.moving and cell not in old}
        write_id = os.urandom(WRITE_ID_BYTES)
        decided = self._revision(source, record, began_ms, write_id)
        lost_reply: Exception | None = None
        with SLOTS.taken() as slot:
            started_ms = self._begin(slot)
            touched = _grouped({**old, **new})
            intent = Intent(slot.process, slot.slot, row, source.revision, write_id, touched)
            self._intent_rows.put(self.intents.row(intent), INTENT_CELLS.pack(intent), timestamp=started_ms)
            self._put(first, _before_decision_ms(source, began_ms))
            is_accepted = False
            try:
                if self._clock.read_ms() - began_ms <= self._window_ms:
                    is_accepted = self._check_and_put(row, source, decided)
            except Exception as error:
                lost_reply = error
            current = self._complete(intent, decided if is_accepted else self._outcome(intent), started_ms)
            self._put_idle(intent, started_ms + 1)
        if is_accepted or write_id in current.writes:
            return True
        if current.forgets(source.revision):
            raise UnknownOutcome(f"{self.source.name}: row {shown_bytes(row)}: many later writes were accepted")
        if lost_reply is not None:  # it is certain that the write was refused; the error may come again
            raise lost_reply
        return False

    def _begin(self, slot: Slot) -> int:
        """The timestamp of the slot's next intent, after its last one. Raises ClockSkew."""
        self._check_clock(slot.process)
        started_ms = max(self._clock.read_ms(), slot.last_ms + 1)
        slot.last_ms = started_ms + 1
        return started_ms

    def _check_clock(self, process: bytes) -> None:
        clock_slot = idle(process, CLOCK_SLOT)
        clock_row, cells = self.intents.row(clock_slot), INTENT_CELLS.pack(clock_slot)
        check_clock(self._connection, self._intent_rows, clock_row, cells, self._clock)

    def _revision(self, source: Source[R], record: R | None, now_ms: int, *write_id: bytes) -> Source[R]:
        """The next revision of a source: of another record, or of the same one to raise it."""
        revision = source.revision + 1
        time_ms = max(now_ms, source.time_ms + REVISION_STEP_MS)
        writes = (*source.writes, *write_id)
        return Source(self.cells.pack_revision(revision, time_ms, writes, record), revision, time_ms, writes, record)

    def _raised(self, row: bytes, source: Source[R], above_ms: int) -> Source[R] | None:
        """The source after it was raised; None if it has changed since it was read."""
        raised = self._revision(source, source.record, above_ms)
        return raised if self._check_and_put(row, source, raised) else None

    def _outcome(self, intent: Intent, *, raises_always: bool = False) -> Source[R]:
        """The source, read again and raised until it is certain whether the write was accepted."""
        row = _source_row(intent)
        while True:
            source = self.read(row)
            if not raises_always and not source.leaves_open(intent.revision, intent.write_id):
                return source
            if raised := self._raised(row, source, self._clock.read_ms()):
                return raised

    def _complete(self, intent: Intent, source: Source[R], started_ms: int) -> Source[R]:
        """Step 5. If that ends after the window, tombstones may be gone: raises the source and does it again."""
        touched = set(_cells_of(intent))
        while True:
            touched |= self._agree(source, touched)
            now_ms = self._clock.read_ms()
            if now_ms - started_ms <= self._window_ms:
                return source
            started_ms = now_ms
            source = self._outcome(intent, raises_always=True)

    def _agree(self, source: Source[R], touched: Set[Cell]) -> Set[Cell]:
        """Puts the derived cells of a source, and deletes those `touched` that it does not have; returns those put."""
        derived = self.derived(source.record)
        in_place = {cell: value for cell, value in derived.items() if cell[0] not in self.moving}
        self._put(in_place, source.time_ms)
        self.delete(touched - derived.keys(), source.time_ms - 1)
        return in_place.keys()

    def _put(self, cells: Mapping[Cell, bytes], time_ms: int) -> None:
        for table, rows in _grouped(cells).items():
            batch = self.rows(table).batch(timestamp=time_ms)
            for row, columns in rows.items():
                batch.put(row, {column: cells[table, row, column] for column in columns})
            batch.send()

    def delete(self, cells: Iterable[Cell], until_ms: int) -> None:
        """Deletes derived cells that are dated `until_ms` or before."""
        for table, rows in _grouped(cells).items():
            batch = self.rows(table).batch(timestamp=until_ms)
            for row, columns in rows.items():
                batch.delete(row, columns)
            batch.send()

    def _check_and_put(self, row: bytes, source: Source[R], new: Source[R]) -> bool:
        column = self.cells.columns[0]
        is_stored: bool = self._connection.client.checkAndPut(
            self._rows.name, row, column, source.cell, Mutation(column=column, value=new.cell), {}
        )
        return is_stored

    def repair(self, row: bytes, touched: Iterable[Cell], newest_ms: int = 0) -> None:
        """Makes derived cells agree with the source, whichever client put or deleted them.

        Their timestamps may be up to now, or up to `newest_ms`. Puts the derived cells, also those of moving lists, and
        deletes the cells `touched` that the source does not have.
        Costs: 1 get, 1 checkAndPut, 1 put for each table, and deletes.
        """
        raised = None
        while raised is None:
            source = self.read(row)
            above_ms = max(self._clock.read_ms() + MAX_SKEW_MS, newest_ms + 1)  # also above what servers have dated
            raised = self._raised(row, source, above_ms)
        derived = self.derived(raised.record)
        self._put(derived, raised.time_ms)
        self.delete(set(touched) - derived.keys(), raised.time_ms - 1)

    # ---- sources without a write of their own

    def claim(self, records: Iterable[R]) -> int:
        """Creates a source, with its lines, for each of these records that was never written; returns how many.

        Every other source stays as it is, even if its record was deleted. `claim` puts no intent. It is meant for the
        steps of a longer write, whose own source says that the write is not finished. After an error or a crash, call
        it again. Raises InvalidRecord if a record has lines in a list that does not move, and ClockSkew before anything
        is put.
        Costs: 1 call that reads the sources for each 1,000 records. If some were never written: 1 put for each list, 1
        checkAndPut for each new source, and the same reads again.
        """
        record_of = {self.source.row(record): record for record in records}
        lines_of = {row: self.derived(record) for row, record in record_of.items()}
        for table in {cell[0] for lines in lines_of.values() for cell in lines} - self.moving:
            raise InvalidRecord(f"table {table}: claim needs lists that move")
        with SLOTS.taken() as slot:
            self._check_clock(slot.process)
        claimed = 0
        while True:
            now_ms = self._clock.read_ms()
            unwritten = {row: source for row, source in self.read_all(record_of).items() if source.was_never_written}
            if not unwritten:
                return claimed
            lines: dict[int, dict[Cell, bytes]] = {}
            for row, source in unwritten.items():
                lines.setdefault(_before_decision_ms(source, now_ms), {}).update(lines_of[row])
            for time_ms, cells in lines.items():
                self._put(cells, time_ms)
            for row, source in unwritten.items():
                claimed += self._check_and_put(row, source, self._revision(source, record_of[row], now_ms))

    def forget(self, rows: Iterable[bytes]) -> int:
        """Deletes the source cells of deleted records in these rows; returns how many of them are still too young.

        The source of a deleted record keeps its cell, so that no late call brings the record back. `forget` deletes a
        cell that is older than `FORGET_MS`, for example because the row key names a person. If it returns more than 0,
        call it again after `FORGET_MS`. Rows of stored records, and rows that cannot be read, stay as they are and are
        not counted.
        Costs: 1 call that reads the rows for each 1,000 of them, and 1 delete for each deleted cell.
        """
        column, too_young = self.cells.columns[0], 0
        old_ms = self._clock.read_ms() - FORGET_MS
        for batch in in_batches(dict.fromkeys(rows)):
            for row, cells in self._rows.rows(batch, columns=[column], include_timestamp=True):
                cell, stored_ms = cells[column]
                if not self._is_of_deleted_record(row, {column: cell}):
                    continue
                if stored_ms <= old_ms:
                    self._rows.delete(row, [column], timestamp=stored_ms)  # spares a later revision
                else:
                    too_young += 1
        return too_young

    def _is_of_deleted_record(self, row: bytes, cells: Mapping[bytes, bytes]) -> bool:
        with suppress(InvalidKey, InvalidRow):
            return self.source_of(row, cells).record is None
        return False

    # ---- intents

    def pending(self) -> list[Pending]:
        """The intents that have not ended, the oldest first: writes that are under way, and those of dead writers.

        Raises InvalidRow. Costs: one scan of the intents' table, a row for each slot.
        """
        check_layouts(self._connection, self._tables)
        slots = (self._slot(row, cells) for row, cells in self._intent_rows.scan(include_timestamp=True))
        return sorted((slot for slot in slots if slot.intent.source_row is not None), key=_started)

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Completes writes that have been under way for `older_than_ms`, 10 minutes if omitted, and ends their intents.

        With 0 it completes all, also those of writers whose clock is ahead of this one. A write whose writer is alive
        starts again, unless it was accepted before. Any number of recoverers may run at once.
        Costs: one scan of the intents' table; for each such write 1 get, 1 checkAndPut, 1 put for each table, and
        deletes. The rows of slots that were idle for a day are deleted.
        """
        check_layouts(self._connection, self._tables)
        age_ms = self._window_ms if older_than_ms is None else older_than_ms
        now_ms = self._clock.read_ms()
        settled = waiting = 0
        failed: list[str] = []
        for row, cells in list(self._intent_rows.scan(include_timestamp=True)):
            try:
                slot = self._slot(row, cells)
                if slot.intent.source_row is None:
                    if now_ms - slot.started_ms > IDLE_MS:
                        self._delete_slot(slot)
                elif age_ms > 0 and now_ms - slot.started_ms < age_ms:
                    waiting += 1
                else:
                    self._recover(slot)
                    settled += 1
            except Exception as error:  # one write that fails must not stop the others
                failed.append(f"{self.intents.name}: row {shown_bytes(row)}: {message_of(error)}")
        return Recovery(settled, waiting, tuple(failed))

    def _recover(self, slot: Pending) -> None:
        began_ms = self._clock.read_ms()
        self._complete(slot.intent, self._outcome(slot.intent, raises_always=True), began_ms)
        self._put_idle(slot.intent, slot.started_ms + 1)

    def _slot(self, row: bytes, cells: Mapping[bytes, tuple[bytes, int]]) -> Pending:
        values = {column: value for column, (value, _) in cells.items()}
        return Pending(self.intents.record(row, values), cells[INTENT_CELLS.column("source_row")][1])

    def _delete_slot(self, slot: Pending) -> None:
        """Deletes the row of an idle slot, but keeps what its process has put since."""
        batch = self._intent_rows.batch(timestamp=slot.started_ms)
        batch.delete(self.intents.row(slot.intent), [*self.intents.cells.columns])
        batch.send()

    def _put_idle(self, intent: Intent, at_ms: int) -> None:
        """Ends an intent, with a timestamp below that of the slot's next one, which a late recoverer must not end."""
        cells = INTENT_CELLS.pack(idle(intent.process, intent.slot))
        self._intent_rows.put(self.intents.row(intent), cells, timestamp=at_ms)


def _before_decision_ms(source: Source[Any], now_ms: int) -> int:
    """The timestamp of lines that are put before the next revision of a source is decided.

    For a missing source it is above the tombstones of a record that `forget` has removed, and below every revision.
    """
    return source.time_ms + 1 if source.cell is not None else now_ms - KEEP_TOMBSTONES_MS


def _started(slot: Pending) -> int:
    return slot.started_ms


def _source_row(intent: Intent) -> bytes:
    if intent.source_row is None:
        raise ValueError("the write has ended")
    return intent.source_row


def _cells_of(intent: Intent) -> Iterator[Cell]:
    for table, rows in intent.touched.items():
        for row, columns in rows.items():
            for column in columns:
                yield table, row, column


def _grouped(cells: Iterable[Cell]) -> dict[str, dict[bytes, list[bytes]]]:
    """The columns of cells, by row, by table."""
    grouped: dict[str, dict[bytes, list[bytes]]] = {}
    for table, row, column in cells:
        grouped.setdefault(table, {}).setdefault(row, []).append(column)
    return grouped
