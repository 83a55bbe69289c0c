"""Writes over several rows, one or many at once: the steps of `writer.py`, each of which they share.

    1. Read all sources in one call. `decide` each, and encode everything. If one has changed, compare the clocks.
    2. Put the intents of all writes in one call, each in a slot of its own.
    3. Put the new lines of moving lists.
    4. `checkAndPut` each source: side by side, if the connection has several sockets. None is sent later than 10
       minutes after step 1.
    5. Put the other named cells, and delete those that the new records do not have.
    6. End the intents in one call.

Every write makes the same steps in the same order as alone, so what `writer.py` says of one holds for each of them:
it is as if as many processes wrote one record each. All their dates come from the moment before step 1.

If a reply to a `checkAndPut` is lost, the rest is not sent. Then the source of each write that was not accepted is read
again, and raised if need be, until its outcome is certain.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Generic, TypeAlias, TypeVar

import attrs

from ..keys.errors import shown_bytes
from ..tables import InvalidRecord
from ..tables.cells import check_cell_size
from ..writes.clock import Moment
from ..writes.server_clock import MAX_DRIFT_MS
from ..writes.side_by_side import side_by_side
from .derived_cells import Cell, cells_of, check_that_no_line_moves, grouped, of_changed_lines
from .slots import Intent, Slot
from .source_cells import WRITE_ID_BYTES, SourceRow
from .write_steps import WriteSteps, before_decision_ms

R = TypeVar("R")


class Deleted(Enum):
    """What a function that decides a write returns to delete the record; None may be a forgotten `return`."""

    DELETED = "deleted"


DELETED: Final = Deleted.DELETED

Decide: TypeAlias = Callable[[Any], Any]
"""What `IntentWriter.write` takes: it gets the stored record or None, and returns the new one or DELETED, or raises."""


class UnknownOutcome(ConnectionError):
    """After many later writes, the source no longer tells whether this write was accepted."""


@attrs.frozen
class Write:
    """A write that was asked for."""

    row: bytes
    """The row of its source."""
    decide: Decide


@attrs.frozen
class Outcome:
    """What has become of a write."""

    write: Write
    is_accepted: bool = True
    """Whether that is stored, with all lines. If not, another process has written meanwhile, `error` says why, or the
    clock was set meanwhile."""
    error: Exception | None = None
    """Why the reply to a decision was lost that was certainly refused; the error may come again."""
    wanted: Any = None
    """What `decide` has returned."""


@attrs.frozen
class Prepared(Generic[R]):
    """A write that is encoded, and of which nothing has been put yet."""

    write: Write
    source_table: str
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
        row, revision = self.write.row, self.source.revision
        return Intent(slot.process, slot.slot, row, revision, self.write_id, self.named, self.source_table)


def attempt(steps: WriteSteps[Any], writes: Sequence[Write], began: Moment) -> list[Outcome]:
    """Writes records of different sources, and says of each whether it is stored; `began` is before they are read.

    If it raises before step 4, none is stored. If it raises later, or the process dies, each record is decided or not,
    by itself; the slots of all stay, and `recover` completes or ends their writes, or the same call completes them.
    Raises UnknownOutcome once all intents have ended.
    """
    sources = steps.reader.read_all(write.row for write in writes)
    changing: dict[bytes, Prepared[Any]] = {}
    wanted: dict[bytes, Any] = {}
    for write in writes:
        source = sources[write.row]
        wanted[write.row] = decided = write.decide(source.record)
        if decided is None and source.record is not None:
            raise InvalidRecord(f"{steps.source.name}: decide must return a record, or DELETED (got None)")
        record = None if decided is DELETED else decided
        if record != source.record:
            changing[write.row] = _prepared(steps, write, source, record, began)
    if changing and steps.check_clock().drift_ms(began) > MAX_DRIFT_MS:  # the clock has been set since
        return [Outcome(write, is_accepted=False) for write in writes]
    _complete_again(steps, {row: source for row, source in sources.items() if row not in changing}, began)
    outcomes = _attempt_changes(steps, [*changing.values()], began)
    ended = [outcomes.get(write.row) or Outcome(write) for write in writes]
    return [attrs.evolve(outcome, wanted=wanted[outcome.write.row]) for outcome in ended]


def _prepared(steps: WriteSteps[R], write: Write, source: SourceRow[R], record: R | None, began: Moment) -> Prepared[R]:
    """A write of a record, encoded; `source` is its row as it was read. Raises InvalidRecord."""
    if record is not None and steps.source.row(record) != write.row:
        raise InvalidRecord(f"{type(record).__name__}: a write must not change the key of its source")
    old, new = steps.derived(source.record), steps.derived(record)
    check_that_no_line_moves(old, new, steps.moving)
    first = {cell: new[cell] for cell in new if cell[0] in steps.moving and cell not in old}
    write_id = os.urandom(WRITE_ID_BYTES)
    decided = steps.next_revision(source, record, began.wall_ms, write_id)
    name = f"{steps.cells.record.__name__} in row {shown_bytes(write.row)}"
    check_cell_size(name, steps.cells.columns[0], decided.cell or b"", write.row)
    named = grouped(of_changed_lines(old, new))
    return Prepared(write, steps.source.name, source, decided, new, first, named, write_id)


def _complete_again(steps: WriteSteps[R], same: Mapping[bytes, SourceRow[R]], began: Moment) -> None:
    """Puts the derived cells of records that are stored already: so repeating a call completes one that died."""
    if not same:
        return
    derived = {row: steps.derived(source.record) for row, source in same.items()}
    steps.put(*((steps.cells_to_put(derived[row], derived[row].keys()), same[row].time_ms) for row in same))
    if steps.is_past_window(began):  # others may have removed what was put
        for row in same:
            steps.repair(row, derived[row])


def _attempt_changes(steps: WriteSteps[R], writes: Sequence[Prepared[R]], began: Moment) -> dict[bytes, Outcome]:
    """Steps 2 to 6; returns what has become of each write, by the row of its source."""
    if not writes:
        return {}
    failed: list[Exception] = []

    def send_decision(write: Prepared[R]) -> bool | Exception | None:
        """Whether a write was accepted, the error if the reply was lost, or None if it was not sent."""
        if failed or steps.is_past_window(began):
            return None
        try:
            return steps.check_and_put(write.write.row, write.source, write.decided)
        except Exception as error:
            failed.append(error)
            return error

    with steps.slots(len(writes), began) as slots:
        started_ms = max(began.wall_ms, *(slot.last_ms + 1 for slot in slots))
        intents = [write.intent(slot) for write, slot in zip(writes, slots, strict=True)]
        for slot in slots:
            slot.last_ms = started_ms + 1
        steps.intent_rows.begin(intents, started_ms)
        steps.put(*((write.first, before_decision_ms(write.source, began)) for write in writes))
        answers = side_by_side(steps.connection, send_decision, writes)
        attempts = [*zip(writes, intents, answers, strict=True)]
        _complete_all(steps, [(write, intent) for write, intent, answer in attempts if answer is True], began)
        outcomes = [
            Outcome(write.write) if answer is True else _settled(steps, write, intent, answer, began)
            for write, intent, answer in attempts
        ]
        steps.intent_rows.end(intents, started_ms + 1)
    for outcome in outcomes:
        if isinstance(outcome.error, UnknownOutcome):
            raise outcome.error
    return {outcome.write.row: outcome for outcome in outcomes}


def _settled(
    steps: WriteSteps[R], write: Prepared[R], intent: Intent, answer: Exception | bool | None, began: Moment
) -> Outcome:
    """The outcome of a write that has no good answer; see `WriteSteps.outcome`."""
    source = steps.outcome(intent)
    source = steps.complete(intent, source, steps.derived(source.record), began)
    is_accepted = write.write_id in source.writes
    error = None if is_accepted or not isinstance(answer, Exception) else answer
    if not is_accepted and answer is not None and source.forgets(write.source.revision):
        row = f"{steps.source.name}: row {shown_bytes(write.write.row)}"
        error = UnknownOutcome(f"{row}: many later writes were accepted")
    return Outcome(write.write, is_accepted, error)


def _complete_all(steps: WriteSteps[R], accepted: Sequence[tuple[Prepared[R], Intent]], began: Moment) -> None:
    """Step 5 for writes that were accepted."""
    deletes: dict[int, set[Cell]] = {}
    puts: list[tuple[Mapping[Cell, bytes], int]] = []
    for write, intent in accepted:
        named, time_ms = set(cells_of(intent)), write.decided.time_ms
        puts.append((steps.cells_to_put(write.derived, named), time_ms))
        deletes.setdefault(time_ms - 1, set()).update(named - write.derived.keys())
    steps.put(*puts)
    for until_ms, cells in deletes.items():
        steps.delete(cells, until_ms)
    if steps.is_past_window(began):
        for write, intent in accepted:
            steps.complete(intent, write.decided, write.derived, began)
