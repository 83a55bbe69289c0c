"""The rows of a run: which exist from the start, and which belong to whom."""

from random import Random
from struct import unpack
from typing import TypeAlias

Cells: TypeAlias = dict[bytes, bytes]

STILL = tuple(b"s-%03d" % number for number in range(120))
"""Rows that no worker changes."""

SHARED_COUNTER = b"c-all"

MISSING = b"x-nobody"
COLUMNS = (b"d:a", b"d:b", b"e:a")
FLAG = b"e:flag"
COUNTER = b"d:n"

NO_FAMILY = b"none-"
"""The start of the names of families that do not exist; only calls that name such a family fail for it."""


def still_cells(row: bytes) -> Cells:
    """What a still row holds; of its flag there are three values."""
    flag = b"%d" % (int(row[2:]) % 3)
    return {b"d:a": row + b" a", b"d:b": row + b" b", FLAG: flag}


def long_in(cells: Cells) -> int:
    """The value of a counter's row."""
    return int(unpack(">q", cells[COUNTER])[0]) if cells else 0


class OwnRows:
    """The rows that one worker alone writes, apart by what is done to them."""

    def __init__(self, worker: int) -> None:
        self.first, self.stop = b"t%02d-" % worker, b"t%02d." % worker
        self.dated = self._rows(b"dated", 12)
        """Written and deleted with timestamps."""
        self.now = self._rows(b"now", 6)
        """Written without timestamps, never deleted."""
        self.texts = self._rows(b"text", 6)
        """Appended to."""
        self.checked = self._rows(b"checked", 4)
        """Written by checkAndPut."""
        self.counter = b"%scounter" % self.first
        self.all = (*self.dated, *self.now, *self.texts, *self.checked, self.counter)

    def _rows(self, name: bytes, count: int) -> tuple[bytes, ...]:
        return tuple(b"%s%s-%02d" % (self.first, name, number) for number in range(count))

    def holds(self, row: bytes) -> bool:
        """Whether a row is one of these or of STILL: no other worker changes it."""
        return row.startswith((self.first, b"s-"))


def new_cells(dice: Random, row: bytes, serial: int) -> Cells:
    """Cells that say which row and which operation they belong to."""
    columns = dice.sample(COLUMNS, dice.randint(1, len(COLUMNS)))
    return {column: b"%s %s %d" % (row, column, serial) for column in columns}
