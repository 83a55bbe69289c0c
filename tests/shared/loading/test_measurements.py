"""Files of measurements: what each line becomes, what is refused and why."""

import json
from functools import partial

import attrs
import pytest

from shared.loading import read_lines
from shared.loading.measurements import NGINX_STATUS, SERIES
from shared.records import LAST_MS, finite, integer, text
from tests.shared.loading import sales

FORMATS = (SERIES, NGINX_STATUS)

HEADER = "timestamp,value"
AT_MS = 1_392_388_200_000  # 2014-02-14T14:30:00.000Z
STATUS = {"nginx_version": "1.9.4", "address": "203.0.113.9", "timestamp": AT_MS}


@attrs.frozen
class Measurement:
    host: str = attrs.field(validator=text())
    metric: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    value: float = attrs.field(validator=finite())


@pytest.fixture
def written(written):
    """Writes a file, under the name of a series unless another one is given."""
    return lambda content, name="cpu_24ae8d.csv": written(content, name)


lines = partial(sales.lines, record=Measurement, formats=FORMATS)


def series(*rows):
    return "".join(f"{row}\n" for row in (HEADER, *rows))


# Series


@pytest.mark.parametrize(
    ("row", "time_ms", "value"),
    [
        ("2014-02-14 14:30:00,0.132", AT_MS, 0.132),
        ("2014-02-14T14:30:00.500Z,-1e3", AT_MS + 500, -1000.0),
        ("1970-01-01 00:00:00,547457000.0", 0, 547457000.0),
        ("9999-12-31T23:59:59.999,0", LAST_MS, 0.0),
    ],
)
def test_a_line_of_a_series_is_a_point(written, row, time_ms, value):
    assert lines(written(series(row))) == [(2, Measurement("24ae8d", "cpu", time_ms, value))]


@pytest.mark.parametrize(
    ("name", "host", "metric"),
    [
        ("ec2_cpu_utilization_24ae8d.csv", "24ae8d", "ec2_cpu_utilization"),
        ("iio_us-east-1_i-a2eb1cd9_NetworkIn.csv", "i-a2eb1cd9", "NetworkIn"),
        ("cpu_24ae8d", "24ae8d", "cpu"),
    ],
)
def test_host_and_metric_are_in_the_name_of_the_file(written, name, host, metric):
    assert lines(written(series("1970-01-01,1"), name)) == [(2, Measurement(host, metric, 0, 1.0))]


@pytest.mark.parametrize("name", ["cpu.csv", "24ae8d.csv", "cpu_beef.csv", "i-a2eb1cd9_NetworkIn.csv", "_24ae8d.csv"])
def test_a_name_without_host_and_metric_is_refused_with_the_names_that_are_read(written, name):
    assert lines(written(series("1970-01-01,1"), name))[-1][1] == (
        "the file's name must be METRIC_HOST.csv, with a host of hex digits, or ..._i-HOST_METRIC.csv "
        f"(got {name.removesuffix('.csv')}); otherwise use "
        "--format csv --map time_ms=timestamp --set metric=NAME, and give the host"
    )


@pytest.mark.parametrize("content", ["\ufeff{}\r\n1970-01-01,1\r\n", "{}\n1970-01-01,1", "\n\n{}\n\n1970-01-01,1\n\n"])
def test_a_series_is_told_by_its_header_and_blank_lines_are_not_points(written, content):
    path = written(content.replace("{}", HEADER))
    assert read_lines(path, Measurement, formats=FORMATS).format == "series"
    assert [record for _number, record in lines(path)] == [Measurement("24ae8d", "cpu", 0, 1.0)]


WANTED = "a time such as 2017-06-23T21:05:06.000Z, 2017-06-23 21:05:06 UTC or 1498251906000"
TIME = f"Measurement.time_ms: must be {WANTED} (got "
VALUE = "Measurement.value: must be a number in the range of a float (got "


