"""Real metrics, seven series of Amazon's CloudWatch and sixty snapshots of nginx, as points of OpenTSDB's tables."""

import random
from collections import Counter
from pathlib import Path

import pytest

from domains.tsdb import Answer, Point, TsdbRepository
from domains.tsdb.formats import FORMATS
from domains.tsdb.keys import TABLES
from domains.tsdb.qualifiers import HOUR_MS
from shared.loading import read_records

METRICS = Path(__file__).parents[4] / "shared" / "data" / "metrics"
NAB = sorted(METRICS.glob("nab/*.csv"))
NGINX = METRICS / "nginxplus_status_first60.jsonl"
HOST = "206.251.255.64"

pytestmark = pytest.mark.skipif(not METRICS.exists(), reason="the real metrics are not on this machine")


@pytest.fixture(scope="module")
def points():
    return [point for path in (*NAB, NGINX) for point in read_records(path, Point, FORMATS)]


@pytest.fixture(scope="module")
def loaded(engine, points):
    """A repository whose tables hold all points."""
    with engine.store(*TABLES) as connection:
        repository = TsdbRepository(connection)
        assert repository.store_all(points) == len(points)
        yield connection, repository


def series_of(points):
    return Counter((point.metric, point.tags) for point in points)


def by_series(points):
    """The numbers by time of each series; of equal times the last."""
    series = {}
    for point in points:
        series.setdefault((point.metric, point.tags[0][1]), {})[point.time_ms] = point.value
    return series


def test_the_files_hold_26133_points_of_seven_series_and_17100_of_285(points):
    assert series_of(points).total() == 26_133 + 17_100
    assert len(series_of(points)) == 7 + 285
    assert Counter(dict(point.tags)["host"] == HOST for point in points) == {False: 26_133, True: 17_100}


def test_addresses_with_a_port_are_in_names_that_opentsdb_stores(points):
    servers = {point.metric for point in points if ".10.0.0.1" in point.metric and point.metric.endswith(".sent")}
    assert "upstreams.trac-backend.peers.10.0.0.1_8080.sent" in servers
    assert not any(":" in metric for metric in servers)
    assert "upstreams.lxr-backend.peers.unix_/tmp/cgi.sock.sent" in {point.metric for point in points}


def test_every_series_is_answered_with_the_numbers_of_its_file(loaded, points):
    _connection, repository = loaded
    series = by_series(points)
    chance = random.Random(1)
    nab = [key for key in series if key[1] != HOST]
    for metric, host in [*nab, *chance.sample([key for key in series if key[1] == HOST], 20)]:
        wanted = [
            Answer(metric, f"host={host}", time_ms, value) for time_ms, value in sorted(series[metric, host].items())
        ]
        assert repository.points(metric, "host", host) == wanted


def test_a_sum_over_hosts_is_that_of_the_files(loaded, points):
    _connection, repository = loaded
    metric = "ec2_cpu_utilization"
    of_metric = [point for point in points if point.metric == metric]
    until_ms = max(point.time_ms for point in of_metric) + 1
    answers = repository.query(f"zimsum:{metric}", until_ms - 24 * HOUR_MS, until_ms)
    of_metric = [point for point in of_metric if point.time_ms >= until_ms - 24 * HOUR_MS]
    wanted = Counter()
    for point in of_metric:
        wanted[point.time_ms] += point.value
    assert {answer.time_ms: pytest.approx(answer.value) for answer in answers} == dict(wanted)
