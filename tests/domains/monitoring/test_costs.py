"""What the questions cost: RPCs, rows and cells, of rows with few cells and of rows with thousands."""

from itertools import chain

import pytest

from domains.monitoring import Point, PointRepository
from domains.monitoring.keys import HOUR_MS, POINT_CELLS, POINTS
from shared.designs import metered
from shared.testing.paging import pages

from .asking import BY_NAME, main_variant, only, point, put_all, stored, times, wide

MINUTE_MS = 60_000
DAY = [Point("web-1", "cpu", number * MINUTE_MS, float(number)) for number in range(24 * 60)]


@pytest.fixture
def day(connection, variant, points):
    put_all(connection, variant.tables[0], DAY)
    return points


# ---- a day of a series ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "whole", "in_pages"),
    [
        (BY_NAME["monitoring"], (24, 9, 22_080), (87, 31_000)),
        (BY_NAME["host-time-metric"], (1440, 5, 50_400), (46, 51_000)),
    ],
    ids=["wide", "tall"],
)
def test_a_wide_day_is_fewer_rows_and_bytes_in_more_calls(connection, day, whole, in_pages):
    query = day.of_metric("web-1", "cpu", 0, 24 * HOUR_MS)
    with metered(connection) as cost:
        assert list(query) == DAY
    assert (cost.rows_fetched, cost.rpcs, cost.bytes_fetched) == whole
    with metered(connection) as cost:
        assert [*chain(*pages(query, 100))] == DAY
    rpcs, most_bytes = in_pages
    assert cost.rpcs == rpcs
    assert cost.bytes_fetched < most_bytes


@wide
@pytest.mark.parametrize(
    ("since_minute", "until_minute", "cells"),
    [(0, 60, 60), (1, 60, 59), (70, 71, 1), (59, 61, 120), (30, 150, 180)],
)
def test_a_period_of_one_hour_reads_its_own_points_and_a_longer_one_whole_hours(day, since_minute, until_minute, cells):
    page = day.of_metric("web-1", "cpu", since_minute * MINUTE_MS, until_minute * MINUTE_MS).page(limit=200)
    assert (len(page.records), page.rows_read) == (until_minute - since_minute, cells)


@wide
def test_all_metrics_of_a_host_in_a_period_are_read_with_their_other_hours(day):
    stored(day, *(point(number * HOUR_MS, metric="disk") for number in range(24)))
    page = day.of_host("web-1", 0, HOUR_MS).page()
    assert (len(page.records), page.rows_read, page.client_work) == (61, 1440 + 24, ("time_ms",))


@only("monitoring", "salted")
def test_the_latest_needs_a_reverse_scan_and_one_of_its_hour(connection, day):
    with metered(connection) as cost:
        assert day.latest("web-1", "cpu") == DAY[-1]
    assert (cost.rpcs, [read.reverse for read in cost.reads]) == (6, [True, False])


@only("metric-host-time")
def test_in_plan_b_the_latest_is_the_first_row_of_a_reverse_scan(engine, connection, day):
    with metered(connection) as cost:
        assert day.latest("web-1", "cpu") == DAY[-1]
    assert (cost.rpcs, cost.rows_read) == (3, engine.rows_read(3))


@only("host-time-metric")
def test_in_plan_a_the_latest_reads_the_points_of_the_other_metrics_after_it(day):
    stored(day, *(point(25 * HOUR_MS + number, metric="disk") for number in range(500)))
    assert day.latest("web-1", "cpu") == DAY[-1]
    page = day.of_metric("web-1", "cpu", 24 * HOUR_MS, None).page(limit=1)
    assert (page.records, page.rows_read) == ([], 500)


@only("salted")
def test_a_salt_of_host_and_metric_gives_one_range_to_a_metric_and_eight_to_a_host(connection, day):
    with metered(connection) as cost:
        day.of_metric("web-1", "cpu", 0, HOUR_MS).page()
    assert len(cost.reads) == 1
    assert len(day.of_host("web-1", 0, HOUR_MS).explain().ranges) == 8


# ---- an hour with thousands of points ---------------------------------------------------------------

EACH_SECOND = [point(1000 * second) for second in range(3600)]
CROWDED = [point(HOUR_MS + 100 * tenth) for tenth in range(12_000)]  # ten a second, twenty minutes


