"""A writer of several rows in one batch, stopped at each of its calls, with every part of each batch stored."""

from functools import partial
from operator import attrgetter

import pytest

from shared.testing import (
    CrashTests,
    check_a_crash_of_the_recoverer_too,
    check_a_pause_at_each_call,
    check_a_stop_at_each_call,
    check_late_calls,
    check_rivals,
    subsets,
)

from .notes import TABLES, Notes
from .stopped_notes import BATCH, VIEWS, WRITES

CHECKS = {
    "is stopped": partial(check_a_stop_at_each_call, all_replies_lost=False),
    "is paused, tombstones are kept": partial(check_a_pause_at_each_call, compacts=True),
    "is paused, tombstones are dropped": partial(check_a_pause_at_each_call, compacts=True, keeps_tombstones=False),
    "meets another": check_rivals,
}
MORE_CHECKS = {
    "is stopped": check_a_stop_at_each_call,
    "is paused": check_a_pause_at_each_call,
    "meets another and dies": partial(check_rivals, dies=True, compacts=True),
    "arrives late": check_late_calls,
    "is recovered by many": check_a_crash_of_the_recoverer_too,
}


@pytest.fixture
def crashes(engine):
    return CrashTests(engine, TABLES, Notes, VIEWS, ())


def each(writes, checks):
    """Runs a test for each write and each check."""
    one_write = pytest.mark.parametrize("write", writes, ids=attrgetter("name"))
    one_check = pytest.mark.parametrize("check", checks.values(), ids=checks)
    return lambda test: one_write(one_check(test))


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_batch_is_whole_or_is_completed_if_it(crashes, check):
    check(crashes, BATCH, at_most=15)


@pytest.mark.further
@each(WRITES[2:4], CHECKS)
def test_a_write_is_whole_or_is_completed_if_it(crashes, write, check):
    check(crashes, write, at_most=15)


@pytest.mark.long
@each([*WRITES, BATCH], CHECKS | MORE_CHECKS)
def test_any_write_is_whole_or_is_completed_if_it(crashes, write, check):
    if write is BATCH and check is MORE_CHECKS["meets another and dies"]:
        pytest.skip("a batch that dies is neither whole nor missing")
    check(crashes, write)


# ---- the crash tests themselves


def test_of_a_small_batch_every_subset_is_stored_and_of_a_larger_one_some_always_the_same():
    assert [len(subsets(count)) for count in (0, 1, 2, 4)] == [1, 2, 4, 16]
    assert 10 < len(subsets(9)) <= 16
    assert subsets(9) == subsets(9)
    assert {frozenset(), frozenset(range(9))} <= {*subsets(9)}
