"""Loads of designs on a real HBase with small regions: how its tables split, and how large its files are."""

import secrets
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import attrs
import happybase

from shared.designs import Design
from shared.exhibit.heat_tables import at_least, stored, written_rows
from shared.exhibit.hfiles import FILE_BYTES, FileCell, file_cells
from shared.exhibit.regions.sampling import sample_of, sampled
from shared.exhibit.regions.simulated_splits import SplitPolicy
from shared.exhibit.regions.simulation import Sample, simulate
from shared.exhibit.regions.sizing import rewrites_of
from shared.stores import connect
from shared.tables.layouts import PhysicalTable, physical_tables
from tests.designs import find_variants
from tests.programs.hbase.hbase_shell import in_shell
from tests.programs.hbase.server import HBase
from tests.programs.hbase.table_files import write_files
from tests.programs.regions.real_tables import (
    BATCH,
    encoded,
    file_bytes,
    put_cells,
    put_rows,
    regions_of,
    wait_until_split,
    written_bytes,
)
from tests.programs.regions.region_recording import RecordedFiles, RecordedSplits

OPTIONS = {"NONE": "", "FAST_DIFF": ", DATA_BLOCK_ENCODING => 'FAST_DIFF'", "GZ": ", COMPRESSION => 'GZ'"}
"""What the shell must say of a family in each encoding."""
FILE_RECORDS = 20_000
"""Records whose files are measured: twice as many as those of the sample that predicts them."""
FEWEST_CELLS = 5_000
"""A table with fewer cells is not measured: what its file has once would be too large a part of it."""
SPLIT_ROWS, VALUE_BYTES = 30_000, 2_000
FLUSH_BYTES, MAX_BYTES = 2**20, 6_000_000
"""A load of 62 MB; regions are as small as the smallest flush of HBase allows."""
FLUSHES, SETTLE_S = 2, 3
"""Times that HBase writes files after a load, and seconds that it then has to split regions."""


def name_like(label: str) -> str:
    """A name for a table that no other has."""
    return f"regions{secrets.token_hex(4)}_{label}"


@attrs.frozen
class FilesToMeasure:
    """A table whose files are measured in one encoding."""

    name: str
    table: PhysicalTable
    encoding: str
    cells: Sequence[FileCell]
    records: int
    predicted: float
    """Bytes, without those that each file has once."""

    @property
    def statement(self) -> str:
        """What makes the table in HBase's shell."""
        families = (
            f"{{NAME => '{name}', BLOOMFILTER => '{family.bloom}', VERSIONS => {family.max_versions}"
            f"{OPTIONS[self.encoding]}}}"
            for name, family in self.table.families.items()
        )
        return f"create '{self.name}', {', '.join(families)}"


def files_to_measure(design: Design) -> Iterator[FilesToMeasure]:
    """The tables of a design in every encoding, each with more records than those that predict its size."""
    predicting = sampled(design, design.main, sample_of(design))
    records = at_least(design, FILE_RECORDS)
    with stored(design.main, records) as (connection, _repository, _cost):
        for table in physical_tables(design.main.record_tables):
            cells = [*file_cells(connection, table)]
            (sample,) = (sample for sample in predicting.tables if sample.table.name == table.name)
            for encoding in OPTIONS if len(cells) >= FEWEST_CELLS else ():
                predicted = sample.bytes(encoding) * len(records) / predicting.records
                yield FilesToMeasure(name_like(table.name), table, encoding, cells, len(records), predicted)


def splitting_statement(name: str) -> str:
    """What makes a table with small regions in HBase's shell."""
    return (
        f"create '{name}', {{NAME => 'f', BLOOMFILTER => 'ROW'}}, {{MAX_FILESIZE => '{MAX_BYTES}', "
        f"MEMSTORE_FLUSHSIZE => '{FLUSH_BYTES}', "
        "CONFIGURATION => {'hbase.hregion.max.filesize.jitter' => '0.0'}}"
    )


def measured_files(connection: happybase.Connection, folder: Path, one: FilesToMeasure) -> RecordedFiles:
    """Stores the cells, makes HBase write them to files, and compares their size with the predicted one."""
    put_cells(connection, one.name, one.cells)
    write_files(connection, one.name)
    sizes = [size for of_region in file_bytes(folder, one.name).values() for size in of_region]
    predicted = round(one.predicted + FILE_BYTES * len(sizes))
    return RecordedFiles(one.table.name, one.encoding, one.records, len(one.cells), sum(sizes), predicted)


def measured_splits(hbase: HBase, connection: happybase.Connection, name: str, full_name: str) -> RecordedSplits:
    """Stores the rows of a variant's first table, not faster than HBase splits, and compares it with the simulation."""
    design, (variant, *_others) = find_variants(full_name)
    (table, *_tables) = physical_tables(variant.record_tables)
    rows = written_rows(variant, at_least(design, SPLIT_ROWS))[table.name][:SPLIT_ROWS]
    folder = hbase.folder
    before = written_bytes(hbase.info_url)
    for start in range(0, len(rows), BATCH):
        put_rows(connection, name, rows[start : start + BATCH], secrets.token_bytes(VALUE_BYTES))
        wait_until_split(connection, folder, name, MAX_BYTES)
    for _ in range(FLUSHES):  # HBase looks whether to split a region after it has written a file of it
        in_shell(hbase.info_url, f"flush '{name}'")
        time.sleep(SETTLE_S)
        wait_until_split(connection, folder, name, MAX_BYTES)
    after = written_bytes(hbase.info_url)
    regions, files = regions_of(connection, name), file_bytes(folder, name)
    sizes = [sum(files[encoded(region)]) for region in regions]
    policy = SplitPolicy(FLUSH_BYTES, MAX_BYTES)
    row_bytes = sum(sizes) / len(rows)
    sample = Sample.thinned(rows)
    simulated = simulate(sample, len(rows), row_bytes, policy, servers=1).table
    ordered, places = sorted(rows), sorted(sample.rows)

    def share(row: bytes) -> float:
        return round(bisect_left(ordered, row) / len(rows), 4)

    return RecordedSplits(
        variant.name,
        table.name,
        len(rows),
        round(row_bytes, 1),
        FLUSH_BYTES,
        MAX_BYTES,
        tuple(share(region["start_key"]) for region in regions[1:]),
        tuple(share(places[region.start]) for region in simulated.regions[1:]),
        tuple(round(size / MAX_BYTES, 2) for size in sizes),
        tuple(round(simulated.fullness(region), 2) for region in simulated.regions),
        round(sum(after[kind] - before[kind] for kind in after) / sum(sizes), 2),
        round(rewrites_of(row_bytes, 1, policy) - 1, 2),
    )


def measured(
    hbase: HBase, design: Design, full_names: Iterable[str]
) -> tuple[tuple[RecordedFiles, ...], tuple[RecordedSplits, ...]]:
    """The files of a design's tables, and the splits of some of its variants, on an HBase with one region server."""
    to_measure = [*files_to_measure(design)]
    to_split = {full_name: name_like("splits") for full_name in full_names}
    statements = [one.statement for one in to_measure] + [splitting_statement(name) for name in to_split.values()]
    in_shell(hbase.info_url, *statements)
    with closing(connect(hbase.url)) as connection:
        files = tuple(measured_files(connection, hbase.folder, one) for one in to_measure)
        splits = tuple(measured_splits(hbase, connection, name, full_name) for full_name, name in to_split.items())
    return files, splits
