"""What a variant stores of a sample of its design's load: rows in order of time, files, calls and reads.

The generator that made the samples makes the load; a design without one, such as one's own, has its samples only.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import attrs

from ...designs.design import Design, Variant
from ...designs.metering import Measurement, measure
from ...tables.layouts import PhysicalTable, physical_tables
from ..heat_tables import NoGenerator, Records, at_least, sample_records, stored
from ..hfiles import FileCell, FileSize, file_cells, file_sizes
from .simulation import SAMPLE_ROWS
from .stored_growth import SIZES, STEP, Held, StoredGrowth

if TYPE_CHECKING:
    import happybase


def silent(_words: str) -> None:
    """Ignores the words: for callers that show no progress."""


@attrs.frozen
class SampledTable:
    """What a table of the variant holds of the sample."""

    table: PhysicalTable
    written: Sequence[bytes]
    """The row of every write, in order of time."""
    files: dict[str, dict[str, FileSize]]
    """For each family, the size of its file in each encoding; without the families that hold nothing."""
    growth: StoredGrowth
    """What it holds of each size of the sample."""

    def bytes(self, encoding: str) -> int:
        """Bytes of all families, without those that each file has once."""
        return sum(sizes[encoding].growing_bytes for sizes in self.files.values())

    def largest_bytes(self, encoding: str) -> int:
        """Bytes of the largest family: a region splits if the files of one family exceed the limit."""
        return max((sizes[encoding].growing_bytes for sizes in self.files.values()), default=0)

    def times_the_bytes(self, records: float) -> float | None:
        """The bytes that so many records make, in multiples of the sample's; None if the sample does not show it."""
        now = self.growth.held[-1].cell_bytes
        then = self.growth.cell_bytes.at(records)
        return None if then is None or self.growth.rows.at(records) is None else then / max(1, now)


@attrs.frozen
class SampledVariant:
    """A variant with a sample in its tables."""

    variant: Variant
    records: int
    tables: tuple[SampledTable, ...]
    """The tables that hold records."""
    sent_bytes: int
    """Bytes of row keys, columns and values in the puts that stored the sample."""
    measurements: Sequence[Measurement]
    """Every question, asked of the sample."""

    @property
    def written(self) -> int:
        """The writes to all tables that hold records."""
        return sum(len(table.written) for table in self.tables)


def sample_of(design: Design) -> Records:
    """The records of a sample: at least `SAMPLE_ROWS` if the design has a generator, otherwise its samples."""
    try:
        return at_least(design, SAMPLE_ROWS)
    except NoGenerator:
        return sample_records(design)


def samples_of(design: Design) -> list[Records]:
    """Samples of several sizes, from the smallest to the largest, which is `sample_of`.

    The generator makes the smaller ones, too. Otherwise they are the first records of the largest, in order of time.
    """
    samples = [sample_of(design)]
    while len(samples) < SIZES and len(samples[0]) > 1:
        samples.insert(0, _smaller(design, samples[0]))
    return samples


def _smaller(design: Design, sample: Records) -> Records:
    wanted = -(-len(sample) // STEP)
    with suppress(NoGenerator):
        made = at_least(design, wanted)
        if len(made) < len(sample):
            return made
    return sample[:wanted]


def sampled(
    design: Design, variant: Variant, *samples: Records, tell: Callable[[str], None] = silent
) -> SampledVariant:
    """Stores each sample in new tables of a variant, in memory, and measures what it takes there.

    All but the last and largest are only counted: rows, cells and bytes. `tell` is called with the name of each step.
    """
    *smaller, largest = samples
    held: list[dict[str, Held]] = []
    for records in smaller:
        tell(f"storing {len(records):,} records")
        held.append(held_of(variant, records))
    tell(f"storing {len(largest):,} records")
    with stored(variant, largest) as (connection, repository, cost):
        tell("measuring tables and questions")
        cells_of = _cells(connection, variant)
        tables = tuple(
            SampledTable(
                table,
                written := cost.rows_written[table.name.encode()],
                _files(cells_of[table.name], table),
                StoredGrowth([*(of[table.name] for of in held), _held(cells_of[table.name], largest)], len(written)),
            )
            for table in physical_tables(variant.record_tables)
        )
        sent_bytes = sum(cost.bytes_sent.values())
        measurements = measure(connection, repository, design.patterns)
        return SampledVariant(variant, len(largest), tables, sent_bytes, measurements)


def held_of(variant: Variant, records: Records) -> dict[str, Held]:
    """What each table of a variant holds after these records."""
    with stored(variant, records) as (connection, _repository, _cost):
        return {name: _held(cells, records) for name, cells in _cells(connection, variant).items()}


def sample_stored(design: Design, variant: Variant, tell: Callable[[str], None] = silent) -> SampledVariant:
    """What a variant stores of samples of its design's load, of several sizes."""
    return sampled(design, variant, *samples_of(design), tell=tell)


def _cells(connection: "happybase.Connection", variant: Variant) -> dict[str, list[FileCell]]:
    """The cells of each table that holds records."""
    return {table.name: [*file_cells(connection, table)] for table in physical_tables(variant.record_tables)}


def _held(cells: Sequence[FileCell], records: Records) -> Held:
    cell_bytes = sum(len(cell.plain) for cell in cells)
    return Held(len(records), len({cell.row for cell in cells}), len(cells), cell_bytes)


def _files(cells: Sequence[FileCell], table: PhysicalTable) -> dict[str, dict[str, FileSize]]:
    by_family: dict[str, list[FileCell]] = {}
    for cell in cells:
        by_family.setdefault(cell.family.decode(), []).append(cell)
    return {family: file_sizes(of, table.families[family].bloom != "NONE") for family, of in by_family.items()}
