"""What writes do: batches, deletes, counters, append and the checked put, each in one transaction."""

import struct
from bisect import bisect_right
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import pairwise

from attrs import frozen
from Hbase_thrift import BatchMutation, IllegalArgument, Mutation, TAppend, TCell

from ...keys.limits import LATEST_MS
from ..filters.cells import Cell, family_of, in_cell_order
from ..thrift1.errors import (
    IllegalTableNameError,
    UncheckedError,
    failed_actions,
    illegal_argument,
    io_error,
    java_io_error,
    shown,
)
from ..thrift1.idl import IOError
from .columns import put_column, qualified
from .dating import next_millisecond, tell, waits_once
from .engine import Engine, Put, Table, now_ms
from .rules import MAX_CELL_BYTES, MAX_SENT_CELL_BYTES, cell_bytes, check_row, check_time, write_time
from .table_calls import check_families, enabled_table, first_unknown_family
from .turns import Watch, let_others_in

# A batch of more mutations is several transactions, so that others need not wait for all of it.
MAX_ATOMIC_MUTATIONS = 2_000
_PART = 500

_counter = struct.Struct(">q")


def mutate_rows(
    engine: Engine, name: bytes, batches: Sequence[BatchMutation], timestamp: int | None, watch: Watch
) -> None:
    """HBase: all puts of all entries, then all deletes, whatever their order in the batch.

    Each entry stands for itself: one that is refused is left out whole, the others are stored, and the error comes
    last. The deletes are left out when a put was refused.

    A batch of more than MAX_ATOMIC_MUTATIONS is stored in parts: others may see some of them before the rest, and a
    crash may leave some. HBase promises no more than whole rows.
    """
    check_time(timestamp)
    for batch in batches:
        check_row(batch.row)
    mutations = [mutation for batch in batches for mutation in batch.mutations or ()]
    _check_columns({mutation.column for mutation in mutations})
    columns = {mutation.column for mutation in mutations if not mutation.isDelete}
    for column in columns:
        put_column(column)
    if not mutations:
        return
    refused: list[IOError] = []
    if len(mutations) <= MAX_ATOMIC_MUTATIONS:
        with engine.lock:
            refused = _mutate_rows(engine, name, batches, batches, timestamp, columns, None)
    else:
        failing = _Failing(_oversized(put for batch in batches for put in _puts_of(batch, 0)), _nameless(batches))
        parts = _parts(batches)
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
    """What fails all entries of its region. HBase: a cell that is too large, and a family without a name."""

    oversized: Sequence[Put]
    nameless: Sequence[bytes]
    """The rows of deletes of a family without a name."""


def _parts(batches: Sequence[BatchMutation]) -> list[Sequence[BatchMutation]]:
    """The entries in parts of about _PART mutations."""
    ends = [0]
    count = 0
    for at, batch in enumerate(batches, 1):
        count += len(batch.mutations or ())
        if count >= _PART:
            ends.append(at)
            count = 0
    if ends[-1] < len(batches):
        ends.append(len(batches))
    return [batches[begin:end] for begin, end in pairwise(ends)]


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
    """Stores the puts of some entries, then the deletes of some, in one transaction; an error for each refused one.

    `failing` is that of the whole batch if these are not all of its entries.
    """
    with engine.writing():
        at = write_time(timestamp)
        try:
            table = _table_to_write(engine, name)
        except IOError as error:
            raise failed_actions(error for batch in puts_of or deletes_of if batch.mutations) from error
        puts = [put for batch in puts_of for put in _puts_of(batch, at)]
        oversized = failing.oversized if failing else _oversized(puts)
        refused: list[IOError] = []
        if oversized or first_unknown_family(table, columns):
            puts, refused = _accepted(table, puts_of, at, oversized)
        engine.put(table, puts, None if at == timestamp else at)
        if not refused:
            nameless = failing.nameless if failing else _nameless(deletes_of)
            refused = _delete_all(engine, table, deletes_of, at, nameless)
    return refused


def _check_columns(columns: Iterable[bytes]) -> None:
    for column in columns:
        if type(column) is not bytes:
            raise UncheckedError("Mutation.column: must be family:qualifier or family (got none)")


def _puts_of(batch: BatchMutation, at: int) -> list[Put]:
    return [(batch.row, each.column, at, each.value or b"") for each in batch.mutations or () if not each.isDelete]


def _deletes_of(batch: BatchMutation) -> list[bytes]:
    return [mutation.column for mutation in batch.mutations or () if mutation.isDelete]