SECONDS = (
    "Measurement.time_ms: is most likely in seconds, 2014-02-14T14:30:00.000Z: give --unit time_ms=s; if it counts"
    " milliseconds, give --unit time_ms=ms (got 1392388200)"
)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2014-02-14 14:30:00", "must be time,value (got '2014-02-14 14:30:00')"),
        ("x,1", f"{TIME}'x')"),
        (" 1970-01-01,1", f"{TIME}' 1970-01-01')"),
        ("1392388200,1", SECONDS),
        ("1969-12-31 23:59:59,1", f"Measurement.time_ms: must be 0..{LAST_MS} (got -1000)"),
        ("1970-01-01,nan", f"{VALUE}'nan')"),
        ("1970-01-01,1,2", f"{VALUE}'1,2'); --decimal , reads it"),
    ],
)
def test_a_line_of_a_series_is_refused_with_field_wanted_and_given(written, row, said):
    path = written(series(row, "1970-01-01,1"))
    assert lines(path) == [(2, said), (3, Measurement("24ae8d", "cpu", 0, 1.0))]


# Snapshots of nginx


def status(**members):
    return json.dumps({**STATUS, **members}) + "\n"


def test_every_int_of_a_snapshot_is_a_point_and_nothing_else(written):
    path = written(
        status(
            requests={"total": 18, "on": True, "text": "5", "float": 1.5, "none": None},
            upstreams={"a.b": {"peers": [{"server": "10.0.0.1:80", "id": 0}, {"id": 7}, 5, [6]]}},
        )
    )
    assert read_lines(path, Measurement, formats=FORMATS).format == "nginx-status"
    assert lines(path) == [
        (1, Measurement("203.0.113.9", metric, AT_MS, value))
        for metric, value in [
            ("timestamp", float(AT_MS)),
            ("requests.total", 18.0),
            ("upstreams.a.b.peers.10.0.0.1:80.id", 0.0),
            ("upstreams.a.b.peers.1.id", 7.0),
            ("upstreams.a.b.peers.2", 5.0),
            ("upstreams.a.b.peers.3.0", 6.0),
        ]
    ]


SHAPE = "must be a JSON object with address and timestamp (got "


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"nginx_version": "1"}', f"""{SHAPE}'{{"nginx_version": "1"}}')"""),
        ("{", f"{SHAPE}'{{')"),
        ("[1]", f"{SHAPE}'[1]')"),
        (status(address=5), "host: must be text (got 5)"),
        (status(address=""), "Measurement.host: must be text, not empty (got '')"),
        (status(timestamp="x"), "time_ms: must be milliseconds since 1970 UTC (got 'x')"),
        (status(timestamp=True), "time_ms: must be milliseconds since 1970 UTC (got True)"),
        (status(timestamp=-1), f"Measurement.time_ms: must be 0..{LAST_MS} (got -1)"),
        (status(x=10**400), f"{VALUE}an int of 1329 bits)"),
    ],
)
def test_a_snapshot_is_refused_with_field_wanted_and_given(written, line, said):
    good = Measurement("203.0.113.9", "timestamp", AT_MS, float(AT_MS))
    first, *_, refused, last = lines(written(status() + line.strip() + "\n\n" + status()))
    assert [first, refused, last] == [(1, good), (2, said), (4, good)]


@pytest.mark.parametrize("deep", ["[" * 100_000, "[" * 900 + "]" * 900 + "}", '{"a":' * 900 + "1" + "}" * 901])
def test_a_snapshot_of_any_depth_is_points_or_one_reason(written, deep):
    path = written(status() + status()[:-2] + f', "x": {deep}\n')
    results = lines(path)
    assert {number for number, _result in results} == {1, 2}
    assert all(isinstance(result, Measurement) or result.startswith(SHAPE) for _number, result in results)


# Telling them apart


def test_formats_have_names_to_be_asked_for_and_refuse_what_is_of_another_form(written):
    assert lines(written("1970-01-01,1\n1970-01-02,2\n"), format="series")[1][0] == 2, "a header is not needed"
    assert lines(written(series("1970-01-01,1")), format="nginx-status")[-1][1].startswith(SHAPE)
    assert lines(written(status()), format="series")[-1][1].startswith(TIME)
