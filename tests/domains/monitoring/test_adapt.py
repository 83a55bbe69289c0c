"""Points of more than a number, which the README tells of under "Adapt it"."""

import attrs
import pytest

from domains.monitoring import Point, PointRepository
from domains.monitoring.keys import POINT_CELLS, POINTS, PointTables
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
