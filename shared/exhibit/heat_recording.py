"""The heat of all tables of a design, as recorded by `tests.programs hot_spots`: `heat.json` beside the samples.

Whatever shows such a figure, a page, a picture or a command, takes it from the recording, and says what was stored.
"""

import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import attrs
import cattrs

from ..designs.design import Design, Variant
from ..tables.layouts import physical_tables
from .heat_tables import (
    NoGenerator,
    TableHeat,
    generated_records,
    keys_of,
    records_by_load,
    sample_records,
    table_heats,
    table_writes,
    that_matter,
)

ROWS = 100_000
"""The rows that the design itself writes in a recording, or a few more."""


@attrs.frozen
class HeatRecording:
    """What was stored, where the writes went, and who counted them."""

    records: dict[str, int]
    """The records that were stored, by load."""
    are_generated: bool
    """Whether the generator of the samples made the records; otherwise they were given."""
    hbase: str
    """The version of the HBase whose region servers counted the writes of some tables."""
    date: str
    """The day on which they did, as YYYY-MM-DD."""
    tables: tuple[TableHeat, ...]

    @property
    def sample(self) -> str:
        """The records that were stored, in words: `100,700 generated events`."""
        generated = "generated " if self.are_generated else ""
        return " and ".join(f"{number:,} {generated}{load}" for load, number in self.records.items())

    def of(self, variant: str) -> list[TableHeat]:
        """The heat of each table of a variant."""
        return [table for table in self.tables if table.variant == variant]

    def table(self, name: str) -> TableHeat:
        """The heat of a table in the first variant that has it. Raises KeyError if its keys were not counted."""
        return {table.table: table for table in reversed(self.tables)}[name]

    def busiest(self, variant: str) -> TableHeat | None:
        """The table of a variant with the busiest range, of those that matter; None if nothing is recorded."""
        return max(that_matter(self.of(variant)), key=lambda table: table.heat.share, default=None)

    def text(self) -> str:
        """The file: a line for each table."""
        plain = cattrs.unstructure(self)
        tables = ",\n".join(json.dumps(table, ensure_ascii=False) for table in plain.pop("tables"))
        return f'{json.dumps(plain)[:-1]}, "tables": [\n{tables}\n]}}\n'


def heat_file(design: Design) -> Path:
    """The file of the recording of a design."""
    return design.loads[0].samples.with_name("heat.json")


def recorded_heat(design: Design) -> HeatRecording:
    """The recording of a design, without tables whose keys have changed since; empty if there is none."""
    recording = _read(heat_file(design))
    keys = {
        (variant.name, table.name): keys_of(table)
        for variant in design.variants
        for table in physical_tables(variant.record_tables)
    }
    tables = [heat for heat in recording.tables if heat.keys == keys.get((heat.variant, heat.table))]
    return attrs.evolve(recording, tables=tuple(tables))


@cache
def _read(path: Path) -> HeatRecording:
    if not path.exists():
        return HeatRecording({}, False, "", "", ())
    return cattrs.structure(json.loads(path.read_text(encoding="utf-8")), HeatRecording)


def measured_heat(
    design: Design, variants: Iterable[Variant], rows: int, tell: Callable[[str], None] = lambda _doing: None
) -> HeatRecording:
    """The heat of some variants, measured now: of generated records for which the design itself writes so many rows.

    If the samples have no generator, the samples are measured. `tell` is called with what is being done.
    """
    try:
        records, are_generated = generated_records(design, rows), True
    except NoGenerator:
        records, are_generated = sample_records(design), False
    tables: list[TableHeat] = []
    for variant in variants:
        tell(f"storing {len(records):,} records in {variant.name}")
        tables += table_heats(variant, table_writes(variant, records))
    return HeatRecording(records_by_load(records), are_generated, "", "", tuple(tables))
