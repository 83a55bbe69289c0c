"""What a variant needs on disk and of the servers, for so many records a day, each kept for some time.

It is extrapolated from a sample: files from their exact formats (`hfiles.py`), regions by the simulated table, and
compactions by running HBase's own rule on the sizes of files.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from math import ceil

import attrs

from ..hfiles import ENCODINGS, FILE_BYTES
from .sampling import SampledTable, SampledVariant
from .simulated_splits import SplitPolicy
from .simulation import Sample, Simulation, TooManyRegions, simulate

DAY_S = 86_400
FEWEST_FILES, MOST_FILES, RATIO = 3, 10, 1.2
"""`hbase.hstore.compaction.min`, `.max` and `.ratio` of HBase 2.6."""
HEAP_BYTES = 110
"""Bytes that a cell takes in a region server's memory besides its own, about; a flush is by bytes in memory."""
HANDLERS = 30
"""Calls that a region server works on at a time: `hbase.regionserver.handler.count` of HBase 2.6."""
CALLS_PER_HANDLER = 850
"""Puts of single rows a second, if each waits for the one before: measured on one connection to HBase 2.6.1."""
MOST_CALLS = HANDLERS * CALLS_PER_HANDLER
"""Calls a second of a region server, at most."""
MOST_MB = 15
"""MB a second that one region server typically stores, at most: "5 through 15 MB/s", Read-Write Throughput, HDP 3.1."""
MOST_REGIONS = 200
"""Regions of a server, at most: "20-200", Considerations for Number of Regions, HBase Reference Guide."""


@attrs.frozen
class TableSize:
    """A table after the time for which records are kept, in one encoding; a figure is None if the sample lacks it."""

    table: str
    encoding: str
    rows: int | None
    """Rows as they are stored: one that was written twice counts once."""
    file_bytes: float | None
    """Bytes of all its files, of one copy."""
    regions: int | None
    """None also if the sample has too few rows to tell regions apart."""
    rewrites: float
    """Bytes that are written for each byte of its files: to the log, by flushes, and by compactions."""


@attrs.frozen
class Sizing:
    """What a variant needs."""

    records_a_day: float
    keep_days: float
    servers: int
    rpcs_a_second: float
    sent_mb_a_second: float
    """MB of row keys, columns and values in all puts."""
    max_region_bytes: float
    tables: Sequence[TableSize]

    def of(self, encoding: str) -> list[TableSize]:
        """The tables in one encoding."""
        return [table for table in self.tables if table.encoding == encoding]

    @property
    def fewest_regions(self) -> int:
        """The regions of all tables in the encoding that needs the fewest; full ones of a table with too many."""
        return min(
            sum(table.regions or int((table.file_bytes or 0) / self.max_region_bytes) for table in self.of(encoding))
            for encoding in ENCODINGS
        )

    @property
    def verdicts(self) -> list[str]:
        """What exceeds the limits of the servers: a line for each, with the limit of one server and its source."""
        handlers = f"{HANDLERS} handlers, hbase.regionserver.handler.count, with {CALLS_PER_HANDLER} single puts each"
        needs = [
            (self.rpcs_a_second, "RPCs a second", MOST_CALLS, f"{handlers}, as measured on HBase 2.6.1"),
            (self.sent_mb_a_second, "MB of puts a second", MOST_MB, "5 to 15 in HDP 3.1, Read-Write Throughput"),
            (self.fewest_regions, "regions", MOST_REGIONS, "20 to 200 in the HBase Reference Guide"),
        ]
        return [
            f"too much for {self.servers} servers: {needed:,.0f} {what}; one has at most about {most:,} ({source}), so "
            f"{ceil(needed / most):,} servers or more"
            for needed, what, most, source in needs
            if needed > most * self.servers
        ]


def sizing(
    sample: SampledVariant,
    rpcs_per_record: float,
    records_a_day: float,
    keep_days: float,
    policy: SplitPolicy,
    servers: int,
) -> Sizing:
    """What the variant of a sample needs for so many records a day, each kept for `keep_days`."""
    records = records_a_day * keep_days
    filled = [table for table in sample.tables if table.written and table.files]
    tables = [table_size(table, encoding, records, policy, servers) for table in filled for encoding in ENCODINGS]
    a_second = records_a_day / DAY_S
    sent_mb = sample.sent_bytes / sample.records / 1e6
    return Sizing(
        records_a_day, keep_days, servers, a_second * rpcs_per_record, a_second * sent_mb, policy.max_bytes, tables
    )


