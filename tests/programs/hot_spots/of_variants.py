"""The writes of one variant, measured in a process of its own."""

from collections.abc import Mapping

from shared.exhibit.heat import Writes
from shared.exhibit.heat_recording import ROWS
from shared.exhibit.heat_tables import TableHeat, generated_records, table_heats, table_writes
from tests.designs import design_named


def of_variant(design_name: str, number: int) -> tuple[list[TableHeat], Mapping[str, Writes]]:
    """The heat of each table of a variant, and its writes."""
    design = design_named(design_name)
    variant = design.variants[number]
    writes = table_writes(variant, generated_records(design, ROWS))
    return [*table_heats(variant, writes)], writes
