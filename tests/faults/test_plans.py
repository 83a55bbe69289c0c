"""Plans as functions of their seeds."""

from collections import Counter

import pytest

from tests.programs.faults.plans import PLANS, Kind, Plan

FETCH = "scannerGetList"


def faults(plan, calls=2000, call=FETCH):
    return [plan.fault(number, call) for number in range(calls)]


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_a_function_of_its_seed_has_all_its_faults_and_leaves_most_calls_alone(name):
    assert faults(Plan(name, 7)) == faults(Plan(name, 7)) != faults(Plan(name, 8))
    counts = Counter(fault and fault.kind for fault in faults(Plan(name, 7), calls=8000))
    assert counts.keys() == {None, *PLANS[name]}
    assert counts[None] > 7000


def test_the_mixed_plan_has_all_faults():
    assert set(PLANS["mixed"]) == set(Kind)


def test_only_a_fetch_finds_its_scanner_expired():
    assert not any(faults(Plan("expired", 7), call="getRow"))
    assert Kind.EXPIRED not in {fault.kind for fault in faults(Plan("mixed", 7), call="getRow") if fault}
