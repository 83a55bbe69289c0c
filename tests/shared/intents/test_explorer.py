"""Every order of the calls of two writes at once: each list follows from its records, and no answer is wrong."""

import random

import pytest

from tests.shared.intents.pairs import PAIRS, PairExplorer
from tests.shared.intents.scenes import A_WALK, MORE_OF_ONE, MORE_OF_TWO, OF_ONE, OF_TWO

MOST, MOST_LONG, MOST_MORE_FAULTS = 300, 5_000, 2_000
"""The number of worlds at which an exploration is cut: in `make test`, in a long run, and with more faults."""
DRAWN = 3
"""How many pairs of a design `make test` explores, each time others."""
SHARE_OF_FOLDS = 10
"""A fold makes so many calls that each world takes ten times as long."""
LARGE = ("erase", "send_to_group", "post", "counters", "_all")
"""Pairs of these have more worlds with one fault than a long run visits."""
DESIGNS = sorted({pair.design for pair in PAIRS})


@pytest.mark.parametrize("design", DESIGNS)
def test_no_order_of_calls_is_bad_in_scenes_drawn_at_random(design, record_property):
    pairs = [pair for pair in PAIRS if pair.design == design]
    for pair in random.sample(pairs, min(DRAWN, len(pairs))):
        explore(PairExplorer(pair), pair, random.choice([*scenes_of(pair)]), MOST, record_property)


@pytest.mark.long
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_no_order_of_calls_is_bad(pair, record_property):
    explorer = PairExplorer(pair)
    for name in scenes_of(pair):
        explored = explore(explorer, pair, name, MOST_LONG, record_property)
        assert not explored.is_cut or name != "a fault" or any(word in str(pair) for word in LARGE), explored
    for name in MORE_OF_TWO if pair.rival else MORE_OF_ONE:
        explore(explorer, pair, name, MOST_MORE_FAULTS, record_property)


def scenes_of(pair):
    return OF_TWO if pair.rival else OF_ONE


def explore(explorer, pair, name, most, record_property):
    """Explores a pair in a scene. The summary of the test run says what was complete and what was cut."""
    scene = (OF_TWO | MORE_OF_TWO if pair.rival else OF_ONE | MORE_OF_ONE)[name]
    explored = explorer.explore(scene, most // SHARE_OF_FOLDS if pair.design == "counters" else most)
    assert explored.fault is None, f"{pair}, {name}: {explored}"
    record_property("explored", (f"{pair}, {name}", explored.states, explored.is_cut))
    return explored


@pytest.mark.parametrize("groups", [1, pytest.param(400, marks=pytest.mark.long)])
def test_no_walk_of_four_writes_is_bad(groups):
    dice = random.Random(seed := random.randrange(1_000_000))
    for _ in range(groups):
        pair = dice.choice([pair for pair in PAIRS if pair.design == "orders" and pair.rival])
        exploration = PairExplorer(pair, *dice.sample([*pair.write.rivals], 2)).exploration(A_WALK)
        for _ in range(10):
            walked = exploration.walk(dice)
            assert walked.fault is None, f"seed {seed}: {pair}: {walked}"
