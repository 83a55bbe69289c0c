"""The cells of OpenTSDB's data table: the points of one series in one hour.

    cell        qualifier                                              value
    a point     in seconds, 2 bytes: offset << 4 | flags               the number
                in ms, 4 bytes: f0 00 00 00 | offset << 6 | flags
    compacted   the qualifiers of its points, by time                  the numbers, then 00, or 01 if s and ms are mixed
    appended    05 00 00                                               qualifier, number, qualifier, number ...
    other       an odd number of bytes; 01: an annotation              not points: passed over

    flags: 8 for a float, and the length of the number - 1
    00 31       second 3, an int of 2 bytes
    f0 00 02 0b millisecond 8, a float of 4 bytes

Numbers are big-endian: ints of 1, 2, 4 or 8 bytes in two's complement, floats of 4 or 8 bytes. A row may hold cells of
all kinds at once, and a time in several of them. Then the number of the newest cell counts, or they must be equal.
"""

import math
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from shared.keys.errors import shown, shown_bytes
from shared.tables import InvalidRecord

from .records import Number, SeriesPoint

FAMILY = "t"
HOUR_MS = 3_600_000
APPENDED = bytes.fromhex("05 00 00")
"""The qualifier of the cell to which OpenTSDB appends points, if it is configured so."""

IS_FLOAT = 0x8
FLAGS = {0x0: "i1", 0x1: ">i2", 0x3: ">i4", 0x7: ">i8", 0xB: ">f4", 0xF: ">f8"}
"""The flags that numbers have, and the type of their bytes."""
_FIRST_IN_MS = 0xF0
"""Seconds end at 3,599, so the first byte of a qualifier in seconds is less."""
MIXED, NOT_MIXED = b"\x01", b"\x00"

Cells: TypeAlias = Mapping[bytes, tuple[bytes, int]]
"""The cells of a row: value and timestamp by qualifier, without the family."""
Duplicates: TypeAlias = Literal["newest", "strict"]
"""What counts if cells hold different numbers for one time: the newest cell's, or the row is refused."""


# ---- one point -----------------------------------------------------------------------------------


def pack_number(value: Number) -> tuple[int, bytes]:
    """The flags and the bytes of a number: as few bytes as hold it exactly; a float has 4 or 8.

    42 -> 0, 2a    257 -> 1, 01 01    42.5 -> b, 42 2a 00 00    0.1 -> f, 3f b9 99 99 99 99 99 9a
    """
    if type(value) is int:
        for width in (1, 2, 4, 8):
            if -(1 << width * 8 - 1) <= value < 1 << width * 8 - 1:
                return width - 1, value.to_bytes(width, "big", signed=True)
    if type(value) is not float or not math.isfinite(value):
        raise InvalidRecord(f"must be an int of 64 bits, or a float that is not NaN or infinite (got {shown(value)})")
    with np.errstate(over="ignore"):
        is_exact_in_4_bytes = float(np.float32(value)) == value
    return (0xB, struct.pack(">f", value)) if is_exact_in_4_bytes else (0xF, struct.pack(">d", value))


def qualifier_of(offset_ms: int, flags: int, *, in_ms: bool | None = None) -> bytes:
    """The qualifier of a point; in seconds if its time is a whole second, unless `in_ms` says otherwise.

    3000, 1 -> 00 31    8, b -> f0 00 02 0b
    """
    if type(offset_ms) is not int or not 0 <= offset_ms < HOUR_MS:
        raise InvalidRecord(f"offset_ms: must be 0..{HOUR_MS - 1} (got {shown(offset_ms)})")
    if type(flags) is not int or not 0 <= flags <= 0xF:
        raise InvalidRecord(f"flags: must be 0..15 (got {shown(flags)})")
    seconds, rest_ms = divmod(offset_ms, 1000)
    if in_ms if in_ms is not None else rest_ms:
        return (0xF0000000 | offset_ms << 6 | flags).to_bytes(4, "big")
    if rest_ms:
        raise InvalidRecord(f"offset_ms: must be whole seconds (got {offset_ms})")
    return (seconds << 4 | flags).to_bytes(2, "big")


def pack_appended(points: Iterable[tuple[int, Number]]) -> bytes:
    """What HBase's append adds to the cell `APPENDED`: points as offset in ms and number, in order of arrival.

    (0, 42), (60000, 1) -> 00 00 2a 03 c0 01
    """
    packed = ((offset_ms, *pack_number(value)) for offset_ms, value in points)
    return b"".join(qualifier_of(offset_ms, flags) + number for offset_ms, flags, number in packed)


