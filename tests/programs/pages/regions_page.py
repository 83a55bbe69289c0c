"""The page about regions that split: the examples of the documents, keys of numbers, sizes, and what HBase did."""

from collections.abc import Iterable, Sequence
from math import ceil
from statistics import median

import attrs

from shared.designs.design import Design
from shared.exhibit.comparison import stored_bytes
from shared.exhibit.hfiles import INDEX_BYTES
from shared.exhibit.markdown import below, filled, markdown_table, picture_block
from shared.exhibit.pictures import Picture
from shared.exhibit.regions.simulated_splits import MAX_BYTES, SplitPolicy, count_half_full, regions_of
from shared.exhibit.regions.simulation import SAMPLE_ROWS, Sample, simulate
from shared.exhibit.regions.sizing import rising_regions
from shared.keys.limits import BLOCK_BYTES
from tests.programs.pages.newest_rows import (
    NEWEST_FORMS,
    OTHERS,
    OWNED_FORMS,
    PLACES,
    REGION_ROWS,
    STORED,
    newest_rows,
    rows_of_one_user,
)
from tests.programs.pages.numbered_keys import (
    ASKED,
    BUCKETS,
    FORMS,
    NUMBERS,
    POLICY,
    ROW_BYTES,
    ROWS,
    SERVERS,
    SpreadAndScan,
    divided,
    java_divided,
    java_hash,
    java_remainder,
    prefixes_of,
    remainder,
    signed_remainder,
    spread_and_scan,
)
from tests.programs.pages.region_picture import region_picture
from tests.programs.regions.region_recording import RegionRecording, recorded_regions

COUNTING = tuple(b"%d" % number for number in range(11, 17))
LATER = tuple(b"%d" % number for number in range(19, 23))
"""The numbers of S2.2: those that make the table split, and those that are stored afterwards."""
SORTED = (b"1", b"12", b"27", b"3", b"4", b"66")
"""The keys of the other example of `002`."""
LIMIT_ROWS = 5
"""A region of the examples splits when it has one row more."""
HASHED = ("a", "b", "c", "user_1")
DIVIDE_BY = 3
DIVIDED = ("divided", "remainder")
"""The keys with a section of their own."""
KEY_BYTES = (10, 50)
RISING = "time-first"
"""The variant of the recordings whose keys rise."""
RISING_SAMPLE = Sample([b"%04d" % number for number in range(SAMPLE_ROWS)])
TERABYTE = 10**12
COLUMN, VALUE_BYTES = b"f:q", 100
"""A cell of the comparison of key lengths."""


def regions_blocks(designs: Sequence[Design]) -> dict[str, str]:
    """All generated blocks of the page; the designs are those with a recording."""
    measured = [spread_and_scan(form) for form in FORMS]
    recordings = [(design.name, recorded_regions(design)) for design in designs]
    by_name = {one.form.name: one for one in measured}
    return {
        "examples": _examples_block(),
        "numbers-picture": picture_block("regions", drawn_regions(), "pictures"),
        "numbers": _numbers_block(measured),
        "rising": _rising_block(by_name["plain"], by_name["hashed"]),
        "newest": _newest_block(),
        "one-user": _one_user_block(),
        "division": _division_block(*(by_name[name] for name in DIVIDED)),
        "key-lengths": _key_lengths_block(),
        "splits": _splits_block(recordings),
        "largest-file": _largest_file_block(recordings),
        "files": _files_block(recordings),
    }


def drawn_regions() -> Picture:
    """Where numbers that count up go under three keys."""
    by_name = {form.name: form for form in FORMS}
    return region_picture([spread_and_scan(by_name[name]) for name in ("plain", "salted", "hashed")])


def _shown(keys: Iterable[bytes]) -> str:
    return f"`{', '.join(key.decode() for key in keys)}`"


def _examples_block() -> str:
    rows: list[tuple[str, str, str, str]] = []
    for name, keys, later in (
        ("11 to 16, then 19 to 22", COUNTING, LATER),
        ("the same, transposed", tuple(key[::-1] for key in COUNTING), tuple(key[::-1] for key in LATER)),
        ("1, 12, 27, 3, 4, 66", SORTED, ()),
    ):
        before, after = regions_of(keys, LIMIT_ROWS), regions_of(keys, LIMIT_ROWS, later)
        landed = " and ".join(str(len(region) - len(then)) for region, then in zip(after, before, strict=True))
        rows.append((name, _shown(before[0]), _shown(before[1]), f"{landed} ({_shown(later)})" if later else ""))
    return markdown_table(("keys", "first region", "second region", "later keys, in each region"), rows)


