"""Real metrics, seven series of Amazon's CloudWatch and sixty snapshots of nginx: what they hold, stored and asked."""

import random
from collections import Counter
from pathlib import Path

import attrs
import pytest

from domains.monitoring import Point, PointRepository
from domains.monitoring.formats import FORMATS
from domains.monitoring.keys import HOUR_MS, POINT_CELLS, POINTS
from shared.keys import InvalidKey
from shared.loading import read_records
from shared.records import parse_time

from .asking import BY_NAME, by_time, dump, expected, put_all, stored, table_of

METRICS = Path(__file__).parents[4] / "shared" / "data" / "metrics"
NAB = sorted(METRICS.glob("nab/*.csv"))
DISK = METRICS / "nab" / "ec2_disk_write_bytes_1ef3de.csv"
NGINX = METRICS / "nginxplus_status_first60.jsonl"
ONE_DISK = {"host": "1ef3de", "metric": "ec2_disk_write_bytes"}

pytestmark = pytest.mark.skipif(not METRICS.exists(), reason="the real metrics are not on this machine")


def read(*paths):
    return [point for path in paths for point in read_records(path, Point, FORMATS)]


@pytest.fixture(scope="module")
def nab():
    return read(*NAB)


@pytest.fixture(scope="module")
def nginx():
    return read(NGINX)


@pytest.fixture(scope="module")
def kept(nab, nginx):
    """All points but those that another one of the same time replaces."""
    return list({(point.host, point.metric, point.time_ms): point for point in [*nab, *nginx]}.values())


@pytest.fixture(scope="module")
def loaded(engine, nab, nginx):
    """The table with all points, and its repository."""
    with engine.store(POINTS) as connection:
        put_all(connection, POINTS, [*nab, *nginx])
        yield connection.table(POINTS.name), PointRepository(connection)


def series_of(points):
    return Counter((point.host, point.metric) for point in points)


def test_seven_files_hold_26133_points_of_seven_series(nab):
    assert len(nab) == 6 * 4032 + 4730 + 1243 - 4032 == 26_133
    assert series_of(nab) == {
        ("24ae8d", "ec2_cpu_utilization"): 4032,
        ("53ea38", "ec2_cpu_utilization"): 4032,
        ("5f5533", "ec2_cpu_utilization"): 4032,
        ("1ef3de", "ec2_disk_write_bytes"): 4730,
        ("257a54", "ec2_network_in"): 4032,
        ("8c0756", "elb_request_count"): 4032,
        ("i-a2eb1cd9", "NetworkIn"): 1243,
    }


def test_sixty_snapshots_hold_17100_points_of_285_series(nginx):
    series = series_of(nginx)
    assert (len(nginx), len(series), {*series.values()}) == (17_100, 285, {60})
    assert len({host for host, _metric in series}) == 1


def test_values_are_those_of_the_files(nab, nginx):
    by_hand = [line.split(",") for line in DISK.read_text(encoding="utf-8").splitlines()[1:]]
    disk = [point for point in nab if point.host == "1ef3de"]
    assert [(point.time_ms, point.value) for point in disk] == [
        (parse_time(f"{stamp.replace(' ', 'T')}Z"), float(value)) for stamp, value in by_hand
    ]
    big = [point for point in nginx if point.value > 2**32 - 1]
    assert (len(big), sum(point.value > 2**31 - 1 for point in nginx)) == (1020, 1320)


def test_of_4730_points_of_the_disk_4719_are_kept_because_twelve_share_a_time(engine, nab):
    disk = [point for point in nab if point.host == "1ef3de"]
    with engine.shared_store(POINTS) as connection:
        points = PointRepository(connection)
        kept = stored(points, *disk)
        assert (len(disk), len(kept), points.of_metric(**ONE_DISK).count()) == (4730, 4719, 4719)
        night = parse_time("2014-03-09T03:00Z")
        assert [point.value for point in points.of_metric(**ONE_DISK, since_ms=night, until_ms=night + 1)] == [0.0]
        before = dump(connection, BY_NAME["monitoring"])
        stored(points, *read(DISK))
        assert dump(connection, BY_NAME["monitoring"]) == before


def test_an_hour_of_a_series_is_one_row(loaded, kept):
    rows, _points = loaded
    hours = {(point.host, point.metric, point.time_ms // HOUR_MS) for point in kept}
    assert (len(kept), len(hours)) == (26_133 - 11 + 17_100, 2753) == (43_222, 2183 + 2 * 285)
    assert sum(1 for _row in rows.scan(columns=POINT_CELLS.columns)) == 2753


def test_random_questions_are_answered_as_a_plain_list_does(loaded, nab, nginx, kept):
    _rows, points = loaded
    chance = random.Random(20_140_214)
    for one in [*chance.sample(nab, 6), *chance.sample(nginx, 3)]:
        of_host = [point for point in kept if point.host == one.host]
        start_ms = one.time_ms - chance.randrange(3 * HOUR_MS)
        period = {"since_ms": start_ms, "until_ms": one.time_ms + chance.randrange(1, 3 * HOUR_MS)}
        series = {"host": one.host, "metric": one.metric}
        assert list(points.of_metric(**series, **period)) == expected(of_host, "of_metric", **series, **period) != []
        for every_ms in (60_000, HOUR_MS):
            assert rounded(points.averages(**series, **period, every_ms=every_ms)) == rounded(
                expected(of_host, "averages", **series, **period, every_ms=every_ms)
            )
        assert points.latest(**series) == expected(of_host, "latest", **series)
        if one in nab:
            assert by_time(points.of_host(one.host, **period)) == expected(of_host, "of_host", **period)


def rounded(averages):
    """Averages whose sums may be added up in another order."""
    return [attrs.evolve(average, value=pytest.approx(average.value)) for average in averages]


def test_no_series_is_mixed_up_with_another(loaded, nginx):
    _rows, points = loaded
    (host,) = {point.host for point in nginx}
    first_ms = min(point.time_ms for point in nginx)
    first = {*points.of_host(host, first_ms, first_ms + 1)}
    assert first == {point for point in nginx if point.time_ms == first_ms}
    assert len(first) == 285


def test_plan_b_refuses_156_of_292_real_series_because_of_their_names(nab, nginx):
    table, series = table_of("metric-host-time"), [*series_of(nab), *series_of(nginx)]
    refused = [(host, metric) for host, metric in series if "_" in metric]
    assert (len(series), len(refused)) == (292, 156)
    for host, metric in series:
        if (host, metric) in refused:
            with pytest.raises(InvalidKey, match="must not contain the delimiter '_'"):
                table.row(Point(host, metric, 0, 0.0))
        else:
            assert table.row(Point(host, metric, 0, 0.0))
    assert {*series_of(nab)} - {*refused} == {("i-a2eb1cd9", "NetworkIn")}
