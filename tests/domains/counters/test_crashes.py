"""Folds and logins whose writer dies, pauses or meets another one at any call: counts are right at every moment."""

from operator import attrgetter

import attrs
import pytest

from domains.counters import DAY_MS, DayClosed
from domains.counters.keys import StateOfDay
from shared.testing import (
    CrashTests,
    ReplyLost,
    View,
    Write,
    check_a_crash_of_the_recoverer_too,
    check_a_pause_at_each_call,
    check_a_stop_at_each_call,
    check_late_calls,
    check_rivals,
    sources,
)
from tests.named_writes import by_name

from .asking import DAY, LATE, keeping, logins_of_three, main_variant, stored

USERS = ("ada", "ada_2", "bob", "zoe")
OF_OLD_USER, OF_NEW_USER = LATE


def fold(logins):
    logins.fold(DAY)


def recover(logins):
    if logins.upkeep.recover(older_than_ms=0).failed:
        raise ReplyLost


def store_of_old_user(logins):
    logins.store(OF_OLD_USER)


def store_of_new_user(logins):
    logins.store(OF_NEW_USER)


def three_users(store):
    stored(store.repository(), *logins_of_three())


def closed_day(store):
    """Leaves the day closed, with no user folded."""
    three_users(store)
    store.die(fold, before=lambda call: call.table.startswith("logins_by_day"))


WRITES = (
    Write("fold", fold, three_users, {"fold": fold, "store": store_of_old_user, "new user": store_of_new_user}),
    Write("recover", recover, closed_day, {"fold": fold, "recover": recover}),
    Write("store", store_of_old_user, three_users, is_recovered=False),
    Write("store, of a new user", store_of_new_user, three_users, is_recovered=False),
)
of = by_name(WRITES)
POINTS = {"fold": (19, 76), "recover": (16, 64), "store": (2, 8), "store, of a new user": (2, 8)}
"""Each write's calls that change the store, and its crash points, in every variant."""


# ---- what readers see

user_and_day = attrgetter("user", "day_ms")


def open_days(logins):
    """The days that take logins."""
    days = (DAY - DAY_MS, DAY, DAY + DAY_MS)
    return [day for day in days if logins.writer.reader.read(logins.writer.source.row(StateOfDay(day))).record is None]


VIEWS = (
    View("open days", open_days),
    View("total of the day", lambda logins: [logins.day_total(DAY)]),
    View("users of the day", lambda logins: logins.top_users(DAY, 9), user_and_day),
    View(
        "days of each user",
        lambda logins: [day for user in USERS for day in logins.days(user)],
        user_and_day,
        lags=True,
    ),
    View("each user on the day", lambda logins: [(user, logins.day_count(user, DAY)) for user in USERS], lags=True),
)


def rows_and_days(logins, tables):
    """All rows of both tables of logins, and the state of each day."""
    writer = logins.writer
    return {table.name: dict(writer.rows(table.name).scan()) for table in tables[:2]} | {"days": sources(writer)}


@pytest.fixture
def crashes(engine, variant):
    return CrashTests(engine, variant.tables, variant.open, VIEWS, (DayClosed,), rows_and_days)


@keeping
def test_every_call_of_every_write_has_its_crash_points(crashes):
    """If a write gains a call, its crash points are visited, and this table has to say so."""
    assert crashes.points(WRITES) == POINTS


@main_variant
@of("fold", "store", "store, of a new user")
def test_a_writer_that_stops_at_any_call_leaves_what_the_same_call_or_a_recoverer_completes(crashes, write):
    check_a_stop_at_each_call(crashes, write, all_replies_lost=False)


@main_variant
@of("recover")
def test_a_recoverer_that_stops_at_any_call_leaves_what_the_next_one_completes(crashes, write):
    check_a_stop_at_each_call(crashes, write, all_replies_lost=False)


@main_variant
@of("fold")
def test_a_folder_that_paused_while_all_was_recovered_and_compacted_does_no_harm(crashes, write):
    check_a_pause_at_each_call(crashes, write, compacts=True)


@main_variant
@of("fold")
def test_a_call_that_arrives_after_all_is_over_changes_nothing(crashes, write):
    check_late_calls(crashes, attrs.evolve(write, rivals={}))


@main_variant
@of("fold")
def test_a_fold_and_another_write_at_once_are_as_one_after_the_other(crashes, write):
    check_rivals(crashes, write)


@pytest.mark.long
@keeping
@of()
def test_every_write_may_stop(crashes, write):
    assert check_a_stop_at_each_call(crashes, write) == POINTS[write.name][1]


@pytest.mark.long
@main_variant
@of("fold", "recover")
def test_every_fold_may_stop_with_its_recoverer_or_pause_or_meet_another_one_and_die(crashes, write):
    check_a_crash_of_the_recoverer_too(crashes, write)
    check_a_pause_at_each_call(crashes, write)
    check_a_pause_at_each_call(crashes, write, compacts=True)
    check_rivals(crashes, write)
    check_rivals(crashes, write, dies=True, compacts=True)
