"""Numbered batches, which a store must have whole and in order, whatever becomes of their writer or their file."""

from contextlib import closing
from pathlib import Path

import happybase

from shared.stores import connect

COLUMNS = [b"d:%d" % number for number in range(4)]


def rows_of(number: int) -> dict[bytes, dict[bytes, bytes]]:
    """The rows that a batch puts, which the second batch after it deletes: few or many, short or long."""
    value = b"%d " % number + bytes([0, 50, 500, 2_000][number % 4])
    return {b"row-%05d-%02d" % (number, row): dict.fromkeys(COLUMNS, value) for row in range([1, 30, 10][number % 3])}


def store_batch(table: happybase.Table, number: int) -> None:
    """Stores the batch of this number; those before it are stored."""
    with table.batch() as batch:
        for row, cells in rows_of(number).items():
            batch.put(row, cells)
        for row in rows_of(number - 2):
            batch.delete(row)


def batches_in(path: Path) -> int:
    """How many batches a store has; it must have nothing else in its rows."""
    with closing(connect(f"embedded:{path}")) as connection:
        if b"t" not in connection.tables():
            return 0
        connection.check()
        rows = dict(connection.table("t").scan(row_prefix=b"row-"))
    if not rows:
        return 0
    last = int(max(rows)[4:9])
    assert rows == {**(rows_of(last - 1) if last else {}), **rows_of(last)}
    return last + 1
