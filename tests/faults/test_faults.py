"""The suite's client under every plan: no promise is broken."""

import os

import pytest

from tests.programs.faults.plans import PLANS, Plan
from tests.programs.faults.workload import new_seed, run

SEED = 1 if "CI" in os.environ else new_seed()  # there the same faults every time; at home new ones


QUICK = {("mixed", 4), ("mixed", 1), ("restart", 4), ("expired", 4)}
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
def test_a_seed_gives_the_same_faults_again(name):
    one, same, other = (
        [Plan(name, seed).fault(number, "scannerGetList") for number in range(500)] for seed in (5, 5, 6)
    )
    assert one == same != other
