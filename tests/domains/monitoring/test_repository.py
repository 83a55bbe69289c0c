"""What the repository promises besides answers: writes, pages, averages, retention, and what it refuses."""

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
from tests.engines import EMBEDDED, examples

from .asking import BY_NAME, by_time, dump, lossless, main_variant, only, point, refuses, stored, times, wide

# ---- writes -----------------------------------------------------------------------------------------


def test_a_point_needs_one_put_and_no_read(connection, points):
    with metered(connection) as cost:
        points.store(point())
    assert (cost.rpcs, cost.reads) == (1, [])


def test_the_same_point_again_changes_nothing(connection, variant, points):
    stored(points, point(), point(60_000))
    before = dump(connection, variant)
    stored(points, point(60_000), point())
    assert dump(connection, variant) == before


@lossless
def test_the_timestamp_of_a_cell_is_the_time_of_its_point(connection, variant, points):
    stored(points, point(0), point(5), point(HOUR_MS + 5))
    stamps = [stamp for _row, cells in dump(connection, variant) for _value, stamp in cells.values()]
    assert sorted(stamps) == [0, 5, HOUR_MS + 5]


@lossless
def test_of_two_values_of_one_time_the_one_that_arrives_last_stays(points):
    stored(points, point(5, value=1.0), point(5, value=2.0), point(6, value=3.0))
    assert list(points.of_metric("web-1", "cpu")) == [point(5, value=2.0), point(6, value=3.0)]


def test_points_stored_together_are_the_cells_of_points_stored_one_by_one(engine, connection, variant, points):
    new_points = [point(5), point(5, value=2.0), point(5, "web-2"), point(HOUR_MS), point(0), point(5, metric="mem")]
    with metered(connection) as cost:
        assert points.store_all(iter(new_points)) == len(new_points)
    assert cost.rpcs == 3, "one call for each time"
    with engine.shared_store(*variant.tables) as other:
        stored(variant.open(other), *new_points)
        assert dump(connection, variant) == dump(other, variant)


def test_a_point_that_cannot_be_stored_stores_none_of_those_that_go_with_it(connection, variant, points):
    with pytest.raises(NotAllStored, match=r"^0 records stored; some of the next 2 may be stored too: ") as refused:
        points.store_all([point(), point(host="w" * 32_768)])
    assert isinstance(refused.value.__cause__, InvalidKey)
    assert dump(connection, variant) == []


@only("bucketed", "hashed-bucket")
def test_of_the_points_of_a_bucket_the_latest_stays_whatever_arrives_last(points):
    stored(points, point(7, value=2.0), point(5, value=1.0))
    assert list(points.of_metric("web-1", "cpu", 0, 10)) == [point(7, value=2.0)]
    assert list(points.of_metric("web-1", "cpu", 0, 6)) == []


@lossless
def test_points_that_arrive_out_of_order_are_found_in_order(points):
    new_points = stored(points, *map(point, (HOUR_MS, 7, HOUR_MS - 1, 0, 3)))
    assert list(points.of_metric("web-1", "cpu")) == by_time(new_points)


@wide
def test_the_first_and_the_last_moment_of_the_calendar_can_be_stored(points):
    ends = stored(points, point(0), point(LAST_MS))
    assert list(points.of_metric("web-1", "cpu")) == ends
    assert points.latest("web-1", "cpu") == ends[-1]


# ---- periods ----------------------------------------------------------------------------------------

AROUND_AN_HOUR = [HOUR_MS - 2, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1]


@lossless
@pytest.mark.parametrize(
    ("since_ms", "until_ms", "found"),
    [
        (HOUR_MS - 1, HOUR_MS + 1, [HOUR_MS - 1, HOUR_MS]),
        (HOUR_MS, 2 * HOUR_MS, [HOUR_MS, HOUR_MS + 1]),
        (0, HOUR_MS, [HOUR_MS - 2, HOUR_MS - 1]),
        (None, HOUR_MS - 1, [HOUR_MS - 2]),
        (HOUR_MS + 1, None, [HOUR_MS + 1]),
        (None, None, AROUND_AN_HOUR),
        (HOUR_MS, HOUR_MS, []),
        (2 * HOUR_MS, 9 * HOUR_MS, []),
    ],
)
def test_a_period_includes_its_start_and_excludes_its_end(points, since_ms, until_ms, found):
    stored(points, *map(point, AROUND_AN_HOUR))
    assert times(points.of_metric("web-1", "cpu", since_ms, until_ms)) == found


@main_variant
def test_a_period_that_ends_before_it_starts_is_refused(points):
    with pytest.raises(InvalidQuestion, match="time_ms"):
        points.of_metric("web-1", "cpu", 2, 1)