def _nameless(batches: Iterable[BatchMutation]) -> list[bytes]:
    return [batch.row for batch in batches if not all(map(family_of, _deletes_of(batch)))]


def _accepted(
    table: Table, batches: Iterable[BatchMutation], at: int, oversized: Sequence[Put]
) -> tuple[list[Put], list[IOError]]:
    """The puts of the entries that are stored, and an error for each of the others.

    HBase: a cell that is too large fails every entry of its region.
    """
    of_region = {bisect_right(table.splits, put[0]): put for put in oversized}
    accepted: list[Put] = []
    refused: list[IOError] = []
    for batch in batches:
        if puts := _puts_of(batch, at):
            large = of_region.get(bisect_right(table.splits, batch.row))
            columns = [column for _, column, _, _ in puts]
            error = _oversized_error(large) if large else first_unknown_family(table, columns)
            if error:
                refused.append(error)
            else:
                accepted += puts
    return accepted, refused


def _delete_all(
    engine: Engine, table: Table, batches: Iterable[BatchMutation], at: int, nameless: Sequence[bytes]
) -> list[IOError]:
    """Applies the deletes of all entries; an error for each entry that was refused.

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
                engine.delete(table, batch.row, column, at)
    return refused


def _table_to_write(engine: Engine, name: bytes) -> Table:
    try:
        return enabled_table(engine, name)
    except IllegalTableNameError as error:
        raise illegal_argument(str(error)) from error


def _oversized(puts: Iterable[Put]) -> list[Put]:
    """The cells that the region server refuses; one that the gateway refuses ends the call."""
    oversized: list[Put] = []
    for put in puts:
        size = cell_bytes(put)
        if size > MAX_SENT_CELL_BYTES:
            raise illegal_argument(f"KeyValue size too large: at most {MAX_SENT_CELL_BYTES} bytes (got {size})")
        if size > MAX_CELL_BYTES:
            oversized.append(put)
    return oversized


def _oversized_error(put: Put) -> IOError:
    # HBase: the region server counts four bytes more than its own limit says.
    text = f"Cell[{shown(put[0][:100])}/{shown(put[1][:100])}] with size {cell_bytes(put) + 4}"
    return io_error("DoNotRetryIOException", f"{text} exceeds limit of {MAX_SENT_CELL_BYTES} bytes")


def _check_sizes(puts: Iterable[Put]) -> None:
    for put in _oversized(puts):
        raise _oversized_error(put)


@waits_once
def mutate_row(engine: Engine, name: bytes, row: bytes, mutations: Sequence[Mutation], timestamp: int | None) -> None:
    """HBase: the deletes first, unlike `mutate_rows`, also if a put is refused; one without a qualifier is dropped.

    Deletes and puts are two calls to the region server, so without a timestamp the puts may be dated later.
    """
    with _illegal_arguments():
        check_row(row)
        check_time(timestamp)
    _check_columns(each.column for each in mutations)
    with _illegal_arguments():
        values = [
            (put_column(each.column), each.value or b"")
            for each in mutations
            if not each.isDelete and b":" in each.column
        ]
    deletes = [each.column for each in mutations if each.isDelete]
    if not deletes and not values:
        return
    with engine.writing():
        at = write_time(timestamp)
        table = _table_to_write(engine, name)
        check_families(table, deletes)
        for column in deletes:
            engine.delete(table, row, column, at)
        if at != timestamp and engine.waits_for_clock:
            at = _beside_deletes(table, row, deletes, [column for column, _ in values], at)
        puts = [(row, column, at, value) for column, value in values]
        refused = _refused_puts(engine, table, puts, None if at == timestamp else at)
    if refused:
        raise refused


def _beside_deletes(table: Table, row: bytes, deletes: Sequence[bytes], columns: Sequence[bytes], clock_ms: int) -> int:
    """The time for puts, which is a later one if the deletes that came with them would hide one."""
    hidden = next((column for column in columns if column in deletes or family_of(column) in deletes), None)
    if hidden is None:
        return clock_ms
    tell(table.name, row, hidden)
    return next_millisecond(clock_ms)


def _refused_puts(
    engine: Engine, table: Table, puts: Sequence[Put], clock_ms: int | None
) -> IOError | IllegalArgument | None:
    """Stores all of the puts or none, and answers with what is wrong with them: what was deleted before stays so."""
    try:
        check_families(table, [column for _, column, _, _ in puts])
        _check_sizes(puts)
    except (IOError, IllegalArgument) as error:
        return error
    engine.put(table, puts, clock_ms)
    return None


@contextmanager
def _illegal_arguments() -> Generator[None]:
    """HBase: calls that write one row declare what others leave unchecked."""
    try:
        yield
    except UncheckedError as error:
        raise illegal_argument(str(error)) from error


def delete(engine: Engine, name: bytes, row: bytes, columns: Sequence[bytes] | None, timestamp: int | None) -> None:
    """Deletes columns, or with None every family of the row."""
    check_time(timestamp)
    check_row(row)
    _check_columns(columns or ())
    with engine.writing():
        at = write_time(timestamp)
        table = enabled_table(engine, name)
        columns = list(table.families) if columns is None else columns
        check_families(table, columns)
        for column in columns:
            engine.delete(table, row, column, at)


@waits_once
def increment_counter(engine: Engine, name: bytes, row: bytes, column: bytes, amount: int) -> int:
    """Adds to a counter of eight bytes, big-endian; what is not there counts as 0. Adding 0 writes too."""
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
        now = _clock_beside([stored])
        engine.put(table, [(row, column, _later(stored, now), _counter.pack(total))], now)
    return total


def _check_counter(row: bytes, column: bytes) -> None:
    """HBase: what the gateway checks for other calls comes from the region server here, as a declared error."""
    try:
        check_row(row)
        put_column(column)
    except UncheckedError as error:
        raise io_error("client.RetriesExhaustedException", str(error)) from error


def _clock_beside(stored: Iterable[Cell | None]) -> int:
    """The clock, once it is not the time of one of these cells.

    Not imitated: in HBase two increments in one millisecond date a counter ahead of the clock by themselves, and a put
    that follows at once stays hidden behind them. Here the second one waits for the next millisecond, as a slower
    client would. It waits once: cells that a client dated one millisecond after the other would keep everybody waiting.
    """
    now = now_ms()
    return next_millisecond(now) if any(cell and cell[1] == now for cell in stored) else now


def _later(stored: Cell | None, now: int) -> int:
    """HBase: what is computed from a cell is dated after it, even ahead of the clock."""
    if stored is None or stored[1] < now:
        return now
    return stored[1] + 1 if stored[1] + 1 < LATEST_MS else now


@waits_once
def append_values(engine: Engine, request: TAppend, watch: Watch) -> list[TCell]:
    """HBase: of a column that is named twice both values are appended to the old one, and the last stays."""
    columns, values = request.columns or [], request.values or []
    check_row(request.row)
    if not columns or len(columns) != len(values):
        raise UncheckedError(f"wants as many columns as values and at least one (got {len(columns)} and {len(values)})")
    for column in columns:
        put_column(column)
    with engine.writing():
        table = enabled_table(engine, request.table)
        check_families(table, columns)
        newest = {column: engine.newest(table, request.row, column) for column in columns}
        now = _clock_beside(newest.values())
        puts: list[Put] = []
        for column, value in zip(columns, values, strict=True):
            stored = newest[column]
            old = stored[2] if stored else b""
            puts.append((request.row, column, _later(stored, now), old + value))
            if cell_bytes(puts[-1]) > MAX_CELL_BYTES:
                raise _oversized_error(puts[-1])
        cells = [TCell(put[3], put[2]) for put in sorted(puts, key=lambda put: in_cell_order(put[1]))]
        watch(cells)  # while nothing is stored
        engine.put(table, puts, now)
    return cells


@waits_once
def check_and_put(
    engine: Engine, name: bytes, row: bytes, column: bytes, expected: bytes | None, put: Mutation
) -> bool:
    """Puts if the cell is as expected. HBase: an empty or no expectation wants a cell that is missing or empty."""
    with _illegal_arguments():
        check_row(row)
    qualified(put.column)
    with _illegal_arguments():
        checked = put_column(put.column)
    column = qualified(column)
    value = put.value or b""
    _check_sizes([(row, checked, 0, value)])
    with engine.writing():
        table = _table_to_write(engine, name)
        check_families(table, [column])
        stored = engine.newest(table, row, column)
        if (stored[2] if stored else b"") != (expected or b""):
            return False  # HBase: whatever the family to put into
        check_families(table, [checked])
        now = now_ms()
        at = max(now, stored[1] if stored else 0)
        engine.put(table, [(row, checked, at, value)], now if at == now else None)
    return True