@pytest.fixture(scope="module")
def crowded(engine):
    """A connection to a store with one row of 3,600 cells and one of 12,000, and its repository."""
    with engine.store(POINTS) as connection:
        put_all(connection, POINTS, EACH_SECOND + CROWDED)
        put_all(connection, POINTS, [point(second.time_ms, "web-2") for second in EACH_SECOND])
        yield connection, PointRepository(connection)


def test_a_row_of_thousands_of_cells_is_read_in_pages_without_gap_or_repeat(crowded):
    _connection, points = crowded
    assert list(points.of_metric("web-1", "cpu")) == EACH_SECOND + CROWDED
    assert [*chain(*pages(points.of_metric("web-1", "cpu", 0, HOUR_MS), 1000))] == EACH_SECOND


def test_the_latest_of_an_hour_reads_all_its_points_5000_at_a_time(crowded):
    connection, points = crowded
    for host, last, calls in (("web-2", EACH_SECOND[-1], 1), ("web-1", CROWDED[-1], 3)):
        with metered(connection) as cost:
            assert points.latest(host, "cpu") == point(last.time_ms, host)
        assert cost.rpcs == 3 + 3 * calls
    assert cost.cells_fetched >= len(CROWDED)


def test_a_period_late_in_one_hour_reads_none_of_the_points_before_it(crowded):
    connection, points = crowded
    last = CROWDED[-5:]
    with metered(connection) as cost:
        page = points.of_metric("web-1", "cpu", last[0].time_ms, last[-1].time_ms + 1).page()
    assert (page.records, page.rows_read, page.cursor, cost.cells_fetched) == (last, 5, None, 5)


def test_a_longer_period_after_ten_thousand_points_of_its_first_hour_begins_with_an_empty_page(crowded):
    _connection, points = crowded
    last = CROWDED[-5:]
    query = points.of_metric("web-1", "cpu", last[0].time_ms, 3 * HOUR_MS)
    first = query.page()
    assert (first.records, first.rows_read, first.cursor is None) == ([], 10_000, False)
    assert query.page(cursor=first.cursor).records == last
    assert list(query) == last


@pytest.mark.long
def test_the_latest_point_of_a_row_of_86400_needs_57_rpcs(new_store):
    connection = new_store(POINTS)
    packed = [POINT_CELLS.pack(point(at)) for at in range(86_400)]
    connection.table(POINTS.name).put(POINTS.row(point()), dict(chain(*map(dict.items, packed))))
    with metered(connection) as cost:
        assert PointRepository(connection).latest("web-1", "cpu") == point(86_399)
    assert cost.rpcs == 57


# ---- retention --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "dropped"),
    [(BY_NAME["monitoring"], 12), (BY_NAME["salted"], 12), (BY_NAME["metric-host-time"], 720)],
    ids=["wide", "salted", "tall"],
)
def test_half_a_day_is_dropped_by_row_keys_alone(engine, connection, points, dropped):
    stored(points, *DAY)
    with metered(connection) as cost:
        assert points.drop_before("web-1", "cpu", 12 * HOUR_MS) == dropped
    assert (cost.rpcs, cost.rows_fetched, cost.rows_read) == (5, dropped, engine.rows_read(dropped))
    assert cost.bytes_fetched < dropped * 40  # one column without its value for each row


@main_variant
def test_a_page_after_a_drop_reads_past_as_many_tombstones_as_rows_were_dropped(engine, connection, points):
    stored(points, *DAY)
    query = points.of_metric("web-1", "cpu")
    costs = []
    for until_hour in (0, 12):
        points.drop_before("web-1", "cpu", until_hour * HOUR_MS)
        with metered(connection) as cost:
            first_ms = query.page(limit=10).records[0].time_ms
        assert first_ms == until_hour * HOUR_MS
        costs.append(cost.rows_read)
    assert costs == [engine.rows_read(count) for count in (2, 14)]


@main_variant
def test_rows_are_dropped_by_the_times_of_their_points_which_must_be_the_timestamps_of_their_cells(day):
    assert day.drop_before("web-1", "cpu", 12 * HOUR_MS) == 12  # their cells have newer timestamps
    assert times(day.of_metric("web-1", "cpu").page(limit=1).records) == [0]
