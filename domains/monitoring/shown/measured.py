"""Tall rows against wide rows: a row for each point, or a row for each hour with a cell for each point."""

from collections.abc import Mapping
from contextlib import closing

import attrs

from shared.designs import Cost, Design, metered, scratch_store
from shared.exhibit import filled, stored_bytes
from shared.sources import Table

from ..keys import HOUR_MS, POINTS
from ..records import Point
from ..repository import PointRepository
from .variants import metric_host_time

POINTS_PER_HOUR = 256
HOURS = 3
"""Hours that are stored; the second one is asked for."""


@attrs.frozen
class Reads:
    """What one metric of a host costs in a table."""

    hour: Cost
    """The points of one hour."""
    latest: Cost
    """The latest point."""
    bytes_per_point: float
    """Stored bytes, before compression."""


def reads_of(table: Table[Point]) -> Reads:
    """What a table costs with so many points in an hour."""
    step_ms = HOUR_MS // POINTS_PER_HOUR
    times_ms = [hour * HOUR_MS + number * step_ms for hour in range(HOURS) for number in range(POINTS_PER_HOUR)]
    with closing(scratch_store(table.tables)) as connection:
        repository = PointRepository(connection, table)
        repository.store_all(Point("web-1", "cpu", time_ms, 1.0) for time_ms in times_ms)
        with metered(connection) as hour:
            points = repository.of_metric("web-1", "cpu", HOUR_MS, 2 * HOUR_MS).page(POINTS_PER_HOUR).records
        with metered(connection) as latest:
            last = repository.latest("web-1", "cpu")
        assert len(points) == POINTS_PER_HOUR
        assert last is not None
        assert last.time_ms == times_ms[-1]
        rows = connection.table(table.layout.name).scan()
        stored = [stored_bytes(row, column, value) for row, cells in rows for column, value in cells.items()]
    return Reads(hour, latest, sum(stored) / len(times_ms))


def own_blocks(_design: Design) -> Mapping[str, str]:
    """What one hour and the latest value cost in both forms."""
    tall, wide = reads_of(metric_host_time.TABLE), reads_of(POINTS)
    words = (
        f"With {POINTS_PER_HOUR} points in an hour, a question for that hour reads {tall.hour.rows_fetched} tall rows "
        f"({tall.hour.bytes_fetched:,} bytes) or {wide.hour.rows_fetched} wide one ({wide.hour.bytes_fetched:,}). The "
        f"latest value reads {tall.latest.cells_fetched} cells of tall rows, or {wide.latest.cells_fetched} of wide "
        f"ones, because these are read whole. On disk, a point has {tall.bytes_per_point:.0f} bytes in a tall row and "
        f"{wide.bytes_per_point:.0f} in a wide one, because HBase stores the row key with every cell."
    )
    return {"tall-or-wide": filled(words)}
