"""Replies of `scannerGetList` decoded into arrays, without an object for each cell.

A reply in the binary protocol, as HBase's gateway writes it:

    80 01 00 02 | length, name | sequence id    a reply
    0f 00 00 0c | number                        field 0, a list of rows, each of them:
      0b 00 01 | length, row                      field 1
      0d 00 02 0b 0c | number                     field 2, a map of cells, each of them:
        length, column
        0b 00 01 | length, value                    field 1
        0a 00 02 | timestamp                        field 2
        00                                          the end of the cell
      00                                          the end of the row
    00                                          the end of the reply

All lengths and numbers have four bytes. Lengths lead from one value to the next, and numpy follows all of them at once:
it finds every place of `0b 00 01 00`, and whether the lengths there lead to the next such place. Where they do not,
because a row has ended or a value holds these bytes, the way is followed step by step. Every fixed byte is compared.
A reply of another form, which may be an error, is left to thriftpy2, with all its bytes.

This module needs numpy; only a call whose results are arrays imports it.
"""

from typing import TYPE_CHECKING

import numpy as np

from ...keys.cell_arrays import CellArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REPLY, _ROWS = b"\x80\x01\x00\x02", b"\x0f\x00\x00\x0c"
_VALUE, _CELLS, _TIME = b"\x0b\x00\x01", b"\x0d\x00\x02\x0b\x0c", b"\x0a\x00\x02"
_TO_LENGTH, _TO_VALUE, _AFTER_VALUE = len(_VALUE), len(_VALUE) + 4, len(_TIME) + 8 + 1
_NEGATIVE = 2**31
"""Thrift's lengths have a sign."""
MOST_ROW_BYTES = 4 * 1024 * 1024
"""A reply with a longer row is left to thriftpy2: it would be searched again with each part of it that arrives."""

MANY_BYTES = 256 * 1024
"""Rows are looked for at least whenever so many bytes have arrived."""


class UnusualReply(Exception):
    """A reply that does not have the form of this module: thriftpy2 has to read it."""


