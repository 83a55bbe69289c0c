"""Points in one table; one method for each question, whatever the key of the table."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from shared.keys import InvalidQuestion, between, shown
from shared.queries import KEYS_ONLY, Query, scan
from shared.records import check_int
from shared.sources import Table
from shared.writes import CLOCK, delete_rows

from .keys import BY_TIME, HOUR_MS, POINTS
from .records import Average, Point

if TYPE_CHECKING:
    import happybase


class PointRepository:
    """Stores points, and finds them by host, metric and time, in a table of any of its keys.

    The table's key binds as many conditions of a question as it can, and the client compares the others. If the key
    cannot bind any condition, the question is refused with an InvalidQuestion that names the missing part.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, connection: "happybase.Connection", points: Table[Point] = POINTS) -> None:
        self._points = points.on(connection)

    # ---- writes

    def store(self, point: Point) -> None:
        """Stores a point. Storing it again writes the same cell; another value at its time replaces it.

        Of two values for one time, the one that arrives last stays. Costs: one put.
        """
        self._points.put(point)

    def store_all(self, points: Iterable[Point]) -> int:
        """Stores points as `store` does, but 1,000 in a call; returns their number.

        Raises NotAllStored. Costs: those of `put_all`: without Thrift2, one call for each different time.
        """
        return self._points.put_all(points)

    def drop_before(self, host: str, metric: str, until_ms: int) -> int:
        """Deletes the rows of a metric whose whole hour is before `until_ms`; returns how many.

        A point that is stored later into a deleted row stays hidden until a major compaction, and every scan reads past
        the tombstones until then. So a time in the future is refused: raises InvalidQuestion. It is safe to repeat the
        call, also after a crash.
        Costs: one scan of the row keys, and for each 1,000 rows one call that deletes them.
        """
        before_ms = end_of_whole_hours(until_ms)
        plan = self._points.plan(host=host, metric=metric, time_ms=between(None, before_ms))
        rows = scan(self._points.rows, plan, filter=KEYS_ONLY, columns=self._points.layout.cells.columns)
        # The time of a point is the timestamp of its cell, so all cells of these rows are older than `before_ms`.
        return delete_rows(self._points, (row for row, _cells in rows), before_ms - 1)

    # ---- questions

    def of_metric(
        self, host: str, metric: str, since_ms: int | None = None, until_ms: int | None = None
    ) -> Query[Point]:
        """A metric of a host from `since_ms` to `until_ms` (exclusive), oldest first.

        Costs: one range. A period within one hour reads its own points; a longer one reads its first and its last hour
        whole, and the client drops what is outside.
        """
        points = self._points.ask_more(host=host, metric=metric, time_ms=between(since_ms, until_ms))
        return points.in_order_of(BY_TIME)

    def latest(self, host: str, metric: str) -> Point | None:
        """The latest point of a metric, or None.

        Costs: a reverse scan that finds the last hour with points, and a scan of that hour, which reads it whole.
        """
        return self._points.ask_more(host=host, metric=metric).in_order_of(BY_TIME).newest_first().first()

    def of_host(self, host: str, since_ms: int, until_ms: int) -> Query[Point]:
        """All metrics of a host from `since_ms` to `until_ms` (exclusive), in row-key order: by metric, then time.

        Costs: one range, the host's points of any time. A metric by name costs less: see `of_metric`.
        """
        return self._points.ask_more(host=host, time_ms=between(since_ms, until_ms))

    def across_hosts(self, metric: str, since_ms: int, until_ms: int) -> Query[Point]:
        """A metric of all hosts from `since_ms` to `until_ms` (exclusive), in row-key order, not by time.

        Costs: refused if the key has the host first.
        """
        return self._points.ask_more(metric=metric, time_ms=between(since_ms, until_ms))

    def averages(self, host: str, metric: str, since_ms: int, until_ms: int, every_ms: int = 60_000) -> list[Average]:
        """The averages of a metric over periods of `every_ms` that start at multiples of it, oldest first.

        A period without points has no average. Those at the ends cover only the points from `since_ms` to `until_ms`.
        Costs: the points are read once, as by `of_metric`; memory for one page of them.
        """
        check_int("every_ms", every_ms, 1)
        return list(_averages(self.of_metric(host, metric, since_ms, until_ms), every_ms))


def end_of_whole_hours(until_ms: int) -> int:
    """The end of the last hour that is before a time as a whole. Raises InvalidQuestion for a time in the future."""
    check_int("until_ms", until_ms)
    if until_ms > CLOCK.read_ms():
        wanted = "must not be in the future: later points would stay hidden"
        raise InvalidQuestion(f"until_ms: {wanted} (got {shown(until_ms)})")
    return until_ms - until_ms % HOUR_MS


def _averages(points: Query[Point], every_ms: int) -> Iterator[Average]:
    """The averages of points that come in order of time."""
    start_ms, count, total = 0, 0, 0.0
    for point in points:
        point_start_ms = point.time_ms - point.time_ms % every_ms
        if count and point_start_ms != start_ms:
            yield Average(start_ms, count, total / count)
            count, total = 0, 0.0
        start_ms, count, total = point_start_ms, count + 1, total + point.value
    if count:
        yield Average(start_ms, count, total / count)
