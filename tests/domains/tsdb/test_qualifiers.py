"""The cell format: what is stored, what is read of what others stored, and what is refused."""

import math
import struct
from contextlib import suppress
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.tsdb.records import SeriesPoint
from domains.tsdb.storage.point_arrays import PointCells, read_cells, read_points
from domains.tsdb.storage.qualifiers import HOUR_MS, column_of, pack_appended, pack_number, qualifier_of
from shared.keys.cell_arrays import CellArrays
from shared.tables import InvalidRecord

numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
offsets = st.integers(0, HOUR_MS - 1) | st.integers(0, 3599).map(lambda second: second * 1000)


def read_rows(rows):
    """The points of rows that a scan returns at once, each row as {qualifier: (value, timestamp)}."""
    return read_cells(
        CellArrays.of_rows((b"row", {column_of(name): cell for name, cell in row.items()}) for row in rows)
    )


def read(*cells, duplicates="strict"):
    """The points of some cells, each as qualifier and value in hex and maybe a timestamp, as {offset: number}."""
    stored = {bytes.fromhex(cell[0]): (bytes.fromhex(cell[1]), *(cell[2:] or (0,))) for cell in cells}
    points = read_points(stored).merged(duplicates)
    return dict(zip(points.offsets_ms.tolist(), points.values(), strict=True))


@pytest.mark.parametrize(
    ("value", "flags", "data"),
    [
        (0, 0x0, "00"),
        (127, 0x0, "7f"),
        (-128, 0x0, "80"),
        (128, 0x1, "0080"),
        (-129, 0x1, "ff7f"),
        (32_768, 0x3, "00008000"),
        (2**31, 0x7, "0000000080000000"),
        (-(2**63), 0x7, "8000000000000000"),
        (42.5, 0xB, "422a0000"),
        (0.1, 0xF, "3fb999999999999a"),
        (0.0, 0xB, "00000000"),
        (-0.0, 0xB, "80000000"),
        (1e300, 0xF, "7e37e43c8800759c"),
    ],
)
def test_a_number_has_as_few_bytes_as_hold_it_exactly(value, flags, data):
    assert pack_number(value) == (flags, bytes.fromhex(data))
    ((_, back),) = read((f"00{flags:02x}", data)).items()
    assert (back, type(back), math.copysign(1, back)) == (value, type(value), math.copysign(1, value))


@settings(max_examples=25)
@given(st.dictionaries(offsets, numbers, min_size=1, max_size=30))
def test_points_come_back_from_cells_of_their_own_and_from_one_compacted_cell(points):
    cells = {}
    for offset_ms, value in points.items():
        flags, number = pack_number(value)
        cells[qualifier_of(offset_ms, flags)] = number, 7
    for stored in (cells, {compact(cells)[0]: (compact(cells)[1], 7)}):
        read_back = read_points(stored).merged("strict")
        assert read_back.offsets_ms.tolist() == sorted(points)
        assert read_back.values() == [points[offset_ms] for offset_ms in sorted(points)]
    appended = {b"\5\0\0": (pack_appended(points.items()), 7)}
    assert compact(appended) == compact(cells)


def compact(cells):
    return read_points(cells).merged("strict").compacted()


rows = st.lists(st.dictionaries(offsets, numbers, max_size=8), max_size=6)


@settings(max_examples=25)
@given(rows, st.lists(st.sampled_from(["single", "compacted", "appended", "both"]), min_size=6, max_size=6))
def test_many_rows_at_once_have_the_points_of_each_alone(points_of_rows, forms):
    stored = []
    for points, form in zip(points_of_rows, forms, strict=False):
        cells = {}
        for offset_ms, value in points.items():
            flags, number = pack_number(value)
            cells[qualifier_of(offset_ms, flags)] = number, 7
        compacted = {compact(cells)[0]: (compact(cells)[1], 8)} if points else {}
        appended = {b"\5\0\0": (pack_appended(points.items()), 7)}
        stored.append({"single": cells, "compacted": compacted, "appended": appended, "both": cells | compacted}[form])
    together = read_rows(stored).merged("strict")
    for row, cells in enumerate(stored):
        alone = read_points(cells).merged("strict")
        own = together.taking(together.rows == row)
        assert own.offsets_ms.tolist() == alone.offsets_ms.tolist()
        assert own.values() == alone.values()
    assert together.rows.tolist() == sorted(together.rows.tolist())


def test_an_offset_after_the_hour_is_not_taken_for_one_of_the_next_row():
    after, early = bytes.fromhex("e7 40"), bytes.fromhex("06 40")  # seconds 3,700 and 100
    points = read_rows([{after: (b"\1", 1)}, {early: (b"\2", 2)}]).merged("strict")
    assert (points.rows.tolist(), points.offsets_ms.tolist()) == ([0, 1], [3_700_000, 100_000])


def test_a_qualifier_that_is_cut_off_does_not_take_bytes_of_the_next_cell():
    cut, whole = bytes.fromhex("00 00 f0 00"), bytes.fromhex("00 10 f0 00 00 40")
    with pytest.raises(InvalidRecord, match=r"needs 4 bytes for its last point, 2 left .got 00 00 f0 00"):
        read_rows([{cut: (bytes(9), 1)}, {whole: (bytes(9), 1)}])


