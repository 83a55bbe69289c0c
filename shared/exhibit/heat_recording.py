"""The heat of all tables of a design as recorded by `tests.programs hot_spots`: `heat.json` beside the samples."""

import json
from functools import cache
from pathlib import Path

import attrs
import cattrs

from ..designs.design import Design
from .heat_tables import TableHeat, that_matter

ROWS = 100_000
"""The rows that the design itself writes in a recording, or a few more."""


@attrs.frozen
class HeatRecording:
    """What was stored, where the writes went, and who counted them."""

    records: dict[str, int]
    """The records that were stored, by load."""
    hbase: str
    """The version of the HBase whose region servers counted the writes of some tables."""
    date: str
    """The day on which they did, as YYYY-MM-DD."""
    tables: tuple[TableHeat, ...]

    def of(self, variant: str) -> list[TableHeat]:
        """The heat of each table of a variant."""
        return [table for table in self.tables if table.variant == variant]

    def table(self, name: str) -> TableHeat:
        """The heat of a table in the first variant that has it."""
        return next(table for table in self.tables if table.table == name)

    def share(self, variant: str) -> float:
        """The share of the writes that the busiest range of a variant takes, among its tables that matter.

        0 if nothing is recorded.
        """
        return max((table.heat.share for table in that_matter(self.of(variant))), default=0.0)

    def text(self) -> str:
        """The file: a line for each table."""
        plain = cattrs.unstructure(self)
        tables = ",\n".join(json.dumps(table, ensure_ascii=False) for table in plain.pop("tables"))
        return f'{json.dumps(plain)[:-1]}, "tables": [\n{tables}\n]}}\n'


def heat_file(design: Design) -> Path:
    """The file of the recording of a design."""
    return design.loads[0].samples.with_name("heat.json")


def recorded_heat(design: Design) -> HeatRecording:
    """The recording of a design; an empty one if nobody has made it yet."""
    return _read(heat_file(design))


@cache
def _read(path: Path) -> HeatRecording:
    if not path.exists():
        return HeatRecording({}, "", "", ())
    return cattrs.structure(json.loads(path.read_text(encoding="utf-8")), HeatRecording)
