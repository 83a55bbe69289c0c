"""The turns of CI: forty minutes at most for any commit, and everything that `make verify` has is in one of them."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from domains.command_line.designs import NAMES

ROOT = Path(__file__).parents[1]

spec = spec_from_file_location("turns", ROOT / ".ci/turns.py")
turns = module_from_spec(spec)
spec.loader.exec_module(turns)
COMMITS = [f"{turn:x}" for turn in range(len(turns.TURNS))]
"""One commit of each turn."""


@pytest.mark.parametrize("commit", COMMITS)
def test_a_commit_is_checked_in_time_and_ends_with_its_tests(commit):
    steps = turns.steps_of(turns.turn_of(commit))
    assert sum(steps.values()) <= turns.MOST_MINUTES
    assert [*steps][-1] == "test"


def test_every_check_is_in_a_turn_with_all_of_its_parts():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^verify:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
    steps = {step for turn in range(len(turns.TURNS)) for step in turns.steps_of(turn)}
    for whole in re.findall(r"\$\(MAKE\) (.*)", recipe):
        parts = {f"{whole} ONLY={part}" for part in re.findall(r"^ONLY_(\w+) :=", makefile, re.MULTILINE)}
        assert len(parts) == 4
        numbers = [re.fullmatch(rf"{whole} PART=(\d+)/(\d+)", step) for step in steps]
        counts = {int(found[2]) for found in numbers if found}
        numbered = {f"{whole} PART={number}/{count}" for count in counts for number in range(1, count + 1)}
        of_designs = {
            name for step in steps if step.startswith(f"{whole} ONLY=") for name in step[len(whole) + 6 :].split(",")
        }
        is_whole = whole in steps or parts <= steps or (numbered and numbered <= steps)
        assert is_whole or of_designs >= {*NAMES}, whole


def test_the_hash_of_a_commit_chooses_its_turn():
    assert [turns.turn_of(commit) for commit in COMMITS] == [*range(len(turns.TURNS))]


def test_the_gap_of_a_check_is_the_longest_run_of_commits_without_it():
    (step,) = [*turns.TURNS[0]][:1]
    with_it, without = "0", "1"
    assert turns.gap(step, [with_it, without, without, with_it, without]) == 2
    assert turns.gap(step, [without, without, without, with_it]) == 3
    assert turns.gap("test", [without, without]) == 0
