"""`rowbook load` of a design that stores many records in few calls: bad lines, failures, what is stored and counted."""

import json
import os
from contextlib import closing

import happybase
import pytest

from domains.command_line.designs import all_designs
from domains.counters import LoginRepository
from domains.logs import LogRepository
from domains.tsdb import TsdbRepository
from domains.tsdb.design import DESIGN
from shared.stores import connect
from tests.copies import ROOT

POINTS = ROOT / "fixtures" / "tsdb" / "points.txt"
GOOD = ["load 1356998400 1 host=a", "load 1356998401 2 host=a", "load 1356998402 3 host=b", "load 1356998403 4 host=a"]
BAD = "load 1356998404 5 host=a:b"
WRONG = "tagv: a name must be letters of ISO 8859-1, digits and - _ . / (got 'a:b')"


@pytest.fixture
def url(new_url):
    return new_url(*DESIGN.main.tables)


@pytest.fixture
def file(folder):
    """Writes the lines of a file."""
    return lambda *lines: (folder / "a.txt").write_text("".join(f"{line}\n" for line in lines))


def values(url):
    """The values of all points of `load`, by time."""
    with closing(connect(url)) as connection:
        series = TsdbRepository(connection).read("load")
    return [int(number) for _time, number in sorted(point for one in series for point in one.values.points())]


def test_points_are_stored_in_few_calls(ok, url, monkeypatch):
    monkeypatch.setattr(TsdbRepository, "store", None)
    sent = []
    send = happybase.Batch.send
    monkeypatch.setattr(happybase.Batch, "send", lambda batch: (sent.append(1), send(batch)))
    assert ok(f"load tsdb {POINTS} --store {url}") == f"{POINTS}: opentsdb, 2726 records stored\n"
    assert len(sent) == 3


def test_a_bad_record_among_many_is_found_and_those_before_it_are_stored(rowbook, file, url):
    file(*GOOD[:3], BAD, GOOD[3])
    code, out, err = rowbook(f"load tsdb a.txt --store {url}")
    assert (code, out, err) == (1, "", f"a.txt:4: {WRONG}; --on-error skip goes on; 3 records stored before\n")
    assert values(url) == [1, 2, 3]


def test_a_bad_line_among_many_is_found_and_those_before_it_are_stored(rowbook, file, url):
    file(*GOOD[:2], "load", *GOOD[2:])
    code, _out, err = rowbook(f"load tsdb a.txt --store {url}")
    assert (code, err.startswith("a.txt:3: must be metric time value tag=value ... (got 'load'); ")) == (1, True)
    assert err.endswith("; 2 records stored before\n")
    assert values(url) == [1, 2]


def test_bad_lines_and_records_are_skipped_and_all_others_stored(rowbook, file, url):
    file(GOOD[0], BAD, *GOOD[1:3], "load", GOOD[3])
    code, out, err = rowbook(f"load tsdb a.txt --store {url} --on-error skip")
    assert (code, out) == (0, "a.txt: opentsdb, 4 records stored, 2 bad lines skipped\n")
    assert [line.partition(": ")[0] for line in err.splitlines()] == ["a.txt:2", "a.txt:5"]
    assert values(url) == [1, 2, 3, 4]


def fail(monkeypatch, times):
    """Lets so many calls of the store fail, each before it is sent."""
    send, failed = happybase.Batch.send, []

    def failing(batch):
        if len(failed) < times:
            failed.append(1)
            raise OSError("gone")
        send(batch)

    monkeypatch.setattr(happybase.Batch, "send", failing)


def test_after_a_failed_call_the_same_records_are_stored_one_by_one(ok, file, url, monkeypatch):
    file(*GOOD)
    fail(monkeypatch, times=1)
    assert ok(f"load tsdb a.txt --store {url}") == "a.txt: opentsdb, 4 records stored\n"
    assert values(url) == [1, 2, 3, 4]


