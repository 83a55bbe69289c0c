"""Variants that exist to be wrong, or to show a published mistake: marked wherever they are shown."""

import json

import pytest

from domains.command_line.designs import all_designs

MARKED = {
    f"{design.name}:{variant.name}": variant
    for design in all_designs()
    for variant in design.variants
    if not variant.is_to_copy
}


def test_four_variants_are_marked_and_two_of_them_lose_points(ok):
    assert {name: variant.wrong is not None for name, variant in MARKED.items()} == {
        "logs:modulo": False,
        "logs:random": False,
        "monitoring:bucketed": True,
        "monitoring:hashed-bucket": True,
    }
    assert sum(" (wrong)" in line or " (mistake)" in line for line in ok("list").splitlines()) == len(MARKED)


@pytest.mark.usefixtures("few_samples")
def test_run_as_json_says_which_answers_are_wrong(ok):
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
