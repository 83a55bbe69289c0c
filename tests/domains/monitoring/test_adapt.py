"""Other tables than the design's own, which its README tells of under "Adapt it"."""

import attrs
import pytest

from domains.monitoring import Point, PointRepository
from domains.monitoring.keys import HOUR_MS, POINT_CELLS, POINTS, PointTables
from domains.monitoring.traps import HourOfAllHosts
from shared.keys import InvalidQuestion, KeyLayout
from shared.tables import InvalidRow, ItemCells, TableLayout

from .asking import point, stored


@attrs.frozen
class GradedPoint(Point):
    """A point with one attribute more."""

    quality: int = 0


def test_a_value_of_two_attributes_is_an_array_and_a_plain_number_cannot_be_read_as_one(new_store):
    qualifier = POINT_CELLS.qualifier
    graded = ItemCells(GradedPoint, "p", qualifier, value=("value", "quality"))
    table = TableLayout("points", "an hour of a metric", POINTS.key, graded)
    points = PointRepository(new_store(table), PointTables(table))
    stored(points, GradedPoint("web-1", "cpu", 5, 1.0, quality=3))
    assert list(points.of_metric("web-1", "cpu")) == [GradedPoint("web-1", "cpu", 5, 1.0, quality=3)]

    before = ItemCells(Point, "p", qualifier, value=("value",))
    assert table.records(table.row(point()), before.pack(point())) == [GradedPoint(**attrs.asdict(point()))]
    with pytest.raises(InvalidRow, match="must be a msgpack array of value, quality"):
        table.records(table.row(point()), POINT_CELLS.pack(point()))


def test_with_the_hour_before_the_host_all_hosts_of_a_metric_are_read_by_their_hours_alone(new_store):
    table = TableLayout("points_all_hosts", "an hour of a metric", KeyLayout(HourOfAllHosts), POINT_CELLS)
    points = PointRepository(new_store(table), PointTables(table))
    hosts = ("web-1", "web-12", "é")
    stored(points, *(point(hour * HOUR_MS + at, host) for hour in range(5) for host in hosts for at in (0, 7)))
    page = points.across_hosts("cpu", HOUR_MS, 3 * HOUR_MS).page()
    assert (len(page.records), page.rows_read) == (12, 12)
    assert points.latest("web-12", "cpu") == point(4 * HOUR_MS + 7, "web-12")
    assert list(points.of_metric("é", "cpu", 0, 7)) == [point(0, "é")]
    for ask in (lambda: points.of_host("web-1", 0, 1), lambda: points.drop_before("web-1", "cpu", HOUR_MS)):
        with pytest.raises(InvalidQuestion, match=r"needs a value for (metric|time_ms)"):
            ask()