@lossless
def test_names_that_begin_alike_are_others(points):
    stored(points, point(), point(host="web-12"), point(metric="cpu-idle"), point(host="web"))
    assert list(points.of_metric("web-1", "cpu")) == [point()]
    assert points.latest("web-12", "cpu") == point(host="web-12")
    assert points.latest("web-1", "c") is None


@lossless
def test_pages_of_every_size_follow_each_other_across_hours(points):
    new_points = stored(points, *map(point, [0, 1, 2, HOUR_MS - 1, HOUR_MS, 2 * HOUR_MS + 5, 5 * HOUR_MS]))
    for limit in range(1, 9):
        query, found, cursor = points.of_metric("web-1", "cpu"), [], None
        while True:
            page = query.page(limit, cursor)
            found += page.records
            cursor = page.cursor
            if cursor is None:
                break
        assert found == new_points


# ---- latest -----------------------------------------------------------------------------------------


@lossless
def test_the_latest_is_that_of_the_last_hour_with_points(points):
    stored(points, point(9 * HOUR_MS, metric="disk"), *map(point, (5, 3, 4 * HOUR_MS + 2, 4 * HOUR_MS + 1, HOUR_MS)))
    assert points.latest("web-1", "cpu") == point(4 * HOUR_MS + 2)


@lossless
def test_the_latest_of_nothing_is_none(points):
    assert points.latest("web-1", "cpu") is None


# ---- averages ---------------------------------------------------------------------------------------

MINUTE_MS, END_MS = 60_000, 10**13 - 1
VALUES = [point(0, value=1.0), point(1, value=2.0), point(MINUTE_MS, value=5.0), point(HOUR_MS + 1, value=-8.0)]


@lossless
def test_averages_by_minute_and_by_hour_leave_out_empty_periods(points):
    stored(points, *VALUES, point(2, metric="disk", value=99.0))
    assert points.averages("web-1", "cpu", 0, END_MS) == [
        Average(0, 2, 1.5),
        Average(MINUTE_MS, 1, 5.0),
        Average(HOUR_MS, 1, -8.0),
    ]
    assert points.averages("web-1", "cpu", 0, END_MS, HOUR_MS) == [Average(0, 3, 8 / 3), Average(HOUR_MS, 1, -8.0)]


@lossless
def test_averages_of_a_period_without_points_are_none(points):
    stored(points, *VALUES)
    assert points.averages("web-1", "cpu", 2 * MINUTE_MS, HOUR_MS) == []
    assert points.averages("web-2", "cpu", 0, END_MS) == []


@lossless
def test_the_periods_at_the_ends_have_only_the_points_that_were_asked_for(points):
    stored(points, *VALUES)
    assert points.averages("web-1", "cpu", 1, MINUTE_MS + 1) == [Average(0, 1, 2.0), Average(MINUTE_MS, 1, 5.0)]


@main_variant
@pytest.mark.parametrize("every_ms", [0, -1, 1.5, True, None, "60000"])
def test_averages_over_no_whole_number_of_milliseconds_are_refused(points, every_ms):
    with pytest.raises(InvalidQuestion) as refused:
        points.averages("web-1", "cpu", 0, 1, every_ms)
    assert str(refused.value) == f"every_ms: must be 1 or more (got {every_ms!r})"


# ---- retention --------------------------------------------------------------------------------------

DROPPING = ["monitoring", "salted", "metric-host-time"]
dropping = only(*DROPPING)
PER_HOUR = [0, HOUR_MS - 1, HOUR_MS, 2 * HOUR_MS, 2 * HOUR_MS + 1, 7 * HOUR_MS]


@dropping
def test_whole_hours_before_a_time_are_dropped_and_no_part_of_one(points):
    stored(points, *map(point, PER_HOUR))
    others = stored(points, point(0, "web-12"), point(0, metric="cpu-idle"))
    points.drop_before("web-1", "cpu", 2 * HOUR_MS + 1)
    assert times(points.of_metric("web-1", "cpu")) == [2 * HOUR_MS, 2 * HOUR_MS + 1, 7 * HOUR_MS]
    assert [points.latest(each.host, each.metric) for each in others] == others


@pytest.mark.parametrize(("variant", "dropped"), [(BY_NAME["monitoring"], 2), (BY_NAME["metric-host-time"], 3)])
def test_dropping_counts_rows_and_dropping_again_finds_none(connection, variant, points, dropped):
    stored(points, *map(point, PER_HOUR))
    assert points.drop_before("web-1", "cpu", 2 * HOUR_MS) == dropped
    before = dump(connection, variant)
    assert points.drop_before("web-1", "cpu", 2 * HOUR_MS) == 0
    assert dump(connection, variant) == before


@dropping
@pytest.mark.parametrize("until_ms", [0, 1, HOUR_MS - 1])
def test_before_the_first_whole_hour_there_is_nothing_to_drop(points, until_ms):
    stored(points, point(0))
    assert points.drop_before("web-1", "cpu", until_ms) == 0
    assert list(points.of_metric("web-1", "cpu")) == [point(0)]


