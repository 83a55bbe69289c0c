"""Points, and a second table of the latest point of each metric of a host: one range reads those of a site.

Each point is put into its hour, and then over the row of its metric: one extra put.
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING

from shared.keys import EscapedText, part, row_key, starting_with
from shared.queries import Query
from shared.sources import Table
from shared.writes import put_all, refuse_expired, store_all

from ...keys import POINTS
from ...records import Average, Point
from ...repository import PointRepository, end_of_whole_hours

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


HOURS = POINTS.like("points_with_latest")
"""A table of points separate from that of `keys.py`, whose points have no rows in `LATEST`."""
LATEST = Table(
    "latest_points",
    LatestOfMetric,
    Point,
    {"time_ms": "p:t", "value": "p:v"},
    dated_by="time_ms",
    holds="the latest point of a metric",
)
"""One version of a cell is enough: HBase keeps the one with the highest timestamp, which is the time of its point."""
TABLES = (*HOURS.tables, *LATEST.tables)


class Repository:
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

    def __init__(
        self, connection: "happybase.Connection", hours: Table[Point] = HOURS, latest: Table[Point] = LATEST
    ) -> None:
        self._hours = hours.on(connection)
        self._latest = latest.on(connection)
        self._points = PointRepository(connection, hours)

    # ---- writes

    def store(self, point: Point) -> None:
        """Stores a point, as `PointRepository.store` does, then over the latest row of its metric. Costs: two puts."""
        self._put_all([point])

    def store_all(self, points: Iterable[Point]) -> int:
        """Stores points as `store` does, but 1,000 at a time; returns their number.

        Of the points of a metric, only the latest one of each 1,000 is put over its row.
        Raises NotAllStored. Costs: those of `put_all`, for each of the two tables.
        """
        return store_all(points, self._put_all)

    def _put_all(self, points: list[Point]) -> None:
        """Puts points into their hours, then the latest one of each metric into its row."""
        refuse_expired(points, self._hours, self._latest)
        put_all(points, self._hours)
        in_order = sorted(points, key=attrgetter("time_ms"))  # among equal times, in the order given
        put_all({(point.host, point.metric): point for point in in_order}.values(), self._latest)

    def drop_before(self, host: str, metric: str, until_ms: int) -> int:
        """Deletes the same rows as `PointRepository`, but first the latest row if its point is in one of those hours.

        A point that is stored later with a time in those hours has no latest row until a major compaction of that
        table, and may be missing from its hour until one of the other. So compact both before you store such points.
        Costs: one more call.
        """
        before_ms = end_of_whole_hours(until_ms)
        self._hours.plan(host=host, metric=metric)  # refuses what no point can have
        if before_ms > 0:  # even before the first row exists: a put that is under way may arrive later
            row, columns = self._latest.row(LatestOfMetric(host, metric)), self._latest.layout.cells.columns
            self._latest.rows.delete(row, columns, timestamp=before_ms - 1)
        return self._points.drop_before(host, metric, until_ms)

    # ---- questions about the hours

    def of_metric(
        self, host: str, metric: str, since_ms: int | None = None, until_ms: int | None = None
    ) -> Query[Point]:
        """As `PointRepository.of_metric`."""
        return self._points.of_metric(host, metric, since_ms, until_ms)

    def of_host(self, host: str, since_ms: int, until_ms: int) -> Query[Point]:
        """As `PointRepository.of_host`."""
        return self._points.of_host(host, since_ms, until_ms)

    def across_hosts(self, metric: str, since_ms: int, until_ms: int) -> Query[Point]:
        """As `PointRepository.across_hosts`."""
        return self._points.across_hosts(metric, since_ms, until_ms)

    def averages(self, host: str, metric: str, since_ms: int, until_ms: int, every_ms: int = 60_000) -> list[Average]:
        """As `PointRepository.averages`."""
        return self._points.averages(host, metric, since_ms, until_ms, every_ms)

    # ---- questions about the latest points

    def latest(self, host: str, metric: str) -> Point | None:
        """The latest point of a metric, or None. Costs: one get."""
        return self._latest.ask(host=host, metric=metric).first()

    def latest_of_host(self, host: str) -> Query[Point]:
        """The latest point of every metric of a host, by metric. Costs: one range, of these points alone."""
        return self._latest.ask(host=host)

    def latest_of_hosts(self, host_prefix: str, metric: str | None = None) -> Query[Point]:
        """The latest point of every metric, or of one, of all hosts whose names start with `host_prefix`.

        They come by host, then by metric. An empty prefix means all hosts. End the prefix with the separator, as in
        `lyon/`, because `lyon` also finds `lyon-2/7`.
        Costs: one range, of these points alone. With a metric it reads those of all metrics, and the client drops the
        others.
        """
        hosts = starting_with(host_prefix)
        return self._latest.ask(host=hosts) if metric is None else self._latest.ask_more(host=hosts, metric=metric)
