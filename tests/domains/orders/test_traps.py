"""The traps: the wrong way fails as predicted, the right way gives what was wanted. Numbers are counted anew here."""

import csv
from collections import Counter
from contextlib import ExitStack

import pytest

from domains.orders.design import DESIGN


@pytest.fixture(scope="module")
def outcomes(engine):
    """By the name of a trap, what came of it."""
    with ExitStack() as stores, pytest.MonkeyPatch.context() as patch:
        patch.setattr("shared.designs.traps.connect", lambda _url: stores.enter_context(engine.store()))
        yield {trap.name: trap.run(DESIGN) for trap in DESIGN.traps}


@pytest.fixture(scope="module")
def sellers():
    """How many sample orders each seller has."""
    with DESIGN.loads[0].samples.open(encoding="utf-8", newline="") as file:
        return Counter(order["seller_id"] for order in csv.DictReader(file))


def test_a_bare_id_as_prefix_also_finds_sellers_that_start_with_it(outcomes, sellers):
    outcome = outcomes["id without a terminator"]
    matching = [name for name in sellers if name.startswith("s-1")]
    assert sorted(matching) == ["s-1", "s-12", "s-123", "s-17"]
    assert outcome.task == f"the {sellers['s-1']} orders of s-1"
    assert outcome.wrong == f"{sum(sellers[name] for name in matching)} rows, of s-1, s-12, s-123, s-17"
    assert outcome.right == f"{sellers['s-1']} rows, of s-1"


def test_numbers_that_count_up_go_to_one_range_and_a_hash_spreads_them(outcomes):
    outcome = outcomes["numbers that count up"]
    assert outcome.task == "the 30 newest orders on 8 ranges of equal size"
    assert outcome.wrong == "100% of them in one range"
    assert outcome.right == "23% in the busiest, after a hash of the number"
