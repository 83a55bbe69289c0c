"""Many writes over several rows at once: those of `IntentWriter.write`, which share the calls of most steps.

    write_all(writer, [(key, decide), ...])

    1. Read all sources in one call. `decide` each, and encode everything.
    2. Put the intents of all writes in one call, each in a slot of its own.
    3. Put the new lines of moving lists.
    4. `checkAndPut` each source: side by side, if the connection has several sockets. None is sent later than 10
       minutes after step 1.
    5. Put the other named cells, and delete those that the new records do not have.
    6. End the intents in one call.

Every write makes the same steps in the same order as alone, so what `intents.py` says of one holds for each of them:
it is as if as many processes wrote one record each. All their dates come from the one clock check before step 1.

The promise. If the call returns, all records are stored, with all their lines. If it raises before step 4, because a
record is refused or cannot be encoded, none is stored. (Writes of one key need these steps once for each: a later one
may be refused after the earlier ones are stored.) If it raises later, or the process dies, each record is either
decided or not, by itself; the slots of the whole batch stay, and `recover` completes or ends their writes, or the same
call again completes them. If a reply to a `checkAndPut` is lost, the rest is not sent; then the outcome of each is made
certain as `write` does it. What was refused or not sent is written again alone.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import attrs

from ..events import report
from .clock import Moment
from .dated_cells import put_dated
from .derived_cells import Cell, cells_of
from .intents import IntentWriter, Prepared, before_decision_ms, unknown_outcome
from .server_clock import MAX_DRIFT_MS
from .side_by_side import side_by_side
from .slots import Intent
from .sources import SourceRow

R = TypeVar("R")

Decide: TypeAlias = Callable[[Any], Any]
"""What `IntentWriter.write` takes: it gets the stored record, or None, and returns the new one, or raises."""


@attrs.frozen
class _Write:
    """A write of the batch."""

    row: bytes
    key: object
    decide: Decide


def write_all(writer: IntentWriter[R], writes: Iterable[tuple[object, Decide]]) -> None:
    """Stores the records that the `decide`s return, each under its key. Writes of one key come one after the other.

    Raises what `IntentWriter.write` raises; see above for what is stored then.
    Costs: 1 call that reads the sources, 2 puts of intents, 1 checkAndPut for each record; 1 put for each table whose
    lines change, and 1 delete for each table that loses cells, if the lines have one time, or through Thrift2. Each
    call has at most 1,000 rows.
    """
    waiting = [_Write(writer.source.row(key), key, decide) for key, decide in writes]
    while waiting:
        first_of: dict[bytes, _Write] = {}
        for write in waiting:
            first_of.setdefault(write.row, write)
        refused = _write_different(writer, [*first_of.values()])
        for write in refused:
            report("conflict", table=writer.source.name)
            writer.write(write.key, write.decide)
        waiting = [write for write in waiting if write is not first_of[write.row]]


def _write_different(writer: IntentWriter[R], writes: Sequence[_Write]) -> list[_Write]:
    """Writes of different sources; returns those that were refused, because another process has written meanwhile."""
    while True:
        began = writer.check_clock()
        sources = writer.reader.read_all(write.row for write in writes)
        changing: list[tuple[_Write, Prepared[R]]] = []
        same: dict[bytes, SourceRow[R]] = {}
        for write in writes:
            source = sources[write.row]
            record = write.decide(source.record)
            if record == source.record:
                same[write.row] = source
            else:
                changing.append((write, writer.prepared(write.row, source, record, began)))
        if writer.check_clock().drift_ms(began) <= MAX_DRIFT_MS:  # otherwise the clock has been set since
            break
        report("conflict", table=writer.source.name)
    _complete_again(writer, same, began)
    accepted = _attempt_all(writer, [prepared for _, prepared in changing], began)
    return [write for (write, _), is_accepted in zip(changing, accepted, strict=True) if not is_accepted]


def _complete_again(writer: IntentWriter[R], same: Mapping[bytes, SourceRow[R]], began: Moment) -> None:
    """Puts the derived cells of records that are stored already: so repeating a call completes one that died."""
    derived = {row: writer.derived(source.record) for row, source in same.items()}
    _put(writer, [(writer.cells_to_put(derived[row], derived[row].keys()), same[row].time_ms) for row in same])
    if same and writer.is_past_window(began):  # others may have removed what was put
        for row in same:
            writer.repair(row, derived[row])


def _attempt_all(writer: IntentWriter[R], writes: Sequence[Prepared[R]], began: Moment) -> list[bool]:
    """Steps 2 to 6; returns which writes were accepted."""
    if not writes:
        return []

    failed = threading.Event()

    def send_decision(write: Prepared[R]) -> bool | Exception | None:
        """Whether a write was accepted, the error if the reply was lost, or None if it was not sent."""
        if failed.is_set() or writer.is_past_window(began):
            return None
        try:
            return writer.check_and_put(write.row, write.source, write.decided)
        except Exception as error:
            failed.set()
            return error

    with writer.slots(len(writes), began) as slots:
        started_ms = max(began.wall_ms, *(slot.last_ms + 1 for slot in slots))
        intents = [write.intent(slot) for write, slot in zip(writes, slots, strict=True)]
        for slot in slots:
            slot.last_ms = started_ms + 1
        writer.intent_rows.begin_all(intents, started_ms)
        _put(writer, [(write.first, before_decision_ms(write.source, began)) for write in writes])
        answers = side_by_side(writer.connection, send_decision, writes)
        attempts = [*zip(writes, intents, answers, strict=True)]
        _complete_all(writer, [(write, intent) for write, intent, answer in attempts if answer is True], began)
        accepted = [
            answer is True or _settle(writer, write, intent, answer, began) for write, intent, answer in attempts
        ]
        writer.intent_rows.end_all(intents, started_ms + 1)
    return accepted


def _settle(
    writer: IntentWriter[R], write: Prepared[R], intent: Intent, answer: Exception | bool | None, began: Moment
) -> bool:
    """Makes certain whether a write without a good answer was accepted, and returns it; see `IntentWriter.outcome`."""
    source = writer.outcome(intent)
    source = writer.complete(intent, source, writer.derived(source.record), began)
    if write.write_id in source.writes:
        return True
    if isinstance(answer, Exception) and source.forgets(write.source.revision):
        raise unknown_outcome(writer.source, write.row)
    return False


def _complete_all(writer: IntentWriter[R], decided: Sequence[tuple[Prepared[R], Intent]], began: Moment) -> None:
    """Step 5 for writes that were accepted."""
    deletes: dict[int, set[Cell]] = {}
    puts: list[tuple[Mapping[Cell, bytes], int]] = []
    for write, intent in decided:
        named, time_ms = set(cells_of(intent)), write.decided.time_ms
        puts.append((writer.cells_to_put(write.derived, named), time_ms))
        deletes.setdefault(time_ms - 1, set()).update(named - write.derived.keys())
    _put(writer, puts)
    for until_ms, cells in deletes.items():
        writer.delete(cells, until_ms)
    if writer.is_past_window(began):
        for write, intent in decided:
            writer.complete(intent, write.decided, write.derived, began)


def _put(writer: IntentWriter[R], dated: Iterable[tuple[Mapping[Cell, bytes], int]]) -> None:
    """Puts derived cells, each dated by its write."""
    tables: dict[str, dict[bytes, dict[tuple[bytes, int], bytes]]] = {}
    for cells, time_ms in dated:
        for (table, row, column), value in cells.items():
            tables.setdefault(table, {}).setdefault(row, {})[column, time_ms] = value
    for table, cells_of_rows in tables.items():
        put_dated(writer.rows(table), cells_of_rows)