def rollup_qualifier(aggregator: int, interval: int, flags: int) -> bytes:
    """The qualifier of a rolled-up point: the id of its aggregator, then the number of its interval in the row.

    42, 70, 7 -> 2a 04 67    12 bits hold the number of the interval: OpenTSDB itself lets more of them alias.
    """
    for name, number, last in (("aggregator", aggregator, 127), ("interval", interval, 4095), ("flags", flags, 15)):
        if type(number) is not int or not 0 <= number <= last:
            raise InvalidRecord(f"{name}: must be 0..{last} (got {shown(number)})")
    return bytes([aggregator]) + (interval << 4 | flags).to_bytes(2, "big")


def split_rollup_qualifier(qualifier: bytes) -> tuple[int, int, int]:
    """The id of the aggregator, the number of the interval, and the flags of a rolled-up point."""
    if len(qualifier) != 3 or qualifier[0] > 127:
        raise InvalidRecord(f"must be a rollup qualifier: 00..7f, then 2 bytes (got {shown_bytes(qualifier)})")
    interval, flags = divmod(int.from_bytes(qualifier[1:], "big"), 16)
    return qualifier[0], interval, flags


# ---- the points of a row -------------------------------------------------------------------------


@attrs.frozen(eq=False)
class PointArrays:
    """Points as arrays of equal length, in the order of time after `merged`."""

    offsets_ms: NDArray[np.int64]
    """Milliseconds since the start of the hour."""
    flags: NDArray[np.uint8]
    are_in_ms: NDArray[np.bool_]
    """Which qualifiers are in milliseconds, and so have 4 bytes."""
    starts: NDArray[np.int64]
    """Where in `data` each number starts; its flags tell its type."""
    written_ms: NDArray[np.int64]
    """The timestamp of the cell of each point."""
    data: bytes

    def __len__(self) -> int:
        return len(self.offsets_ms)

    def taking(self, places: Any) -> "PointArrays":
        """The points at these places, in their order."""
        return PointArrays(
            self.offsets_ms[places],
            self.flags[places],
            self.are_in_ms[places],
            self.starts[places],
            self.written_ms[places],
            self.data,
        )

    def number_bytes(self, place: int) -> bytes:
        """The bytes of one number."""
        start = int(self.starts[place])
        return self.data[start : start + int(self.flags[place] & 7) + 1]

    @property
    def are_floats(self) -> NDArray[np.bool_]:
        """Which numbers are floats."""
        return np.asarray(self.flags & IS_FLOAT, np.bool_)

    @property
    def ints(self) -> NDArray[np.int64]:
        """The ints; 0 in place of floats."""
        return self._numbers(np.dtype(np.int64), [flags for flags in FLAGS if not flags & IS_FLOAT])

    @property
    def floats(self) -> NDArray[np.float64]:
        """All numbers as floats; ints of more than 53 bits are rounded."""
        return self._numbers(np.dtype(np.float64), list(FLAGS))

    def _numbers(self, dtype: "np.dtype[Any]", flags: Iterable[int]) -> NDArray[Any]:
        numbers = np.zeros(len(self), dtype)
        for flag in flags:
            places = np.flatnonzero(self.flags == flag)
            if len(places):
                data, width = np.frombuffer(self.data, np.uint8), (flag & 7) + 1
                numbers[places] = data[self.starts[places, None] + np.arange(width)].view(FLAGS[flag])[:, 0]
        return numbers

    def values(self) -> list[Number]:
        """The numbers as Python has them."""
        ints, floats, are_floats = self.ints.tolist(), self.floats.tolist(), self.are_floats.tolist()
        return [floats[at] if is_float else ints[at] for at, is_float in enumerate(are_floats)]

    def merged(self, duplicates: Duplicates) -> "PointArrays":
        """The points by time, each time once.

        Of several cells with one time the newest counts; of equally new ones a single point in seconds, then that of
        the smallest qualifier. `strict` raises InvalidRecord if their numbers differ in a byte, as OpenTSDB does unless
        `fix_duplicates` is set.
        """
        points = self.taking(np.lexsort((-self.written_ms, self.offsets_ms)))
        repeats = np.flatnonzero(points.offsets_ms[1:] == points.offsets_ms[:-1]) + 1
        if not len(repeats):
            return points
        if duplicates == "strict":
            for place in repeats.tolist():
                newer, older = points.number_bytes(place - 1), points.number_bytes(place)
                if newer != older:
                    offset_ms = int(points.offsets_ms[place])
                    got = f"{newer.hex()} and {older.hex()} at offset {offset_ms} ms"
                    raise InvalidRecord(f"cells of one time must hold the same number (got {got})")
        return points.taking(np.delete(np.arange(len(points)), repeats))

    def compacted(self) -> tuple[bytes, bytes]:
        """The qualifier and the value of the one cell that holds these points, which must be `merged`."""
        seconds = (self.offsets_ms // 1000 << 4 | self.flags).astype(">u2").tobytes()
        milliseconds = (0xF0000000 | self.offsets_ms << 6 | self.flags).astype(">u4").tobytes()
        numbers = [self.number_bytes(place) for place in range(len(self))]
        if not self.are_in_ms.any():
            qualifier, tail = seconds, NOT_MIXED
        elif self.are_in_ms.all():
            qualifier, tail = milliseconds, NOT_MIXED
        else:
            qualifier = b"".join(
                milliseconds[4 * place : 4 * place + 4] if in_ms else seconds[2 * place : 2 * place + 2]
                for place, in_ms in enumerate(self.are_in_ms.tolist())
            )
            tail = MIXED
        return qualifier, b"".join(numbers) + tail * (len(self) > 1)


def is_of_points(qualifier: bytes) -> bool:
    """Whether a cell holds a point or a compacted row: any even number of bytes."""
    return len(qualifier) % 2 == 0


def read_points(cells: Cells) -> PointArrays:
    """The points of all cells of a row, cell after cell. Raises InvalidRecord.

    Cells with an odd qualifier that is not `APPENDED` are passed over.
    """
    reader = _Reader()
    for qualifier, (value, written_ms) in cells.items():
        if len(qualifier) == 2:
            reader.take_seconds(qualifier, value, written_ms)
        elif is_of_points(qualifier):
            reader.take_compacted(qualifier, value, written_ms)
        elif qualifier == APPENDED:
            reader.take_appended(value, written_ms)
    return reader.points()


class _Reader:
    """Collects the points of cells. A row may have a cell for each of its points, so those are kept in lists."""

    def __init__(self) -> None:
        self._qualifiers: list[int] = []
        self._starts: list[int] = []
        self._written_ms: list[int] = []
        self._compacted: list[PointArrays] = []
        self._values: list[bytes] = []
        self._bytes = 0

    def _add(self, value: bytes) -> int:
        start = self._bytes
        self._values.append(value)
        self._bytes += len(value)
        return start

    def take_seconds(self, qualifier: bytes, value: bytes, written_ms: int) -> None:
        """One point in seconds. The length of the value counts, not that of the flags, as in OpenTSDB."""
        if len(value) == 8 and qualifier[1] & 0xF == 0xB:  # OpenTSDB before 1.0 wrote floats of 4 bytes in 8
            if value[:4] != bytes(4):
                raise _wrong(qualifier, value, "must be 4 zero bytes, then a float of 4 bytes")
            value = value[4:]
        flags = qualifier[1] & IS_FLOAT | max(0, len(value) - 1) & 0xF
        if flags not in FLAGS or len(value) != (flags & 7) + 1:
            raise _wrong(qualifier, value, "must be an int of 1, 2, 4 or 8 bytes, or a float of 4 or 8")
        self._qualifiers.append(qualifier[0] << 8 | qualifier[1] & 0xF0 | flags)
        self._starts.append(self._add(value))
        self._written_ms.append(written_ms)

    def take_compacted(self, qualifier: bytes, value: bytes, written_ms: int) -> None:
        """One point in milliseconds, or several points. What follows the last number is passed over."""
        offsets_ms, flags, are_in_ms = _split(qualifier)
        widths = (flags & 7).astype(np.int64) + 1
        ends = np.cumsum(widths)
        _check_flags(qualifier, value, flags)
        if ends[-1] > len(value):
            raise _wrong(qualifier, value, f"must be {ends[-1]} bytes for its {len(flags)} points")
        starts = ends - widths + self._add(value)
        written = np.full(len(flags), written_ms, np.int64)
        self._compacted.append(PointArrays(offsets_ms, flags, are_in_ms, starts, written, b""))

    def take_appended(self, value: bytes, written_ms: int) -> None:
        """Points in the order in which they arrived; of those with one time the last counts."""
        qualifiers: dict[int, tuple[bytes, bytes]] = {}
        at = 0
        while at < len(value):
            number_at = at + (4 if value[at] >= _FIRST_IN_MS else 2)
            qualifier = value[at:number_at]
            end = number_at + (value[number_at - 1] & 7) + 1 if number_at <= len(value) else number_at + 1
            if end > len(value):
                raise _wrong(APPENDED, value, f"needs {end - at} bytes at offset {at}, {len(value) - at} left:")
            offset_ms = int(_split(qualifier)[0][0])
            qualifiers[offset_ms] = qualifier, value[number_at:end]
            at = end
        if qualifiers:
            kept = qualifiers.values()
            whole = b"".join(qualifier for qualifier, _ in kept), b"".join(number for _, number in kept)
            self.take_compacted(*whole, written_ms)

    def points(self) -> PointArrays:
        """All points."""
        qualifiers = np.array(self._qualifiers, np.int64)
        single = PointArrays(
            (qualifiers >> 4) * 1000,
            (qualifiers & 0xF).astype(np.uint8),
            np.zeros(len(qualifiers), np.bool_),
            np.array(self._starts, np.int64),
            np.array(self._written_ms, np.int64),
            b"",
        )
        parts = [single, *self._compacted]
        return PointArrays(
            np.concatenate([part.offsets_ms for part in parts]),
            np.concatenate([part.flags for part in parts]),
            np.concatenate([part.are_in_ms for part in parts]),
            np.concatenate([part.starts for part in parts]),
            np.concatenate([part.written_ms for part in parts]),
            b"".join(self._values),
        )


def _split(qualifier: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.bool_]]:
    """The offsets in ms, the flags, and which are in ms, of the points of a compacted qualifier."""
    if not qualifier:
        raise InvalidRecord("qualifier: must be that of a point (got no bytes)")
    halves = np.frombuffer(qualifier, ">u2").astype(np.int64)
    are_ms_starts = halves >= _FIRST_IN_MS << 8
    if not are_ms_starts.any():
        starts, are_in_ms = np.arange(len(halves)), np.zeros(len(halves), np.bool_)
    elif len(halves) % 2 == 0 and are_ms_starts[::2].all():
        starts = np.arange(0, len(halves), 2)
        are_in_ms = np.ones(len(starts), np.bool_)
    else:
        walked = list(_walk(are_ms_starts.tolist()))
        starts, are_in_ms = np.array(walked), are_ms_starts[walked]
        if walked[-1] + 1 + are_in_ms[-1] > len(halves):
            raise InvalidRecord(f"qualifier: needs 4 bytes for its last point, 2 left (got {shown_bytes(qualifier)})")
    ends = starts + are_in_ms
    whole = halves[starts] << 16 | halves[ends]
    offsets_ms = np.where(are_in_ms, (whole & 0x0FFFFFC0) >> 6, (halves[starts] >> 4) * 1000)
    return offsets_ms, (halves[ends] & 0xF).astype(np.uint8), are_in_ms


