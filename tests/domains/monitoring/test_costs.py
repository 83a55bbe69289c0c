"""What the questions cost: RPCs, rows and cells, of rows with few cells and of rows with thousands."""

from itertools import chain

import pytest

from domains.monitoring import Point, PointRepository
from domains.monitoring.keys import HOUR_MS, POINTS
from domains.monitoring.shown.design import DESIGN
from shared.designs import metered
from shared.testing.paging import pages
from tests.domains.variants import named, only

from .asking import point, put_all, stored, times

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
        (named(DESIGN)["monitoring"], (24, 9, 22_080), (87, 31_000)),
        (named(DESIGN)["host-time-metric"], (1440, 5, 50_400), (46, 51_000)),
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


@only(DESIGN, "monitoring")
@pytest.mark.parametrize(
    ("since_minute", "until_minute", "cells"),
    [(0, 60, 60), (1, 60, 59), (70, 71, 1), (59, 61, 120), (30, 150, 180)],
)
def test_a_period_of_one_hour_reads_its_own_points_and_a_longer_one_whole_hours(day, since_minute, until_minute, cells):
    page = day.of_metric("web-1", "cpu", since_minute * MINUTE_MS, until_minute * MINUTE_MS).page(limit=200)
    assert (len(page.records), page.rows_read) == (until_minute - since_minute, cells)


@only(DESIGN, "monitoring")
def test_the_latest_needs_a_reverse_scan_and_one_of_its_hour(connection, day):
    with metered(connection) as cost:
        assert day.latest("web-1", "cpu") == DAY[-1]
    assert (cost.rpcs, [read.reverse for read in cost.reads]) == (6, [True, False])


# ---- an hour with thousands of points ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("points_of_hour", "rpcs"),
    [
        pytest.param(3600, 6, marks=pytest.mark.further),
        pytest.param(12_000, 12, marks=pytest.mark.further),
        pytest.param(86_400, 57, marks=pytest.mark.long),
    ],
)
def test_the_latest_of_an_hour_reads_all_its_points_5000_at_a_time(new_store, points_of_hour, rpcs):
    connection, step_ms = new_store(POINTS.layout), HOUR_MS // points_of_hour
    put_all(connection, POINTS.layout, [point(step_ms * number) for number in range(points_of_hour)])
    with metered(connection) as cost:
        assert PointRepository(connection).latest("web-1", "cpu") == point(step_ms * (points_of_hour - 1))
    assert cost.rpcs == rpcs
    assert cost.cells_fetched >= points_of_hour


# ---- retention --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "dropped"),
    [(named(DESIGN)["monitoring"], 12), (named(DESIGN)["metric-host-time"], 720)],
    ids=["wide", "tall"],
)
def test_half_a_day_is_dropped_by_row_keys_alone(engine, connection, points, dropped):
    stored(points, *DAY)
    with metered(connection) as cost:
        assert points.drop_before("web-1", "cpu", 12 * HOUR_MS) == dropped
    assert (cost.rpcs, cost.rows_fetched, cost.rows_read) == (5, dropped, engine.rows_read(dropped))
    assert cost.bytes_fetched < dropped * 40  # one column without its value for each row


@only(DESIGN, "monitoring")
def test_rows_are_dropped_by_the_times_of_their_points_which_must_be_the_timestamps_of_their_cells(day):
    assert day.drop_before("web-1", "cpu", 12 * HOUR_MS) == 12  # their cells have newer timestamps
    assert times(day.of_metric("web-1", "cpu").page(limit=1).records) == [0]