def table_size(sampled: SampledTable, encoding: str, records: float, policy: SplitPolicy, servers: int) -> TableSize:
    """The size of a table after so many records like those of the sample."""
    rows, times = sampled.growth.rows.at(records), sampled.times_the_bytes(records)
    regions = file_bytes = None
    if times is not None:
        with suppress(TooManyRegions):
            regions = len(simulated_table(sampled, encoding, records, policy, servers).table.regions)
        file_bytes = sampled.bytes(encoding) * times + FILE_BYTES * (regions or 1) * len(sampled.files)
    stored_rows = None if rows is None else round(rows)
    return TableSize(
        sampled.table.name, encoding, stored_rows, file_bytes, regions, rewrites(sampled, encoding, policy)
    )


def simulated_table(
    sampled: SampledTable, encoding: str, records: float, policy: SplitPolicy, servers: int
) -> Simulation:
    """Simulates the writes of so many records to a table whose growth the sample shows.

    A row counts as often as it is written. All rows share the bytes that remain of the largest family, which alone
    decides when a region splits. Raises TooManyRegions.
    """
    times = sampled.times_the_bytes(records)
    assert times is not None
    rows = round(len(sampled.written) * records / sampled.growth.held[-1].records)
    row_bytes = sampled.largest_bytes(encoding) * times / max(1, rows)
    return simulate(Sample.thinned(sampled.written), rows, row_bytes, policy, servers, sampled.table.splits.points)


def rewrites(sampled: SampledTable, encoding: str, policy: SplitPolicy) -> float:
    """Bytes written for each byte of a table's files."""
    cells = sum(sizes[encoding].cells for sizes in sampled.files.values())
    return rewrites_of(sampled.bytes("NONE") / cells, sampled.bytes(encoding) / sampled.bytes("NONE"), policy)


def rewrites_of(cell_bytes: float, encoded: float, policy: SplitPolicy) -> float:
    """Bytes written for each byte of files, if a cell has so many bytes, and files so large a part of them.

    The log has the cells as they are, flushes and compactions write files.
    """
    flushed = policy.flush_bytes * encoded * cell_bytes / (cell_bytes + HEAP_BYTES)
    return 1 / encoded + 1 + compacted(round(flushed), round(policy.max_bytes))


@cache
def compacted(flushed_bytes: int, max_bytes: int) -> float:
    """Bytes that compactions write for each byte flushed to a region that grows from half full until it has split."""
    files, new, rewritten = [max_bytes // 2], 0, 0
    while sum(files) <= max_bytes:
        files.append(flushed_bytes)
        new += flushed_bytes
        while chosen := to_compact(files, flushed_bytes):
            size = sum(files[chosen])
            files[chosen] = [size]
            rewritten += size
    return (rewritten + sum(files)) / new  # after the split, both halves are written again


def rising_regions(stored_bytes: float, policy: SplitPolicy) -> list[float]:
    """The sizes of a table's regions on one server, in key order, after rows whose keys rise: as HBase itself splits.

    HBase looks at a region after each flush. It splits at the middle key of the largest file
    (`StoreUtils.getSplitPoint`), and the younger files, which have the newest rows, go to the upper region as they are.
    Both regions are then rewritten as one file.
    """
    left_behind: list[float] = []
    files: list[float] = []
    for _flush in range(round(stored_bytes / policy.flush_bytes)):
        files.append(policy.flush_bytes)
        size = sum(files)
        if size > policy.limit_bytes(len(left_behind) + 1):
            largest = files.index(max(files))
            left_behind.append(sum(files[:largest]) + files[largest] / 2)
            files = [size - left_behind[-1]]
            continue
        while chosen := to_compact(files, policy.flush_bytes):
            files[chosen] = [sum(files[chosen])]
    return [*left_behind, sum(files)]


def to_compact(files: Sequence[float], small_bytes: float) -> slice | None:
    """The neighbouring files that HBase compacts, oldest first (`ExploringCompactionPolicy`); None if it does not.

    HBase chooses as many as it may, and of equally many the smallest. No file may be larger than 1.2 times the others
    together, unless all are small.
    """
    chosen: list[tuple[int, float, slice]] = []
    for start in range(len(files)):
        for stop in range(start + FEWEST_FILES, min(len(files), start + MOST_FILES) + 1):
            sizes = files[start:stop]
            total = sum(sizes)
            if total < small_bytes or all(size <= (total - size) * RATIO for size in sizes):
                chosen.append((stop - start, -total, slice(start, stop)))
    return max(chosen, key=lambda one: one[:2])[2] if chosen else None
