"""Every order of the calls of two writes at once: each list follows from its records, and no answer is wrong."""

import pytest

from tests.shared.writes.pairs import PAIRS
from tests.shared.writes.scenes import MORE_OF_ONE, MORE_OF_TWO, OF_ONE, OF_TWO

MOST = 5_000
"""The number of worlds at which an exploration is cut."""
MOST_OF_FOLDS = 500
"""A fold makes so many calls that each world takes ten times as long."""
MOST_LONG = 2_000
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
"""The pairs that have more than `MOST` worlds with one fault."""
each_pair = pytest.mark.parametrize("pair", PAIRS, ids=str)


@each_pair
def test_no_order_of_calls_is_bad(pair, record_property):
    most = MOST_OF_FOLDS if pair.design == "counters" else MOST
    for name, explored in explore_all(pair, OF_TWO if pair.rival else OF_ONE, most, record_property):
        assert not explored.is_cut or name != "a fault" or str(pair) in LARGE, f"{pair}: {explored}"


@pytest.mark.long
@each_pair
def test_no_order_of_calls_is_bad_with_more_faults(pair, record_property):
    most = MOST_OF_FOLDS if pair.design == "counters" else MOST_LONG
    list(explore_all(pair, MORE_OF_TWO if pair.rival else MORE_OF_ONE, most, record_property))


def explore_all(pair, scenes, most, record_property):
    """Explores a pair in each scene. The summary of the test run says what was complete and what was cut."""
    explorer = pair.explorer()
    for name, scene in scenes.items():
        explored = explorer.explore(scene.faults, recoverers=scene.recoverers, most=most)
        assert explored.fault is None, f"{pair}, {name}: {explored}"
        record_property("explored", (f"{pair}, {name}", explored.worlds, explored.is_cut))
        yield name, explored
