"""Other tables than the design's own, which its README tells of under "Adapt it"."""

import attrs
import pytest

from domains.monitoring import Point, PointRepository
from domains.monitoring.keys import HOUR_MS, POINT_CELLS, POINTS, PointTables
from domains.monitoring.traps import HourOfAllHosts
from domains.monitoring.variants.latest import HOURS, LATEST, LatestTables, Repository
from shared.keys import EscapedText, InvalidQuestion, KeyLayout, part, row_key
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


@row_key
class LatestOfHost:
    """The latest point of a metric, the metric first."""

    metric: str = part(EscapedText, "what was counted or timed")
    host: str = part(EscapedText, "what was measured")


def test_with_the_metric_first_a_site_reads_one_metric_alone_and_all_of_a_host_are_refused(new_store):
    turned = TableLayout("latest_by_metric", LATEST.holds, KeyLayout(LatestOfHost), LATEST.cells)
    points = Repository(new_store(HOURS, turned), LatestTables(HOURS, turned))
    stored(points, *(point(5, host, metric) for host in ("a1", "a2", "b") for metric in ("cpu", "mem")))
    page = points.latest_of_hosts("a", "mem").page()
    assert (page.records, page.rows_read) == ([point(5, "a1", "mem"), point(5, "a2", "mem")], 2)
    with pytest.raises(InvalidQuestion, match="needs a value for metric"):
        points.latest_of_host("a1")


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