def test_a_store_that_goes_on_failing_ends_the_command_with_the_line(rowbook, file, url, monkeypatch):
    file(*GOOD)
    fail(monkeypatch, times=2)
    code, _out, err = rowbook(f"load tsdb a.txt --store {url}")
    assert (code, err) == (1, "a.txt:1: the store failed: gone; 0 records stored before\n")


def test_what_comes_through_a_pipe_is_stored_line_by_line(ok, folder, url, monkeypatch):
    monkeypatch.setattr(TsdbRepository, "store_all", None)
    reader, writer = os.pipe()
    os.write(writer, "".join(f"{line}\n" for line in GOOD).encode())
    os.close(writer)
    path = f"/dev/fd/{reader}"
    try:
        assert ok(f"load tsdb {path} --store {url}") == f"{path}: opentsdb, 4 records stored\n"
    finally:
        os.close(reader)
    assert values(url) == [1, 2, 3, 4]


AT_ONCE = [design for design in all_designs() for load in design.loads if load.store_all is not None]
FIELDS = {
    "logs": {"host": "h", "event": "GET", "time_ms": 5, "message": "m", "severity": "INFO"},
    "monitoring": {"host": "h", "metric": "cpu", "time_ms": 5, "value": 1.5},
    "counters": {"user": "u", "time_ms": 5},
}
"""A record of each design that stores many at once, as a JSON line."""
each_at_once = pytest.mark.parametrize("name", FIELDS)


def json_lines(folder, name, *texts):
    """A file of records whose first fields are these texts, the times 1 ms apart; returns its name."""
    field = next(iter(FIELDS[name]))
    records = [FIELDS[name] | {field: text, "time_ms": number} for number, text in enumerate(texts)]
    (folder / "a.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return "a.jsonl"


def test_a_design_declares_that_it_stores_many_at_once_wherever_its_repository_does(new_store):
    for design in all_designs():
        for variant in design.variants:
            repository = variant.open(new_store(*variant.tables))
            declares = any(load.store_all is not None for load in design.loads)
            assert hasattr(repository, "store_all") or not (declares and variant.may_store_again), variant.name
            assert declares or not hasattr(repository, "store_all"), variant.name


@each_at_once
def test_samples_are_stored_at_once(ok, new_url, monkeypatch, name):
    (design,) = (design for design in AT_ONCE if design.name == name)
    (load,) = design.loads
    monkeypatch.setattr(design.repository, load.store.__name__, None)
    out = ok(f"load {name} {load.samples} --store {new_url(*design.main.tables)}")
    assert out.endswith(f" {len(list(load.sample_records()))} records stored\n")


@each_at_once
def test_a_record_that_cannot_be_stored_is_named_by_its_line_and_reason(rowbook, folder, name):
    file = json_lines(folder, name, "a", "b", "c" * 40_000, "d")
    code, _out, err = rowbook(f"load {name} {file} --store embedded:a.db")
    assert (code, err.partition(" ")[0]) == (1, "a.jsonl:3:")
    assert "32767" in err.replace(",", "")
    assert err.endswith("; --on-error skip goes on; 2 records stored before\n")
    code, out, err = rowbook(f"load {name} {file} --store embedded:a.db --on-error skip")
    assert (code, out) == (0, "a.jsonl: jsonl, 3 records stored, 1 bad line skipped\n")
    assert err.startswith("a.jsonl:3: ")


@pytest.mark.parametrize("variant", ["logs:random", "counters:increment", "counters:sharded"])
def test_what_is_another_record_if_it_is_stored_again_is_stored_one_by_one(ok, folder, monkeypatch, variant):
    for repository in (LogRepository, LoginRepository):
        monkeypatch.setattr(repository, "store_all", None)
    file = json_lines(folder, variant.partition(":")[0], "a", "b")
    assert ok(f"load {variant} {file} --store embedded:a.db").endswith(" 2 records stored\n")
