"""`rowbook load --at`: files with lines that have no time, and real files of metrics by the command line."""

import json

import pytest

from domains.tsdb.design import DESIGN
from tests.copies import ROOT

METRICS = ROOT / "fixtures" / "tsdb" / "metrics.prom"
POINTS = ROOT / "fixtures" / "tsdb" / "points.txt"
REAL = ROOT.parent / "shared" / "data" / "metrics"


def answers(ok, url, metric, tag, value):
    return json.loads(ok(f"ask tsdb points metric={metric} tag={tag} value={value} --store '{url}' --json"))["records"]


def test_the_time_is_that_of_the_lines_without_one(ok, new_url):
    url = new_url(*DESIGN.main.tables)
    out = ok(f"load tsdb {METRICS} --at 2013-01-01T00:30 --store '{url}'")
    assert out == f"{METRICS}: prometheus, 3 records stored\n"
    assert [
        (answer["tags"], answer["time_ms"])
        for answer in answers(ok, url, "api_http_requests_total", "handler", "/messages")
    ] == [
        ("handler=/messages,method=POST", 1_357_000_200_000),
        ("handler=/messages,method=GET", 1_356_998_400_000),
    ]
    assert [answer["value"] for answer in answers(ok, url, "process_cpu_seconds_total", "source", "prometheus")] == [
        13.5
    ]


def test_without_a_time_the_line_is_bad_and_skipped_like_any_other(rowbook):
    code, _out, err = rowbook(f"load tsdb {METRICS} --store embedded:")
    assert (code, err) == (
        1,
        f"{METRICS}:3: Point.time_ms: the line has no time: give --at, that of such lines; --on-error skip goes on; "
        "0 records stored before\n",
    )
    code, out, _err = rowbook(f"load tsdb {METRICS} --store embedded: --on-error skip --json")
    assert (code, json.loads(out)["files"][0]) == (
        0,
        {"file": str(METRICS), "format": "prometheus", "stored": 1, "skipped": 2},
    )


def test_a_time_for_a_file_whose_lines_have_one_is_wrong_usage(rowbook):
    code, out, err = rowbook(f"load tsdb {POINTS} --at 2013-01-01 --store embedded:")
    said = "is read as OpenTSDB import, whose lines all have a time: leave out --at (got 2013-01-01T00:00:00.000Z)"
    assert (code, out, err) == (2, "", f"{POINTS}: {said}\n")


@pytest.mark.parametrize("time", ["", "noon", "20130101", "1356998400", "2013-13-01"])
def test_a_time_is_read_as_everywhere(rowbook, time):
    code, _out, err = rowbook(f"load tsdb {METRICS} --at '{time}' --store embedded:")
    assert code == 2
    assert err.startswith("--at: must be ")
    assert err.count("\n") == 1


def test_a_time_after_the_last_of_opentsdb_is_refused_by_line(rowbook):
    code, _out, err = rowbook(f"load tsdb {METRICS} --at 2200-01-01 --store embedded:")
    assert code == 1
    assert err.startswith(f"{METRICS}:3: Point.time_ms: must be 0..")


@pytest.mark.skipif(not REAL.exists(), reason="the real metrics are not on this machine")
def test_snapshots_of_nginx_are_17100_points_and_twice_is_once(ok, new_url):
    path, url = REAL / "nginxplus_status_first60.jsonl", new_url(*DESIGN.main.tables)
    for _time in range(2):
        assert ok(f"load tsdb {path} --store '{url}'") == f"{path}: nginx-status, 17100 records stored\n"
        peer = answers(ok, url, "upstreams.trac-backend.peers.10.0.0.1_8080.requests", "host", "206.251.255.64")
        assert (len(peer), peer[0]["value"]) == (60, 118_605)
