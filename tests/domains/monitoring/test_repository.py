"""What the repository promises besides answers: writes, retention, and what it refuses."""

from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.monitoring import Point, PointRepository
from domains.monitoring.keys import HOUR_MS, POINTS
from domains.monitoring.shown.design import DESIGN
from shared.designs import metered
from shared.keys import InvalidQuestion
from shared.records import LAST_MS
from shared.sources import Table
from shared.tables import InvalidRow, ItemCells
from shared.testing.stored_samples import stored_cells
from shared.writes import CLOCK
from tests.domains.variants import only
from tests.engines import EMBEDDED, examples

from .asking import point, stored, times

NEW_POINTS = [point(5), point(5, value=2.0), point(5, "web-2"), point(HOUR_MS), point(0), point(5, metric="mem")]


def test_points_stored_together_need_one_call_and_no_read_and_the_time_of_each_is_its_timestamp(
    connection, variant, points
):
    with metered(connection) as cost:
        assert points.store_all(iter(NEW_POINTS)) == len(NEW_POINTS)
        points.store(NEW_POINTS[1])
    calls = 2 if variant.name == "latest" else 1
    assert (cost.rpcs, cost.reads) == (calls + calls, [])
    rows = stored_cells(connection, variant.tables)[variant.tables[0].name]
    stamps = {stamp for _row, cells in rows for _value, stamp in cells.values()}
    assert stamps == ({5, HOUR_MS} if "bucket" in variant.name else {0, 5, HOUR_MS})


# ---- a value of two attributes


@attrs.frozen
class GradedPoint(Point):
    """A point with one attribute more."""

    quality: int = 0


def test_a_value_of_two_attributes_is_an_array_and_a_plain_number_cannot_be_read_as_one(new_store):
    plain: Any = POINTS.layout.cells
    cells = ItemCells(GradedPoint, "p", plain.qualifier, value=("value", "quality"))
    graded = Table("points", POINTS.layout.key, GradedPoint, cells, dated_by="time_ms")
    table = graded.layout
    points = PointRepository(new_store(table), graded)
    stored(points, GradedPoint("web-1", "cpu", 5, 1.0, quality=3))
    assert list(points.of_metric("web-1", "cpu")) == [GradedPoint("web-1", "cpu", 5, 1.0, quality=3)]

    before = ItemCells(Point, "p", plain.qualifier, value=("value",))
    assert table.records(table.row(point()), before.pack(point())) == [GradedPoint(**attrs.asdict(point()))]
    with pytest.raises(InvalidRow, match="must be a msgpack array of value, quality"):
        table.records(table.row(point()), plain.pack(point()))


# ---- retention

PER_HOUR = [0, HOUR_MS - 1, HOUR_MS, 2 * HOUR_MS, 2 * HOUR_MS + 1, 7 * HOUR_MS]


@only(DESIGN, "monitoring")
def test_a_late_point_of_a_dropped_hour_stays_hidden_until_a_compaction(engine, connection, variant, points):
    stored(points, point(5), point(3 * HOUR_MS))
    points.drop_before("web-1", "cpu", 3 * HOUR_MS)
    stored(points, point(5), point(6), point(HOUR_MS))
    assert times(points.of_metric("web-1", "cpu")) == [HOUR_MS, 3 * HOUR_MS]
    if engine.name == EMBEDDED:  # the gateway of HBase has no call that waits for a major compaction
        connection.compact(variant.tables[0].name)
        stored(points, point(7))
        assert times(points.of_metric("web-1", "cpu")) == [7, HOUR_MS, 3 * HOUR_MS]


@only(DESIGN, "monitoring", "latest")
def test_hours_that_are_not_over_are_dropped_by_no_call_so_no_later_point_is_hidden(connection, variant, points):
    now_ms = CLOCK.read_ms()
    stored(points, point(now_ms - 2 * HOUR_MS))
    before = stored_cells(connection, variant.tables)
    with pytest.raises(InvalidQuestion, match=r"^until_ms: must not be in the future: .* \(got \d{13}\)$"):
        points.drop_before("web-1", "cpu", now_ms + HOUR_MS)
    assert stored_cells(connection, variant.tables) == before
    points.drop_before("web-1", "cpu", now_ms)
    (new,) = stored(points, point(CLOCK.read_ms()))
    assert [points.latest("web-1", "cpu"), *points.of_metric("web-1", "cpu")] == [new, new]


@only(DESIGN, "host-time-metric", "bucketed", "hashed-bucket")
def test_a_key_with_the_metric_last_cannot_drop_one_metric(points):
    with pytest.raises(InvalidQuestion, match=r"needs a value for time_ms \(not an interval\), which comes earlier"):
        points.drop_before("web-1", "cpu", HOUR_MS)


@settings(max_examples=examples(10))
@given(
    st.lists(st.tuples(st.sampled_from([*PER_HOUR, 1]), st.sampled_from(["cpu", "cpu-idle"])), max_size=20),
    st.lists(st.sampled_from([*PER_HOUR, 1, HOUR_MS + 1]), min_size=1, max_size=3),
    st.lists(st.sampled_from([*PER_HOUR, 1]), max_size=5),
)
def test_dropping_is_a_plain_list_without_the_hours_before(engine, moments, drops, late):
    with engine.shared_store(*POINTS.tables) as connection:
        points = PointRepository(connection)
        remaining = {*stored(points, *(point(at, metric=metric) for at, metric in moments))}
        hidden = set()
        for until_ms in drops:
            old = {p for p in remaining if p.metric == "cpu" and p.time_ms // HOUR_MS < until_ms // HOUR_MS}
            hours = {p.time_ms // HOUR_MS for p in old}
            assert points.drop_before("web-1", "cpu", until_ms) == len(hours)
            remaining, hidden = remaining - old, hidden | hours
        remaining |= {new for new in stored(points, *map(point, late)) if new.time_ms // HOUR_MS not in hidden}
        assert list(points.of_host("web-1", 0, LAST_MS)) == sorted(remaining, key=lambda p: (p.metric, p.time_ms))
