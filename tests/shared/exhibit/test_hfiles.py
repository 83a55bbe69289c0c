"""Sizes of files, of regions and of what compactions write; and how far they are from those of a real HBase."""

from statistics import median

import pytest

from shared.exhibit.hfiles import ENCODINGS, FileCell, fast_diff, file_sizes
from shared.exhibit.regions.simulated_splits import SplitPolicy
from shared.exhibit.regions.sizing import compacted, rising_regions, to_compact
from tests.designs import all_designs
from tests.programs.regions.region_recording import (
    FILES_WITHIN,
    REGIONS_WITHIN,
    SPLITS_WITHIN,
    recorded_regions,
    region_file,
)

RECORDED = [design for design in all_designs() if region_file(design).exists()]
FIRST = FileCell(b"web-1", b"f", b"q", 0x0102030405060708, b"value")


@pytest.mark.parametrize(
    ("cell", "encoded"),
    [
        # flags, key length, value length, shared bytes, the whole key, the value
        (None, "00 13 05 00 0005 7765622d31 01 66 71 0102030405060708 04 76616c7565"),
        # the same row: flags of equal lengths and of 7 bytes of the timestamp; 9 bytes shared, the qualifier, a byte
        (FileCell(b"web-1", b"f", b"r", 0x0102030405060709, b"other"), "77 09 72 09 6f74686572"),
        # another row and the same value, which is not stored again; the family never is
        (FileCell(b"web-2", b"f", b"q", 0x0102030405060708, b"value"), "7f 06 32 71 08"),
        # a longer row: its length is stored, and the key's
        (FileCell(b"web-12", b"f", b"q", 0x0102030405060708, b""), "74 14 00 01 06 7765622d3132 71 08"),
    ],
    ids=["first", "same row", "same value", "longer row"],
)
def test_fast_diff_stores_what_differs_from_the_cell_before(cell, encoded):
    assert fast_diff(*((None, FIRST) if cell is None else (FIRST, cell))) == bytes.fromhex(encoded)


def test_the_number_of_a_write_is_stored_with_its_cells_as_hadoop_does():
    numbers = {0: "00", 127: "7f", 128: "8f 80", 256: "8e 0100", 70_000: "8d 011170"}
    assert {number: FileCell(b"r", b"f", b"", 0, b"", number).number_bytes for number in numbers} == {
        number: bytes.fromhex(text) for number, text in numbers.items()
    }


def test_equal_values_and_similar_keys_make_files_small_and_a_file_ends_its_blocks_at_64_kilobytes():
    cells = [FileCell(b"host-%06d" % number, b"f", b"q", 10**12 + number, b"v" * 100) for number in range(2000)]
    sizes = file_sizes(cells)
    assert {size.cells for size in sizes.values()} == {size.rows for size in sizes.values()} == {2000}
    assert sizes["NONE"].blocks == -(-2000 * (20 + 13 + 100 + 3) // 65_536)
    plain, fast_diff_, gz = (sizes[encoding].growing_bytes for encoding in ENCODINGS)
    assert plain / 2000 == pytest.approx(20 + 13 + 100 + 3 + 1.2, rel=0.01)
    assert fast_diff_ < plain / 5
    assert gz < plain / 5


@pytest.mark.parametrize(
    ("sizes", "chosen"),
    [
        ([100, 10, 10], None),  # fewer than three without the large one
        ([100, 10, 10, 10], slice(1, 4)),
        ([30, 30, 30, 10, 10, 10], slice(0, 6)),
        ([100, 1, 1], slice(0, 3)),  # all small together
        ([10] * 12, slice(0, 10)),
    ],
)
def test_a_compaction_takes_as_many_files_as_the_rule_allows(sizes, chosen):
    small = 103 if sizes == [100, 1, 1] else 5
    assert to_compact(sizes, small) == chosen


def test_larger_regions_and_smaller_flushes_write_each_byte_more_often():
    written = [compacted(flushed, 1_000_000) for flushed in (200_000, 50_000, 12_500)]
    assert written == sorted(written)
    assert 2 <= written[0] < written[-1] < 8


@pytest.mark.parametrize("design", RECORDED, ids=lambda design: design.name)
def test_what_is_predicted_is_what_a_real_hbase_had_within_the_tolerance(design):
    recording = recorded_regions(design)
    assert {one.encoding for one in recording.files} == {*ENCODINGS}
    assert [one for one in recording.files if abs(one.deviation) > FILES_WITHIN] == []
    assert [split for split in recording.splits if split.deviation > SPLITS_WITHIN] == []


def test_a_recording_has_variants_whose_keys_rise_and_variants_whose_keys_are_spread():
    splits = {split.variant: split for design in RECORDED for split in recorded_regions(design).splits}
    assert {*splits} == {"logs", "time-first", "salted", "random"}
    # The page says why HBase has more regions under the key that rises over the whole table.
    assert {name for name, split in splits.items() if split.has_as_many_regions} == {"logs", "salted", "random"}


def test_rising_keys_leave_a_third_in_each_region_because_hbase_splits_its_largest_file():
    (measured,) = (split for one in RECORDED for split in recorded_regions(one).splits if split.variant == "time-first")
    regions = rising_regions(measured.rows * measured.row_bytes, SplitPolicy(measured.flush_bytes, measured.max_bytes))
    assert len(regions) == pytest.approx(len(measured.fullness), rel=REGIONS_WITHIN)
    assert median(regions) / measured.max_bytes == pytest.approx(median(measured.fullness), abs=0.03)
    policy = SplitPolicy()
    assert rising_regions(10**12, policy)[20] / policy.max_bytes == pytest.approx(1 / 3, abs=0.02)
