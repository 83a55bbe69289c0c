"""Checks of a write that meets other writes, calls that arrive late, and a store that fails often.

Each asserts, and returns the number of crashes that it visited: all, or `at_most`, always the same ones.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import count, product
from typing import Any, TypeAlias

import attrs

from .crash_points import chosen
from .crash_tests import STOPPED, CrashTests
from .stopped_writes import Outcome, State, Store, Write
from .watched_connection import Call, ReplyLost, Stop, WatchedConnection, dying_at, paused_at, stopped_at

EVERY_OTHER = frozenset(range(0, 10_000, 2))
RETRIES = 100

Run: TypeAlias = Callable[[Any], object]


def check_late_calls(tests: CrashTests, write: Write, at_most: int | None = None) -> int:
    """A call gets no reply, and is executed only after the writer has ended and the same write has run again.

    Also: only after another write has run instead, and after recovery.
    """
    clean = tests.clean(write)
    instead = [write.run, *write.rivals.values()]
    points = chosen([*product(range(len(clean.calls)), instead, (False, True))], at_most)
    for number, other, recovers in points:
        with tests.store(write.before) as store:
            stop = Stop(number, is_death=False)
            connection = WatchedConnection(store.connection, stopped_at(stop))
            answer = tests.answer(write.run, tests.open(connection))
            assert answer == STOPPED or tests.check_readers(store, clean) is clean.after
            tests.answer(other, store.repository())
            if recovers:
                tests.settled(store)
            before = tests.state(store) if recovers else None
            exact = tests.exact(tests.see(store) if before is None else before.seen)
            connection.deliver()
            assert tests.exact(tests.see(store)) == exact
            after = tests.state(store)
            assert after == before if recovers else tests.exact(after.seen) == exact
            if other == write.run:
                assert after == clean.after
    return len(points)


def check_rivals(
    tests: CrashTests, write: Write, at_most: int | None = None, *, dies: bool = False, compacts: bool = False
) -> int:
    """Another write runs in the middle of this one, before each of its calls: it is as if one came after the other.

    With `dies`, this one dies at each later call too: it is as if it had come before, after, or not at all. With
    `compacts`, all tables, which keep their tombstones, are compacted after the other write, if the engine can.
    """
    clean = tests.clean(write)
    compacts = compacts and tests.engine.compacts
    possible: dict[str, _Possible] = {}
    visited = 0
    for name, paused_number in chosen([*product(write.rivals, range(len(clean.calls)))], at_most):
        if name not in possible:
            possible[name] = _possible(tests, write, write.rivals[name])
        for number in count(paused_number) if dies else (-1,):
            visited += 1
            if not _meet(tests, write, write.rivals[name], possible[name], paused_number, number, compacts):
                break
    return visited


@attrs.frozen
class _Possible:
    """What two writers may be answered and store: one after the other, or the rival alone if the write dies."""

    serial: tuple[Outcome, ...]
    rival_alone: tuple[object, State]


def _possible(tests: CrashTests, write: Write, rival: Run) -> _Possible:
    serial = tuple(_one_after_the_other(tests, write, rival, is_first) for is_first in (True, False))
    with tests.store(write.before) as store:
        return _Possible(serial, (tests.answer(rival, store.repository()), tests.state(store)))


def _meet(
    tests: CrashTests, write: Write, rival: Run, possible: _Possible, paused_number: int, dying: int, compacts: bool
) -> bool:
    """The rival runs before one call of the write, which dies at a call; returns whether it did."""
    with tests.store(write.before, compacts or None) as store:
        answers: list[object] = []
        meanwhile = partial(_run_rival, tests, rival, store, answers, compacts)
        connection = WatchedConnection(store.connection, paused_at(paused_number, meanwhile, dying_at(dying)))
        answer = tests.answer(write.run, tests.open(connection))
        exact = tests.exact(tests.see(store))
        state = tests.state(store)
        assert exact == tests.exact(state.seen)
        (other_answer,) = answers
        if answer == STOPPED:
            died = [(outcome.answers[1], outcome.state) for outcome in possible.serial]
            assert (other_answer, state) in [*died, possible.rival_alone]
        else:
            assert Outcome((answer, other_answer), state) in possible.serial
    return connection.is_stopped


def _run_rival(tests: CrashTests, rival: Run, store: Store, answers: list[object], compacts: bool) -> None:
    with tests.paused(store, compacts):
        answers.append(tests.answer(rival, store.repository()))


def _one_after_the_other(tests: CrashTests, write: Write, rival: Run, is_first: bool) -> Outcome:
    with tests.store(write.before) as store:
        runs = (write.run, rival) if is_first else (rival, write.run)
        answers = [tests.answer(run, store.repository()) for run in runs]
        first, second = answers if is_first else reversed(answers)
        return Outcome((first, second), tests.state(store))


def check_a_store_that_fails_often(tests: CrashTests, writes: Iterable[Run], every: int = 3) -> int:
    """Each third call fails, and each write is sent again until it is answered; `recover` then has a sound store.

    A write that needs `every` calls before it decides never decides: the error says so. By turns none, all, and every
    other one of the rows of a failed call are stored.
    """
    runs = [*writes]
    with tests.store(lambda store: None) as store:
        for run in runs:
            run(store.repository())
        clean = tests.state(store)
    with tests.store(lambda store: None) as store:
        calls, failures = count(1), count()
        stored = frozenset[int](), frozenset(range(10_000)), EVERY_OTHER

        def fails(number: int, _call: Call) -> Stop | None:
            if next(calls) % every:
                return None
            return Stop(number, stored[next(failures) % len(stored)], is_death=False)

        repository = store.repository(fails)
        for run in runs:
            for _ in range(RETRIES):
                with suppress(ReplyLost):
                    run(repository)
                    break
            else:
                raise AssertionError(
                    f"a write failed {RETRIES} times, because it needs {every} calls or more before it decides: "
                    f"set StoppedWrites.often_every to more than {every}"
                )
        assert tests.exact(tests.see(store)) == tests.exact(clean.seen)
        assert tests.settled(store) == clean.contents
    return next(failures)
