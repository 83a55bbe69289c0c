"""Variants that exist to be wrong, or to show a published mistake: marked, and recommended by no refusal."""

import json

import pytest

from domains.command_line.designs import all_designs

MARKED = {
    f"{design.name}:{variant.name}": variant
    for design in all_designs()
    for variant in design.variants
    if not variant.is_to_copy
}
LOSES = "gives wrong answers: it loses all points of fifteen minutes but the latest one"


def test_four_variants_are_marked_and_two_of_them_lose_points():
    assert {name: variant.wrong is not None for name, variant in MARKED.items()} == {
        "logs:modulo": False,
        "logs:random": False,
        "monitoring:bucketed": True,
        "monitoring:hashed-bucket": True,
    }


def test_list_marks_them_and_says_why(ok):
    lines = ok("list").splitlines()
    assert any(line.startswith("  bucketed (wrong)  ") for line in lines)
    assert any(line.startswith("  modulo (mistake)  ") for line in lines)
    assert f"  bucketed {LOSES}" in lines
    assert "  random is a published mistake: no reader can compute the number, so every question is refused" in lines
    assert sum(" (wrong)" in line or " (mistake)" in line for line in lines) == len(MARKED)


def test_list_as_json_says_why(ok):
    for design in json.loads(ok("list --json"))["designs"]:
        for variant in design["variants"]:
            marked = MARKED.get(f"{design['name']}:{variant['name']}")
            assert variant["mistake"] == ("" if marked is None else marked.mistake)
            assert variant["loses"] == ("" if marked is None or marked.wrong is None else marked.wrong.loses)


def test_run_says_wrong_answer_where_an_answer_is_wrong(in_memory):
    out = in_memory("run monitoring")
    assert f"  hashed-bucket {LOSES}\n" in out
    # Of hashed-bucket the latest value is right, and a metric of all hosts refused.
    assert out.count("wrong answer  ") == 5 + 4
    assert out.count("bucketed (wrong)  ") == 1 + 6 + 1 + 1  # keys, questions, writes, new rows
    alone = in_memory("run monitoring:bucketed")
    assert alone.count("wrong answer  ") == 5
    assert f"  bucketed {LOSES}\n" in alone


def test_run_marks_a_published_mistake_whose_figures_are_its_own(in_memory):
    out = in_memory("run logs")
    assert "  modulo is a published mistake: every question reads all eight buckets, and " in out
    assert "wrong answer" not in out
    assert any(line.split()[:4] == ["modulo", "(mistake)", "8", "ranges"] for line in out.splitlines())


def test_run_as_json_says_which_answers_are_wrong(ok, few_samples):
    (design,) = json.loads(ok("run monitoring --json"))["designs"]
    wrong = {
        variant["name"]: [question["question"] for question in variant["questions"] if question.get("is_wrong")]
        for variant in design["variants"]
        if variant["loses"]
    }
    assert wrong == {
        "bucketed": ["of-metric", "of-metric", "of-host", "across-hosts", "averages"],
        "hashed-bucket": ["of-metric", "of-metric", "of-host", "averages"],
    }


@pytest.mark.parametrize(
    ("line", "answering"),
    [
        ("monitoring across-hosts metric=cpu", ["monitoring:metric-host-time"]),
        ("monitoring:host-time-metric across-hosts metric=cpu", ["monitoring:metric-host-time"]),
        (
            "monitoring:metric-host-time of-host host=web-1",
            ["monitoring", "monitoring:salted", "monitoring:host-time-metric"],
        ),
    ],
)
def test_a_refusal_recommends_no_variant_that_loses_points(rowbook, line, answering):
    code, _out, err = rowbook(f"ask {line} since=2026-01-12T09:00 until=2026-01-12T09:10")
    assert (code, err.partition("; or ask ")[2]) == (2, f"{', '.join(answering)}\n")


@pytest.mark.parametrize("name", ["bucketed", "hashed-bucket"])
@pytest.mark.parametrize("as_json", ["", " --json"])
def test_a_variant_that_loses_points_says_so_when_it_is_asked(rowbook, name, as_json):
    question = "host=web-1 metric=cpu since=2026-01-12T08:55 until=2026-01-12T09:05"
    code, out, err = rowbook(f"ask monitoring:{name} of-metric {question}{as_json}")
    assert (code, err) == (
        0,
        f"monitoring:{name} {LOSES}; monitoring keeps them\n",
    )
    assert out


def test_a_variant_that_loses_points_says_so_when_it_is_loaded(rowbook, new_url, tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("host,metric,time_ms,value\nweb-1,cpu,2026-01-12T09:00,1.5\n", encoding="utf-8")
    code, _out, err = rowbook(f"load monitoring:bucketed {file} --store {new_url()}")
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith("monitoring:bucketed gives wrong answers: it loses ")


@pytest.mark.parametrize("name", ["monitoring", "monitoring:metric-host-time", "logs:modulo", "logs:salted"])
def test_a_variant_that_answers_right_warns_of_nothing(rowbook, name):
    metric = "metric=cpu " if name.startswith("monitoring") else "event=GET "
    code, _out, err = rowbook(f"ask {name} latest host=web-1 {metric}")
    assert (code, err) == (0, "")
