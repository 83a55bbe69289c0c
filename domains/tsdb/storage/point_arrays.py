"""The points of cells as arrays: those of one row, or of all rows of one reply; and the cells of the data table."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from shared.keys.cell_arrays import CellArrays
from shared.keys.errors import shown_bytes
from shared.tables import InvalidRecord

from ..records import Number, SeriesPoint
from .qualifiers import (
    APPENDED,
    COLUMN_START,
    FAMILY,
    FIRST_IN_MS,
    FLAGS,
    IS_FLOAT,
    MIXED,
    NOT_MIXED,
    Cells,
    Duplicates,
    cell_of,
    column_of,
    is_of_points,
)

_SINGLE_BYTES = 2
"""The bytes of the qualifier of a point in seconds."""
_OFFSET_BITS = 22
"""The bits of an offset in ms in a qualifier. OpenTSDB also reads offsets after the hour."""
_ARE_FLAGS = np.isin(np.arange(16), list(FLAGS))


@attrs.frozen(eq=False)
class PointArrays:
    """Points of one or more rows as arrays of equal length; after `merged` row after row, each by time."""

    rows: NDArray[np.int64]
    """The number of the row of each point."""
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
            self.rows[places],
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

    def numbers(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The ints, with 0 in place of floats; and all numbers as floats, ints of more than 53 bits rounded."""
        ints, numbers = np.zeros(len(self), np.int64), np.zeros(len(self), np.float64)
        counts = np.bincount(self.flags, minlength=16)
        for flags, dtype in FLAGS.items():
            if counts[flags]:
                places = slice(None) if counts[flags] == len(self) else np.flatnonzero(self.flags == flags)
                number_bytes = (flags & 7) + 1
                at_each_byte = np.ndarray(len(self.data) - number_bytes + 1, dtype, self.data, strides=(1,))
                numbers[places] = of_flags = at_each_byte[self.starts[places]]
                if not flags & IS_FLOAT:
                    ints[places] = of_flags
        return ints, numbers

    def values(self) -> list[Number]:
        """The numbers as Python has them."""
        ints, floats = self.numbers()
        numbers = ints.astype(object)
        numbers[self.are_floats] = floats[self.are_floats]
        values: list[Number] = numbers.tolist()
        return values

    def merged(self, duplicates: Duplicates) -> "PointArrays":
        """The points of each row by time, each time once.

        If several cells have one time, the newest counts. If they are equally new, a single point in seconds wins,
        otherwise the cell with the smallest qualifier. `strict` raises InvalidRecord if their numbers differ in a byte,
        as OpenTSDB does unless `fix_duplicates` is set.
        """
        places = self.rows << _OFFSET_BITS | self.offsets_ms
        if (places[1:] > places[:-1]).all():
            return self
        order = np.argsort(places, kind="stable")
        in_order = places[order]
        if (in_order[1:] > in_order[:-1]).all():
            return self.taking(order)
        order = np.lexsort((-self.written_ms, places))
        points, places = self.taking(order), places[order]
        repeats = np.flatnonzero(places[1:] == places[:-1]) + 1
        if duplicates == "strict":
            for place in repeats.tolist():
                newer, older = points.number_bytes(place - 1), points.number_bytes(place)
                if newer != older:
                    offset_ms = int(points.offsets_ms[place])
                    got = f"{newer.hex()} and {older.hex()} at offset {offset_ms} ms"
                    raise InvalidRecord(f"cells of one time must hold the same number (got {got})")
        return points.taking(np.delete(np.arange(len(points)), repeats))

    def compacted(self) -> tuple[bytes, bytes]:
        """The qualifier and the value of the one cell that holds these points: `merged`, and of one row."""
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


def read_points(cells: Cells) -> PointArrays:
    """The points of a row, as `read_cells` reads them. Raises InvalidRecord."""
    return read_cells(CellArrays.of_rows([(b"", {column_of(qualifier): cell for qualifier, cell in cells.items()})]))


def read_cells(cells: CellArrays) -> PointArrays:
    """The points of some rows; first those in seconds that have a cell of their own. Raises InvalidRecord.

    Cells with an odd qualifier that is not `APPENDED` are ignored.
    """
    are_single = cells.column_lengths == len(COLUMN_START) + _SINGLE_BYTES
    single = _single_points(cells if are_single.all() else cells.taking(are_single))
    places = np.flatnonzero(~are_single).tolist()
    rows = cells.row_of_cell[places].tolist()
    qualifiers = [qualifier_in(cells, place) for place in places]
    several = _CellsOfRows()
    for row, qualifier, place in sorted(zip(rows, qualifiers, places, strict=True)):  # gateways have another order
        several.add(row, qualifier, cells.value(place), int(cells.written_ms[place]))
    if not several.values:
        return single
    if not len(single):
        return attrs.evolve(_several_points(several, 0), data=b"".join(several.values))
    parts = [single, _several_points(several, len(single.data))]
    return PointArrays(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.offsets_ms for part in parts]),
        np.concatenate([part.flags for part in parts]),
        np.concatenate([part.are_in_ms for part in parts]),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.written_ms for part in parts]),
        b"".join([single.data, *several.values]),
    )


