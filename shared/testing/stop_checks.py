"""Checks of a writer that stops or pauses at any of its calls, and of what completes its write.

Each asserts, and returns the number of crashes that it visited: all, or `at_most`, always the same ones.
"""

from contextlib import suppress
from functools import partial
from itertools import count, product

from .crash_points import chosen
from .crash_tests import STOPPED, CrashTests
from .stopped_writes import Write
from .watched_connection import Stop, WatchedConnection, WriterDied, dying_at, paused_at, stopped_at, undisturbed


def check_a_stop_at_each_call(
    tests: CrashTests, write: Write, at_most: int | None = None, *, all_replies_lost: bool = True
) -> int:
    """The writer stops at every crash point; then the same call again, or a recoverer, completes the write.

    Without `all_replies_lost`, only replies to `checkAndPut` are lost: any other lost reply ends a write as a death
    does.
    """
    clean = tests.clean(write)
    points = [
        (stop, repairs_first)
        for stop in clean.points
        if stop.is_death or all_replies_lost or clean.calls[stop.call].name == "checkAndPut"
        for repairs_first in (False, True)
    ]
    points = chosen(points, at_most, lambda point: point[0].call)
    for stop, repairs_first in points:
        with tests.store(write.before) as store:
            connection = WatchedConnection(store.connection, stopped_at(stop))
            answer = tests.answer(write.run, tests.open(connection))
            assert connection.is_stopped
            decided = tests.check_readers(store, clean)
            if answer != STOPPED:  # the writer found out that its call had arrived
                assert not stop.is_death
                assert decided is clean.after
                assert tests.settled(store, recovers=False) == clean.after.contents
            if repairs_first:
                settled = tests.settled(store)
                if write.is_recovered:
                    assert settled == decided.contents
            write.run(store.repository())
            if write.removes_lines:
                assert tests.check_readers(store, clean) is clean.after
            else:
                assert tests.see(store) == clean.after.seen
            assert tests.settled(store) == clean.after.contents
    return len({stop for stop, _ in points})


def check_a_crash_of_the_recoverer_too(tests: CrashTests, write: Write, at_most: int | None = None) -> int:
    """The writer dies, then the recoverer dies at each of its calls, then a second recoverer completes the write.

    At the same calls it is also only paused, while the same write runs again.
    """
    clean = tests.clean(write)
    if at_most is not None:
        points = chosen([*product(clean.deaths, range(len(clean.calls)), (False, True))], at_most)
        for stop, number, is_paused in points:
            _stop_recoverer(tests, write, stop, number, is_paused=is_paused)
        return len(points)
    visited = 0
    for stop in clean.deaths:
        for number in count():
            _stop_recoverer(tests, write, stop, number, is_paused=False)
            if number >= _stop_recoverer(tests, write, stop, number, is_paused=True):
                break
            visited += 1
    return visited


def _stop_recoverer(tests: CrashTests, write: Write, stop: Stop, number: int, *, is_paused: bool) -> int:
    """Stops the recoverer of a write at one call, if it makes so many; returns how many it made."""
    clean = tests.clean(write)
    with tests.store(write.before) as store:
        assert tests.answer(write.run, store.repository(stopped_at(stop))) == STOPPED
        is_reached: list[bool] = []

        def again() -> None:
            is_reached.append(True)
            write.run(store.repository())

        script = paused_at(number, again) if is_paused else dying_at(number)
        connection = WatchedConnection(store.connection, script)
        with suppress(WriterDied):
            tests.open(connection).upkeep.recover(older_than_ms=0)
        decided = tests.check_readers(store, clean)
        assert decided is clean.after or not is_reached
        assert tests.settled(store) == decided.contents
    return len(connection.calls)


def check_a_pause_at_each_call(
    tests: CrashTests,
    write: Write,
    at_most: int | None = None,
    *,
    compacts: bool = False,
    keeps_tombstones: bool = True,
) -> int:
    """The writer is paused before each call while another process recovers, and finishes, or dies at a later call.

    With `compacts`, all tables are compacted meanwhile, if the engine can do that. Unless they keep their
    tombstones, a dead writer may then leave lines without a record, which views that do not lag never show, and
    `repair` removes.
    """
    compacts = compacts and tests.engine.compacts
    keeps = keeps_tombstones if compacts else None
    pause = partial(check_a_pause, tests, write, compacts=compacts, keeps_tombstones=keeps)
    calls = range(len(tests.clean(write).calls))
    if at_most is not None:
        points = chosen([(paused, dying) for paused in calls for dying in range(paused, len(calls) + 1)], at_most)
        for paused_number, dying_number in points:
            pause(paused_number, dying_number)
        return len(points)
    visited = 0
    for paused_number in calls:
        for dying_number in count(paused_number):
            visited += 1
            if not pause(paused_number, dying_number):
                break
    return visited


def check_a_pause(
    tests: CrashTests,
    write: Write,
    paused_number: int,
    dying_number: int | None,
    *,
    compacts: bool = False,
    keeps_tombstones: bool | None = None,
) -> bool:
    """One point of `check_a_pause_at_each_call`; returns whether the writer died."""
    clean = tests.clean(write)
    may_leave_lines = compacts and not keeps_tombstones
    with tests.store(write.before, keeps_tombstones) as store:

        def meanwhile() -> None:
            with tests.paused(store, compacts):
                tests.settled(store)

        then = undisturbed if dying_number is None else dying_at(dying_number)
        connection = WatchedConnection(store.connection, paused_at(paused_number, meanwhile, then))
        answer = tests.answer(write.run, tests.open(connection))
        decided = tests.check_readers(store, clean, may_leave_lines=may_leave_lines)
        if may_leave_lines:
            repairs = [*store.repository().upkeep.repair()]
            assert {found.kind for found, _ in repairs} <= {"dangling", "left-over"}
            assert all(is_mended for _, is_mended in repairs), repairs
        assert answer == STOPPED or decided is clean.after, "a writer was answered, but its write is missing"
        assert tests.settled(store) == decided.contents
    return connection.is_stopped
