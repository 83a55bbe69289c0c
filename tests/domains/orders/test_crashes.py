"""Writers that die, pause or meet another one at any call: what readers see, and what completes their writes."""

from operator import attrgetter

import pytest

from domains.orders.design import DESIGN
from shared.testing import (
    check_a_crash_of_the_recoverer_too,
    check_a_pause_at_each_call,
    check_a_stop_at_each_call,
    check_a_store_that_fails_often,
    check_late_calls,
    check_rivals,
)
from tests.named_writes import by_name

from .stopped_writes import MUG, WRITES, cancel, crash_tests, erase, pay, place

WITH_INTENTS = [variant for variant in DESIGN.variants if variant.name != "without-intents"]
of = by_name(WRITES)
POINTS = {
    "place": (7, 28),
    "place again": (2, 8),
    "place after a lost claim": (7, 28),
    "change_status": (8, 32),
    "cancel": (8, 32),
    "erase": (6, 24),
}
"""Each write's calls that change the store, and its crash points, in every variant."""

each_variant = pytest.mark.parametrize("variant", WITH_INTENTS, ids=attrgetter("name"))
main_variant = pytest.mark.parametrize("variant", [DESIGN.main], ids=attrgetter("name"))


@pytest.fixture
def crashes(engine, variant):
    return crash_tests(engine, variant)


# ---- crash points


@each_variant
def test_every_call_of_every_write_has_its_crash_points(crashes):
    """If a write gains a call, its crash points are visited, and this table has to say so."""
    assert crashes.points(WRITES) == POINTS


@each_variant
@of("place", "change_status")
def test_a_writer_that_stops_at_any_call_leaves_what_the_same_call_or_a_recoverer_completes(crashes, write):
    check_a_stop_at_each_call(crashes, write, all_replies_lost=False)


@main_variant
@of("place again", "place after a lost claim", "cancel", "erase")
def test_a_writer_that_stops_in_any_other_write_leaves_what_is_completed(crashes, write):
    check_a_stop_at_each_call(crashes, write, all_replies_lost=False)


@main_variant
@of("change_status", "erase")
def test_a_recoverer_may_die_or_pause_at_any_call_too(crashes, write):
    check_a_crash_of_the_recoverer_too(crashes, write)


@main_variant
@of("place", "change_status", "erase")
def test_a_writer_that_paused_while_all_was_recovered_and_compacted_does_no_harm(crashes, write):
    check_a_pause_at_each_call(crashes, write, compacts=True)


@main_variant
@of("change_status")
def test_a_compaction_that_drops_tombstones_at_once_leaves_no_line_that_a_list_by_status_shows(crashes, write):
    check_a_pause_at_each_call(crashes, write, compacts=True, keeps_tombstones=False)


@main_variant
@of("change_status")
def test_a_call_that_arrives_after_all_is_over_changes_nothing(crashes, write):
    check_late_calls(crashes, write)


@main_variant
@of("place", "change_status")
def test_two_writers_of_one_order_are_as_one_after_the_other(crashes, write):
    check_rivals(crashes, write)


def place_mug(orders):
    orders.place(MUG)


@each_variant
def test_a_store_that_fails_often_holds_what_was_answered_in_the_end(crashes):
    failures = check_a_store_that_fails_often(crashes, [place, place_mug, pay, place, cancel, erase, place_mug])
    assert failures > 10


# ---- all of it in every variant


@pytest.mark.long
@each_variant
@of()
def test_every_write_may_stop_and_its_recoverer_too(crashes, write):
    clean = crashes.clean(write)
    assert check_a_stop_at_each_call(crashes, write) == len(clean.points) == POINTS[write.name][1]
    check_a_crash_of_the_recoverer_too(crashes, write)


@pytest.mark.long
@each_variant
@pytest.mark.parametrize("keeps_tombstones", [True, False], ids=["kept", "dropped"])
@of()
def test_every_write_may_pause(crashes, write, keeps_tombstones):
    check_a_pause_at_each_call(crashes, write)
    check_a_pause_at_each_call(crashes, write, compacts=True, keeps_tombstones=keeps_tombstones)


@pytest.mark.long
@each_variant
@of()
def test_every_write_may_meet_another_one_and_die(crashes, write):
    check_rivals(crashes, write)
    check_rivals(crashes, write, dies=True, compacts=True)
    check_late_calls(crashes, write)
