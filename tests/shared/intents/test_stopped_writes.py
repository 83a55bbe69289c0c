"""A writer of several rows in one batch, stopped at each of its calls, with every part of each batch stored."""

from functools import partial

import pytest

from shared.testing.crash_points import subsets
from shared.testing.crash_tests import CrashTests
from shared.testing.rival_checks import check_rivals
from shared.testing.stop_checks import check_a_pause_at_each_call, check_a_stop_at_each_call

from .notes import TABLES, Notes
from .stopped_notes import BATCH, VIEWS

CHECKS = {
    "is stopped": partial(check_a_stop_at_each_call, all_replies_lost=False),
    "is paused, tombstones are kept": partial(check_a_pause_at_each_call, compacts=True),
    "is paused, tombstones are dropped": partial(check_a_pause_at_each_call, compacts=True, keeps_tombstones=False),
    "meets another": check_rivals,
}


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_batch_is_whole_or_is_completed_if_it(engine, check):
    check(CrashTests(engine, TABLES, Notes, VIEWS, ()), BATCH, at_most=10)


def test_of_a_small_batch_every_subset_is_stored_and_of_a_larger_one_some_always_the_same():
    assert [len(subsets(count)) for count in (0, 1, 2, 4)] == [1, 2, 4, 16]
    assert 10 < len(subsets(9)) <= 16
    assert subsets(9) == subsets(9)
    assert {frozenset(), frozenset(range(9))} <= {*subsets(9)}
