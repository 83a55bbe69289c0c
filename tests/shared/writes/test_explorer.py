"""Every order of the calls of two writes at once: each list follows from its records, and no answer is wrong."""

import pytest

from tests.shared.writes.pairs import PAIRS
from tests.shared.writes.scenes import MORE_OF_TWO, OF_ONE, OF_TWO

MOST = 10_000
MOST_LONG = 200_000


each_pair = pytest.mark.parametrize("pair", PAIRS, ids=str)


@each_pair
def test_no_order_of_calls_is_bad(pair, record_property):
    explore_all(pair, OF_TWO if pair.rival else OF_ONE, MOST, record_property)


@pytest.mark.long
@each_pair
def test_no_order_of_calls_is_bad_with_more_faults(pair, record_property):
    explore_all(pair, MORE_OF_TWO if pair.rival else OF_ONE, MOST_LONG, record_property)


def explore_all(pair, scenes, most, record_property):
    """Explores a pair in each scene. The summary of the test run says what was complete and what was cut."""
    explorer = pair.explorer()
    for name, scene in scenes.items():
        explored = explorer.explore(scene.faults, recoverers=scene.recoverers, most=most)
        assert explored.fault is None, f"{pair}, {name}: {explored}"
        record_property("explored", (f"{pair}, {name}", explored.worlds, explored.is_cut))
