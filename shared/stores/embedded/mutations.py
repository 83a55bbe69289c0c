"""Writes: batches, deletes, counters, append and the checked put, each in one transaction."""

import struct
from bisect import bisect_right
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeVar

from attrs import frozen
from Hbase_thrift import BatchMutation, IllegalArgument, Mutation, TAppend, TCell

from ...keys.limits import LATEST_MS, MAX_CELL_BYTES
from ..filters.cells import Cell, cell_sort_key, family_of
from ..thrift1.errors import (
    IllegalTableNameError,
    UncheckedError,
    failed_actions,
    illegal_argument,
    io_error,
    java_io_error,
    name_text,
)
from ..thrift1.idl import IOError
from .columns import column_to_put, with_qualifier
from .dating import next_millisecond, waits_once, warn_of_lost_put
from .engine import Engine, Put
from .rules import MAX_SENT_CELL_BYTES, cell_bytes, check_row, check_time, write_time
from .stored_tables import StoredTable, now_ms
from .table_calls import check_families, enabled_table, first_unknown_family
from .turns import Watch, let_others_in

Entry = TypeVar("Entry")

# A larger batch is split into several transactions, so that other calls need not wait for all of it.
MAX_ATOMIC_MUTATIONS = 2_000
_PART = 500

_SMALL_CELL_BYTES = 1024 * 1024
"""Smaller cells need no closer look at their size."""

_counter = struct.Struct(">q")


def mutate_rows(
    engine: Engine, name: bytes, batches: Sequence[BatchMutation], timestamp: int | None, watch: Watch
) -> None:
    """Applies a batch. HBase: first all puts of all entries, then all deletes, whatever their order in the batch.

    The entries are independent: a refused one is left out whole, the others are stored, and the error is raised at the
    end. If a put was refused, no delete is applied.

    A batch of more than MAX_ATOMIC_MUTATIONS is stored in parts: other clients may see some parts before the rest, and
    a crash may leave some. HBase promises no more than whole rows.
    """
    check_time(timestamp)
    for batch in batches:
        check_row(batch.row)
    mutations = [mutation for batch in batches for mutation in batch.mutations or ()]
    _require_columns({mutation.column for mutation in mutations})
    columns = {mutation.column for mutation in mutations if not mutation.isDelete}
    for column in columns:
        column_to_put(column)
    if not mutations:
        return
    refused: list[IOError] = []
    if len(mutations) <= MAX_ATOMIC_MUTATIONS:
        with engine.lock:
            refused = _mutate_rows(engine, name, batches, batches, timestamp, columns, None)
    else:
        failing = _Failing(_oversized(put for batch in batches for put in _puts_of(batch, 0)), _nameless(batches))
        parts = _parts(batches, lambda batch: len(batch.mutations or ()))
        for puts, deletes in [*((part, ()) for part in parts), *(((), part) for part in parts)]:
            if refused and deletes:
                break
            watch(())
            with engine.lock:
                refused += _mutate_rows(engine, name, puts, deletes, timestamp, columns, failing)
            let_others_in()
    if refused:
        raise failed_actions(refused)


@frozen
class _Failing:
    """Mutations that fail all entries of their region. HBase: a cell that is too large, a family without a name."""

    oversized: Sequence[Put]
    nameless: Sequence[bytes]
    """The rows of deletes of a family without a name."""


def _parts(entries: Sequence[Entry], mutations_of: Callable[[Entry], int]) -> list[Sequence[Entry]]:
    """The entries in parts of about _PART mutations, or all of them if there are few."""
    if sum(map(mutations_of, entries)) <= MAX_ATOMIC_MUTATIONS:
        return [entries]
    ends = [0]
    count = 0
    for end, entry in enumerate(entries, 1):
        count += mutations_of(entry)
        if count >= _PART:
            ends.append(end)
            count = 0
    if ends[-1] < len(entries):
        ends.append(len(entries))
    return [entries[begin:end] for begin, end in pairwise(ends)]


