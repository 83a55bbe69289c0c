"""Writers that die, pause or meet another one at any call: what readers see, and what completes their writes."""

from contextlib import suppress
from operator import attrgetter

import pytest

from domains.messages.design import DESIGN
from shared.testing import (
    WatchedConnection,
    WriterDied,
    check_a_crash_of_the_recoverer_too,
    check_a_pause_at_each_call,
    check_a_stop_at_each_call,
    check_a_store_that_fails_often,
    check_late_calls,
    check_rivals,
    dying_at,
)
from tests.engines import Embedded
from tests.named_writes import by_name

from .stopped_writes import (
    COPY,
    MEMBERS,
    OLD,
    PARTY,
    WRITES,
    crash_tests,
    delete_received,
    delete_sent,
    mark_read,
    send,
    send_to_group,
)

WITH_INTENTS = DESIGN.variants[:2]
of = by_name(WRITES)
POINTS = {
    "send": (6, 24),
    "send again": (0, 0),
    "send after both deleted": (0, 0),
    "send after a lost claim": (6, 24),
    "mark_read": (5, 20),
    "delete_from_inbox": (5, 20),
    "delete_from_outbox": (5, 20),
    "delete as the second side": (5, 20),
    "send_to_group": (13, 56),
    "send_to_group again": (0, 0),
}
"""Each write's calls that change the store, and its crash points, in the design itself."""

each_variant = pytest.mark.parametrize("variant", WITH_INTENTS, ids=attrgetter("name"))
main_variant = pytest.mark.parametrize("variant", [DESIGN.main], ids=attrgetter("name"))


@pytest.fixture
def crashes(variant):
    """All crash points, on the embedded store only: an HBase needs minutes for them."""
    return crash_tests(Embedded(), variant)


# ---- crash points


@each_variant
@of("send", "mark_read", "delete_from_inbox", "send_to_group")
def test_a_sample_of_crash_points_on_every_engine(engine, variant, write):
    assert check_a_stop_at_each_call(crash_tests(engine, variant, points_at_most=3), write) > 1


@main_variant
def test_every_call_of_every_write_has_its_crash_points(crashes):
    """If a write gains a call, its crash points are visited, and this table has to say so."""
    assert crashes.points(WRITES) == POINTS


@main_variant
@of()
def test_a_writer_that_stops_at_any_call_leaves_what_the_same_call_or_a_recoverer_completes(crashes, write):
    check_a_stop_at_each_call(crashes, write, all_replies_lost=False)


@main_variant
@of("delete_from_inbox", "send_to_group")
def test_a_recoverer_may_die_or_pause_at_any_call_too(crashes, write):
    check_a_crash_of_the_recoverer_too(crashes, write)


@main_variant
@of("mark_read", "send_to_group")
def test_a_writer_that_paused_while_all_was_recovered_and_compacted_does_no_harm(crashes, write):
    check_a_pause_at_each_call(crashes, write, compacts=True)


@main_variant
@of("mark_read")
def test_a_call_that_arrives_after_all_is_over_changes_nothing(crashes, write):
    check_late_calls(crashes, write)


@main_variant
@of("send", "delete_from_outbox", "send_to_group", "send_to_group again")
def test_two_writers_of_one_message_are_as_one_after_the_other(crashes, write):
    check_rivals(crashes, write)


@each_variant
def test_a_store_that_fails_often_holds_what_was_answered_in_the_end(engine, variant):
    def send_old(messages):
        messages.send(OLD)

    writes = [send, send_old, mark_read, send, send_to_group, delete_received, delete_sent, send_old]
    assert check_a_store_that_fails_often(crash_tests(engine, variant), writes, every=5) > 5


# ---- a delivery


def test_what_a_member_deleted_comes_back_neither_by_recovery_nor_by_the_same_message_again():
    """The sender dies at each call; then one member deletes the copy, if it is there; then all is completed."""
    deaths = deleted = 0
    while True:
        with Embedded().shared_store(*DESIGN.main.tables) as connection:
            watched = WatchedConnection(connection, dying_at(deaths))
            with suppress(WriterDied):
                DESIGN.main.open(watched).send_to_group(PARTY)
            messages = DESIGN.main.open(connection)
            had_copy = messages.inbox("bob").first() is not None
            if had_copy:
                messages.delete_from_inbox(messages.inbox("bob").first())
                deleted += 1
            assert messages.upkeep.recover(older_than_ms=0).failed == ()
            messages.send_to_group(PARTY)
            assert messages.upkeep.recover(older_than_ms=0).failed == ()
            bodies = {member: [message.body for message in messages.inbox(member)] for member in MEMBERS}
            assert bodies == {"bob": [] if had_copy else ["party!"], "eve": ["party!"]}
            assert list(messages.inbox("eve")) == list(messages.unread("eve")) == [COPY]
            assert list(messages.upkeep.verify()) == []
        if not watched.is_stopped:
            break
        deaths += 1
    assert (deaths, deleted) == (13, 6)


# ---- all of it in both variants


@pytest.mark.long
@each_variant
@of()
def test_every_write_may_stop_and_its_recoverer_too(crashes, write):
    clean = crashes.clean(write)
    assert check_a_stop_at_each_call(crashes, write) == len(clean.points)
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
