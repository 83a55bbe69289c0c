"""Every order of steps of a fold, in small worlds: an acknowledged event is counted once, and a sum never changes."""

import pytest

from tests.shared.writes.fold_model import Rules, explore_fold, world_of

ALL = {"folders": 2, "late": 1, "compactions": 1}


@pytest.mark.parametrize("world", [world_of("1a", late=1, compactions=1), world_of("1a", folders=2, compactions=1)])
def test_an_event_is_counted_once_whatever_its_folders_do(world):
    explored = explore_fold(world)
    assert explored.fault is None, explored


def test_an_event_that_is_loaded_again_changes_no_sum():
    explored = explore_fold(world_of("1a", "1a", late=1, compactions=1))
    assert explored.fault is None, explored


@pytest.mark.long
@pytest.mark.parametrize("events", [("1a", "1a"), ("1a", "1b")], ids=["one event", "two events"])
def test_two_writers_two_folders_a_compaction_and_a_late_message_lose_nothing(events, capsys):
    explored = explore_fold(world_of(*events, **ALL), most=3_000_000)
    assert explored.fault is None, explored
    with capsys.disabled():
        print(f"\n{explored}")


BROKEN = {
    "closes_first": "does not count",
    "checks_sum": "the sum of",
    "reads_day_after": "does not count",
    "sum_hides_events": "counts twice",
    "sum_before_delete": "does not count",
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_fold_with_one_rule_broken_loses_or_repeats_an_event(rule):
    explored = explore_fold(world_of("1a", folders=2), Rules(**{rule: False}), most=3_000_000)
    assert explored.fault is not None
    assert BROKEN[rule] in explored.fault, explored
