"""What writes do: batches, deletes, counters, append and the checked put, each in one transaction."""

import struct
from collections import Counter
from collections.abc import Iterable, Sequence

from Hbase_thrift import BatchMutation, IOError, Mutation, TAppend, TCell

from .columns import column_range, family_of, in_cell_order, qualified
from .engine import Cell, Engine, Put, Table
from .rules import (
    MAX_CELL_BYTES,
    MAX_SENT_CELL_BYTES,
    IllegalTableNameError,
    UncheckedError,
    cell_bytes,
    check_row,
    illegal_argument,
    io_error,
    now_ms,
    shown,
    write_time,
)
from .tables import check_families, enabled_table, no_such_family

_counter = struct.Struct(">q")


def mutate_rows(engine: Engine, name: bytes, batches: Sequence[BatchMutation], timestamp: int | None) -> None:
    """HBase: all puts of all rows, then all deletes, whatever their order in the batch.

    Each row stands for itself: one that is refused is left out whole, the others are stored, and the error comes last.
    The deletes are left out when a put was refused.
    """
    at = write_time(timestamp)
    for batch in batches:
        check_row(batch.row)
    mutations = [(batch.row, each) for batch in batches for each in batch.mutations or ()]
    puts = [(row, each.column, at, each.value or b"") for row, each in mutations if not each.isDelete]
    deletes = [(row, each.column or b"") for row, each in mutations if each.isDelete]
    for column in {column for _, column, _, _ in puts}:
        qualified(column)
    oversize = _oversize(puts)
    if not mutations:
        return
    with engine.writing():
        try:
            table = _table_to_write(engine, name)
        except IOError as error:
            raise _failed(error for _ in {row for row, _ in mutations}) from error
        refused = _rows_without_family(table, puts) | oversize
        if refused:
            puts = [put for put in puts if put[0] not in refused]
            deletes = []
        engine.put(table, puts)
        if deletes:
            refused = _rows_without_family(table, deletes)
            for row, column in deletes:
                if row not in refused:
                    engine.delete(table, row, column_range(column), at)
    if refused:
        raise _failed(refused.values())


def _table_to_write(engine: Engine, name: bytes) -> Table:
    try:
        return enabled_table(engine, name)
    except IllegalTableNameError as error:
        raise illegal_argument(str(error)) from error


def _rows_without_family(
    table: Table, mutations: Sequence[Put] | Sequence[tuple[bytes, bytes]]
) -> dict[bytes, IOError]:
    """The rows that name a family which the table does not have; each mutation starts with its row and column."""
    unknown = {column for column in {each[1] for each in mutations} if family_of(column) not in table.families}
    return {each[0]: no_such_family(table, each[1]) for each in mutations if each[1] in unknown} if unknown else {}


def _oversize(puts: Iterable[Put]) -> dict[bytes, IOError]:
    """The rows with a cell that the region server refuses; one that the gateway refuses ends the call."""
    refused: dict[bytes, IOError] = {}
    for put in puts:
        size = cell_bytes(put)
        if size > MAX_SENT_CELL_BYTES:
            raise illegal_argument(f"KeyValue size too large: at most {MAX_SENT_CELL_BYTES} bytes (got {size})")
        if size > MAX_CELL_BYTES:
            refused[put[0]] = _too_large(put)
    return refused


def _too_large(put: Put) -> IOError:
    # HBase: the region server counts four bytes more than its own limit says.
    text = f"Cell[{shown(put[0][:100])}/{shown(put[1][:100])}] with size {cell_bytes(put) + 4}"
    return io_error("DoNotRetryIOException", f"{text} exceeds limit of {MAX_SENT_CELL_BYTES} bytes")


def _raise_first(refused: dict[bytes, IOError]) -> None:
    for error in refused.values():
        raise error


