"""Every order of the calls of two writes at once: each list follows from its records, and no answer is wrong."""

import pytest

from tests.shared.writes.pairs import PAIRS
from tests.shared.writes.scenes import MORE_OF_ONE, MORE_OF_TWO, OF_ONE, OF_TWO

MOST = {"make test": 1_500, "long": 5_000, "more faults": 2_000}
"""The number of worlds at which an exploration is cut."""
MOST_OF_FOLDS = {"make test": 200, "long": 500, "more faults": 500}
"""A fold makes so many calls that each world takes ten times as long."""
LARGE = {
    "orders: place | erase",
    "orders: place after a lost claim | erase",
    "orders: change_status | erase",
    "orders: cancel | erase",
    "orders: erase | pay",
    "orders: erase | cancel",
    "orders: erase | erase",
    "messages: send_to_group | send_to_group",
    "messages: send_to_group | delete_from_outbox",
    "feeds, pushed: post | post",
    "feeds, pushed: post | post another text",
    "feeds, pushed: post | delete",
    "feeds, pulled: post | post",
    "counters: fold | fold",
    "counters: recover | fold",
    "counters: recover | recover",
}
"""The pairs that have more worlds with one fault than a long run visits."""
each_pair = pytest.mark.parametrize("pair", PAIRS, ids=str)


@pytest.mark.parametrize("run", ["make test", pytest.param("long", marks=pytest.mark.long)])
@each_pair
def test_no_order_of_calls_is_bad(pair, run, record_property):
    for name, explored in explore_all(pair, OF_TWO if pair.rival else OF_ONE, run, record_property):
        is_small = run == "long" and name == "a fault" and str(pair) not in LARGE
        assert not (explored.is_cut and is_small), f"{pair}: {explored}"


@pytest.mark.long
@each_pair
def test_no_order_of_calls_is_bad_with_more_faults(pair, record_property):
    list(explore_all(pair, MORE_OF_TWO if pair.rival else MORE_OF_ONE, "more faults", record_property))


def explore_all(pair, scenes, run, record_property):
    """Explores a pair in each scene. The summary of the test run says what was complete and what was cut."""
    explorer, most = pair.explorer(), (MOST_OF_FOLDS if pair.design == "counters" else MOST)[run]
    for name, scene in scenes.items():
        explored = explorer.explore(scene.faults, recoverers=scene.recoverers, most=most)
        assert explored.fault is None, f"{pair}, {name}: {explored}"
        record_property("explored", (f"{pair}, {name}", explored.worlds, explored.is_cut))
        yield name, explored