@waits_once
def _mutate_rows(
    engine: Engine,
    name: bytes,
    puts_of: Sequence[BatchMutation],
    deletes_of: Sequence[BatchMutation],
    timestamp: int | None,
    columns: Collection[bytes],
    failing: _Failing | None,
) -> list[IOError]:
    """Stores the puts of some entries, then the deletes of some, in one transaction; returns an error per refusal.

    `failing` has the failing mutations of the whole batch; None if these entries are the whole batch.
    """
    with engine.writing():
        write_ms = write_time(timestamp)
        try:
            table = _table_to_write(engine, name)
        except IOError as error:
            raise failed_actions(error for batch in puts_of or deletes_of if batch.mutations) from error
        puts = [put for batch in puts_of for put in _puts_of(batch, write_ms)]
        oversized = failing.oversized if failing else _oversized(puts)
        refused: list[IOError] = []
        if oversized or first_unknown_family(table, columns):
            entries = filter(None, (_puts_of(batch, write_ms) for batch in puts_of))
            puts, refused = _accepted(table, entries, oversized)
        engine.put(table, puts, None if write_ms == timestamp else write_ms)
        if not refused:
            nameless = failing.nameless if failing else _nameless(deletes_of)
            refused = _delete_all(engine, table, deletes_of, write_ms, nameless)
    return refused


def put_dated(engine: Engine, name: bytes, entries: Sequence[Sequence[Put]], watch: Watch) -> None:
    """Stores the cells of some entries, each entry of one row, and each cell with a timestamp of its own.

    The server dates a cell with LATEST_MS. As in `mutate_rows`, the entries are independent, and a large batch is
    stored in parts. HBase: Thrift2 declares no exception for wrong arguments.
    """
    for entry in entries:
        if not entry:
            raise UncheckedError("No columns to insert")
        check_row(entry[0][0])
        check_time(min(timestamp for _, _, timestamp, _ in entry))
    try:
        oversized = _oversized(put for entry in entries for put in entry)
    except IllegalArgument as error:
        raise UncheckedError(name_text(error.message)) from error
    refused: list[IOError] = []
    for part in _parts(entries, len):
        watch(())
        with engine.lock:
            refused += _put_entries(engine, name, part, oversized)
        let_others_in()
    if refused:
        raise failed_actions(refused)


@waits_once
def _put_entries(
    engine: Engine, name: bytes, entries: Sequence[Sequence[Put]], oversized: Sequence[Put]
) -> list[IOError]:
    """Stores the accepted entries in one transaction; returns an error for each refused one."""
    with engine.writing():
        clock_ms = now_ms()
        try:
            table = _table_to_write(engine, name)
        except IOError as error:
            raise failed_actions([error] * len(entries)) from error
        accepted, refused = [put for entry in entries for put in entry], list[IOError]()
        if oversized or first_unknown_family(table, {column for _, column, _, _ in accepted}):
            accepted, refused = _accepted(table, entries, oversized)
        is_dated = all(timestamp != LATEST_MS for _, _, timestamp, _ in accepted)
        if not is_dated:
            accepted = [
                (row, column, clock_ms if timestamp == LATEST_MS else timestamp, value)
                for row, column, timestamp, value in accepted
            ]
        engine.put(table, accepted, None if is_dated else clock_ms)
    return refused


def _require_columns(columns: Iterable[bytes]) -> None:
    for column in columns:
        if type(column) is not bytes:
            raise UncheckedError("Mutation.column: must be family:qualifier or family (got none)")


def _puts_of(batch: BatchMutation, write_ms: int) -> list[Put]:
    return [(batch.row, put.column, write_ms, put.value or b"") for put in batch.mutations or () if not put.isDelete]


def _deletes_of(batch: BatchMutation) -> list[bytes]:
    return [mutation.column for mutation in batch.mutations or () if mutation.isDelete]


def _nameless(batches: Iterable[BatchMutation]) -> list[bytes]:
    return [batch.row for batch in batches if not all(map(family_of, _deletes_of(batch)))]


def _accepted(
    table: StoredTable, entries: Iterable[Sequence[Put]], oversized: Sequence[Put]
) -> tuple[list[Put], list[IOError]]:
    """The puts of the accepted entries, and an error for each refused one.

    HBase: a cell that is too large fails every entry of its region.
    """
    oversized_by_region = {bisect_right(table.splits, put[0]): put for put in oversized}
    accepted: list[Put] = []
    refused: list[IOError] = []
    for puts in entries:
        oversized_put = oversized_by_region.get(bisect_right(table.splits, puts[0][0])) if oversized else None
        columns = [column for _, column, _, _ in puts]
        error = _oversized_error(oversized_put) if oversized_put else first_unknown_family(table, columns)
        if error:
            refused.append(error)
        else:
            accepted += puts
    return accepted, refused


def _delete_all(
    engine: Engine, table: StoredTable, batches: Iterable[BatchMutation], write_ms: int, nameless: Sequence[bytes]
) -> list[IOError]:
    """Applies the deletes of all entries; returns an error for each refused entry.

    HBase: a family without a name, as in the rows `nameless`, fails every entry of its region.
    """
    nameless_regions = {bisect_right(table.splits, row) for row in nameless}
    refused: list[IOError] = []
    for batch in batches:
        columns = _deletes_of(batch)
        if columns and bisect_right(table.splits, batch.row) in nameless_regions:
            refused.append(java_io_error("Family cannot be null"))
        elif error := first_unknown_family(table, columns):
            refused.append(error)
        else:
            for column in columns:
                engine.delete(table, batch.row, column, write_ms)
    return refused