def _failed(errors: Iterable[IOError]) -> IOError:
    """HBase: one error for all the rows of a batch that were refused, counted by reason."""
    reasons = Counter(shown(error.message) for error in errors)
    counted = ", ".join(f"{reason}: {_times(count, 'time')}" for reason, count in reasons.items())
    return io_error(
        "client.RetriesExhaustedWithDetailsException",
        f"Failed {_times(reasons.total(), 'action')}: {counted}, servers with issues: embedded",
    )


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def mutate_row(engine: Engine, name: bytes, row: bytes, mutations: Sequence[Mutation], timestamp: int | None) -> None:
    """HBase: the deletes first, then the puts, unlike `mutate_rows`; a put without a qualifier is dropped."""
    at = write_time(timestamp)
    check_row(row)
    puts = [
        (row, each.column, at, each.value or b"")
        for each in mutations
        if not each.isDelete and each.column and b":" in each.column
    ]
    deletes = [each.column or b"" for each in mutations if each.isDelete]
    oversize = _oversize(puts)
    with engine.writing():
        table = _table_to_write(engine, name)
        check_families(table, deletes + [column for _, column, _, _ in puts])
        _raise_first(oversize)
        for column in deletes:
            engine.delete(table, row, column_range(column), at)
        engine.put(table, puts)


def delete(engine: Engine, name: bytes, row: bytes, columns: Sequence[bytes] | None, timestamp: int | None) -> None:
    """Deletes columns, or with None every family of the row."""
    at = write_time(timestamp)
    check_row(row)
    with engine.writing():
        table = enabled_table(engine, name)
        columns = list(table.families) if columns is None else columns
        check_families(table, columns)
        for column in columns:
            engine.delete(table, row, column_range(column), at)


def increment_counter(engine: Engine, name: bytes, row: bytes, column: bytes, amount: int) -> int:
    """Adds to a counter of eight bytes, big-endian; what is not there counts as 0. Adding 0 writes too."""
    with engine.writing():
        table = enabled_table(engine, name)
        check_families(table, [column])
        stored = engine.newest(table, row, column)
        value = stored[2] if stored else _counter.pack(0)
        if len(value) != _counter.size:
            raise io_error("DoNotRetryIOException", f"Field is not a long, it's {len(value)} bytes wide")
        total: int = _counter.unpack(value)[0]
        total = (total + amount + 2**63) % 2**64 - 2**63  # HBase: a sum beyond 64 bits wraps, as Java's long does
        engine.put(table, [(row, column, _later(stored), _counter.pack(total))])
    return total


def _later(stored: Cell | None) -> int:
    """HBase: what is computed from a cell is dated after it, even ahead of the clock."""
    return max(now_ms(), stored[1] + 1) if stored else now_ms()


def append_values(engine: Engine, request: TAppend) -> list[TCell]:
    """HBase: of a column that is named twice both values are appended to the old one, and the last stays."""
    columns, values = request.columns or [], request.values or []
    check_row(request.row)
    if not columns or len(columns) != len(values):
        raise UncheckedError(f"wants as many columns as values and at least one (got {len(columns)} and {len(values)})")
    for column in columns:
        qualified(column)
    with engine.writing():
        table = enabled_table(engine, request.table)
        check_families(table, columns)
        puts: dict[bytes, Put] = {}
        for column, value in zip(columns, values, strict=True):
            stored = engine.newest(table, request.row, column)
            old = stored[2] if stored else b""
            puts[column] = put = (request.row, column, _later(stored), old + value)
            if cell_bytes(put) > MAX_CELL_BYTES:
                raise _too_large(put)
        engine.put(table, list(puts.values()))
    return [TCell(puts[column][3], puts[column][2]) for column in sorted(puts, key=in_cell_order)]


def check_and_put(
    engine: Engine, name: bytes, row: bytes, column: bytes, expected: bytes | None, put: Mutation
) -> bool:
    """Puts if the cell is as expected. HBase: an empty or no expectation wants a cell that is missing or empty."""
    try:
        check_row(row)
    except UncheckedError as error:
        raise illegal_argument(str(error)) from error
    column, put_column = qualified(column), qualified(put.column)
    value = put.value or b""
    _raise_first(_oversize([(row, put_column, 0, value)]))
    with engine.writing():
        table = _table_to_write(engine, name)
        check_families(table, [column, put_column])
        stored = engine.newest(table, row, column)
        if (stored[2] if stored else b"") != (expected or b""):
            return False
        engine.put(table, [(row, put_column, max(now_ms(), stored[1] if stored else 0), value)])
    return True
