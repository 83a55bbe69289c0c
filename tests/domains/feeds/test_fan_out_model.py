"""Every order of steps of a fan-out, in small worlds: a finished post is shown to all who followed from before it."""

import pytest

from tests.domains.feeds.fan_out_model import Process, Rules, explore_fan_out, world_of

POSTER, RECOVERER = Process("P", "post"), Process("R", "read")
DELETER, ERASER = Process("D", "delete_post"), Process("E", "erase_post")
FOLLOWER, UNFOLLOWER = Process("F", "follow", (1,)), Process("U", "unfollow", (1,))
TRIMMER = Process("T", "trim", (1,))
AGAIN = Process("A", "post")

WORLDS = {
    "two workers, late rows": world_of(POSTER, RECOVERER, RECOVERER, late=2, compactions=1),
    "a reader follows": world_of(POSTER, RECOVERER, FOLLOWER, TRIMMER, listed=1, late=1, compactions=1),
    "a reader unfollows": world_of(POSTER, RECOVERER, UNFOLLOWER, TRIMMER, late=1, compactions=1),
    "a reader unfollows and follows": world_of(POSTER, UNFOLLOWER, FOLLOWER, TRIMMER, late=1, compactions=1),
    "the post is deleted": world_of(POSTER, RECOVERER, DELETER, TRIMMER, late=1, compactions=1),
    "the post is erased and posted again": world_of(POSTER, ERASER, AGAIN, readers=1, listed=1, late=1, compactions=1),
}


@pytest.mark.parametrize("name", WORLDS)
def test_a_finished_post_is_shown_to_all_who_followed_from_before_it(name):
    explored = explore_fan_out(WORLDS[name])
    assert (explored.fault, explored.is_cut) == (None, False), explored


@pytest.mark.long
@pytest.mark.parametrize(
    "others",
    [(RECOVERER, DELETER), (RECOVERER, UNFOLLOWER), (RECOVERER, FOLLOWER), (ERASER,)],
    ids=lambda others: others[-1].at,
)
def test_the_same_holds_with_two_posters_and_late_calls(others):
    explored = explore_fan_out(world_of(POSTER, *others, AGAIN, late=1, compactions=1), most=3_000_000)
    assert (explored.fault, explored.is_cut) == (None, False), explored


BROKEN = {
    "rows_first": "two workers, late rows",
    "compares_record": "the post is erased and posted again",
    "has_run": "the post is erased and posted again",
    "line_first": "a follow whose writer died",
    "dated_by_revision": "the post is erased and posted again",
    "reads_post_after": "the post is erased and posted again",
}
WORLDS_OF_FAULTS = {**WORLDS, "a follow whose writer died": world_of(FOLLOWER, POSTER, listed=1)}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_fan_out_with_one_rule_broken_loses_a_reader(rule):
    explored = explore_fan_out(WORLDS_OF_FAULTS[BROKEN[rule]], Rules(**{rule: False}))
    assert explored.fault is not None
    assert "do not see it" in explored.fault
