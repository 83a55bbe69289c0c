"""Points, and a second table of the latest point of each metric of a host: one range reads those of a site.

Each point is put into its hour, and then over the row of its metric: one extra put.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from shared.keys import EscapedText, KeyLayout, part, row_key, starting_with
from shared.queries import Query
from shared.tables import BoundTable, Column, RecordCells, TableLayout
from shared.writes import put_all, refuse_expired

from ..keys import POINT_CELLS, POINTS, PointTables
from ..records import Point
from ..repository import PointRepository

if TYPE_CHECKING:
    import happybase


@row_key
class LatestOfMetric:
    """The latest point of one metric of a host.

    Order:  by host, then by metric.
    Serves: the latest point of a metric of a host, of all metrics of a host, and of all hosts whose names start alike,
            such as those of a site.
    Costs:  one get, or one range that reads the answer. One metric of many hosts reads all their metrics. If you mostly
            ask for that, store the metric first, which then refuses all metrics of a host.
            The few rows take every put, and HBase splits no table so small: give it split points between hosts.
    Fixed:  the sequence of the parts. The table can be made again from the points.
    Source: none
    """

    host: str = part(EscapedText, "what was measured; a name that starts with its site finds the hosts of a site")
    metric: str = part(EscapedText, "what was counted or timed")


HOURS = TableLayout("points_with_latest", POINTS.holds, POINTS.key, POINT_CELLS)
"""A table of points separate from that of `keys.py`, whose points have no rows in `LATEST`."""
LATEST = TableLayout(
    "latest_points",
    "the latest point of a metric",
    KeyLayout(LatestOfMetric),
    RecordCells(Point, {"time_ms": Column("p:t"), "value": Column("p:v")}),
)
"""One version of a cell is enough: HBase keeps the one with the highest timestamp, which is the time of its point."""


class LatestTables(NamedTuple):
    """The points, and the latest of each metric."""

    points: TableLayout[Any, Point]
    latest: TableLayout[Any, Point]


TABLES = LatestTables(HOURS, LATEST)


class Repository(PointRepository):
    """Keeps a row for the latest point of each metric of a host.

    Both cells of a point have its own time as timestamp, and a reader gets the cell with the highest one. So a late
    point replaces no newer one, in whatever order the puts of several writers arrive, and no write has to read first.

    Promise: the hours hold a point at the time that the latest row of its metric shows, because they are written first
    and deleted last. After a crash between the two puts the row is as it was before them. Repeating the call mends it,
    and so does the next point of the metric. Nothing else does: if the writer does not retry, and the host is silent
    from then on, the row stays old. If two writers store two values of one time at once, the hours may keep one and the
    row the other, until one of them is stored again.

    The promise needs the same TTL in both tables, and points that are not stored again after `drop_before`. A point
    dated in the future stays the latest until its time has come.
    """

    lacks: ClassVar[Mapping[str, str]] = {}

    def __init__(self, connection: "happybase.Connection", tables: LatestTables = TABLES) -> None:
        super().__init__(connection, PointTables(tables.points))
        self._latest = BoundTable(connection, tables.latest)

    # ---- writes

    def _put_all(self, points: list[Point]) -> None:
        """Puts points into their hours, then the latest one of each metric into its row.

        Costs: those of `put_all`, for each of the two tables.
        """
        refuse_expired(points, self._points, self._latest)
        super()._put_all(points)
        in_order = sorted(points, key=attrgetter("time_ms"))  # among equal times, in the order given
        put_all({(point.host, point.metric): point for point in in_order}.values(), self._latest)

    def drop_before(self, host: str, metric: str, until_ms: int) -> int:
        """Deletes the same rows as `PointRepository`, but first the latest row if its point is in one of those hours.

        A point that is stored later with a time in those hours has no latest row until a major compaction of that
        table, and may be missing from its hour until one of the other. So compact both before you store such points.
        Costs: one more call.
        """
        _plan, before_ms = self._hours_before(host, metric, until_ms)
        if before_ms > 0:  # even before the first row exists: a put that is under way may arrive later
            row, columns = self._latest.row(LatestOfMetric(host, metric)), self._latest.layout.cells.columns
            self._latest.rows.delete(row, columns, timestamp=before_ms - 1)
        return super().drop_before(host, metric, until_ms)

    # ---- questions

    def latest(self, host: str, metric: str) -> Point | None:
        """The latest point of a metric, or None. Costs: one get."""
        return Query(self._latest, self._latest.plan(host=host, metric=metric)).first()

    def latest_of_host(self, host: str) -> Query[Point]:
        """The latest point of every metric of a host, by metric. Costs: one range, of these points alone."""
        return Query(self._latest, self._latest.plan(host=host))

    def latest_of_hosts(self, host_prefix: str, metric: str | None = None) -> Query[Point]:
        """The latest point of every metric, or of one, of all hosts whose names start with `host_prefix`.

        They come by host, then by metric. An empty prefix means all hosts. End the prefix with the separator, as in
        `lyon/`, because `lyon` also finds `lyon-2/7`.
        Costs: one range, of these points alone. With a metric it reads those of all metrics, and the client drops the
        others.
        """
        hosts = starting_with(host_prefix)
        if metric is None:
            return Query(self._latest, self._latest.plan(host=hosts))
        return Query(self._latest, self._latest.narrow(host=hosts, metric=metric))
