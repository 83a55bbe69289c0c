"""`rowbook run NAME --file`: records of one's own in every variant of every design."""

import json

import attrs
import pytest

from domains.logs.design import OF_KIND
from shared.command_line.measured.arguments_of_records import OwnArguments
from shared.designs import Load
from tests.designs import all_designs, design_named


@pytest.mark.parametrize(
    ("design", "load"),
    [
        pytest.param(design, load, marks=() if design.name == "orders" else pytest.mark.long, id=load.name)
        for design in all_designs()
        for load in design.loads
    ],
)
def test_the_samples_can_be_compared_as_if_they_were_the_users_own(ok, folder, design, load):
    command = f"run {design.name} --file {load.samples} --as {load.name} --limit 24"
    recorded = {path: path.read_bytes() for path in load.samples.parent.iterdir() if path.is_file()}
    (costs,) = json.loads(ok(f"{command} --json"))["designs"]
    assert [variant["name"] for variant in costs["variants"]] == [variant.name for variant in design.variants]
    for variant in costs["variants"]:
        assert variant["bytes_stored"] > 0
    text = ok(f"{command} --pictures drawn")
    assert text.startswith("the first 24 records of ")
    drawn = {path.name for path in (folder / "drawn").iterdir()}
    assert {path: path.read_bytes() for path in recorded} == recorded
    assert {"key.svg"} <= drawn <= {"key.svg", "tables.svg", "heat.svg", "ribbon.svg"}


def test_questions_are_asked_with_the_most_frequent_values_of_the_records() -> None:
    load: Load = design_named("logs").loads[0]
    first, *_others = load.sample_records()
    quiet, busy = (attrs.evolve(first, host=host, event="GET", time_ms=3_600_001) for host in ("a", "b"))
    arguments, missing = OwnArguments(load, [quiet, busy, busy], []).of(OF_KIND)
    period = OF_KIND.sample["until_ms"] - OF_KIND.sample["since_ms"]
    assert missing == []
    assert arguments == {"host": "b", "event": "GET", "since_ms": 3_600_000, "until_ms": 3_600_000 + period}
    given, _missing = OwnArguments(load, [quiet, busy, busy], ["host=a", "since=0"]).of(OF_KIND)
    assert (given["host"], given["since_ms"]) == ("a", 0)


def test_a_bad_line_stops_the_comparison_or_is_skipped(rowbook, folder):
    lines = [f'{{"host": "h-{number}", "event": "GET", "time_ms": {number}}}' for number in range(16)]
    (folder / "a.jsonl").write_text("\n".join([*lines, "{}"]), encoding="utf-8")
    code, out, err = rowbook("run logs --file a.jsonl")
    assert (code, out) == (1, "")
    assert err.startswith("a.jsonl:17: ")
    assert err.endswith("; --on-error skip continues\n")
    code, out, err = rowbook("run logs --file a.jsonl --on-error skip")
    assert (code, out.splitlines()[0], err.count("\n")) == (0, "16 records of a.jsonl", 1)


def test_the_variants_keep_their_order_and_each_part_begins_after_an_empty_line(ok, fixtures):
    lines = ok("run orders --file fixtures/orders/orders.csv").splitlines()
    assert lines[next(number for number, line in enumerate(lines) if line.startswith("choose ")) - 1] == ""
    landing = [line.partition(",")[0] for line in lines[lines.index("Where new rows land") :] if ", orders" in line]
    variants = [variant.name for variant in design_named("orders").variants]
    assert landing == sorted(landing, key=variants.index)


def test_a_file_of_another_design_is_said_to_be_one(rowbook, fixtures):
    refused = "fixtures/logs/logs.jsonl:1: no column order_number, nor any other of Order; "
    assert rowbook("run orders --file fixtures/logs/logs.jsonl")[2].startswith(refused)
    assert refused in rowbook("load orders fixtures/logs/logs.jsonl --store embedded:")[2]
