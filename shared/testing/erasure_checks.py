"""Checks that an erasure removes every trace of a person, and nothing of others, whatever dies or is stored meanwhile.

Each asserts; `at_most` is the number of points that a check visits: all if omitted, otherwise always the same ones.
"""

import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from ..intents.intent_rows import CLOCKS_APART_MS
from ..intents.times import FORGET_MS, WINDOW_MS
from .crash_points import chosen
from .erased_person import ErasureTests
from .watched_connection import WatchedConnection, WriterDied, dying_at, paused_at

LATER_MS = CLOCKS_APART_MS + 1_000
"""How long after an erasure its person comes back: so much later that any right clock shows it."""
DEAD_MS = WINDOW_MS + 60_000
"""When `recover` settles all calls of a dead eraser: none began later than a minute after the erasure."""


def check_an_erasure(tests: ErasureTests) -> None:
    """`erase` leaves some rows, and `recover` removes them when they are 42 minutes old, not earlier."""
    person = tests.person
    with tests.store() as connection:
        assert person.seen(tests.open(connection))
        assert tests.erase(connection) == person.remaining
        repository = tests.check_agrees(connection)
        assert ([*person.seen(repository)], [*person.others(repository)]) == ([], [*person.kept])
        for waited_ms, settled in ((FORGET_MS - 10_000, 0), (20_000, bool(person.remaining))):
            tests.moved_time(waited_ms)
            recovery = tests.upkeep_of(repository).recover()
            assert (recovery.failed, recovery.settled) == ((), settled)
            assert bool(tests.naming(connection)) == (not settled and person.remaining > 0)
        assert tests.erase(connection) == repository.erase("nobody") == 0
        assert tests.naming(connection) == tests.naming(connection, "nobody") == []
        tests.check_agrees(connection)


def check_deaths(tests: ErasureTests, at_most: int | None = None) -> None:
    """The eraser dies before each call, and the person comes back: only what is new stays, or all does."""
    person, calls = tests.person, tests.calls()
    points = [(number, repairs) for number in range(len(calls)) for repairs in (False, True)]
    for number, repairs in chosen(points, at_most):
        with tests.store() as connection:
            tests.die(connection, dying_at(number))
            has_begun = any(call.table == tests.erasures for call in calls[:number])
            repository = tests.open(connection)
            tests.moved_time(LATER_MS)
            new = person.comes_back(repository, time.time_ns() // 1_000_000)
            tests.moved_time(DEAD_MS)
            upkeep = tests.upkeep_of(repository)
            failed = [] if not repairs else [str(finding) for finding, _ in upkeep.repair()]
            failed = failed or [*upkeep.recover().failed]
            assert {*new} <= {*person.seen(repository)}
            assert not failed or not person.ends_dead
            if person.ends_dead and has_begun:
                assert [*person.seen(repository)] == [*new]
                tests.check_agrees(connection)
            tests.erase(connection)
            tests.check_is_over(connection)


def check_the_same_call_again(tests: ErasureTests, at_most: int | None = None) -> None:
    """The eraser dies before each call, and the same call again erases all. Needs no moved time."""
    for number in chosen(range(len(tests.calls())), at_most):
        with tests.store() as connection:
            tests.die(connection, dying_at(number))
            assert tests.erase(connection) == 0
            assert tests.naming(connection) == []
            repository = tests.check_agrees(connection)
            assert [*tests.person.others(repository)] == [*tests.person.kept]
            assert tests.upkeep_of(repository).pending() == []


def check_deaths_of_recovery(tests: ErasureTests) -> None:
    """`recover` dies before each call that removes what an erasure has left, and another one removes it."""
    number = 0
    while True:
        with tests.store() as connection:
            tests.erase(connection)
            tests.moved_time(FORGET_MS + 1_000)
            watched = WatchedConnection(connection, dying_at(number))
            with suppress(WriterDied):
                tests.upkeep_of(tests.open(watched)).recover()
            tests.check_is_over(connection)
            number += 1
            if not watched.is_stopped:
                return


def check_rivals_of_an_erasure(tests: ErasureTests, at_most: int | None = None) -> None:
    """Another call comes before each call of an eraser: `erase` returns what remains, and a second erasure ends it."""
    points = [(rival, number) for rival in tests.person.rivals for number in range(len(tests.calls()))]
    for rival, number in chosen(points, at_most):
        with tests.store() as connection:

            def meanwhile() -> None:
                with suppress(ValueError):
                    rival(tests.open(connection))  # noqa: B023 - called in the same iteration

            remaining = tests.erase(WatchedConnection(connection, paused_at(number, meanwhile)))
            assert remaining <= len(tests.naming(connection))
            tests.erase(connection)
            tests.check_agrees(connection)
            tests.check_is_over(connection)


def check_a_dead_eraser_is_found(tests: ErasureTests) -> None:
    """An unfinished erasure is not a finding for ten minutes; then `verify` finds it, until it has ended."""
    person = tests.person

    def unsettled(findings: Iterable[Any]) -> list[Any]:
        return [finding for finding in findings if finding.kind == "unsettled"]

    with tests.store() as connection:
        tests.die(connection, dying_at(tests.after_begin()))
        upkeep = tests.open(connection).upkeep
        assert unsettled(upkeep.verify()) == unsettled(finding for finding, _ in upkeep.repair()) == []
        tests.moved_time(DEAD_MS)
        (unended,) = unsettled(upkeep.verify())
        assert (unended.table, unended.row) == (tests.erasures, person.name.encode())
        assert [finding for finding, _ in upkeep.repair()] == ([] if person.ends_dead else [unended])
        assert len(upkeep.recover().failed) == (not person.ends_dead)
        if not person.ends_dead:
            tests.erase(connection)
        tests.check_agrees(connection)
        tests.check_is_over(connection)
