"""Checks of a write that meets other writes, calls that arrive late, and a store that fails often.

Each asserts, and returns the number of crashes that it visited.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import count, product
from typing import Any

from .crash_tests import STOPPED, CrashTests
from .stopped_writes import Outcome, Store, Write
from .watched_connection import Call, ReplyLost, Stop, WatchedConnection, dying_at, paused_at, stopped_at

EVERY_OTHER = frozenset(range(0, 10_000, 2))
RETRIES = 100


def check_late_calls(tests: CrashTests, write: Write) -> int:
    """A call has no reply, and is executed only after the writer has ended and the same write has run again.

    And only after another write has run instead, and after recovery.
    """
    clean = tests.clean(write)
    instead = [write.run, *write.rivals.values()]
    for number in range(len(clean.calls)):
        for other, recovers in product(instead, (False, True)):
            with tests.store(write.before) as store:
                stop = Stop(number, is_death=False)
                connection = WatchedConnection(store.connection, stopped_at(stop))
                answer = tests.answer(write.run, tests.open(connection))
                assert answer == STOPPED or tests.check_readers(store, clean)
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
    return len(clean.calls)


def check_rivals(tests: CrashTests, write: Write, *, dies: bool = False, compacts: bool = False) -> int:
    """Another write runs in the middle of this one, before each of its calls: it is as if one came after the other.

    With `dies`, this one dies at each later call too: it is as if it had come before, after, or not at all. With
    `compacts`, all tables, which keep their tombstones, are compacted after the other write, if the engine can.
    """
    clean = tests.clean(write)
    compacts = compacts and tests.engine.compacts
    visited = 0
    for rival in write.rivals.values():
        serial = [_one_after_the_other(tests, write, rival, is_first) for is_first in (True, False)]
        with tests.store(write.before) as store:
            rival_alone = (tests.answer(rival, store.repository()), tests.state(store))
        for paused_number in range(len(clean.calls)):
            for number in count(paused_number) if dies else (-1,):
                with tests.store(write.before, compacts or None) as store:
                    answers: list[object] = []
                    script = paused_at(
                        paused_number,
                        partial(_run_rival, tests, rival, store, answers, compacts),
                        dying_at(number),
                    )
                    connection = WatchedConnection(store.connection, script)
                    answer = tests.answer(write.run, tests.open(connection))
                    exact = tests.exact(tests.see(store))
                    state = tests.state(store)
                    assert exact == tests.exact(state.seen)
                    if answer == STOPPED:
                        possible = [(outcome.answers[1], outcome.state) for outcome in serial]
                        assert (*answers, state) in [*possible, rival_alone]
                    else:
                        (other_answer,) = answers
                        assert Outcome((answer, other_answer), state) in serial
                visited += 1
                if not connection.is_stopped:
                    break
    return visited


def _run_rival(
    tests: CrashTests, rival: Callable[[Any], object], store: Store, answers: list[object], compacts: bool
) -> None:
    with tests.paused(store, compacts):
        answers.append(tests.answer(rival, store.repository()))


def _one_after_the_other(tests: CrashTests, write: Write, rival: Callable[[Any], object], is_first: bool) -> Outcome:
    with tests.store(write.before) as store:
        runs = (write.run, rival) if is_first else (rival, write.run)
        answers = [tests.answer(run, store.repository()) for run in runs]
        first, second = answers if is_first else reversed(answers)
        return Outcome((first, second), tests.state(store))


def check_a_store_that_fails_often(tests: CrashTests, writes: Iterable[Callable[[Any], object]], every: int = 3) -> int:
    """Each third call fails, and each write is sent again until it is answered; `recover` then has a sound store.

    A write that needs three calls before it decides never decides: give another `every`. By turns none, all,
    and every other one of the rows of a failed call are stored.
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
                raise AssertionError(f"failed {RETRIES} times")
        assert tests.exact(tests.see(store)) == tests.exact(clean.seen)
        assert tests.settled(store) == clean.contents
    return next(failures)
