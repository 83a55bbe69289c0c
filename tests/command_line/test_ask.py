"""`rowbook ask` beside `rowbook run` and `ask --explain`, over all designs; and what no transcript can show."""

import json
import re
from functools import partial

import attrs
import pytest

from domains.command_line.designs import all_designs
from domains.command_line.usage import WrongUsage
from domains.command_line.words import arguments
from domains.monitoring.design import DESIGN as MONITORING
from domains.orders import OrderRepository
from shared.designs.arguments import patterns_by_name
from shared.queries.pages import read_page

TEN_MINUTES = "since=2026-01-12T08:40 until=2026-01-12T08:50"
COSTS = ["left_to_the_client", "left_to_a_filter", "ranges", "rpcs", "rows_read", "rows_returned", "bytes_fetched"]

FILLS_NO_PAGE = ("logs", "monitoring", "counters", "tsdb")
"""Designs whose questions find no two records in forty lines, or do not say how many RPCs they need."""


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_what_run_prints_can_be_asked_and_costs_that_much_and_an_explanation_foretells_it(rowbook, ok, design):
    ((_, variants),) = (one.values() for one in json.loads(ok(f"run {design.name} --json"))["designs"])
    exact = 0
    for variant in variants:
        for pattern, cost in zip(design.patterns, variant["questions"], strict=True):
            line = f"ask {design.name}:{variant['name']} {cost['ask']} --json"
            code, out, err = rowbook(line)
            assert (code, err.count("\n")) == ((2, 1) if "refused" in cost else (0, 1 if variant["loses"] else 0))
            page = {} if "refused" in cost else json.loads(out)
            assert not page or [*page] == ["records", "cursor", "unknown", *COSTS]
            if design.unknown_names is None:  # otherwise `run` knows the names from the question before
                assert {name: page[name] for name in COSTS if page} == {name: cost[name] for name in COSTS if page}
            if pattern.answer == "page" and page:
                exact += explains(json.loads(rowbook(f"{line} --limit 1")[1]), rowbook(f"{line} --limit 1 --explain"))
    assert exact or design.name in FILLS_NO_PAGE


def explains(page, ended):
    """Checks what `--explain` says of a page; returns whether it knows its RPCs."""
    assert (ended[0], ended[2]) == (0, "")
    explained = json.loads(ended[1])
    # A page that is filled reads no further ranges, and a second lookup is in another table.
    tables = {range_["table"] for range_ in explained["ranges"]}
    of_query = [range_ for range_ in page["ranges"] if range_["table"] in tables]
    wanted = explained["ranges"][::-1] if explained["reverse"] else explained["ranges"]
    assert of_query[: len(wanted)] == wanted[: len(of_query)]
    for work in ("left_to_the_client", "left_to_a_filter"):
        assert page[work] == explained[work]
    assert page["rpcs"] >= explained["rpcs"]
    if not (explained["rpcs_are_exact"] and page["cursor"]):
        return False
    assert page["rpcs"] == explained["rpcs"]
    return True


# Pages that read many rows


@pytest.fixture
def reads_few(monkeypatch):
    """A page of log events ends, or is refused, after a hundred rows in place of ten thousand."""
    monkeypatch.setattr("shared.queries.query.read_page", partial(read_page, read_at_most=100))


@pytest.mark.usefixtures("reads_few")
def test_a_page_without_matches_yet_names_the_next_page(ok):
    lines = ok("ask logs hosts-like host_prefix=web since=2027-01-01").splitlines()
    assert lines[0].startswith("nothing found so far; 1")
    assert lines[1] == "  logs  host starting with web"
    assert lines[2].startswith("next page: rowbook ask logs hosts-like host_prefix=web since=2027-01-01 --cursor=")


@pytest.mark.usefixtures("reads_few")
def test_a_variant_that_refuses_only_so_many_rows_names_those_that_need_not_sort_them(rowbook, ok):
    question = f"window host=web-1 {TEN_MINUTES}"
    code, _out, err = rowbook(f"ask logs {question}")
    assert (code, err) == (
        2,
        "a sorted page reads all rows of its ranges, which hold more than 100: "
        "ask with a condition on event, the first part of the row key that has none; "
        "or ask logs:time-first, logs:salted, logs:slices\n",
    )
    for name in ("logs:time-first", "logs:salted", "logs:slices"):
        ok(f"ask {name} {question}")
    ok("ask logs latest host=web-1 event=GET")


# Answers and values


@pytest.mark.parametrize(
    ("answer", "lines", "as_json"),
    [
        (320, ["answer", "   320", "1 answer; 0 rows read, 0 RPCs"], [320]),
        (1.5, ["answer", "1.5", "1 answer; 0 rows read, 0 RPCs"], [1.5]),
        ("lamp\x1b", ["answer", r"'lamp\x1b'", "1 answer; 0 rows read, 0 RPCs"], ["lamp\x1b"]),
        (b"\0a", ["answer", "00 61", "1 answer; 0 rows read, 0 RPCs"], ["0061"]),
        ([3, 4], ["answer", "     3", "     4", "2 answers; 0 rows read, 0 RPCs"], [3, 4]),
        ((3, 4), ["answer", "(3, 4)", "1 answer; 0 rows read, 0 RPCs"], [[3, 4]]),
        ([], ["nothing found; 0 rows read, 0 RPCs"], []),
    ],
    ids=str,
)
def test_an_answer_may_be_a_number_or_anything_else(ok, terminal, monkeypatch, answer, lines, as_json):
    monkeypatch.setattr(OrderRepository, "order", lambda self, order_number: answer)
    assert ok("ask orders order order_number=n").splitlines() == lines
    assert json.loads(ok("ask orders order order_number=n --json"))["records"] == as_json
    terminal(80)
    assert str(answer)[:3] in ok("ask orders order order_number=n") or answer in ([], (b"\0a"), [3, 4], "lamp\x1b")


def arguments_of_averages(text):
    (pattern, *_) = patterns_by_name(MONITORING)["averages"]
    return arguments(pattern, ["host=a", "metric=b", "since=0", "until=9", f"every={text}"])


def test_a_length_of_time_is_shown_as_it_is_typed():
    (pattern, *_) = patterns_by_name(MONITORING)["averages"]
    every_hour = attrs.evolve(pattern, sample={**pattern.sample, "every_ms": 3_600_000})
    assert every_hour.words.endswith(" every=1h")


@pytest.mark.parametrize(
    ("text", "every_ms"),
    [("600000", 600_000), ("10m", 600_000), ("600s", 600_000), ("6h", 21_600_000), ("2w", 1_209_600_000)],
)
def test_a_length_is_read_as_one(text, every_ms):
    assert arguments_of_averages(text)["every_ms"] == every_ms


@pytest.mark.parametrize("text", ["2017-06-23", "10 m", "-1", "1.5h", "", "6H"])
def test_a_time_is_no_length(text):
    wanted = "every: must be a length such as 10m, 6h or 14d, or milliseconds"
    with pytest.raises(WrongUsage, match=re.escape(f"{wanted} (got {text!r})")):
        arguments_of_averages(text)