def _numbers_block(measured: Sequence[SpreadAndScan]) -> str:
    first, until = ASKED
    caption = (
        f"{ROWS:,} rows on {SERVERS} servers; regions split at {POLICY.max_bytes / 2**30:g} GB. Idle: no row in the "
        f"last tenth of the load. Read: {until - first:,} of {NUMBERS:,} numbers in a row."
    )
    columns = ("key", "busiest region", "busiest server", "regions", "idle", "ranges", "rows read (regions)")
    rows = [
        (
            f"`{one.form.key}`",
            f"{one.simulation.busiest_region:.0%}",
            f"{one.simulation.busiest_server:.0%}",
            f"{len(one.simulation.table.regions)}",
            f"{one.simulation.moments[-1].idle}",
            "" if one.reads_all else f"{one.ranges}",
            "all" if one.reads_all else f"{one.rows:,} ({one.regions})",
        )
        for one in measured
        if one.form.name not in DIVIDED
    ]
    return below(caption, markdown_table(columns, rows))


def _rising_block(plain: SpreadAndScan, hashed: SpreadAndScan) -> str:
    rising, spread = plain.simulation, hashed.simulation
    fewest = ceil(ROWS * ROW_BYTES / POLICY.max_bytes)
    return filled(
        f"{fewest} full regions could hold the load of the table above. The plain number has "
        f"{len(rising.table.regions)}; {rising.moments[-1].idle} of them are idle and {rising.idle_fullness:.0%} full; "
        f"a hash has {len(spread.table.regions)}, {spread.fullness:.0%} full."
    )


def _newest_block() -> str:
    found = [(name, newest_rows(form)) for name, form in NEWEST_FORMS.items()]
    rows = [
        (
            name,
            *(f"{one.shares[place]:.0%}" for place in PLACES),
            f"{one.at_once:.0%}",
            f"{one.of_all:.0%}",
            f"{one.splits}",
        )
        for name, one in found
    ]
    caption = (
        f"{STORED:,} rows on {SERVERS} servers; regions split at {REGION_ROWS:,} rows. After the first "
        "split: the share of new rows that each region gets, in key order, and that the busiest server gets, in a "
        "hundredth of the load (median) and in all of it."
    )
    columns = ("key", *PLACES, "one server, at a time", "in all", "splits")
    return below(caption, markdown_table(columns, rows))


def _one_user_block() -> str:
    found = [(name, rows_of_one_user(form)) for name, form in OWNED_FORMS.items()]
    rows = [(name, f"{one.regions} of {one.of_regions}", f"{one.at_once:.0%}") for name, one in found]
    caption = f"The same table, if one of {OTHERS + 1} users writes half of the rows:"
    columns = ("key", "regions with rows of this user", "the user's new rows in one region, at a time")
    return below(caption, markdown_table(columns, rows))


def _division_block(over: SpreadAndScan, rest: SpreadAndScan) -> str:
    keys = [
        (
            key,
            f"{java_hash(key)}",
            *(f"`{form(key, DIVIDE_BY).decode()}`" for form in (divided, signed_remainder, remainder)),
        )
        for key in HASHED
    ]
    forms = (f"hash / {DIVIDE_BY}", f"hash % {DIVIDE_BY}", f"Math.floorMod(hash, {DIVIDE_BY})")
    small = markdown_table(("key", "Java's hash", *forms), keys)
    signed = sorted({java_remainder(number, BUCKETS) for number in range(-BUCKETS, BUCKETS + 1)})
    users = [java_remainder(java_hash(f"user_{number}"), BUCKETS) for number in range(1, NUMBERS + 1)]
    words = (
        f"In Java `hash % {BUCKETS}` has {len(signed)} values, {signed[0]} to {signed[-1]}, and "
        f"`Math.floorMod(hash, {BUCKETS})` has {BUCKETS}. Of the keys `user_1` to `user_{NUMBERS}`, "
        f"{sum(rest < 0 for rest in users):,} have a negative remainder, which a reader of 0 to {BUCKETS - 1} misses."
    )
    quotients = java_divided(2**31 - 1, BUCKETS) - java_divided(-(2**31), BUCKETS) + 1
    prefixes = (
        f"With `hash / {BUCKETS}`, {NUMBERS:,} numbers have {len(prefixes_of(divided)):,} of {quotients:,} possible "
        f"prefixes, and one region gets {over.simulation.busiest_region:.0%} of the writes. With `Math.floorMod(hash, "
        f"{BUCKETS})` they have {len(prefixes_of(remainder))}, and the busiest region gets "
        f"{rest.simulation.busiest_region:.0%}."
    )
    return "\n\n".join([small, filled(words), filled(prefixes)])