@settings(max_examples=50)
@given(st.dictionaries(st.binary(min_size=1, max_size=9), st.tuples(st.binary(max_size=12), st.integers(0, 9))))
def test_any_bytes_are_read_or_refused(cells):
    with suppress(InvalidRecord):
        points = read_points(cells).merged("strict")
        assert len(points.values()) == len(points)


@pytest.mark.parametrize("tail", ["", "00", "01", "ff", "0001ff"])
def test_a_tail_that_is_missing_wrong_or_too_long_is_passed_over(tail):
    assert read(("00000010", "0102" + tail)) == {0: 1, 1000: 2}


@pytest.mark.parametrize(
    ("qualifier", "value", "message"),
    [
        ("00000010", "01", r"cell 00 00 00 10: must be 2 bytes for its 2 points \(got 01\)"),
        ("f0000001", "01", r"must be 2 bytes for its 1 points \(got 01\)"),
        ("0000", "", r"cell 00 00: must be an int of 1, 2, 4 or 8 bytes, or a float of 4 or 8 \(got none\)"),
        ("0002", "010203", r"must be an int of 1, 2, 4 or 8 bytes"),
        ("000b", "0102", r"must be an int of 1, 2, 4 or 8 bytes, or a float of 4 or 8"),
        ("000b", "0000000140866666", r"must be 4 zero bytes, then a float of 4 bytes"),
        ("00000012", "01020304", r"needs flags 0, 1, 3, 7, b, f for point 1, not 2:"),
        ("0000f000", "010203", r"qualifier: needs 4 bytes for its last point, 2 left"),
        ("", "01", r"qualifier: must be of a point \(got no bytes\)"),
        ("050000", "0020", r"cell 05 00 00: needs 3 bytes at offset 0, 2 left: \(got 00 20\)"),
        ("050000", "00202a00", r"needs 3 bytes at offset 3, 1 left"),
        ("050000", "f000", r"at offset 0, 2 left"),
    ],
)
def test_a_cell_that_would_lose_points_is_an_error(qualifier, value, message):
    with pytest.raises(InvalidRecord, match=message):
        read((qualifier, value))


def test_the_old_float_fix_and_flags_that_disagree_with_the_value():
    assert read(("001b", "0000000040866666")) == {1000: struct.unpack(">f", bytes.fromhex("40866666"))[0]}
    assert read(("000f", "422a0000")) == {0: 42.5}
    assert read(("0007", "2a")) == {0: 42}


def test_of_cells_with_one_time_the_newest_counts_or_they_must_be_equal():
    cells = (("0000", "05", 3), ("f0000001", "0006", 4), ("0001", "0005", 2))
    assert read(*cells, duplicates="newest") == {0: 6}
    with pytest.raises(InvalidRecord, match=r"of one time must hold the same number \(got 0006 and 05 at offset 0 ms"):
        read(*cells)
    assert read(("0000", "05", 3), ("f0000000", "05", 4)) == {0: 5}
    assert read(("0000", "05", 3), ("0001", "0006", 3), duplicates="newest") == {0: 5}


def test_of_cells_with_one_time_and_one_timestamp_seconds_count_and_then_the_smallest_qualifier():
    milliseconds, compacted, single = ("f0000000", "01"), ("00000010", "0203"), ("0000", "04")
    for cells in permutations((milliseconds, compacted)):
        assert read(*cells, duplicates="newest") == {0: 2, 1000: 3}
    for cells in permutations((milliseconds, compacted, single)):
        assert read(*cells, duplicates="newest") == {0: 4, 1000: 3}


def test_of_appended_points_with_one_time_the_last_counts():
    assert read(("050000", pack_appended([(0, 1), (1000, 2), (0, 3)]).hex())) == {0: 3, 1000: 2}
    assert read(("050000", "")) == {}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pack_number(math.nan), "must be an int of 64 bits, or a float that is not NaN or infinite .got nan"),
        (lambda: pack_number(-math.inf), "got -inf"),
        (lambda: pack_number(2**63), "got 9223372036854775808"),
        (lambda: pack_number(True), "got True"),
        (lambda: qualifier_of(HOUR_MS, 0), "offset_ms: must be 0..3599999 .got 3600000"),
        (lambda: qualifier_of(-1, 0), "got -1"),
        (lambda: qualifier_of(0, 16), "flags: must be 0..15 .got 16"),
        (lambda: qualifier_of(1, 0, in_ms=False), "offset_ms: must be whole seconds .got 1"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(InvalidRecord, match=message):
        call()


def test_a_stored_nan_is_damage_for_a_record():
    cells = {b"t:\0\x0b": struct.pack(">f", math.nan)}
    key = SeriesPoint(b"", 0, b"", 0)
    with pytest.raises(InvalidRecord, match=r"SeriesPoint.value: must be an int of 64 bits, or a float that is not"):
        list(PointCells().records(key, cells))