class CellReplyReader:
    """Reads one reply, whose bytes arrive in parts; `name` and `sequence_id` are those of the call."""

    def __init__(self, name: str, sequence_id: int) -> None:
        called = name.encode()
        self._header = b"".join((_REPLY, len(called).to_bytes(4, "big"), called, sequence_id.to_bytes(4, "big"), _ROWS))
        self._at = len(self._header) + 4
        """Where the next row starts."""
        self._searched = 0
        """How many bytes had arrived when rows were last looked for."""
        self._number: int | None = None
        self._rows: list[bytes] = []
        self._counts: list[int] = []
        self._firsts: list[int] = []
        """Where the first cell of each row starts."""
        self._marks: list[NDArray[np.int64]] = []
        """Where `0b 00 01` of each value is, in parts; `_ends` has the end of each cell."""
        self._ends: list[NDArray[np.int64]] = []

    def is_complete(self, data: bytearray) -> bool:
        """Whether the whole reply has arrived. Raises UnusualReply."""
        if self._number is None:
            if not data.startswith(self._header[: len(data)]):
                raise UnusualReply
            if len(data) < self._at:
                return False
            self._number = _number(data, self._at - 4)
        # A reply ends with a zero. Searching only then, or in many new bytes, takes less time than in each part.
        if not data.endswith(b"\x00") and len(data) - self._searched < MANY_BYTES:
            return False
        self._searched = len(data)
        if len(self._rows) < self._number and not self._read_rows(data, self._number):
            if len(data) - self._at > MOST_ROW_BYTES:
                raise UnusualReply
            return False
        if len(data) <= self._at:
            return False
        if data[self._at]:
            raise UnusualReply
        return True

    @property
    def end(self) -> int:
        """The number of bytes of a complete reply."""
        return self._at + 1

    def cells(self, data: bytes) -> CellArrays:
        """The cells of a complete reply. Raises UnusualReply."""
        nothing = np.zeros(0, np.int64)
        marks, ends = (np.concatenate([nothing, *parts]) for parts in (self._marks, self._ends))
        counts = np.array(self._counts, np.int64)
        starts = np.empty_like(marks)  # of the cells, each of which follows the one before it
        starts[1:] = ends[:-1]
        starts[np.cumsum(counts) - counts] = self._firsts
        values, columns = marks + _TO_VALUE, starts + 4
        after = ends - _AFTER_VALUE
        if len(marks) and not (_are(data, after, _TIME) and _are(data, ends - 1, b"\x00")):
            raise UnusualReply
        times = _numbers(data, after + len(_TIME), ">i8")
        row_of_cell = np.repeat(np.arange(len(counts)), counts)
        return CellArrays(self._rows, row_of_cell, columns, marks - columns, values, after - values, times, data)

    def _read_rows(self, data: bytearray, number: int) -> bool:
        """Reads the rows that have arrived whole; returns whether these are all."""
        marks, ends, following, breaks = _chains(data, self._at)
        chosen = np.zeros(len(marks) + 1, np.int64)  # 1 where marks of cells begin, -1 after their end
        done = place = 0
        at_break = iter(breaks.tolist())
        next_break = next(at_break, -1)
        arrived = len(data)

        def place_of(mark: int, place: int) -> int | None:
            """The place of a mark, which is not before `place`; None if it has not arrived."""
            while place < len(marks) and marks[place] < mark:
                place += 1
            if place < len(marks) and marks[place] == mark:
                return place
            if not _may_be(data, mark, _VALUE + b"\x00") or mark >= arrived + _NEGATIVE:
                raise UnusualReply
            return None

        while len(self._rows) < number:
            row = self._at + _TO_VALUE
            if not _may_be(data, self._at, _VALUE):
                raise UnusualReply
            if row > arrived:
                break
            length = _number(data, self._at + _TO_LENGTH)
            cells = row + length
            first = cells + len(_CELLS) + 4
            if length >= _NEGATIVE or not _may_be(data, cells, _CELLS):
                raise UnusualReply
            if first > arrived:
                break
            count = _number(data, first - 4)
            if not 0 < count < _NEGATIVE:
                raise UnusualReply
            if first + 4 > arrived:
                break
            spans: list[tuple[int, int]] = []
            left, end = count, 0
            mark = first + 4 + _number(data, first)
            while left:
                found = place_of(mark, place)
                if found is None:
                    break
                while next_break < found:
                    next_break = next(at_break)
                place = min(next_break + 1, found + left)
                spans.append((found, place))
                left -= place - found
                end, mark = int(ends[place - 1]), int(following[place - 1])
                if not (_may_be(data, end - _AFTER_VALUE, _TIME) and _may_be(data, end - 1, b"\x00")):
                    raise UnusualReply
                if left and mark < 0:
                    break
            if not left and not _may_be(data, end, b"\x00"):
                raise UnusualReply
            if left or end >= arrived:
                break
            for start, stop in spans:
                chosen[start] += 1
                chosen[stop] -= 1
            self._rows.append(bytes(data[row:cells]))
            self._counts.append(count)
            self._firsts.append(first)
            self._at = end + 1
            done = place
        are_cells = np.cumsum(chosen[:done]).astype(np.bool_)
        self._marks.append(marks[:done][are_cells])
        self._ends.append(ends[:done][are_cells])
        return len(self._rows) == number


def _chains(
    data: bytearray, start: int
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
    """Chains of cells: every place of `0b 00 01 00` from `start` on, taken for the mark of a value.

    Four arrays: these places; the end of the cell of each; where the mark of the next cell in the row must be, -1 if
    that is not known yet; and the indexes of places that end a chain, because the next place is not that mark.
    """
    every_byte = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(every_byte[start : len(data) - _TO_VALUE + 1] == _VALUE[0]) + start
    for offset, byte in ((1, 0), (2, 1), (3, 0)):
        places = places[every_byte[places + offset] == byte]
    ends = places + _TO_VALUE + _numbers(data, places + _TO_LENGTH) + _AFTER_VALUE
    following = np.full(len(places), -1)
    known = np.flatnonzero(ends <= len(data) - 4)
    following[known] = ends[known] + 4 + _numbers(data, ends[known])
    breaks = np.flatnonzero(np.append(following[:-1] != places[1:], True))
    return places, ends, following, breaks


def _may_be(data: bytearray, at: int, wanted: bytes) -> bool:
    """Whether the bytes that have arrived at this place are the wanted ones, or their beginning."""
    return data.startswith(wanted, at) or wanted.startswith(bytes(data[at : at + len(wanted)]))


def _number(data: bytearray, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def _numbers(data: bytes | bytearray, places: "NDArray[np.int64]", dtype: str = ">u4") -> "NDArray[np.int64]":
    """The numbers that start at these places; lengths by default."""
    at_each_byte = np.ndarray(len(data) - np.dtype(dtype).itemsize + 1, dtype, data, strides=(1,))
    return at_each_byte[places].astype(np.int64)


def _are(data: bytes, places: "NDArray[np.int64]", wanted: bytes) -> bool:
    """Whether each of these places has these bytes."""
    every_byte = np.frombuffer(data, np.uint8)
    return all(bool((every_byte[places + offset] == byte).all()) for offset, byte in enumerate(wanted))
