"""Tall rows against wide rows: a row for each point, or a row for each hour with a cell for each point."""

from contextlib import closing

import attrs

from shared.designs import Cost, Design, metered, scratch_store
from shared.exhibit import Crossing, Panel, Series, lower_where, stored_bytes
from shared.sources import Table

from ..keys import HOUR_MS, POINTS
from ..records import Point
from ..repository import PointRepository
from .variants import metric_host_time

POINTS_PER_HOUR = (1, 4, 16, 64, 256)
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


def reads_of(table: Table[Point], points_per_hour: int) -> Reads:
    """What a table costs with so many points in an hour."""
    step_ms = HOUR_MS // points_per_hour
    times_ms = [hour * HOUR_MS + number * step_ms for hour in range(HOURS) for number in range(points_per_hour)]
    with closing(scratch_store(table.tables)) as connection:
        repository = PointRepository(connection, table)
        repository.store_all(Point("web-1", "cpu", time_ms, 1.0) for time_ms in times_ms)
        with metered(connection) as hour:
            points = repository.of_metric("web-1", "cpu", HOUR_MS, 2 * HOUR_MS).page(points_per_hour).records
        with metered(connection) as latest:
            last = repository.latest("web-1", "cpu")
        assert len(points) == points_per_hour
        assert last is not None
        assert last.time_ms == times_ms[-1]
        rows = connection.table(table.layout.name).scan()
        stored = [stored_bytes(row, column, value) for row, cells in rows for column, value in cells.items()]
    return Reads(hour, latest, sum(stored) / len(times_ms))


def crossing(_design: Design) -> Crossing:
    """Rows of one hour, and cells for the latest value, in both forms."""
    tall = [reads_of(metric_host_time.TABLE, points) for points in POINTS_PER_HOUR]
    wide = [reads_of(POINTS, points) for points in POINTS_PER_HOUR]
    forms = {"tall rows": tall, "wide rows": wide}
    rows = [Series(name, [reads.hour.rows_fetched for reads in form]) for name, form in forms.items()]
    cells = [Series(name, [reads.latest.cells_fetched for reads in form]) for name, form in forms.items()]
    of_hour, of_latest = (lower_where(POINTS_PER_HOUR, "points", *series) for series in (rows, cells))
    return Crossing(
        "Tall rows of points against wide ones",
        f"One hour: {of_hour}. The latest value: {of_latest}",
        POINTS_PER_HOUR,
        (
            Panel("rows read for one hour; a tall row is one point", "points in an hour", rows),
            Panel("cells read for the latest value", "points in an hour", cells),
        ),
        f"The form that reads less is {of_hour} for one hour, and {of_latest} for the latest value. "
        f"{_at_the_last_place(tall[-1], wide[-1])}",
    )


def _at_the_last_place(tall: Reads, wide: Reads) -> str:
    return (
        f"With {POINTS_PER_HOUR[-1]} points in an hour, the client receives {tall.hour.bytes_fetched:,} bytes of tall "
        f"rows for that hour, or {wide.hour.bytes_fetched:,} of a wide one. The latest value reads "
        f"{tall.latest.cells_fetched} cells of tall rows, or {wide.latest.cells_fetched} of wide ones, "
        f"because these are read whole. On disk, a point has {tall.bytes_per_point:.0f} bytes in a tall row and "
        f"{wide.bytes_per_point:.0f} in a wide one, because HBase stores the row key with every cell."
    )
