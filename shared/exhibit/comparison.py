"""The variants of a design side by side: what each question costs, and what one record writes."""

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import attrs

from ..designs.counting import Cost, metered
from ..designs.design import Design, Variant, fill_new_lists, store_samples
from ..designs.metering import Measurement, measure
from ..designs.scratch import scratch_store
from ..intents.slots import holds_intents
from ..tables.layouts import PhysicalTable, physical_tables
from .hfiles import CELL_BYTES, file_cells

if TYPE_CHECKING:
    import happybase


class NothingToMeasure(ValueError):
    """Sample records were stored, and none can be read: they have expired, for example."""


@attrs.frozen
class VariantCosts:
    """What a variant costs, measured with the samples loaded."""

    variant: Variant
    records: int
    """Sample records that were loaded."""
    measurements: list[Measurement]
    rows_per_record: float
    """Rows that one record writes."""
    bytes_per_record: float
    """Bytes of all cells of one record, with the row key in each as HBase stores it; before compression."""
    rpcs_per_record: float
    """Calls that store a record in tables that do not have it."""
    intent_bytes_per_record: float
    """Bytes sent to the table of the writes under way, to store one record."""

    @property
    def answers(self) -> bool:
        """Whether the variant answers any question."""
        return not all(measurement.refused for measurement in self.measurements)


def measure_variant(connection: "happybase.Connection", design: Design, variant: Variant) -> VariantCosts:
    """Loads the samples into the tables of a variant, asks every question and counts what the tables hold.

    Rows and bytes per record are those of the tables, divided by the records that were loaded. If the tables have rows
    already, the calls are those of a store in memory, because storing the same record again needs fewer. Raises
    NothingToMeasure.
    """
    is_empty = not any(next(connection.table(table.name).scan(limit=1), None) for table in variant.tables)
    repository = variant.open(connection)
    with metered(connection) as cost:
        records = store_samples(repository, design)
    if not is_empty:
        fill_new_lists(connection, variant, repository)
    rpcs, intent_bytes = _cost_of_storing(cost, connection, variant) if is_empty else _cost_in_memory(design, variant)
    stored = [
        (table.name, row, size)
        for table in physical_tables(variant.record_tables)
        for row, size in stored_cells(connection, table)
    ]
    if not stored:
        raise NothingToMeasure(f"{records} records were stored in {variant.name}, and no cell of them can be read")
    measurements = [
        attrs.evolve(measurement, is_wrong=_is_wrong(variant, measurement))
        for measurement in measure(connection, repository, design.patterns)
    ]
    return VariantCosts(
        variant,
        records,
        measurements,
        len({(table, row) for table, row, _size in stored}) / records,
        sum(size for _table, _row, size in stored) / records,
        rpcs / records,
        intent_bytes / records,
    )


def _is_wrong(variant: Variant, measurement: Measurement) -> bool:
    return variant.wrong is not None and measurement.pattern in variant.wrong.patterns


def _cost_of_storing(cost: Cost, connection: "happybase.Connection", variant: Variant) -> tuple[int, int]:
    """The calls, and the bytes sent to the table of the writes under way."""
    intents = [connection.table(table.name).name for table in variant.tables if holds_intents(table)]
    return cost.rpcs, sum(cost.bytes_sent[table] for table in intents)


def _cost_in_memory(design: Design, variant: Variant) -> tuple[int, int]:
    with closing(scratch_store(variant.tables)) as connection:
        repository = variant.open(connection)
        with metered(connection) as cost:
            store_samples(repository, design)
        return _cost_of_storing(cost, connection, variant)


def stored_bytes(row: bytes, column: bytes, value: bytes) -> int:
    """The bytes of one cell as HBase stores it, before compression."""
    return CELL_BYTES + len(row) + len(column) - 1 + len(value)  # a column is family:qualifier; HBase stores no colon


def stored_cells(connection: "happybase.Connection", table: PhysicalTable) -> Iterator[tuple[bytes, int]]:
    """The row and the bytes of every cell of a table, each of its versions too; costs what `file_cells` costs."""
    for cell in file_cells(connection, table):
        yield cell.row, stored_bytes(cell.row, cell.family + b":" + cell.qualifier, cell.value)
