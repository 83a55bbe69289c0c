"""The rows of a run: which exist from the start, and which belong to whom."""

from random import Random
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

_DATED, _NOW, _TEXTS, _CHECKED = 12, 6, 6, 4


def still_cells(row: bytes) -> Cells:
    """What a still row holds; of its flag there are three values."""
    flag = b"%d" % (int(row[2:]) % 3)
    return {b"d:a": row + b" a", b"d:b": row + b" b", FLAG: flag}


class OwnRows:
    """The rows that one worker alone writes, apart by what is done to them."""

    def __init__(self, worker: int) -> None:
        self.first, self.stop = b"t%02d-" % worker, b"t%02d." % worker
        self.dated = tuple(b"%sdated-%02d" % (self.first, number) for number in range(_DATED))
        """Written and deleted with timestamps."""
        self.now = tuple(b"%snow-%02d" % (self.first, number) for number in range(_NOW))
        """Written without timestamps, never deleted."""
        self.texts = tuple(b"%stext-%02d" % (self.first, number) for number in range(_TEXTS))
        """Appended to."""
        self.checked = tuple(b"%schecked-%02d" % (self.first, number) for number in range(_CHECKED))
        """Written by checkAndPut."""
        self.counter = b"%scounter" % self.first
        self.all = (*self.dated, *self.now, *self.texts, *self.checked, self.counter)

    def holds(self, row: bytes) -> bool:
        """Whether a row is one of these or of STILL: no other worker changes it."""
        return row.startswith((self.first, b"s-"))


def new_cells(dice: Random, row: bytes, serial: int) -> Cells:
    """Cells that say which row and which operation they belong to."""
    columns = dice.sample(COLUMNS, dice.randint(1, len(COLUMNS)))
    return {column: b"%s %s %d" % (row, column, serial) for column in columns}