class _CellsOfRows:
    """Cells of a point in milliseconds or of several points, in lists of equal length: numpy reads all at once."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.qualifiers: list[bytes] = []
        self.values: list[bytes] = []
        self.written_ms: list[int] = []

    def add(self, row: int, qualifier: bytes, value: bytes, written_ms: int) -> None:
        """Adds a cell, unless it has no points."""
        if qualifier == APPENDED and value:
            qualifier, value = _compacted_appends(value)
        if is_of_points(qualifier):
            self.rows.append(row)
            self.qualifiers.append(qualifier)
            self.values.append(value)
            self.written_ms.append(written_ms)


def _single_points(cells: CellArrays) -> PointArrays:
    """The points of cells of one point in seconds. The length of a value counts, not its flags, as in OpenTSDB."""
    starts, widths = cells.value_starts, cells.value_lengths
    data, qualifiers_at = np.frombuffer(cells.data, np.uint8), cells.column_starts + len(COLUMN_START)
    qualifiers = data[qualifiers_at].astype(np.int64) << 8 | data[qualifiers_at + 1]

    def wrong(cell: int, wanted: str) -> InvalidRecord:
        return _wrong(qualifier_in(cells, cell), cells.value(cell), wanted)

    old = np.flatnonzero((widths == 8) & (qualifiers & 0xF == 0xB))
    if len(old):  # OpenTSDB before 1.0 wrote floats of 4 bytes in 8
        for cell in old.tolist():
            if cells.value(cell)[:4] != bytes(4):
                raise wrong(cell, "must be 4 zero bytes, then a float of 4 bytes")
        starts, widths = starts.copy(), widths.copy()
        starts[old] += 4
        widths[old] = 4
    flags = qualifiers & IS_FLOAT | np.maximum(widths - 1, 0) & 0xF
    if len(invalid := np.flatnonzero(~_ARE_FLAGS[flags] | (widths != (flags & 7) + 1))):
        raise wrong(int(invalid[0]), "must be an int of 1, 2, 4 or 8 bytes, or a float of 4 or 8")
    return PointArrays(
        cells.row_of_cell,
        (qualifiers >> 4) * 1000,
        flags.astype(np.uint8),
        np.zeros(len(flags), np.bool_),
        starts,
        cells.written_ms,
        cells.data,
    )


def _several_points(cells: _CellsOfRows, first_start: int) -> PointArrays:
    """The points of cells of one point in milliseconds, or of several points. Bytes after the last one are ignored.

    The values of these cells start at `first_start` of the data.
    """
    cell_of_point, offsets_ms, flags, are_in_ms = _split_qualifiers(cells.qualifiers)
    if len(wrong := np.flatnonzero(~_ARE_FLAGS[flags])):
        point = wrong[0]
        number = point - np.searchsorted(cell_of_point, cell_of_point[point])  # within its cell
        wanted = f"needs flags {', '.join(f'{flag:x}' for flag in FLAGS)} for point {number}, not {flags[point]:x}:"
        cell = int(cell_of_point[point])
        raise _wrong(cells.qualifiers[cell], cells.values[cell], wanted)
    lengths = np.fromiter(map(len, cells.values), np.int64, len(cells.values))
    numbers_at = np.append(0, np.cumsum((flags & 7) + np.int64(1)))  # if they followed each other
    needed = np.diff(numbers_at[np.searchsorted(cell_of_point, np.arange(len(lengths) + 1))])
    if len(short := np.flatnonzero(needed > lengths)):
        cell = int(short[0])
        wanted = f"must be {needed[cell]} bytes for its {np.sum(cell_of_point == cell)} points"
        raise _wrong(cells.qualifiers[cell], cells.values[cell], wanted)
    # The unused last bytes of earlier cells are before it, too.
    unused = np.cumsum(lengths - needed) - (lengths - needed)
    return PointArrays(
        np.array(cells.rows, np.int64)[cell_of_point],
        offsets_ms,
        flags,
        are_in_ms,
        first_start + numbers_at[:-1] + unused[cell_of_point],
        np.array(cells.written_ms, np.int64)[cell_of_point],
        b"",
    )


def _compacted_appends(value: bytes) -> tuple[bytes, bytes]:
    """The qualifiers and the numbers of an appended cell, in the order of arrival; for each time only the last."""
    points: dict[int, tuple[bytes, bytes]] = {}
    at = 0
    while at < len(value):
        number_at = at + (4 if value[at] >= FIRST_IN_MS else 2)
        qualifier = value[at:number_at]
        end = number_at + (value[number_at - 1] & 7) + 1 if number_at <= len(value) else number_at + 1
        if end > len(value):
            raise _wrong(APPENDED, value, f"needs {end - at} bytes at offset {at}, {len(value) - at} left:")
        _, offsets_ms, _, _ = _split_qualifiers([qualifier])
        points[int(offsets_ms[0])] = qualifier, value[number_at:end]
        at = end
    qualifiers, numbers = zip(*points.values(), strict=True)
    return b"".join(qualifiers), b"".join(numbers)


def _split_qualifiers(
    qualifiers: list[bytes],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.bool_]]:
    """For each point of these qualifiers: the index of its qualifier, its offset in ms, flags, whether it is in ms."""
    if not all(qualifiers):
        raise InvalidRecord("qualifier: must be of a point (got no bytes)")
    halves = np.frombuffer(b"".join(qualifiers), ">u2").astype(np.int64)
    counts = np.fromiter(map(len, qualifiers), np.int64, len(qualifiers)) // 2
    cell_of_half = np.repeat(np.arange(len(qualifiers)), counts)
    are_ms_starts = halves >= FIRST_IN_MS << 8
    if not are_ms_starts.any():
        return cell_of_half, (halves >> 4) * 1000, (halves & 0xF).astype(np.uint8), are_ms_starts
    if len(halves) % 2 == 0 and are_ms_starts[::2].all():
        starts = np.arange(0, len(halves), 2)
        are_in_ms = np.ones(len(starts), np.bool_)
    else:
        starts = np.fromiter(_walk(are_ms_starts.tolist()), np.int64)
        are_in_ms = are_ms_starts[starts]
    ends = starts + are_in_ms
    are_ends = np.zeros(len(halves) + 1, np.bool_)
    are_ends[ends] = True
    if len(cut := np.flatnonzero(~are_ends[np.cumsum(counts) - 1])):
        got = shown_bytes(qualifiers[int(cut[0])])
        raise InvalidRecord(f"qualifier: needs 4 bytes for its last point, 2 left (got {got})")
    whole = halves[starts] << 16 | halves[ends]
    offsets_ms = np.where(are_in_ms, (whole & 0x0FFFFFC0) >> 6, (halves[starts] >> 4) * 1000)
    return cell_of_half[starts], offsets_ms, (halves[ends] & 0xF).astype(np.uint8), are_in_ms


def _walk(are_ms_starts: list[bool]) -> Iterator[int]:
    """Where each qualifier starts, in halves of 2 bytes."""
    at = 0
    while at < len(are_ms_starts):
        yield at
        at += 1 + are_ms_starts[at]


def _wrong(qualifier: bytes, value: bytes, wanted: str) -> InvalidRecord:
    return InvalidRecord(f"cell {shown_bytes(qualifier)}: {wanted} (got {shown_bytes(value) or 'none'})")


def qualifier_in(cells: CellArrays, cell: int) -> bytes:
    """The qualifier of one of these cells."""
    return cells.column(cell)[len(COLUMN_START) :]


class PointCells:
    """The points of an hour, for a `TableLayout`: a record is one point, packed as a cell of its own."""

    record = SeriesPoint
    columns = (FAMILY.encode(),)
    cell_attributes = ("time_ms", "value")

    def pack(self, record: SeriesPoint) -> dict[bytes, bytes]:
        """The cell of a point, by its column."""
        column, number = cell_of(record.time_ms, record.value)
        return {column: number}

    def records(self, key: Any, cells: Mapping[bytes, bytes]) -> Iterator[SeriesPoint]:
        """The points of all cells by time. Cells that differ for one time raise, as their timestamps are unknown."""
        start = len(COLUMN_START)
        points = read_points({column[start:]: (value, 0) for column, value in sorted(cells.items())}).merged("strict")
        for offset_ms, value in zip(points.offsets_ms.tolist(), points.values(), strict=True):
            try:
                yield SeriesPoint(key.metric_uid, key.time_ms + offset_ms, key.tag_uids, value)
            except ValueError as error:  # of the record's own validators: a number that is NaN or infinite
                raise InvalidRecord(str(error)) from None
