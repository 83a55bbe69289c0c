"""The variants of a design side by side: what each question costs, what one record writes, and where new rows go."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

import attrs

from ..tables import COUNTER, ItemCells, PhysicalTable, RecordCells, create_tables, physical_tables
from ..writes import holds_intents
from .design import Design, Variant, store_samples
from .metering import Cost, Measurement, measure, metered

if TYPE_CHECKING:
    import happybase

CELL_BYTES = 20
"""Bytes of HBase's `KeyValue` besides row, family, qualifier and value: lengths, timestamp and type."""
RANGES = 8
"""Number of key ranges of equal size into which a table is cut, to see how new rows spread over them."""


@attrs.frozen
class Busiest:
    """How many of the newest records of a table fall into the busiest of its `RANGES`.

    A record is a row; in a table whose rows hold many records, a cell.
    """

    rows: int
    """Newest records in the busiest range."""
    newest: int
    """Newest records in all ranges."""

    @property
    def share(self) -> float:
        """The share of the newest records that falls into the busiest range, 0 to 1."""
        return self.rows / self.newest if self.newest else 0.0


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
    busiest: tuple[Busiest, ...]
    """One for each table; of counters none is known."""

    @property
    def busiest_shares(self) -> tuple[float, ...]:
        """For each table, the share of its newest records that falls into the busiest of its `RANGES`."""
        return tuple(busiest.share for busiest in self.busiest)

    @property
    def answers(self) -> bool:
        """Whether the variant answers any question."""
        return not all(measurement.refused for measurement in self.measurements)


def measure_variant(connection: "happybase.Connection", design: Design, variant: Variant) -> VariantCosts:
    """Loads the samples into the tables of a variant, asks every question and counts what the tables hold.

    Rows and bytes per record are those of the tables, divided by the records that were loaded. If the tables have rows
    already, the calls are those of a store in memory, because storing the same record again needs fewer.
    """
    is_empty = not any(next(connection.table(table.name).scan(limit=1), None) for table in variant.tables)
    repository = variant.open(connection)
    with metered(connection) as cost:
        records = store_samples(repository, design)
    rpcs, intent_bytes = _cost_of_storing(cost, connection, variant) if is_empty else _cost_in_memory(design, variant)
    measurements = [
        attrs.evolve(measurement, is_wrong=_is_wrong(variant, measurement))
        for measurement in measure(connection, repository, design.patterns)
    ]
    physical = physical_tables(variant.record_tables)
    tables = [list(_stored_records(connection, table, design.time)) for table in physical]
    return VariantCosts(
        variant,
        records,
        measurements,
        sum(len({row for row, _written_ms, _size in stored}) for stored in tables) / records,
        sum(size for stored in tables for _row, _written_ms, size in stored) / records,
        rpcs / records,
        intent_bytes / records,
        tuple(
            Busiest(0, 0)
            if _is_counted(table)
            else busiest_range(
                [(row, written_ms) for row, written_ms, _size in stored if written_ms is not None], design.newest_ms
            )
            for table, stored in zip(physical, tables, strict=True)
        ),
    )


def _is_wrong(variant: Variant, measurement: Measurement) -> bool:
    return variant.wrong is not None and measurement.pattern in variant.wrong.patterns


def _cost_of_storing(cost: Cost, connection: "happybase.Connection", variant: Variant) -> tuple[int, int]:
    """The calls, and the bytes sent to the table of the writes under way."""
    intents = [connection.table(table.name).name for table in variant.tables if holds_intents(table)]
    return cost.rpcs, sum(cost.bytes_sent[table] for table in intents)


def _cost_in_memory(design: Design, variant: Variant) -> tuple[int, int]:
    from ..stores import connect

    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        repository = variant.open(connection)
        with metered(connection) as cost:
            store_samples(repository, design)
        return _cost_of_storing(cost, connection, variant)


def _is_counted(table: PhysicalTable) -> bool:
    """Whether a table holds counters only: HBase dates them anew with each increment, so no row is an older one."""
    return all(
        isinstance(layout.cells, RecordCells)
        and layout.cells.attributes
        and all(column.packing is COUNTER for column in layout.cells.attributes.values())
        for layout in table.layouts
    )


def busiest_range(rows: Sequence[tuple[bytes, int]], newest_ms: int) -> Busiest:
    """How many of the newest rows fall into one key range, if the older rows are cut into `RANGES` of equal size.

    Each row comes with the time at which it was written; the newest are those of the last `newest_ms` milliseconds.
    """
    if not rows or newest_ms < 1:
        return Busiest(0, 0)
    border_ms = max(written_ms for _, written_ms in rows) - newest_ms
    older = sorted(row for row, written_ms in rows if written_ms <= border_ms)
    borders = quantiles(older, RANGES)
    newest = Counter(bisect_right(borders, row) for row, written_ms in rows if written_ms > border_ms)
    return Busiest(max(newest.values()), newest.total())


def busiest_share(rows: Sequence[tuple[bytes, int]], newest_ms: int) -> float:
    """The share of the newest rows that falls into the `busiest_range`, 0 to 1."""
    return busiest_range(rows, newest_ms).share


def quantiles(rows: Sequence[bytes], ranges: int) -> list[bytes]:
    """The keys that cut sorted rows into ranges of equal size."""
    return [rows[len(rows) * number // ranges] for number in range(1, ranges)] if rows else []


def stored_bytes(row: bytes, column: bytes, value: bytes) -> int:
    """The bytes of one cell as HBase stores it, before compression."""
    return CELL_BYTES + len(row) + len(column) - 1 + len(value)  # a column is family:qualifier; HBase stores no colon


def _stored_records(
    connection: "happybase.Connection", table: PhysicalTable, time: str | None
) -> Iterator[tuple[bytes, int | None, int]]:
    """For each record its row key, the time from which it is, if it has one, and the bytes of its cells.

    A record is a row; in a table whose rows hold many records, a cell.
    """
    is_wide = any(isinstance(layout.cells, ItemCells) for layout in table.layouts)
    tells_time = time is None or any(time in attrs.fields_dict(layout.cells.record) for layout in table.layouts)
    for row, cells in connection.table(table.name).scan(include_timestamp=True):
        written = [(written_ms, stored_bytes(row, column, value)) for column, (value, written_ms) in cells.items()]
        if is_wide:
            yield from ((row, written_ms if tells_time else None, size) for written_ms, size in written)
        else:
            of_row: int | None = max(written_ms for written_ms, _size in written)
            if time is not None:
                values = {column: value for column, (value, _) in cells.items()}
                of_all = chain.from_iterable(layout.records(row, values) for layout in table.layouts)
                records = [record for record in of_all if hasattr(record, time)]
                of_row = max((getattr(record, time) for record in records), default=None)
            yield row, of_row, sum(size for _written_ms, size in written)