def _table_to_write(engine: Engine, name: bytes) -> StoredTable:
    try:
        return enabled_table(engine, name)
    except IllegalTableNameError as error:
        raise illegal_argument(str(error)) from error


def _oversized(puts: Iterable[Put]) -> list[Put]:
    """The cells that the region server refuses. Raises for a cell that the gateway already refuses."""
    oversized: list[Put] = []
    for put in puts:
        if len(put[0]) + len(put[1]) + len(put[3]) < _SMALL_CELL_BYTES:
            continue
        size = cell_bytes(put)
        if size > MAX_SENT_CELL_BYTES:
            raise illegal_argument(f"KeyValue size too large: at most {MAX_SENT_CELL_BYTES} bytes (got {size})")
        if size > MAX_CELL_BYTES:
            oversized.append(put)
    return oversized


def _oversized_error(put: Put) -> IOError:
    # HBase: the region server's message counts four bytes more than its limit does.
    text = f"Cell[{name_text(put[0][:100])}/{name_text(put[1][:100])}] with size {cell_bytes(put) + 4}"
    return io_error("DoNotRetryIOException", f"{text} exceeds limit of {MAX_SENT_CELL_BYTES} bytes")


def _check_sizes(puts: Iterable[Put]) -> None:
    for put in _oversized(puts):
        raise _oversized_error(put)


@waits_once
def mutate_row(engine: Engine, name: bytes, row: bytes, mutations: Sequence[Mutation], timestamp: int | None) -> None:
    """Applies mutations of one row. HBase: deletes first, unlike `mutate_rows`, even if a put is refused.

    HBase drops a put without a colon in its column. Deletes and puts are two calls to the region server, so without a
    timestamp the puts may be dated later.
    """
    with _illegal_arguments():
        check_row(row)
        check_time(timestamp)
    _require_columns(mutation.column for mutation in mutations)
    with _illegal_arguments():
        values = [
            (column_to_put(mutation.column), mutation.value or b"")
            for mutation in mutations
            if not mutation.isDelete and b":" in mutation.column
        ]
    deletes = [mutation.column for mutation in mutations if mutation.isDelete]
    if not deletes and not values:
        return
    with engine.writing():
        write_ms = write_time(timestamp)
        table = _table_to_write(engine, name)
        check_families(table, deletes)
        for column in deletes:
            engine.delete(table, row, column, write_ms)
        if write_ms != timestamp and engine.waits_for_clock:
            write_ms = _time_after_deletes(table, row, deletes, [column for column, _ in values], write_ms)
        puts = [(row, column, write_ms, value) for column, value in values]
        refused = _refused_puts(engine, table, puts, None if write_ms == timestamp else write_ms)
    if refused:
        raise refused


def _time_after_deletes(
    table: StoredTable, row: bytes, deletes: Sequence[bytes], columns: Sequence[bytes], clock_ms: int
) -> int:
    """The timestamp for puts: the next millisecond if a delete of the same call would hide one of them."""
    hidden = next((column for column in columns if column in deletes or family_of(column) in deletes), None)
    if hidden is None:
        return clock_ms
    warn_of_lost_put(table.name, row, hidden)
    return next_millisecond(clock_ms)


def _refused_puts(
    engine: Engine, table: StoredTable, puts: Sequence[Put], clock_ms: int | None
) -> IOError | IllegalArgument | None:
    """Stores all puts or none; returns the error instead of raising it, so that the earlier deletes are committed."""
    try:
        check_families(table, [column for _, column, _, _ in puts])
        _check_sizes(puts)
    except (IOError, IllegalArgument) as error:
        return error
    engine.put(table, puts, clock_ms)
    return None


@contextmanager
def _illegal_arguments() -> Generator[None]:
    """Raises UncheckedError as IllegalArgument. HBase: calls that write one row declare it, others do not."""
    try:
        yield
    except UncheckedError as error:
        raise illegal_argument(str(error)) from error


def delete(engine: Engine, name: bytes, row: bytes, columns: Sequence[bytes] | None, timestamp: int | None) -> None:
    """Deletes columns of a row; with None, all its families."""
    check_time(timestamp)
    check_row(row)
    _require_columns(columns or ())
    with engine.writing():
        write_ms = write_time(timestamp)
        table = enabled_table(engine, name)
        columns = list(table.families) if columns is None else columns
        check_families(table, columns)
        for column in columns:
            engine.delete(table, row, column, write_ms)


