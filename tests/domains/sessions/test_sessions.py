"""What is special in sessions: one open session for each car, and an end and a price that stay."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from operator import attrgetter

import attrs
import pytest

from domains.sessions import (
    TABLES,
    AlreadySettled,
    CarIsParked,
    EndedSession,
    NumberTaken,
    Session,
    Sessions,
    UnknownSession,
)
from domains.sessions.sessions import SESSIONS
from shared.intents import forget
from shared.intents.writer import writers_of
from shared.tables import Family, InvalidRecord

FIRST = Session("c-1", 1, "north", 1_000)


@pytest.fixture
def sessions(engine):
    with engine.store(*TABLES) as connection:
        yield Sessions(connection)


def one_after_the_other(sessions, count, car="c-1"):
    """So many settled sessions of a car in one garage, each of 500 ms."""
    for number in range(1, count + 1):
        sessions.start(car, "north", number * 1_000)
        sessions.end(car, number, number * 1_000 + 500)
        sessions.settle(car, number, 250)


# ---- one open session


def test_of_many_gates_at_once_one_opens_a_session_and_numbers_have_no_gap(engine):
    with engine.store(*TABLES) as connection:

        def visit(number):
            sessions = Sessions(connection)
            with suppress(CarIsParked):
                started = sessions.start("c-1", f"garage-{number}", 1_000)
                opened = [*filter(attrgetter("is_open"), sessions.of_car("c-1"))]
                assert opened == [started]  # no other client may end it
                return sessions.end("c-1", started.number, 1_000)

        with ThreadPoolExecutor(4) as threads:
            ended = [*filter(None, threads.map(visit, range(20)))]
        sessions = Sessions(connection)
        assert sorted(session.number for session in ended) == [*range(1, len(ended) + 1)]
        assert [*sessions.of_car("c-1")] == sorted(ended, key=attrgetter("number"), reverse=True)
        assert [*sessions.upkeep.verify()] == []


def test_a_session_is_open_once_although_its_start_is_repeated(sessions):
    assert sessions.start("c-1", "north", 1_000) == sessions.start("c-1", "north", 1_000) == FIRST
    with pytest.raises(CarIsParked, match=r"^Session.from_ms: session 1 of the car has not ended \(got 1500\)$"):
        sessions.start("c-1", "south", 1_500)
    assert [*sessions.open_in("north")] == [FIRST]
    assert [*sessions.open_in("south")] == []


def test_a_repeated_start_finds_its_session_after_the_end_and_a_late_one_is_refused(sessions):
    one_after_the_other(sessions, 2)
    assert sessions.start("c-1", "north", 2_000).until_ms == 2_500
    with pytest.raises(CarIsParked, match=r"^Session.from_ms: session 2 of the car ended at 2500 \(got 1000\)$"):
        sessions.start("c-1", "north", 1_000)


class PausedGate(Sessions):
    """A gate that pauses after it has read a car's last session for the first time."""

    def last(self, car):
        found = super().last(car)
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        return found


@pytest.mark.parametrize("forgets", [False, True], ids=["removed", "removed and forgotten"])
def test_a_gate_that_paused_does_not_create_a_session_that_was_removed_meanwhile(engine, at_once, forgets):
    with engine.store(*TABLES) as connection:
        sessions, paused = Sessions(connection), PausedGate(connection)
        one_after_the_other(sessions, 1)

        def meanwhile():
            one_after_the_other(sessions, 2)
            sessions.start("c-1", "north", 3_000)
            assert sessions.remove_ended("north", 3_000) == 2
            if forgets:
                (writer,) = writers_of(sessions)
                rows = [writer.source.row(attrs.evolve(FIRST, number=number)) for number in (1, 2)]
                assert forget(writer, rows) == 0

        paused.meanwhile = meanwhile
        with pytest.raises(CarIsParked):
            paused.start("c-1", "south", 4_000)
        assert [session.number for session in sessions.of_car("c-1")] == [3]


# ---- an end and a price


def test_a_session_that_has_ended_never_opens_again(sessions):
    one_after_the_other(sessions, 1)
    assert sessions.store(FIRST) == sessions.session("c-1", 1) == attrs.evolve(FIRST, until_ms=1_500, price=250)
    with pytest.raises(AlreadySettled, match=r"^Session.until_ms: the session ended at 1500 \(got 1600\)$"):
        sessions.end("c-1", 1, 1_600)
    assert [*sessions.open_in("north")] == []


