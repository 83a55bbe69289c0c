"""What a variant stores of a sample of its design's load: rows in order of time, files, calls and reads.

The generator that made the samples makes the load; a design without one, such as one's own, has its samples only.
"""

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import attrs

from ...designs.design import Design, Variant
from ...designs.metering import Measurement, measure
from ...designs.scratch import scratch_store
from ...tables.layouts import PhysicalTable, physical_tables
from ..comparison import VariantCosts, measure_variant
from ..heat_tables import NoGenerator, Records, at_least, sample_records, stored
from ..hfiles import FileCell, FileSize, file_cells, file_sizes
from .simulation import SAMPLE_ROWS

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class SampledTable:
    """What a table of the variant holds of the sample."""

    table: PhysicalTable
    written: Sequence[bytes]
    """The row of every write, in order of time."""
    files: dict[str, dict[str, FileSize]]
    """For each family, the size of its file in each encoding; without the families that hold nothing."""

    def bytes(self, encoding: str) -> int:
        """Bytes of all families, without those that each file has once."""
        return sum(sizes[encoding].growing_bytes for sizes in self.files.values())

    def largest_bytes(self, encoding: str) -> int:
        """Bytes of the largest family: a region splits if the files of one family exceed the limit."""
        return max((sizes[encoding].growing_bytes for sizes in self.files.values()), default=0)


@attrs.frozen
class SampledVariant:
    """A variant with a sample in its tables."""

    variant: Variant
    records: int
    tables: tuple[SampledTable, ...]
    """The tables that hold records."""
    measurements: Sequence[Measurement]
    """Every question, asked of the sample."""

    @property
    def written(self) -> int:
        """The writes to all tables that hold records."""
        return sum(len(table.written) for table in self.tables)


def sample_of(design: Design) -> Records:
    """The records of a sample: of the generator at least `SAMPLE_ROWS`, otherwise the samples."""
    try:
        return at_least(design, SAMPLE_ROWS)
    except NoGenerator:
        return sample_records(design)


def sampled(design: Design, variant: Variant, records: Records) -> SampledVariant:
    """Stores records in the tables of a variant in memory, and measures what they take there."""
    with stored(variant, records) as (connection, repository, cost):
        tables = tuple(
            SampledTable(table, cost.rows_written[table.name.encode()], _files(connection, table))
            for table in physical_tables(variant.record_tables)
        )
        return SampledVariant(variant, len(records), tables, measure(connection, repository, design.patterns))


def measured_and_sampled(design: Design, variant: Variant) -> tuple[VariantCosts, SampledVariant]:
    """What a variant costs with the samples, and what it stores of a larger sample of the same load."""
    with closing(scratch_store(variant.tables)) as connection:
        costs = measure_variant(connection, design, variant)
    return costs, sampled(design, variant, sample_of(design))


def _files(connection: "happybase.Connection", table: PhysicalTable) -> dict[str, dict[str, FileSize]]:
    cells: dict[str, list[FileCell]] = {}
    for cell in file_cells(connection, table):
        cells.setdefault(cell.family.decode(), []).append(cell)
    return {family: file_sizes(of, table.families[family].bloom != "NONE") for family, of in cells.items()}