@wide
def test_a_late_point_of_a_dropped_hour_stays_hidden_and_one_of_an_hour_without_a_row_does_not(points):
    stored(points, point(5), point(3 * HOUR_MS))
    points.drop_before("web-1", "cpu", 3 * HOUR_MS)
    stored(points, point(5), point(6), point(HOUR_MS))
    assert times(points.of_metric("web-1", "cpu")) == [HOUR_MS, 3 * HOUR_MS]


@wide
def test_after_a_compaction_a_late_point_is_stored_again(engine, connection, variant, points):
    if engine.name != EMBEDDED:
        pytest.skip("the gateway of HBase has no call that waits for a major compaction")
    stored(points, point(5), point(3 * HOUR_MS))
    points.drop_before("web-1", "cpu", 3 * HOUR_MS)
    stored(points, point(6))
    connection.compact(variant.tables[0].name)
    assert times(points.of_metric("web-1", "cpu")) == [3 * HOUR_MS]
    stored(points, point(7))
    assert times(points.of_metric("web-1", "cpu")) == [7, 3 * HOUR_MS]


@only("host-time-metric", "bucketed", "hashed-bucket")
def test_a_key_with_the_metric_last_cannot_drop_one_metric(variant, points):
    assert refuses(variant.name, "drop_before")
    with pytest.raises(InvalidQuestion, match=r"needs a value for time_ms \(not an interval\), which comes earlier"):
        points.drop_before("web-1", "cpu", HOUR_MS)


@settings(max_examples=examples(20))
@given(
    st.lists(st.tuples(st.sampled_from([*PER_HOUR, 1]), st.sampled_from(["cpu", "cpu-idle"])), max_size=20),
    st.lists(st.sampled_from([*PER_HOUR, HOUR_MS + 1]), min_size=1, max_size=3),
    st.lists(st.sampled_from([*PER_HOUR, 1]), max_size=5),
)
def test_dropping_is_a_plain_list_without_the_hours_before(engine, moments, drops, late):
    with engine.shared_store(POINTS) as connection:
        points = PointRepository(connection)
        left = {*stored(points, *(point(at, metric=metric) for at, metric in moments))}
        hidden = set()
        for until_ms in drops:
            old = {each for each in left if each.metric == "cpu" and each.time_ms // HOUR_MS < until_ms // HOUR_MS}
            hours = {each.time_ms // HOUR_MS for each in old}
            assert points.drop_before("web-1", "cpu", until_ms) == len(hours)
            left, hidden = left - old, hidden | hours
        new = stored(points, *map(point, late))
        left |= {each for each in new if each.time_ms // HOUR_MS not in hidden}
        assert list(points.of_host("web-1", 0, LAST_MS)) == sorted(left, key=lambda each: (each.metric, each.time_ms))


@wide
def test_dropping_needs_one_scan_of_the_row_keys_and_a_call_for_each_thousand_rows(engine, connection, points):
    stored(points, *(point(hour * HOUR_MS + at) for hour in range(24) for at in (0, 1, 2)))
    with metered(connection) as cost:
        assert points.drop_before("web-1", "cpu", 12 * HOUR_MS) == 12
    assert (cost.rpcs, cost.rows_fetched, cost.rows_read) == (5, 12, engine.rows_read(12))
    assert cost.bytes_fetched < 12 * 40  # one column without its value for each row


@main_variant
def test_scans_read_past_the_tombstones_of_dropped_rows(engine, connection, points):
    stored(points, *(point(hour * HOUR_MS) for hour in range(24)))
    points.drop_before("web-1", "cpu", 12 * HOUR_MS)
    with metered(connection) as cost:
        assert len(list(points.of_metric("web-1", "cpu"))) == 12
    assert cost.rows_read == engine.rows_read(24)
    with metered(connection) as cost:
        assert len(list(points.of_metric("web-1", "cpu", since_ms=12 * HOUR_MS))) == 12
    assert cost.rows_read == engine.rows_read(12)


def test_a_ttl_hides_single_points_at_once_and_late_ones_for_ever(new_store):
    hour = attrs.evolve(POINTS, name="points_of_an_hour", families={"p": Family(ttl_seconds=3600)})
    points = PointRepository(new_store(hour), PointTables(hour))
    now_ms = time.time_ns() // 10**6
    new = point(now_ms - HOUR_MS // 2)
    stored(points, point(now_ms - HOUR_MS - 1000), new, point(now_ms - 9 * HOUR_MS, "web-12"))
    assert list(points.of_metric("web-1", "cpu")) == [new]
    assert points.latest("web-12", "cpu") is None
    assert points.averages("web-1", "cpu", 0, LAST_MS, every_ms=LAST_MS) == [Average(0, 1, 1.0)]
