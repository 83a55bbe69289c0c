"""Writes over several rows that survive a crash.

HBase is atomic within one row. So one row, the **source**, has the record in a cell (`source_cells.py`). All other
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

from collections.abc import Callable, Iterable, Set
from typing import Any, TypeVar

import attrs

from ..events import report
from ..keys.errors import listed, shown
from ..queries.scanning import in_batches
from ..tables import InvalidRecord, InvalidRow
from ..tables.recorded_layouts import check_layouts
from ..upkeep.recovery import Recovery, check_age, settle_each
from ..writes.clock import Moment
from .attempts import Decide, Write, attempt
from .intent_rows import Dated, Pending, is_young
from .times import FUTURE_MS, KEEP_TOMBSTONES_MS
from .write_steps import WriteSteps

R = TypeVar("R")
D = TypeVar("D")

IDLE_MS = 24 * 60 * 60 * 1000
"""`recover` deletes the rows of slots that were idle for longer."""


class IntentWriter(WriteSteps[R]):
    """Writes the records of one source table and the lines derived from them.

    `lists` are the tables of the lines. `derive` yields the lines of a record, each after its table. `moving` are the
    lists whose lines are put before the decision: all lists whose keys contain fields that a write can change, and any
    others. The cells of a moving list must be a marker. A table holds one list; that may be the table of the sources.
    `dropped` names the tables of lists that earlier releases had: `recover` ignores them, even if they are deleted.
    Raises InvalidRecord for tables that do not fit.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    # ---- writing

    def write(self, key: object, decide: Callable[[R | None], D]) -> D:
        """Stores the record that `decide` returns, and returns that record.

        `decide` gets the stored record, or None, and returns the new one, or DELETED, or raises. It is called again if
        another write won. If it returns the stored record, the source is not changed, but its derived cells are put
        again: so repeating a call completes a write that died, except for lines that the write removes, which stay
        until `recover`. Everything is encoded before anything is put. After any error but those of `decide`, the write
        may have been accepted or not; the same call again, or `recover`, completes it.

        Raises UnknownOutcome; ClockSkew before anything is put; and InvalidRecord for a record that does not fit, or
        whose line moves in a list that is not moving, and if `decide` returns None for a stored record.
        Costs: 1 call that reads the source, 2 puts of the intent, 1 checkAndPut; 1 put for each table whose lines
        change, and 1 delete for each table that loses cells. Once in ten minutes 1 put and 1 get more, to compare
        clocks.
        """
        wanted: D = self._write_alone(Write(self.source.row(key), decide))
        return wanted

    def write_all(self, writes: Iterable[tuple[object, Decide]]) -> None:
        """Stores the records that the `decide`s return, each under its key. Writes of one key come after each other.

        If the call returns, all records are stored, with all their lines. If it raises because a record is refused or
        cannot be encoded, none is stored. (Writes of one key need steps of their own: a later one may be refused after
        the earlier ones are stored.) If it raises anything else, or the process dies, each record is decided or not, by
        itself, and `recover`, or the same call again, completes what was begun. What another process prevented, or was
        not sent because a reply was lost, is written again alone.
        Raises what `write` raises.
        Costs: those of `write` for all together, but 1 checkAndPut for each record. Cells of one table are put in one
        call if they have one time, or through Thrift2; they are deleted in one call for each time. Each call has at
        most 1,000 rows.
        """
        waiting = [Write(self.source.row(key), decide) for key, decide in writes]
        while waiting:
            first_of: dict[bytes, Write] = {}
            for write in waiting:
                first_of.setdefault(write.row, write)
            for outcome in attempt(self, [*first_of.values()], self.check_clock()):  # before a thousand are decided
                if not outcome.is_accepted:
                    report("conflict", table=self.source.name)
                    self._write_alone(outcome.write)
            waiting = [write for write in waiting if write is not first_of[write.row]]

    def _write_alone(self, write: Write) -> Any:
        while True:
            (outcome,) = attempt(self, [write], self.moment())
            if outcome.is_accepted:
                return outcome.wanted
            if outcome.error is not None:
                raise outcome.error
            report("conflict", table=self.source.name)

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
            if now_ms - slot.started_ms > IDLE_MS:  # what its process has put since stays
                self.intent_rows.rows.delete(row, [*self.intents.cells.columns], timestamp=slot.started_ms)
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
        self.intent_rows.end([slot.intent], slot.started_ms + 1)

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


def writers_of(repository: Any) -> list[IntentWriter[Any]]:
    """The writers that a repository has, or that its bound sources have: each with a source and intents of its own."""
    attributes: Any = repository.__dict__
    writers: dict[IntentWriter[Any], None] = {}
    for value in attributes.values():
        writer: Any = getattr(value, "writer", value)
        if isinstance(writer, IntentWriter):
            writers[writer] = None
    return [*writers]
