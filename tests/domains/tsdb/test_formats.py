"""Files of points: what each line becomes, what is refused and why."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from domains.tsdb import Point
from domains.tsdb.formats import FORMATS, import_line
from domains.tsdb.records import LAST_POINT_MS
from domains.tsdb.storage.stored_names import StoredNames
from shared.loading import Description, read_lines
from shared.records import parse_time

AT_MS = parse_time("2013-01-01T00:00")
SAFE = "a name must be letters of ISO 8859-1, digits and - _ . / (got "
NUMBER = "Point.value: must be an int of 64 bits, or a float that is not NaN or infinite"
MILLISECONDS = "Point.time_ms: must be milliseconds since 1970 UTC, not seconds, 2013-01-01T00:00:00.000Z"
NINE_LABELS = ",".join(f'{tag}="1"' for tag in "abcdefghi")
SHAPE = 'must be metric{label="value", ...} number, and maybe milliseconds (got '

WANTED = "a time such as 2017-06-23T21:05:06.000Z, 2017-06-23 21:05:06 UTC or 1498251906000"


@pytest.fixture
def written(tmp_path):
    """Writes a file and returns its path."""

    def write(content, name="metrics.prom"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def lines(path, **options):
    return [
        (line.number, line.record or line.reason)
        for line in read_lines(path, Point, formats=FORMATS, description=Description(**options))
    ]


def stored(path, **options):
    """The points that are stored of a file, or why one is not; then what is said of changed names."""
    names = StoredNames()
    results = []
    for _number, read in lines(path, **options):
        try:
            results.append(names(read))
        except ValueError as error:
            results.append(str(error))
    return [*results, *names.notes]


WEB_1 = {"host": "web-1", "dc": "lga"}
IMPORTED = [
    ("requests 1356998400 42 host=web-1 dc=lga", Point("requests", AT_MS, 42, WEB_1)),
    ("put requests 1356998400.500 42 dc=lga host=web-1", Point("requests", AT_MS + 500, 42, WEB_1)),
    ("requests 1356998400500 42 host=web-1 dc=lga", Point("requests", AT_MS + 500, 42, WEB_1)),
    ("put 1356998400 42 host=web-1 dc=lga", Point("put", AT_MS, 42, WEB_1)),
    ("put put 1356998400 42 host=web-1 dc=lga", Point("put", AT_MS, 42, WEB_1)),
    ("put 1356998400 42  host=web-1 dc=lga", Point("put", AT_MS, 42, WEB_1)),
    ("put r 1", "must be metric time value tag=value ... (got 'put r 1')"),
    ("r 1  .5", "Point.tags: must be tag=value, each tag once (got '.5')"),
    ("requests 1356998400 .5 host=web-1  dc=lga ", Point("requests", AT_MS, 0.5, WEB_1)),
    ("requests 1356998400 -.5e3 host=web-1 dc=lga", Point("requests", AT_MS, -500.0, WEB_1)),
    ("requests 1356998400 1. host=web-1 dc=lga", Point("requests", AT_MS, 1.0, WEB_1)),
    ("requests 1 2", "must be metric time value tag=value ... (got 'requests 1 2')"),
    ("r x 2 a=b", "Point.time_ms: must be seconds or milliseconds since 1970 UTC (got 'x')"),
    ("r -5 2 a=b", "Point.time_ms: must be seconds or milliseconds since 1970 UTC (got '-5')"),
    ("r 1 NaN a=b", "Point.value: must be a number in the range of a float (got 'NaN')"),
    ("r 1 2 a", "Point.tags: must be tag=value, each tag once (got 'a')"),
    ("r 1 2 a=b a=c", "Point.tags: must be tag=value, each tag once (got 'a=b a=c')"),
]


@pytest.mark.parametrize(("line", "result"), IMPORTED)
def test_a_line_of_the_import_is_a_point_or_refused_with_field_wanted_and_given(written, line, result):
    assert lines(written(f"requests 1 2 a=b\n{line}\n"))[1] == (2, result)
    if isinstance(result, Point) or line.endswith("a=b"):
        assert read_lines(written(line), Point, formats=FORMATS).format == "opentsdb", "by its tags"


# Prometheus text

NONE = {"source": "prometheus"}
"""The tags of a metric without labels."""
PUBLISHED = 'api_http_requests_total{method="POST", handler="/messages"} 100'
SAMPLES = [
    (PUBLISHED, Point("api_http_requests_total", AT_MS, 100, {"method": "POST", "handler": "/messages"})),
    ("up 1", Point("up", AT_MS, 1, NONE)),
    ("up{} 1", Point("up", AT_MS, 1, NONE)),
    ('up{a=""} 1', Point("up", AT_MS, 1, NONE)),
    ('up{a="b",c="",} 1', Point("up", AT_MS, 1, {"a": "b"})),
    ('up {a="b"} -1.5e3 7', Point("up", 7, -1500.0, {"a": "b"})),
    ("up\t+2.5\t1356998400001", Point("up", AT_MS + 1, 2.5, NONE)),
    ('{"up.ok","a.b"="c"} 1', Point("up.ok", AT_MS, 1, {"a.b": "c"})),
    ('up{a="caf\u00e9"} 1', Point("up", AT_MS, 1, {"a": "caf\u00e9"})),
    ("up 1e+06", Point("up", AT_MS, 1e6, NONE)),
    ("up -0", Point("up", AT_MS, 0, NONE)),
    ("up NaN", "Point.value: must be a number in the range of a float (got nan)"),
    ("up +Inf", "Point.value: must be a number in the range of a float (got inf)"),
    ("up 1e999", "Point.value: must be a number in the range of a float (got inf)"),
    (f"up {2**63}", f"{NUMBER} (got {2**63})"),
    (r'up{a="\"b\""} 1', Point("up", AT_MS, 1, {"a": '"b"'})),
    ("up", f"{SHAPE}'up')"),
    ("up 1 2 3", f"{SHAPE}'up 1 2 3')"),
    ("up 1 1.5", f"{SHAPE}'up 1 1.5')"),
    ('up{a="b" 1', f"{SHAPE}'up{{a=\"b\" 1')"),
    ('up{a="b",a="c"} 1', f'{SHAPE}\'up{{a="b",a="c"}} 1\')'),
    ('up 1 # {a="b"} 0.5', f"{SHAPE}'up 1 # {{a=\"b\"}} 0.5')"),
    ("up 1 1356998400", f"{MILLISECONDS} (got 1356998400)"),
    ("up 1 -1", f"Point.time_ms: must be 0..{LAST_POINT_MS} (got -1)"),
    ("up 1356998400 1", "Point.tags: must be tag=value ... in a line of the import (got 'up 1356998400 1')"),
    (f"up{{{NINE_LABELS}}} 1", "Point.tags: must be 1..8 tags, each name once (got 9)"),
]


@pytest.mark.parametrize(("line", "result"), SAMPLES)
def test_a_sample_is_a_point_with_a_number_as_it_is_written_or_refused(written, line, result):
    (read,) = lines(written(f"# TYPE x untyped\n{line}\n"), at=f"+{AT_MS}")
    assert repr(read) == repr((2, result))
    if isinstance(result, Point):
        assert (
            read_lines(written(line), Point, formats=FORMATS, description=Description(at="2013-01-01T00:00")).format
            == "prometheus"
        )


def test_a_page_of_prometheus_own_client_is_stored_whole(written):
    registry = CollectorRegistry()
    Gauge("temperature", "of the room", registry=registry).set(21.5)
    Counter("hits", "pages", ["path"], registry=registry).labels("/cart").inc(3)
    Histogram("seconds", "of a call", buckets=(0.1,), registry=registry).observe(0.5)
    *results, note = stored(written(generate_latest(registry)), at=f"+{AT_MS}")
    assert {result for result in results if not result.metric.endswith("_created")} == {
        Point("temperature", AT_MS, 21.5, NONE),
        Point("hits_total", AT_MS, 3.0, {"path": "/cart"}),
        Point("seconds_bucket", AT_MS, 0.0, {"le": "0.1"}),
        Point("seconds_bucket", AT_MS, 1.0, {"le": "_Inf"}),
        Point("seconds_count", AT_MS, 1.0, NONE),
        Point("seconds_sum", AT_MS, 0.5, NONE),
    }
    changed = "tags, le: '+Inf' is stored as '_Inf'"
    assert note == f"1 name has _ in place of characters that OpenTSDB refuses; {changed}"


@settings(max_examples=50)
@given(st.text() | st.text('up{}"=a, \\#1.-e'))
def test_any_text_after_the_first_line_is_points_or_reasons(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.prom"
    path.write_text(f"up 1\n{text}\n", encoding="utf-8", newline="")
    for _number, result in lines(path, at=f"+{AT_MS}"):
        assert isinstance(result, Point) or ("\n" not in result and result)


@settings(max_examples=50)
@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**63), 2**63 - 1),
    st.integers(AT_MS, LAST_POINT_MS),
)
def test_any_number_is_read_as_it_is_written(tmp_path_factory, value, time_ms):
    point = Point("requests", time_ms, value, WEB_1)
    path = tmp_path_factory.getbasetemp() / "any.prom"
    for line in (f'requests{{host="web-1", dc="lga"}} {value!r} {time_ms}', import_line(point)):
        path.write_text(f"{line}\n", encoding="utf-8")
        assert repr(lines(path)) == repr([(1, point)])


# Measurements of hosts


def test_the_host_of_a_series_is_a_tag_and_a_line_that_is_no_measurement_is_refused_as_everywhere(written):
    path = written("timestamp,value\n2013-01-01,0.132\n2013-01-01 00:05:00,7\nx,1\n", "cpu_24ae8d.csv")
    assert lines(path) == [
        (2, Point("cpu", AT_MS, 0.132, {"host": "24ae8d"})),
        (3, Point("cpu", AT_MS + 300_000, 7, {"host": "24ae8d"})),
        (4, f"Point.time_ms: must be {WANTED} (got 'x')"),
    ]


def status(**members):
    return json.dumps({"nginx_version": "1.9.4", "address": "::1", "timestamp": AT_MS, **members}) + "\n"


# Names


def test_a_character_that_opentsdb_refuses_is_stored_as_an_underline_whatever_the_format(written):
    nginx = written(status(upstreams={"a b": [{"server": "10.0.0.1:80", "id": 0}]}), "status.jsonl")
    assert stored(nginx) == [
        Point("timestamp", AT_MS, AT_MS, {"host": "__1"}),
        Point("upstreams.a_b.10.0.0.1_80.id", AT_MS, 0, {"host": "__1"}),
        "2 names have _ in place of characters that OpenTSDB refuses; tags, host: '::1' is stored as '__1'",
    ]
    point = Point("a_b", AT_MS, 1, {"instance_": "10.0.0.1_9100"})
    for content in (
        'a:b{"instance:"="10.0.0.1:9100"} 1 1356998400000',
        "a:b 1356998400 1 instance:=10.0.0.1:9100",
        "metric,time_ms,value,tags\na:b,2013-01-01,1,instance:=10.0.0.1:9100",
        '{"metric": "a:b", "time_ms": "2013-01-01", "value": 1, "tags": {"instance:": "10.0.0.1:9100"}}',
    ):
        first, note = stored(written(f"{content}\n", "points"))
        assert first == point
        assert note.startswith(
            "3 names have _ in place of characters that OpenTSDB refuses; metric: 'a:b' is stored as 'a_b'"
        )


def test_a_name_that_would_lose_its_letters_or_become_another_name_is_refused(written):
    path = written(status(**{"a:b": 1}) + status(**{"a_b": 2, "c": 3}) + status(address="_:1"), "status.jsonl")
    *_, last_metric, good, last_host, _note = stored(path)
    wanted = "two names of a file must not become one"
    assert last_metric == f"Point.metric: {wanted} (got 'a_b', which would be stored as 'a_b', like 'a:b')"
    assert good == Point("c", AT_MS, 3, {"host": "__1"})
    assert last_host == f"Point.tags, host: {wanted} (got '_:1', which would be stored as '__1', like '::1')"
    assert stored(written("up 1 1 a=\u4e2d-1", "points")) == [f"Point.tags, a: {SAFE}'\u4e2d-1')"]