@waits_once
def increment_counter(engine: Engine, name: bytes, row: bytes, column: bytes, amount: int) -> int:
    """Adds to a counter of eight bytes, big-endian; a missing one counts as 0. Adding 0 writes too."""
    with engine.writing():
        table = enabled_table(engine, name)
        _check_counter(row, column)
        check_families(table, [column])
        stored = engine.newest(table, row, column)
        value = stored[2] if stored else _counter.pack(0)
        if len(value) != _counter.size:
            raise io_error("DoNotRetryIOException", f"Field is not a long, it's {len(value)} bytes wide")
        total: int = _counter.unpack(value)[0]
        total = (total + amount + 2**63) % 2**64 - 2**63  # HBase: a sum beyond 64 bits wraps, as Java's long does
        clock_ms = _clock_after([stored])
        engine.put(table, [(row, column, _later(stored, clock_ms), _counter.pack(total))], clock_ms)
    return total


def _check_counter(row: bytes, column: bytes) -> None:
    """HBase: for increments the region server makes the checks that the gateway makes for other calls."""
    try:
        check_row(row)
        column_to_put(column)
    except UncheckedError as error:
        raise io_error("client.RetriesExhaustedException", str(error)) from error


def _clock_after(stored: Iterable[Cell | None]) -> int:
    """The clock, in a later millisecond if one of these cells was written in this one.

    Not imitated: in HBase two increments in one millisecond date a counter ahead of the clock, and a put that follows
    at once stays hidden by it. Here the second increment waits for the next millisecond, as a slower client would.
    It waits once: otherwise cells that a client dated in consecutive milliseconds ahead would block all calls.
    """
    clock_ms = now_ms()
    return next_millisecond(clock_ms) if any(cell and cell[1] == clock_ms for cell in stored) else clock_ms


def _later(stored: Cell | None, clock_ms: int) -> int:
    """The timestamp of a value computed from a cell. HBase: after the cell's, even if that is ahead of the clock."""
    if stored is None or stored[1] < clock_ms:
        return clock_ms
    return stored[1] + 1 if stored[1] + 1 < LATEST_MS else clock_ms


@waits_once
def append_values(engine: Engine, request: TAppend, watch: Watch) -> list[TCell]:
    """Appends to columns of a row. HBase: a column named twice gets the old value with the second value only."""
    columns, values = request.columns or [], request.values or []
    check_row(request.row)
    if not columns or len(columns) != len(values):
        raise UncheckedError(f"wants as many columns as values and at least one (got {len(columns)} and {len(values)})")
    for column in columns:
        column_to_put(column)
    with engine.writing():
        table = enabled_table(engine, request.table)
        check_families(table, columns)
        newest = {column: engine.newest(table, request.row, column) for column in columns}
        clock_ms = _clock_after(newest.values())
        puts: list[Put] = []
        for column, value in zip(columns, values, strict=True):
            stored = newest[column]
            old = stored[2] if stored else b""
            puts.append((request.row, column, _later(stored, clock_ms), old + value))
            if cell_bytes(puts[-1]) > MAX_CELL_BYTES:
                raise _oversized_error(puts[-1])
        cells = [TCell(put[3], put[2]) for put in sorted(puts, key=lambda put: cell_sort_key(put[1]))]
        watch(cells)  # before anything is stored
        engine.put(table, puts, clock_ms)
    return cells


@waits_once
def check_and_put(
    engine: Engine, name: bytes, row: bytes, column: bytes, expected: bytes | None, put: Mutation
) -> bool:
    """Puts if the cell has the expected value. HBase: no or an empty expectation matches a missing or empty cell."""
    with _illegal_arguments():
        check_row(row)
    with_qualifier(put.column)
    with _illegal_arguments():
        checked = column_to_put(put.column)
    column = with_qualifier(column)
    value = put.value or b""
    _check_sizes([(row, checked, 0, value)])
    with engine.writing():
        table = _table_to_write(engine, name)
        check_families(table, [column])
        stored = engine.newest(table, row, column)
        if (stored[2] if stored else b"") != (expected or b""):
            return False  # HBase: even if the family to put into is unknown
        check_families(table, [checked])
        clock_ms = now_ms()
        write_ms = max(clock_ms, stored[1] if stored else 0)
        engine.put(table, [(row, checked, write_ms, value)], clock_ms if write_ms == clock_ms else None)
    return True