@attrs.frozen
class InATerabyte:
    """A terabyte of files whose cells have row keys of one length."""

    key_bytes: int

    @property
    def cell_bytes(self) -> int:
        """Bytes of a cell."""
        return stored_bytes(bytes(self.key_bytes), COLUMN, bytes(VALUE_BYTES))

    @property
    def cells(self) -> float:
        """The cells that there are."""
        return TERABYTE / self.cell_bytes

    @property
    def key_share(self) -> float:
        """The part of the bytes that is row keys."""
        return self.key_bytes / self.cell_bytes

    @property
    def regions(self) -> int:
        """The regions, if all are full."""
        return ceil(TERABYTE / MAX_BYTES)

    @property
    def index_bytes(self) -> float:
        """Bytes of the block index."""
        return TERABYTE / BLOCK_BYTES * (INDEX_BYTES + self.key_bytes)


def _key_lengths_block() -> str:
    rows = [
        (
            f"{one.key_bytes} bytes",
            f"{256.0**one.key_bytes:.0e}",
            f"{one.cells / 1e9:.1f} billion",
            f"{one.key_share:.0%}",
            f"{one.regions}",
            f"{one.index_bytes / 1e9:.1f} GB",
        )
        for one in map(InATerabyte, KEY_BYTES)
    ]
    caption = (
        f"Cells with a value of {VALUE_BYTES} bytes, in 1 TB of files. Regions are of {MAX_BYTES / 2**30:g} GB; the "
        f"index has an entry for each block of {BLOCK_BYTES:,} bytes."
    )
    columns = ("row key", "different keys", "cells in 1 TB", "bytes that are keys", "regions", "block index")
    return below(caption, markdown_table(columns, rows))


def _source(recordings: Sequence[tuple[str, RegionRecording]]) -> str:
    (_name, first), *_others = recordings
    return f"HBase {first.hbase}, {first.date}"


def _splits_block(recordings: Sequence[tuple[str, RegionRecording]]) -> str:
    split = [split for _name, recording in recordings for split in recording.splits]
    first = split[0]
    caption = (
        f"Measured ({_source(recordings)}): {first.rows:,} rows of {first.row_bytes:,.0f} bytes; flushes at "
        f"{first.flush_bytes / 2**20:g} MB, splits at {first.max_bytes / 1e6:g} MB. Apart: the largest share of rows "
        "between a split point of HBase and the nearest simulated one. Written: bytes that flushes and compactions "
        "wrote for each byte of the files."
    )
    regions = ("regions, HBase", "simulated", "half full, HBase", "simulated", "apart")
    columns = ("table", *regions, "written (predicted)")
    rows = [
        (
            f"`{one.table}`",
            f"{len(one.fullness)}",
            f"{len(one.simulated_fullness)}",
            f"{count_half_full(one.fullness)}",
            f"{count_half_full(one.simulated_fullness)}",
            f"{one.deviation:.3f}",
            f"{one.rewrites:.1f} ({one.simulated_rewrites:.1f})",
        )
        for one in split
    ]
    return below(caption, markdown_table(columns, rows))


def _largest_file_block(recordings: Sequence[tuple[str, RegionRecording]]) -> str:
    measured = next(split for _name, one in recordings for split in one.splits if split.variant == RISING)
    policy = SplitPolicy(measured.flush_bytes, measured.max_bytes)
    small = rising_regions(measured.rows * measured.row_bytes, policy)
    large = rising_regions(TERABYTE, SplitPolicy())
    table = simulate(RISING_SAMPLE, TERABYTE // ROW_BYTES, ROW_BYTES, SplitPolicy(), servers=1).table
    simulated = [table.fullness(region) for region in table.regions]
    rows = [
        (
            f"`{measured.table}`, {policy.max_bytes / 1e6:g} MB",
            f"{len(measured.fullness)} ({median(measured.fullness[:-1]):.0%})",
            f"{len(small)} ({median(small[:-1]) / policy.max_bytes:.0%})",
            f"{len(measured.simulated_fullness)} ({median(measured.simulated_fullness[:-1]):.0%})",
        ),
        (
            f"1 TB, {MAX_BYTES / 2**30:g} GB",
            "",
            f"{len(large)} ({median(large[:-1]) / MAX_BYTES:.0%})",
            f"{len(simulated)} ({median(simulated[:-1]):.0%})",
        ),
    ]
    caption = "Regions of a table whose keys rise, and how full most are that take no more rows (median):"
    columns = ("rows, maximum", "HBase", "middle of the largest file", "middle of the data, as simulated")
    return below(caption, markdown_table(columns, rows))


def _files_block(recordings: Sequence[tuple[str, RegionRecording]]) -> str:
    files = [file for _name, recording in recordings for file in recording.files]
    furthest = [
        f"{encoding} {max((one.deviation for one in files if one.encoding == encoding), key=abs):+.1%}"
        for encoding in dict.fromkeys(file.encoding for file in files)
    ]
    return filled(
        f"Measured ({_source(recordings)}): files of {len({file.table for file in files})} tables after a flush, and "
        f"sizes predicted from half as many records. The prediction that is furthest off: {', '.join(furthest)}."
    )
