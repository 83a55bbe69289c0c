"""Operations that write. What each must leave in the store is known before it is sent."""

from collections.abc import Sequence
from functools import partial
from struct import pack

from Hbase_thrift import Mutation, TAppend

from shared.stores import OutcomeUnknown
from tests.programs.faults.rows import COUNTER, NO_FAMILY, SHARED_COUNTER, Cells, long_in, new_cells
from tests.programs.faults.tally import Broken
from tests.programs.faults.worker import DECLARED, Worker

TEXT = b"d:text"
CHECKED = b"d:checked"


def _put(worker: Worker, is_dated: bool) -> None:
    rows, timestamp = _rows(worker, is_dated)
    row = worker.dice.choice(rows)
    cells = new_cells(worker.dice, row, worker.serial)
    worker.write(
        f"put({row!r}, timestamp={timestamp})",
        lambda: worker.table.put(row, cells, timestamp=timestamp),
        {row: _believed(worker, row) | cells},
        may_be_unknown=not is_dated,
    )


put_dated, put_now = partial(_put, is_dated=True), partial(_put, is_dated=False)


def _delete(worker: Worker, is_whole: bool) -> None:
    """A row, or some of its columns, with a timestamp."""
    row = worker.dice.choice(worker.own.dated)
    columns = None if is_whole else list(new_cells(worker.dice, row, 0))
    left = (
        {} if columns is None else {name: cell for name, cell in _believed(worker, row).items() if name not in columns}
    )
    worker.write(
        f"delete({row!r}, {columns}) with a timestamp",
        lambda: worker.table.delete(row, columns, timestamp=worker.timestamp),
        {row: left},
    )


delete_row, delete_columns = partial(_delete, is_whole=True), partial(_delete, is_whole=False)


def _batch(worker: Worker, is_dated: bool) -> None:
    """Puts to four rows, and with a timestamp deletes of two others, at times in several calls."""
    rows, timestamp = _rows(worker, is_dated)
    chosen = worker.dice.sample(rows, 6 if is_dated else 4)
    puts, deleted = {row: new_cells(worker.dice, row, worker.serial) for row in chosen[:4]}, chosen[4:]
    batch_size = worker.dice.choice((None, 2, 5))

    def send() -> None:
        with worker.table.batch(timestamp=timestamp, batch_size=batch_size) as batch:
            for row, cells in puts.items():
                batch.put(row, cells)
            for row in deleted:
                batch.delete(row)

    after = {row: _believed(worker, row) | cells for row, cells in puts.items()}
    after |= {row: {} for row in deleted}
    worker.write(f"batch(timestamp={timestamp})", send, after, may_be_unknown=not is_dated)


batch_dated, batch_now = partial(_batch, is_dated=True), partial(_batch, is_dated=False)


def count(worker: Worker) -> None:
    row, amount = worker.own.counter, worker.dice.randint(1, 9)
    value = long_in(_believed(worker, row)) + amount
    worker.write(
        f"counter_inc({amount})",
        lambda: worker.table.counter_inc(row, COUNTER, amount),
        {row: {COUNTER: pack(">q", value)}},
        answers=value,
        may_be_unknown=True,
    )


def count_with_others(worker: Worker) -> None:
    """On the counter that all workers increment; what it reaches is looked at in the end."""
    amount = worker.dice.randint(1, 9)
    ended = worker.attempt(
        "counter_inc of the shared counter",
        lambda: worker.table.counter_inc(SHARED_COUNTER, COUNTER, amount),
        may_raise=(OutcomeUnknown,),
    )
    worker.tally.add(shared_least=amount if ended.error is None else 0, shared_most=amount)


def append(worker: Worker) -> None:
    row, piece = worker.dice.choice(worker.own.texts), b"%d," % worker.serial
    text = _believed(worker, row).get(TEXT, b"") + piece
    call = TAppend(table=worker.table.name, row=row, columns=[TEXT], values=[piece])
    worker.write(
        f"append({row!r}, {piece!r})",
        lambda: [cell.value for cell in worker.connection.client.append(call)],
        {row: {TEXT: text}},
        answers=[text],
        may_be_unknown=True,
    )


def check_and_put(worker: Worker) -> None:
    """One in three expects a value that is not there."""
    row, value = worker.dice.choice(worker.own.checked), b"%d" % worker.serial
    cells = _believed(worker, row)
    matches = worker.dice.random() < 0.67
    expected = cells.get(CHECKED) if matches else b"something else"
    put = Mutation(isDelete=False, column=CHECKED, value=value, writeToWAL=True)
    worker.write(
        f"checkAndPut({row!r}, {expected!r}, {value!r})",
        lambda: worker.connection.client.checkAndPut(worker.table.name, row, CHECKED, expected, put, {}),
        {row: {CHECKED: value} if matches else cells},
        answers=matches,
        may_be_unknown=True,
    )


def put_to_no_family(worker: Worker) -> None:
    """The declared exception, of this very call; a third without a timestamp."""
    family = NO_FAMILY + b"%d" % worker.serial
    now = worker.dice.random() < 0.33
    worker.fail(
        "put to no family",
        lambda: worker.table.put(worker.own.first, {family + b":q": b""}, None if now else worker.timestamp),
        (*DECLARED, OutcomeUnknown) if now else DECLARED,
        Broken.FALSE_SUCCESS,
        names=family,
    )


def _rows(worker: Worker, is_dated: bool) -> tuple[Sequence[bytes], int | None]:
    """The rows that are written with timestamps, or without, and the timestamp."""
    return (worker.own.dated, worker.timestamp) if is_dated else (worker.own.now, None)


def _believed(worker: Worker, row: bytes) -> Cells:
    return worker.believed.get(row, {})
