"""What the repository promises besides answers: writes, retention, and what it refuses."""

import time

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.monitoring import Average, NotAllStored, PointRepository
from domains.monitoring.keys import HOUR_MS, POINTS, PointTables
from shared.designs import metered
from shared.keys import InvalidKey, InvalidQuestion
from shared.records import LAST_MS
from shared.tables import Family
from shared.testing import stored_cells
from shared.writes import CLOCK, allow_expired
from tests.engines import EMBEDDED, examples

from .asking import BY_NAME, main_variant, only, point, stored, times, wide

# ---- writes -----------------------------------------------------------------------------------------

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


def test_a_point_that_cannot_be_stored_stores_none_of_those_that_go_with_it(connection, variant, points):
    with pytest.raises(NotAllStored, match=r"^0 records stored; some of the next 2 may be stored too: ") as refused:
        points.store_all([point(), point(host="w" * 32_768)])
    assert isinstance(refused.value.__cause__, InvalidKey)
    assert not any(stored_cells(connection, variant.tables).values())


@only("bucketed", "hashed-bucket")
def test_of_the_points_of_a_bucket_the_latest_stays_whatever_arrives_last(points):
    stored(points, point(7, value=2.0), point(5, value=1.0))
    assert list(points.of_metric("web-1", "cpu", 0, 10)) == [point(7, value=2.0)]
    assert list(points.of_metric("web-1", "cpu", 0, 6)) == []


@main_variant
@pytest.mark.parametrize("every_ms", [0, -1, 1.5, True, None, "60000"])
def test_averages_over_no_whole_number_of_milliseconds_are_refused(points, every_ms):
    with pytest.raises(InvalidQuestion) as refused:
        points.averages("web-1", "cpu", 0, 1, every_ms)
    assert str(refused.value) == f"every_ms: must be 1 or more (got {every_ms!r})"


# ---- retention --------------------------------------------------------------------------------------

dropping = only("monitoring", "salted", "latest", "metric-host-time")
PER_HOUR = [0, HOUR_MS - 1, HOUR_MS, 2 * HOUR_MS, 2 * HOUR_MS + 1, 7 * HOUR_MS]


@dropping
def test_whole_hours_before_a_time_are_dropped_and_no_part_of_one(points):
    stored(points, *map(point, PER_HOUR))
    others = stored(points, point(0, "web-12"), point(0, metric="cpu-idle"))
    points.drop_before("web-1", "cpu", 2 * HOUR_MS + 1)
    assert times(points.of_metric("web-1", "cpu")) == [2 * HOUR_MS, 2 * HOUR_MS + 1, 7 * HOUR_MS]
    assert [points.latest(other.host, other.metric) for other in others] == others


@pytest.mark.parametrize(("variant", "dropped"), [(BY_NAME["monitoring"], 2), (BY_NAME["metric-host-time"], 3)])
def test_dropping_counts_rows_and_dropping_again_finds_none(connection, variant, points, dropped):
    stored(points, *map(point, PER_HOUR))
    assert points.drop_before("web-1", "cpu", 2 * HOUR_MS) == dropped
    before = stored_cells(connection, variant.tables)
    assert points.drop_before("web-1", "cpu", 2 * HOUR_MS) == 0
    assert stored_cells(connection, variant.tables) == before


@wide
def test_a_late_point_of_a_dropped_hour_stays_hidden_until_a_compaction(engine, connection, variant, points):
    stored(points, point(5), point(3 * HOUR_MS))
    points.drop_before("web-1", "cpu", 3 * HOUR_MS)
    stored(points, point(5), point(6), point(HOUR_MS))
    assert times(points.of_metric("web-1", "cpu")) == [HOUR_MS, 3 * HOUR_MS]
    if engine.name == EMBEDDED:  # the gateway of HBase has no call that waits for a major compaction
        connection.compact(variant.tables[0].name)
        stored(points, point(7))
        assert times(points.of_metric("web-1", "cpu")) == [7, HOUR_MS, 3 * HOUR_MS]


@dropping
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


@only("host-time-metric", "bucketed", "hashed-bucket")
def test_a_key_with_the_metric_last_cannot_drop_one_metric(points):
    with pytest.raises(InvalidQuestion, match=r"needs a value for time_ms \(not an interval\), which comes earlier"):
        points.drop_before("web-1", "cpu", HOUR_MS)


@settings(max_examples=examples(20))
@given(
    st.lists(st.tuples(st.sampled_from([*PER_HOUR, 1]), st.sampled_from(["cpu", "cpu-idle"])), max_size=20),
    st.lists(st.sampled_from([*PER_HOUR, 1, HOUR_MS + 1]), min_size=1, max_size=3),
    st.lists(st.sampled_from([*PER_HOUR, 1]), max_size=5),
)
def test_dropping_is_a_plain_list_without_the_hours_before(engine, moments, drops, late):
    with engine.shared_store(POINTS) as connection:
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


def test_a_ttl_hides_single_points_at_once_and_late_ones_for_ever(new_store):
    hour = attrs.evolve(POINTS, name="points_of_an_hour", families={"p": Family(ttl_seconds=3600)})
    connection = new_store(hour)
    allow_expired(connection)
    points = PointRepository(connection, PointTables(hour))
    now_ms = time.time_ns() // 10**6
    new = point(now_ms - HOUR_MS // 2)
    stored(points, point(now_ms - HOUR_MS - 1000), new, point(now_ms - 9 * HOUR_MS, "web-12"))
    assert list(points.of_metric("web-1", "cpu")) == [new]
    assert points.latest("web-12", "cpu") is None
    assert points.averages("web-1", "cpu", 0, LAST_MS, every_ms=LAST_MS) == [Average(0, 1, 1.0)]
