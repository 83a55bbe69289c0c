"""The suite's client under every plan: no promise is broken."""

import os

import pytest

from tests.programs.faults.plans import PLANS, Plan
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
