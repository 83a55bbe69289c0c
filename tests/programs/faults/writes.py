"""Operations that write. What each must leave in the store is known before it is sent."""

from collections.abc import Sequence
from struct import pack, unpack

from Hbase_thrift import Mutation, TAppend

from shared.stores import OutcomeUnknown
from tests.programs.faults.rows import COUNTER, NO_FAMILY, SHARED_COUNTER, Cells, new_cells
from tests.programs.faults.tally import Broken
from tests.programs.faults.worker import DECLARED, Worker

TEXT = b"d:text"
CHECKED = b"d:checked"


def put_dated(worker: Worker) -> None:
    _put(worker, worker.own.dated, worker.timestamp)


def put_now(worker: Worker) -> None:
    _put(worker, worker.own.now, None)


def _put(worker: Worker, rows: Sequence[bytes], timestamp: int | None) -> None:
    row = worker.dice.choice(rows)
    cells = new_cells(worker.dice, row, worker.serial)
    worker.write(
        f"put({row!r}, timestamp={timestamp})",
        lambda: worker.table.put(row, cells, timestamp=timestamp),
        {row: _believed(worker, row) | cells},
        may_be_unknown=timestamp is None,
    )


def delete_columns(worker: Worker) -> None:
    row = worker.dice.choice(worker.own.dated)
    columns = list(new_cells(worker.dice, row, 0))
    worker.write(
        f"delete({row!r}, {columns}) with a timestamp",
        lambda: worker.table.delete(row, columns, timestamp=worker.timestamp),
        {row: {column: value for column, value in _believed(worker, row).items() if column not in columns}},
    )


def delete_row(worker: Worker) -> None:
    row = worker.dice.choice(worker.own.dated)
    worker.write(
        f"delete({row!r}) with a timestamp",
        lambda: worker.table.delete(row, timestamp=worker.timestamp),
        {row: {}},
    )


def batch_dated(worker: Worker) -> None:
    """Puts to some rows and deletes of others."""
    _batch(worker, worker.own.dated, worker.timestamp, deletes=2)


def batch_now(worker: Worker) -> None:
    _batch(worker, worker.own.now, None)


def _batch(worker: Worker, rows: Sequence[bytes], timestamp: int | None, deletes: int = 0) -> None:
    """Puts to four rows and so many deletes of others, at times in several calls."""
    chosen = worker.dice.sample(rows, 4 + deletes)
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
    worker.write(f"batch(timestamp={timestamp})", send, after, may_be_unknown=timestamp is None)


def count(worker: Worker) -> None:
    row, amount = worker.own.counter, worker.dice.randint(1, 9)
    value = _long(_believed(worker, row).get(COUNTER)) + amount
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
    worker.tally.add_shared(amount, acknowledged=ended.error is None)


def append(worker: Worker) -> None:
    row, piece = worker.dice.choice(worker.own.texts), b"%d," % worker.serial
    text = _believed(worker, row).get(TEXT, b"") + piece
    call = TAppend(table=worker.table.name, row=row, columns=[TEXT], values=[piece])
    worker.write(
        f"append({row!r}, {piece!r})",
        lambda: [cell.value for cell in worker.client.connection.client.append(call)],
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
        lambda: worker.client.connection.client.checkAndPut(worker.table.name, row, CHECKED, expected, put, {}),
        {row: {CHECKED: value} if matches else cells},
        answers=matches,
        may_be_unknown=True,
    )


def put_to_no_family(worker: Worker) -> None:
    """The declared exception, of this very call; a third without a timestamp."""
    family = NO_FAMILY + b"%d" % worker.serial
    now = worker.dice.random() < 0.33
    ended = worker.attempt(
        "put to no family",
        lambda: worker.table.put(worker.own.first, {family + b":q": b""}, None if now else worker.timestamp),
        may_raise=(*DECLARED, OutcomeUnknown) if now else DECLARED,
    )
    if ended.error is None:
        worker.note(Broken.FALSE_SUCCESS, "put to no family: returned instead of an IOError")
    elif isinstance(ended.error, DECLARED) and family not in ended.error.message:
        worker.note(Broken.WRONG_ANSWER, f"put to no family: the IOError of another call: {ended.error.message!r}")


def _believed(worker: Worker, row: bytes) -> Cells:
    return worker.believed.get(row, {})


def _long(stored: bytes | None) -> int:
    return 0 if stored is None else int(unpack(">q", stored)[0])
