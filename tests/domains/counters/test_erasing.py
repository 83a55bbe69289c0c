"""Erasing a user: every login and sum goes, whatever dies or is stored meanwhile, and nobody else's."""

import time
from contextlib import suppress
from itertools import count

import pytest

from domains.counters import DAY_MS, DayClosed, DayCount, Login
from domains.counters.keys import ERASURES
from shared.testing import WatchedConnection, WriterDied, dying_at, dying_before
from shared.writes import WriterClock
from shared.writes.intents import WINDOW_MS
from tests.engines import EMBEDDED

from .asking import DAY, keeping, logins_of_three, main_variant, stored

OTHERS = [DayCount("ada_2", DAY, 1), DayCount("bob", DAY, 1)]


@pytest.fixture
def passes(monkeypatch, engine):
    """Lets so many milliseconds pass, for all writers and for the store."""
    if engine.name != EMBEDDED:
        pytest.skip("the time of a real server cannot be moved")
    now_ns, passed_ns = time.time_ns, [0]
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() + passed_ns[0])

    def let_pass(milliseconds):
        passed_ns[0] += milliseconds * 1_000_000

    return let_pass


def opened(variant, connection):
    """A repository with a clock of its own, because a test may move the time."""
    return variant.open(connection, clock=WriterClock())


def three_users(variant, connection):
    """Logins of three users on three days; the day before DAY is folded."""
    logins = opened(variant, connection)
    stored(logins, *logins_of_three())
    logins.fold(DAY - DAY_MS)
    return logins


def rows_of(connection, variant, user):
    """How many rows of all tables name a user; `ada_2` is another one."""
    of_other = f"{user}_2".encode()
    return sum(
        user.encode() in row.replace(of_other, b"")
        for table in variant.tables
        for row, _ in connection.table(table.name).scan()
    )


def check_others(logins):
    assert logins.top_users(DAY) == OTHERS
    assert (logins.days("ada"), list(logins.logins("ada"))) == ([], [])
    assert [finding for finding in logins.upkeep.verify() if not finding.is_harmless] == []


@keeping
def test_an_erased_user_is_in_no_row_and_the_others_are_as_before(connection, variant):
    logins = three_users(variant, connection)
    logins.store(future := Login("ada", time.time_ns() // 1_000_000 + 2 * DAY_MS))
    assert logins.erase("ada") == 0
    assert rows_of(connection, variant, "ada") == 0
    check_others(logins)
    assert logins.day_total(DAY - DAY_MS) == logins.day_count("ada", future.time_ms - future.time_ms % DAY_MS) == 0
    assert logins.erase("ada") == logins.erase("nobody") == 0


@main_variant
def test_a_login_that_only_the_list_of_days_has_is_erased_too(connection, variant):
    logins = three_users(variant, connection)
    by_day, late = variant.tables[1], Login("ada", DAY + 5 * DAY_MS)
    connection.table(by_day.name).put(by_day.row(late), by_day.cells.pack(late), timestamp=late.time_ms)
    assert logins.erase("ada") == rows_of(connection, variant, "ada") == 0


@keeping
def test_erasing_may_die_at_any_call_and_recovery_completes_it_without_what_came_later(engine, variant, passes):
    for number in count():
        with engine.shared_store(*variant.tables) as connection:
            three_users(variant, connection)
            watched = WatchedConnection(connection, dying_at(number))
            with suppress(WriterDied):
                opened(variant, watched).erase("ada")
            has_begun = bool(list(connection.table(ERASURES.name).scan())) or not watched.is_stopped
            logins = opened(variant, connection)
            logins.store(back := Login("ada", time.time_ns() // 1_000_000 + 1000))
            passes(WINDOW_MS)
            assert logins.upkeep.recover().failed == ()
            if has_begun:
                assert list(logins.logins("ada")) == [back]
                assert logins.top_users(DAY) == OTHERS
            assert list(logins.upkeep.verify()) == []
            passes(43 * 60_000)
            assert logins.upkeep.recover().failed == ()
            assert list(connection.table(ERASURES.name).scan()) == []
            assert logins.days("ada")[-1].day_ms == back.time_ms - back.time_ms % DAY_MS
            assert logins.erase("ada") == rows_of(connection, variant, "ada") == 0
            if not watched.is_stopped:
                break
    assert number > 5


def store(logins):
    with suppress(DayClosed):
        logins.store(Login("ada", DAY + 77))


def fold(logins):
    logins.fold(DAY)


def repair(logins):
    list(logins.upkeep.repair())


@main_variant
@pytest.mark.parametrize("rival", [store, fold, repair], ids=lambda rival: rival.__name__)
def test_another_call_may_come_before_any_call_and_a_second_erasure_leaves_nothing(engine, variant, rival):
    for number in count():
        with engine.shared_store(*variant.tables) as connection:
            three_users(variant, connection)
            calls = []

            def meanwhile(at, call, calls=calls, connection=connection, number=number):
                calls.append(call)
                if at == number:
                    rival(opened(variant, connection))

            remaining = opened(variant, WatchedConnection(connection, meanwhile)).erase("ada")
            assert remaining <= rows_of(connection, variant, "ada")  # the last call comes after the scan that counts
            logins = opened(variant, connection)
            assert logins.erase("ada") == rows_of(connection, variant, "ada") == 0
            check_others(logins)
            if len(calls) <= number:
                break
    assert number > 5


@main_variant
def test_an_erasure_whose_eraser_died_is_found_and_repaired_once_it_is_ten_minutes_old(connection, variant, passes):
    three_users(variant, connection)
    dying = WatchedConnection(connection, dying_before(lambda call: call.table == variant.tables[1].name))
    with pytest.raises(WriterDied):
        opened(variant, dying).erase("ada")
    logins = opened(variant, connection)
    passes(WINDOW_MS)
    kinds = {(finding.kind, finding.table) for finding in logins.upkeep.verify()}
    assert kinds == {("unsettled", "logins_erasures"), ("missing", "logins")}
    assert list(logins.upkeep.repair()) == []
    check_others(logins)
    assert rows_of(connection, variant, "ada") == 0


@main_variant
def test_a_cell_that_cannot_be_read_keeps_its_row_and_is_named(connection, variant, passes):
    logins = three_users(variant, connection)
    by_user = variant.tables[0]
    connection.table(by_user.name).put(by_user.row(Login("ada", DAY)), {b"l:?": b""})
    assert logins.erase("ada") == 1
    assert logins.top_users(DAY) == OTHERS
    passes(43 * 60_000)
    (failed,) = logins.upkeep.recover().failed
    assert failed.startswith("logins: row 61 64 61 00 01")
