"""`rowbook ask` beside `rowbook run`, over all designs; and what no transcript can show."""

import json
import re
from functools import partial

import attrs
import pytest

from domains.monitoring.shown.design import DESIGN as MONITORING
from domains.orders import OrderRepository
from domains.orders.keys import BY_SELLER
from shared.command_line.named.typed_values import arguments
from shared.command_line.screen.wrong_usage import WrongUsage
from shared.designs.arguments import patterns_by_name
from shared.queries.pages import read_page
from tests.designs import all_designs
from tests.few_designs import FEW
from tests.shared.command_line import steps

AVERAGES = patterns_by_name(MONITORING)["averages"][0]
"""The question of `monitoring` that takes a length of time."""
WORDS = ["host=a", "metric=b", "since=0", "until=9"]
TEN_MINUTES = "since=2026-01-12T08:40 until=2026-01-12T08:50"
COSTS = ["left_to_the_client", "left_to_a_filter", "ranges", "rpcs", "round_trips"]
COSTS += ["rows_read", "rows_returned", "bytes_fetched"]


def shown_by_run(design):
    """The numbers of a design's variants; those of few designs, the first and the last one, do not take long."""
    for number, variant in enumerate(design.variants):
        is_edge = design.name in FEW and variant in (design.main, design.variants[-1])
        yield pytest.param(
            design, number, marks=() if is_edge else pytest.mark.long, id=f"{design.name}:{variant.name}"
        )


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize(("design", "number"), [param for design in all_designs() for param in shown_by_run(design)])
def test_what_run_prints_can_be_asked_and_costs_that_much(rowbook, ok, design, number):
    variant = json.loads(ok(f"run {design.name} --json"))["designs"][0]["variants"][number]
    for cost in variant["questions"]:
        code, out, err = rowbook(f"ask {design.name}:{variant['name']} {cost['ask']} --json")
        assert (code, err.count("\n")) == ((2, 1) if "refused" in cost else (0, 1 if variant["loses"] else 0))
        if "refused" not in cost:
            page = json.loads(out)
            assert [*page] == ["records", "cursor", "unknown", *COSTS]
            if design.unknown_names is None:  # otherwise `run` knows the names from the question before
                assert {name: page[name] for name in COSTS} == {name: cost[name] for name in COSTS}


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
        (1.5, ["answer", "1.5"], [1.5]),
        ("lamp\x1b", ["answer", r"'lamp\x1b'"], ["lamp\x1b"]),
        (b"\0a", ["answer", "0061"], ["0061"]),
        ([3, 4], ["answer", "     3", "     4"], [3, 4]),
        ((3, 4), ["answer", "(3, 4)"], [[3, 4]]),
        ([], [], []),
    ],
    ids=str,
)
def test_an_answer_may_be_a_number_or_anything_else(ok, terminal, monkeypatch, answer, lines, as_json):
    monkeypatch.setattr(OrderRepository, "order", lambda self, order_number: answer)
    *shown, last = ok("ask orders order order_number=n").splitlines()
    number = {0: "nothing found", 1: "1 answer", 2: "2 answers"}[len(as_json)]
    assert (shown, last) == (lines, f"{number}; 0 rows read, 0 RPCs")
    assert json.loads(ok("ask orders order order_number=n --json"))["records"] == as_json
    terminal(80)
    assert lines == [] or lines[-1] in ok("ask orders order order_number=n")


def test_a_length_of_time_is_shown_as_it_is_typed():
    assert attrs.evolve(AVERAGES, sample={**AVERAGES.sample, "every_ms": 3_600_000}).words.endswith(" every_ms=1h")


@pytest.mark.parametrize(("text", "every_ms"), [("600000", 600_000), ("10m", 600_000), ("2w", 1_209_600_000)])
def test_a_length_of_time_has_a_unit_or_is_in_milliseconds(text, every_ms):
    assert arguments(AVERAGES, [*WORDS, f"every={text}"])["every_ms"] == every_ms
    wanted = f"every_ms: must be a length such as 10m, 6h or 14d, or milliseconds (got '-{text}')"
    with pytest.raises(WrongUsage, match=re.escape(wanted)):
        arguments(AVERAGES, [*WORDS, f"every=-{text}"])


def test_a_row_of_a_later_release_is_left_out_of_a_page_and_named(ok, folder):
    steps.place_two_orders()
    with steps.store() as connection:
        row = BY_SELLER.layout.row(steps.LAMP)
        connection.table(BY_SELLER.layout.name).put(row, {BY_SELLER.layout.cells.column("status"): b"\xa8refunded"})
    question = "ask orders of-seller seller_id=s-1 --store embedded:a.db"
    assert "1 record, but left out, probably of a later release: orders_by_seller: row 73" in ok(question)
    page = json.loads(ok(f"{question} --json"))
    assert (len(page["records"]), len(page["unknown"])) == (1, 1)
    assert page["unknown"][0].endswith(
        "SellerLine.status: must be one of placed, paid, shipped, cancelled (got 'refunded')"
    )
