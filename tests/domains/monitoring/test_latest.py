"""The table of latest points: what it costs, and what a late point, a retention and a crash leave in it."""

from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domains.monitoring import PointRepository
from domains.monitoring.keys import HOUR_MS
from domains.monitoring.shown.design import DESIGN
from domains.monitoring.shown.variants.latest import HOURS, LATEST, TABLES, Repository
from shared.designs import metered
from shared.keys import EscapedText, part, row_key
from shared.keys.errors import InvalidQuestion
from shared.tables import create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at
from tests.domains.variants import only
from tests.engines import examples

from .asking import point, stored

latest_variant = only(DESIGN, "latest")
SAME_TIME = [point(HOUR_MS, value=1.0), point(HOUR_MS, value=2.0)]


@latest_variant
@pytest.mark.parametrize("arriving", [SAME_TIME, SAME_TIME[::-1]])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_late_point_is_not_the_latest_and_of_two_values_of_one_time_the_last_one_to_arrive_is(
    points, arriving, at_once
):
    points.store_all([*arriving, point(5)]) if at_once else stored(points, *arriving, point(5))
    assert points.latest("web-1", "cpu") == arriving[-1] == points.of_metric("web-1", "cpu").page().records[-1]


@latest_variant
def test_the_latest_point_of_a_metric_is_one_get(connection, points):
    stored(points, *map(point, range(9)))
    with metered(connection) as cost:
        assert points.latest("web-1", "cpu") == point(8)
    assert cost.rpcs == 1


@row_key
class LatestOfAllHosts:
    metric: str = part(EscapedText, "the metric")
    host: str = part(EscapedText, "the host")


@latest_variant
def test_with_the_metric_first_one_metric_of_a_site_is_read_alone_and_all_metrics_of_a_host_are_refused(connection):
    by_metric = LATEST.like("latest_by_metric", LatestOfAllHosts)
    create_tables(connection, by_metric.tables)
    metrics = Repository(connection, latest=by_metric)
    stored(metrics, point(8, host="lyon/1"), point(8, host="oslo/1"))
    assert [found.host for found in metrics.latest_of_hosts("lyon/", "cpu")] == ["lyon/1"]
    with pytest.raises(InvalidQuestion, match="needs a value for metric"):
        metrics.latest_of_host("lyon/1").page()


WRITES = {
    "store": lambda points, new, _until_ms: points.store(new[0]),
    "store_all": lambda points, new, _until_ms: points.store_all(new),
    "drop_before": lambda points, new, until_ms: points.drop_before(new[0].host, "cpu", until_ms),
}
TIMES_MS, HOSTS, VALUES = [0, 5, HOUR_MS, 2 * HOUR_MS, 7 * HOUR_MS], ["web-1", "web-12"], [1.0, 2.0]
NEW_POINTS = st.builds(point, *map(st.sampled_from, (TIMES_MS, HOSTS)), value=st.sampled_from(VALUES))
DROPPED_MS = st.sampled_from([0, HOUR_MS, 7 * HOUR_MS, 8 * HOUR_MS])
CALLS = st.tuples(st.sampled_from([*WRITES]), st.lists(NEW_POINTS, min_size=1, max_size=4), DROPPED_MS)


def times_in(connection, table):
    rows = connection.table(table.name).scan()
    return {(record.host, record.time_ms) for row, cells in rows for record in table.records(row, cells)}


@settings(max_examples=examples(20))
@example([(("store", [point(5)], 0), 9), (("drop_before", [point(5)], HOUR_MS), 1)])
@given(st.lists(st.tuples(CALLS, st.integers(0, 5)), max_size=8))
def test_after_a_crash_no_latest_point_is_newer_than_the_hours_and_the_same_call_again_mends_it(engine, calls):
    with engine.shared_store(*TABLES) as connection:
        points, hours, dropped_ms = Repository(connection), PointRepository(connection, HOURS), {}
        for (name, new, until_ms), died_at in calls:
            with suppress(WriterDied):
                WRITES[name](Repository(WatchedConnection(connection, dying_at(died_at))), new, until_ms)
            assert times_in(connection, LATEST.layout) <= times_in(connection, HOURS.layout)
        for (name, new, until_ms), _died_at in calls:
            WRITES[name](points, new, until_ms)
            if name == "drop_before":
                dropped_ms[new[0].host] = max(until_ms, dropped_ms.get(new[0].host, 0))
        for host in HOSTS:
            newest = hours.latest(host, "cpu")
            is_late = newest is not None and newest.time_ms < dropped_ms.get(host, 0)
            assert points.latest(host, "cpu") == (None if is_late else newest)


@latest_variant
def test_a_writer_that_pauses_between_its_puts_replaces_no_newer_point_and_no_deleted_one(connection, points):
    for meanwhile, latest in (
        (lambda: points.drop_before("web-1", "cpu", HOUR_MS), None),
        (lambda: points.store(point(2 * HOUR_MS)), point(2 * HOUR_MS)),
    ):
        Repository(WatchedConnection(connection, paused_at(1, meanwhile))).store(point(5))
        assert points.latest("web-1", "cpu") == latest
