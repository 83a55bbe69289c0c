"""Writes over several rows that survive a crash.

HBase is atomic within one row. So one row, the **source**, says what a record is (`sources.py`), and all other rows
are **derived** from it: lines of lists, rows of an index. A write that dies leaves derived rows that disagree with
their source. An **intent**, a row of its own, tells `recover` where, and `recover` makes them agree. It never repeats
a write.

    writer.write(key, decide)

    1. reads the source; `decide` returns the new record, or raises
    2. puts the intent: the source's row and revision, an id for this write, and every derived cell that it will touch
    3. puts the new lines of *moving* lists, whose keys hold what may change, dated `time_ms` + 1
    4. `checkAndPut` of the source: the next revision with the new record, this id among its `writes`, and a later
       `time_ms`. If the source is no longer as it was read, another write won
    5. puts the derived cells of the source as it is now, dated its `time_ms`, then deletes the cells of the intent
       that it does not have, up to `time_ms` - 1
    6. puts `None` over the intent. If another write won, starts again at 1, where `decide` sees the new record

Why it holds:

- **Every timestamp comes from a revision of the source**, and those of a later revision are later. A message that
  arrives late is older than what was decided since, so HBase hides it.
- A delete is dated before the revision that its sender read, and spares the cells of that revision. So it can only hide
  what belongs to earlier revisions.
- A source never has the same bytes twice. So once it has another revision than the one that a writer read, that
  writer's `checkAndPut` can never succeed, however late it arrives. If the source still has that revision, the reply
  may be lost and the call under way: then the revision is *raised*, with the same record, before the writer or a
  recoverer may call the write lost.
- The id among `writes` tells an accepted write from a lost one after any lost reply.
- **A moving list has a line for the record at every moment**, since the new line is there before the decision, and
  stays as long as it is right. Lines of writes that lost or died are there besides: readers fetch the sources, and
  drop a line that its source does not have (`agreeing`). Lists with other keys show old values between 4 and 5.

What it needs: derived cells belong to one source each; the families of sources and of moving lists have no TTL.
Tombstones should outlast a compaction by two windows (`KEEP_TOMBSTONES_MS`): without that, a put that was under way all
that time may leave a line without its record, which `verify` finds.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any, Generic, TypeAlias, TypeVar

import attrs
import happybase
from Hbase_thrift import Mutation

from ..keys.errors import message_of, shown_bytes
from ..queries import BATCH_ROWS
from ..tables import InvalidRecord, InvalidRow, TableLayout
from .clock import CLOCK, WriterClock
from .server_clock import MAX_SKEW_MS, check_clock
from .slots import CLOCK_SLOT, INTENT_CELLS, SLOTS, Intent, SlotOfProcess, idle
from .sources import REVISION_STEP_MS, Source, SourceCells

R = TypeVar("R")
D = TypeVar("D")

Cell: TypeAlias = tuple[str, bytes, bytes]
"""Table, row and column of a derived cell."""

WINDOW_MS = 600_000
"""A write that takes longer starts again from a read. Twice what one call may take, with all its retries, is less."""
KEEP_TOMBSTONES_MS = 2 * WINDOW_MS + MAX_SKEW_MS
"""How long tombstones of derived rows outlast a compaction: `Family.keep_tombstones_ms`."""
WRITE_ID_BYTES = 8
IDLE_MS = 24 * 60 * 60 * 1000
"""Slots that were idle for so long are deleted by `recover`."""


class UnknownOutcome(Exception):
    """So many later writes were accepted that the source no longer tells whether this one was."""


@attrs.frozen
class Pending:
    """A write that is under way, or whose writer died."""

    intent: Intent
    started_ms: int


@attrs.frozen
class Recovery:
    """What a call of `recover` found."""

    settled: int
    """Number of intents whose derived rows now agree with their sources."""
    waiting: int
    """Number of younger intents, whose writers are probably at work."""
    failed: tuple[str, ...]
    """Why others could not be settled; they are kept."""


class IntentWriter(Generic[R]):
    """Writes the records of one source table and the rows derived from them.

    `derive` yields each derived row of a record: its table, and its record there, which must have every part of the
    source's key. `moving` are those tables whose keys hold what may change; their cells are a marker, without values.
    A happybase connection serves one thread at a time, and so does a writer.
    """

    def __init__(
        self,
        connection: happybase.Connection,
        source: TableLayout[Any, R],
        intents: TableLayout[SlotOfProcess, Intent],
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
        self.derive = derive
        self.moving = {table.name for table in moving}
        for table in moving:
            if table.cells.cell_attributes:
                raise InvalidRecord(f"table {table.name}: the cells of a moving list must be a marker")
        self._connection = connection
        self._rows = connection.table(source.name)
        self._intent_rows = connection.table(intents.name)
        self._clock = clock
        self._window_ms = window_ms

    # ---- reading

    def read(self, row: bytes) -> Source[R]:
        """A source row as it is now. Raises InvalidRow. Costs: one get."""
        cells = self._rows.row(row, columns=[*self.cells.columns])
        return self._source_of(row, cells)

    def read_all(self, rows: Iterable[bytes]) -> dict[bytes, Source[R]]:
        """Source rows as they are now. Raises InvalidRow. Costs: one call for each 1,000 rows."""
        wanted = list(dict.fromkeys(rows))
        sources: dict[bytes, Source[R]] = {}
        for start in range(0, len(wanted), BATCH_ROWS):
            batch = wanted[start : start + BATCH_ROWS]
            stored = dict(self._rows.rows(batch, columns=[*self.cells.columns]))
            sources |= {row: self._source_of(row, stored.get(row, {})) for row in batch}
        return sources

    def _source_of(self, row: bytes, cells: Mapping[bytes, bytes]) -> Source[R]:
        try:
            return self.cells.source(self.source.layout.decode(row), cells.get(self.cells.columns[0]))
        except InvalidRecord as error:
            raise InvalidRow(self.source.name, row, str(error)) from None

    def agreeing(self, table: TableLayout[Any, Any], lines: list[Any]) -> list[R | None]:
        """The record of each line of a moving list; None for a line that its source does not have (any more).

        Costs: one call for each 1,000 lines.
        """
        sources = self.read_all(self.source.row(line) for line in lines)
        records = (sources[self.source.row(line)].record for line in lines)
        return [
            record if record is not None and (table.name, table.row(line)) in _rows_of(self.derived(record)) else None
            for line, record in zip(lines, records, strict=True)
        ]

    def derived(self, record: R | None) -> dict[Cell, bytes]:
        """The derived cells of a record; none if there is no record."""
        cells: dict[Cell, bytes] = {}
        for table, line in () if record is None else self.derive(record):
            row = table.row(line)
            cells |= {(table.name, row, column): value for column, value in table.cells.pack(line).items()}
        return cells

    # ---- writing

    def write(self, key: object, decide: Callable[[R | None], D]) -> D:
        """Stores what `decide` makes of the stored record, and returns it.

        `decide` gets None if there is no record, and returns None to delete it, or raises. It is called again whenever
        another write won. If it returns the stored record, nothing is decided; but
        derived cells are put again, so that the same call again completes a write that died. Whatever it returns is
        encoded before anything is put. After any error other than that of `decide`, the write may have been accepted
        or not; the same call again, or `recover`, completes it.
        Costs: 1 get, 2 puts of the intent, 1 checkAndPut; 1 put for each table, and 1 delete where cells go.
        """
        row = self.source.row(key)
        while True:
            source = self.read(row)
            wanted = decide(source.record)
            record: Any = wanted
            if record == source.record:
                self._mend(source, set())
                return wanted
            if self._is_accepted(row, source, record):
                return wanted

    def _is_accepted(self, row: bytes, source: Source[R], record: R | None) -> bool:
        if record is not None and self.source.row(record) != row:
            raise InvalidRecord(f"{type(record).__name__}: a write must not change the key of its source")
        old, new = self.derived(source.record), self.derived(record)
        with SLOTS.taken() as slot:
            never = idle(slot.process, CLOCK_SLOT)
            check_clock(
                self._connection, self._intent_rows, self.intents.row(never), INTENT_CELLS.pack(never), self._clock
            )
            started_ms = self._clock.now_ms(above_ms=slot.last_ms)
            write_id, touched = os.urandom(WRITE_ID_BYTES), _grouped({**old, **new})
            intent = Intent(slot.process, slot.slot, row, source.revision, write_id, touched)
            decided = self._revision(source, record, started_ms, intent.write_id)
            slot.last_ms = started_ms + 1
            self._intent_rows.put(self.intents.row(intent), INTENT_CELLS.pack(intent), timestamp=started_ms)
            self._put(
                {cell: new[cell] for cell in new if cell[0] in self.moving and cell not in old}, source.time_ms + 1
            )
            try:
                settled = decided if self._check_and_put(row, source, decided) else None
            except Exception:  # the reply is lost: the source tells
                settled = None
            if settled is None:
                settled = self._settle(intent, is_given_up=False)
            settled = self._complete(intent, settled, started_ms)
            self._put_idle(intent, started_ms + 1)
        if intent.write_id in settled.writes:
            return True
        if settled.forgets(intent.revision):
            raise UnknownOutcome(f"{self.source.name}: row {shown_bytes(row)}: many later writes were accepted")
        return False

    def _revision(self, source: Source[R], record: R | None, now_ms: int, *write_id: bytes) -> Source[R]:
        """The next revision of a source: of another record, or of the same one to raise it."""
        revision = source.revision + 1
        time_ms = max(now_ms, source.time_ms + REVISION_STEP_MS)
        writes = (*source.writes, *write_id)
        return Source(self.cells.pack_revision(revision, time_ms, writes, record), revision, time_ms, writes, record)

    def _settle(self, intent: Intent, *, is_given_up: bool) -> Source[R]:
        """The source, once it is certain whether the write was accepted. A write that is given up is always raised.

        So the deletes that follow are dated now, and their tombstones are kept.
        """
        row = _source_row(intent)
        while True:
            source = self.read(row)
            if not is_given_up and not source.leaves_open(intent.revision, intent.write_id):
                return source
            raised = self._revision(source, source.record, self._clock.now_ms())
            if self._check_and_put(row, source, raised):
                return raised

    def _complete(self, intent: Intent, source: Source[R], started_ms: int) -> Source[R]:
        """Makes the derived cells agree with the source, again from a read if the window is over by then."""
        touched = {
            (table, row, column) for table, rows in intent.touched.items() for row in rows for column in rows[row]
        }
        while True:
            touched |= self._mend(source, touched)
            now_ms = self._clock.now_ms()
            if now_ms - started_ms <= self._window_ms:
                return source
            started_ms = now_ms
            source = self._settle(intent, is_given_up=True)

    def _mend(self, source: Source[R], touched: Set[Cell]) -> Set[Cell]:
        """Puts the derived cells of a source, and deletes those `touched` that it does not have; returns those put.

        Lines of moving lists were put before the source was decided.
        """
        derived = self.derived(source.record)
        fixed = {cell: value for cell, value in derived.items() if cell[0] not in self.moving}
        self._put(fixed, source.time_ms)
        self._delete(touched - derived.keys(), source.time_ms - 1)
        return fixed.keys()

    def _put(self, cells: Mapping[Cell, bytes], time_ms: int) -> None:
        for table, rows in _grouped(cells).items():
            batch = self._connection.table(table).batch(timestamp=time_ms)
            for row, columns in rows.items():
                batch.put(row, {column: cells[table, row, column] for column in columns})
            batch.send()

    def _delete(self, cells: Iterable[Cell], until_ms: int) -> None:
        for table, rows in _grouped(cells).items():
            batch = self._connection.table(table).batch(timestamp=until_ms)
            for row, columns in rows.items():
                batch.delete(row, columns)
            batch.send()

    def _check_and_put(self, row: bytes, source: Source[R], new: Source[R]) -> bool:
        column = self.cells.columns[0]
        is_stored: bool = self._connection.client.checkAndPut(
            self._rows.name, row, column, source.cell, Mutation(column=column, value=new.cell), {}
        )
        return is_stored

    # ---- intents

    def pending(self) -> list[Pending]:
        """The intents that did not end, the oldest first: writes that are under way, and those of dead writers.

        Raises InvalidRow. Costs: one scan of the intents' table, a row for each slot.
        """
        return sorted((slot for slot in self._slots() if slot.intent.source_row is not None), key=_started)

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Settles the writes that have been under way for `older_than_ms`, the window if omitted, and ends them.

        A write whose writer is alive starts again, whatever the age; any number of recoverers may run at once.
        Costs: one scan of the intents' table; for each such write 1 get, 1 checkAndPut, 1 put for each table, and
        deletes. The rows of slots that were idle for a day are deleted.
        """
        age_ms = self._window_ms if older_than_ms is None else older_than_ms
        now_ms = self._clock.now_ms()
        settled = waiting = 0
        failed: list[str] = []
        for slot in list(self._slots()):
            intent = slot.intent
            if intent.source_row is None:
                if now_ms - slot.started_ms > IDLE_MS:
                    self._forget(slot)
            elif now_ms - slot.started_ms < age_ms:
                waiting += 1
            else:
                try:
                    self._complete(intent, self._settle(intent, is_given_up=True), self._clock.now_ms())
                    self._put_idle(intent, slot.started_ms + 1)
                    settled += 1
                except Exception as error:  # of one write; the others must not wait for it
                    failed.append(f"{self.source.name}: row {shown_bytes(_source_row(intent))}: {message_of(error)}")
        return Recovery(settled, waiting, tuple(failed))

    def _slots(self) -> Iterator[Pending]:
        for row, cells in self._intent_rows.scan(include_timestamp=True):
            values = {column: value for column, (value, _) in cells.items()}
            yield Pending(self.intents.record(row, values), cells[INTENT_CELLS.column("source_row")][1])

    def _forget(self, slot: Pending) -> None:
        """Deletes the row of an idle slot, but nothing that its process has put since."""
        batch = self._intent_rows.batch(timestamp=slot.started_ms)
        batch.delete(self.intents.row(slot.intent), [*self.intents.cells.columns])
        batch.send()

    def _put_idle(self, intent: Intent, at_ms: int) -> None:
        """Ends an intent. Dated before the slot's next intent, so that a recoverer that is late ends no other write."""
        cells = INTENT_CELLS.pack(idle(intent.process, intent.slot))
        self._intent_rows.put(self.intents.row(intent), cells, timestamp=at_ms)


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


def _rows_of(cells: Iterable[Cell]) -> set[tuple[str, bytes]]:
    return {(table, row) for table, row, _ in cells}


def _grouped(cells: Iterable[Cell]) -> dict[str, dict[bytes, list[bytes]]]:
    """The columns of cells, by row, by table."""
    grouped: dict[str, dict[bytes, list[bytes]]] = {}
    for table, row, column in cells:
        grouped.setdefault(table, {}).setdefault(row, []).append(column)
    return grouped
