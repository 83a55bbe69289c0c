"""Writers that die, pause or meet another one at any call: what readers see, and what completes their writes."""

import attrs
import pytest

from shared.testing import (
    check_a_crash_of_the_recoverer_too,
    check_a_pause_at_each_call,
    check_a_stop_at_each_call,
    check_late_calls,
    check_rivals,
)
from tests.engines import EMBEDDED, HBASE
from tests.named_writes import by_name

from .stopped_writes import WRITES, crash_tests

of = by_name(WRITES)
POINTS = {
    None: {
        "post": (14, 60),
        "post again": (0, 0),
        "delete_post": (4, 16),
        "follow": (5, 20),
        "unfollow": (5, 20),
        "trim": (2, 12),
    },
    0: {
        "post": (11, 44),
        "post again": (0, 0),
        "delete_post": (4, 16),
        "follow": (5, 20),
        "unfollow": (5, 20),
        "trim": (0, 0),
    },
}
"""Each write's calls that change the store, and its crash points, if its post is pushed, and if it is pulled."""
POINTS_ON_HBASE = 3

each_way = pytest.mark.parametrize("pull_above", [None, 0], ids=["pushed", "pulled"])
pushed = pytest.mark.parametrize("pull_above", [None], ids=["pushed"])
CHANGES = ("post", "delete_post", "follow", "unfollow")


@pytest.fixture
def crashes(engine, pull_above):
    """On HBase only some of the crash points of each write, always the same ones: each needs tables of its own."""
    tests = crash_tests(engine, pull_above)
    return tests if engine.name == EMBEDDED else attrs.evolve(tests, points_at_most=POINTS_ON_HBASE)


@pytest.fixture
def embedded_only(engine):
    if engine.name == HBASE:
        pytest.skip("each of many calls needs a store of its own")


@each_way
def test_every_call_of_every_write_has_its_crash_points(engine, pull_above):
    """If a write gains a call, its crash points are visited, and this table has to say so."""
    assert crash_tests(engine, pull_above).points(WRITES) == POINTS[pull_above]


@pushed
@of("post", "delete_post", "follow", "trim")
def test_a_writer_that_stops_at_any_call_leaves_what_the_same_call_or_a_recoverer_completes(crashes, write):
    check_a_stop_at_each_call(crashes, write, all_replies_lost=False)


@pushed
@of("delete_post")
def test_a_recoverer_may_die_or_pause_at_any_call_too(crashes, write, embedded_only):
    check_a_crash_of_the_recoverer_too(crashes, write)


@pushed
@of("delete_post", "unfollow")
def test_a_writer_that_paused_while_all_was_recovered_and_compacted_does_no_harm(crashes, write, embedded_only):
    check_a_pause_at_each_call(crashes, write, compacts=True)


@pushed
@of("delete_post")
def test_two_writers_of_one_feed_are_as_one_after_the_other(crashes, write, embedded_only):
    check_rivals(crashes, write)


# ---- all of it, both ways


@pytest.mark.long
@each_way
@of(*CHANGES)
def test_every_write_may_stop_and_its_recoverer_too(crashes, write, pull_above):
    clean = crashes.clean(write)
    assert check_a_stop_at_each_call(crashes, write) == len(clean.points) == POINTS[pull_above][write.name][1]
    check_a_crash_of_the_recoverer_too(crashes, write)


@pytest.mark.long
@each_way
@pytest.mark.parametrize("keeps_tombstones", [True, False], ids=["kept", "dropped"])
@of(*CHANGES)
def test_every_write_may_pause(crashes, write, keeps_tombstones):
    check_a_pause_at_each_call(crashes, write)
    check_a_pause_at_each_call(crashes, write, compacts=True, keeps_tombstones=keeps_tombstones)


@pytest.mark.long
@each_way
@of(*CHANGES, "post again")
def test_every_write_may_meet_another_one_and_die(crashes, write):
    check_rivals(crashes, write)
    if write.name != "post again":
        check_rivals(crashes, write, dies=True, compacts=True)
        check_late_calls(crashes, write)