def test_a_price_is_settled_once_and_only_after_the_end(sessions):
    sessions.start("c-1", "north", 1_000)
    with pytest.raises(CarIsParked, match=r"^Session.price: session 1 of the car has not ended \(got 250\)$"):
        sessions.settle("c-1", 1, 250)
    sessions.end("c-1", 1, 1_500)
    assert sessions.settle("c-1", 1, 250) == sessions.settle("c-1", 1, 250)
    with pytest.raises(AlreadySettled, match=r"^Session.price: the session has cost 250 \(got 300\)$"):
        sessions.settle("c-1", 1, 300)
    assert [*sessions.ended_in("north")] == [EndedSession("north", 1_500, "c-1", 1, 1_000, 250)]
    with pytest.raises(UnknownSession):
        sessions.end("c-1", 2, 2_000)


def test_sessions_of_another_system_come_in_their_order(sessions):
    with pytest.raises(NumberTaken, match=r"^Session.number: must be 1, the next one of the car \(got 2\)$"):
        sessions.store(attrs.evolve(FIRST, number=2))
    sessions.store(attrs.evolve(FIRST, until_ms=1_500))
    with pytest.raises(NumberTaken, match=r"^Session.number: is that of another session \(got 1\)$"):
        sessions.store(attrs.evolve(FIRST, garage="south"))
    assert sessions.store(attrs.evolve(FIRST, until_ms=1_500, price=0)).price == 0
    for wrong, message in (({"until_ms": 999}, "until_ms: must not be before"), ({"price": 1}, "price: must be None")):
        with pytest.raises(ValueError, match=f"^Session.{message}"):
            attrs.evolve(FIRST, **wrong)


# ---- lists, and what is old


def test_sessions_are_restored_without_those_that_were_removed(sessions, engine):
    one_after_the_other(sessions, 3)
    sessions.remove_ended("north", 3_000)
    sessions.start("c-1", "south", 4_000)
    left = [*sessions.of_car("c-1")][::-1]
    assert [session.number for session in left] == [3, 4]
    with engine.store(*TABLES) as connection:
        restored = Sessions(connection)
        with pytest.raises(NumberTaken, match=r"must be 1, the next one of the car \(got 3\)$"):
            restored.store(left[0])
        for session in (*left, *left):
            assert restored.restore(session) == session
        assert [*restored.of_car("c-1")][::-1] == left
        assert [*restored.open_in("south")] == left[1:]
        with pytest.raises(NumberTaken, match=r"must be 5, the next one of the car \(got 2\)$"):
            restored.restore(Session("c-1", 2, "north", 2_000, 2_500))
        with pytest.raises(CarIsParked, match="session 4 of the car has not ended"):
            restored.restore(Session("c-1", 6, "north", 9_000))


def test_a_garage_lists_what_ended_in_a_period_and_no_other_garage(sessions):
    one_after_the_other(sessions, 3)
    sessions.start("c-1", "north-2", 9_000)
    assert [line.number for line in sessions.ended_in("north", 1_500, 3_500)] == [1, 2]
    assert [*sessions.ended_in("north-2")] == []


def test_old_sessions_are_removed_but_the_last_one_of_each_car_and_what_is_not_settled(sessions):
    one_after_the_other(sessions, 3)
    sessions.start("c-2", "north", 1_000)
    sessions.end("c-2", 1, 1_100)
    sessions.start("c-2", "north", 2_000)
    assert [sessions.remove_ended("north", 9_000), sessions.remove_ended("north", 9_000)] == [2, 0]
    assert [session.number for session in sessions.of_car("c-1")] == [3]
    assert [session.number for session in sessions.of_car("c-2")] == [2, 1]
    assert sessions.start("c-1", "north", 5_000).number == 4
    assert [*sessions.upkeep.verify()] == []


def test_a_source_must_not_expire():
    with pytest.raises(InvalidRecord, match=r"family s of a source must not have a TTL"):
        type(SESSIONS)(
            "expiring", SESSIONS.layout.key, Session, SESSIONS.columns, families={"s": Family(ttl_seconds=60)}
        )