def _walk(are_ms_starts: list[bool]) -> Iterator[int]:
    """Where each qualifier starts, in halves of 2 bytes."""
    at = 0
    while at < len(are_ms_starts):
        yield at
        at += 1 + are_ms_starts[at]


def _check_flags(qualifier: bytes, value: bytes, flags: NDArray[np.uint8]) -> None:
    wrong = np.flatnonzero(~np.isin(flags, list(FLAGS)))
    if len(wrong):
        wanted = (
            f"needs flags {', '.join(f'{flag:x}' for flag in FLAGS)} for point {wrong[0]}, not {flags[wrong[0]]:x}:"
        )
        raise _wrong(qualifier, value, wanted)


def _wrong(qualifier: bytes, value: bytes, wanted: str) -> InvalidRecord:
    return InvalidRecord(f"cell {shown_bytes(qualifier)}: {wanted} (got {shown_bytes(value) or 'none'})")


# ---- the cells of a table layout -----------------------------------------------------------------


class PointCells:
    """The points of an hour, for a `TableLayout`: a record is one point, packed as a cell of its own."""

    record = SeriesPoint
    columns = (FAMILY.encode(),)
    cell_attributes = ("time_ms", "value")

    def pack(self, record: SeriesPoint) -> dict[bytes, bytes]:
        """The cell of a point, by its column."""
        flags, number = pack_number(record.value)
        return {column_of(qualifier_of(record.time_ms % HOUR_MS, flags)): number}

    def records(self, key: Any, cells: Mapping[bytes, bytes]) -> Iterator[SeriesPoint]:
        """The points of all cells by time. Cells that differ for one time raise, as their timestamps are unknown."""
        start = len(FAMILY) + 1
        points = read_points({column[start:]: (value, 0) for column, value in sorted(cells.items())}).merged("strict")
        for offset_ms, value in zip(points.offsets_ms.tolist(), points.values(), strict=True):
            try:
                yield SeriesPoint(key.metric_uid, key.time_ms + offset_ms, key.tag_uids, value)
            except ValueError as error:  # of the record's own validators: a number that is NaN or infinite
                raise InvalidRecord(str(error)) from None


def column_of(qualifier: bytes) -> bytes:
    """The column of a qualifier, in the one family of the data table."""
    return FAMILY.encode() + b":" + qualifier


def cells_by_qualifier(cells: Mapping[bytes, tuple[bytes, int]]) -> Cells:
    """The cells of a row that was read with timestamps, by qualifier and in its order."""
    start = len(FAMILY) + 1
    return {column[start:]: cells[column] for column in sorted(cells)}
