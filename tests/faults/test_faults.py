"""The suite's client under every plan: no promise is broken."""

import os
from collections import Counter

import pytest

from tests.programs.faults.plans import PLANS, Kind, Plan
from tests.programs.faults.workload import new_seed, run

SEED = 1 if "CI" in os.environ else new_seed()  # there the same faults every time; at home new ones


QUICK = {("mixed", 4), ("restart", 1)}
"""Plans and threads whose runs have every fault, by one thread and by several."""
RUNS = [
    pytest.param(name, threads, operations, marks=() if (name, threads) in QUICK else pytest.mark.long)
    for name in PLANS
    for threads, operations in ((4, 300), (1, 200))
]


@pytest.mark.parametrize(("name", "threads", "operations"), RUNS)
def test_the_client_keeps_its_promises(name, threads, operations):
    ended = run(Plan(name, SEED), operations, threads=threads)
    assert ended.faults
    assert (ended.plan, ended.tally.examples) == (ended.plan, [])  # the plan, since its seed is how to see it again


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_a_function_of_its_seed_has_all_its_faults_and_leaves_most_calls_alone(name):
    first, same, other = (
        [Plan(name, seed).fault(number, "scannerGetList") for number in range(count)]
        for seed, count in ((7, 4000), (7, 500), (8, 500))
    )
    assert first[:500] == same != other
    counts = Counter(fault and fault.kind for fault in first)
    assert counts.keys() == {None, *PLANS[name]}
    assert counts[None] > 3500


def test_the_mixed_plan_has_all_faults_but_only_a_fetch_finds_its_scanner_expired():
    assert set(PLANS["mixed"]) == set(Kind)
    for name in ("mixed", "expired"):
        faults = [Plan(name, 7).fault(number, "getRow") for number in range(2000)]
        assert Kind.EXPIRED not in {fault.kind for fault in faults if fault}
