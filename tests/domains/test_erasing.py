"""Erasing a person, in every design that does: nothing names the person, whatever dies or is stored meanwhile."""

import time
from contextlib import suppress
from operator import attrgetter

import pytest

from domains.command_line.designs import all_designs
from shared.intents.times import FORGET_MS
from shared.testing import (
    Call,
    Engine,
    ErasedPerson,
    ErasureContract,
    ErasureTests,
    MovedTime,
    WatchedConnection,
    WriterDied,
    dying_before,
)
from shared.testing.erasure_checks import DEAD_MS
from tests.shared.intents.clocks import SetClock

from .by_design import by_design, contracts

ERASED: dict[str, ErasedPerson] = by_design("erased", "ERASED")
globals().update(contracts(ErasureContract, "person", ERASED))
globals().update(contracts(ErasureContract, "person", ERASED, visits_all=True, pytestmark=[pytest.mark.long]))


def test_every_design_that_erases_names_a_person() -> None:
    erasing = {design.name for design in all_designs() if design.erases}
    assert erasing == ERASED.keys()


@pytest.mark.parametrize(
    "person", [person for person in ERASED.values() if person.ends_dead and person.erasures], ids=attrgetter("erasures")
)
def test_recover_erases_what_a_host_ahead_had_stored_before_a_host_behind_died(
    engine: Engine, passes: MovedTime, person: ErasedPerson
) -> None:
    tests = ErasureTests(engine, person, person.variants[0], passes)
    tables: list[str] = []

    def has_begun(call: Call) -> bool:
        tables.append(call.table)
        return tests.erasures in tables[:-1]

    with tests.store() as connection:
        person.comes_back(tests.open(connection), time.time_ns() // 1_000_000 + 59_000)
        with suppress(WriterDied):
            of_eraser = WatchedConnection(connection, dying_before(has_begun))
            person.variants[0].open(of_eraser, clock=SetClock(-59_000)).erase(person.name)
        assert {*person.seen(tests.open(connection))}
        for waited_ms in (DEAD_MS, FORGET_MS + 60_000):
            passes(waited_ms)
            assert tests.upkeep_of(tests.open(connection)).recover().failed == ()
            assert list(person.seen(tests.open(connection))) == []
        assert tests.naming(connection) == []
        tests.check_agrees(connection)
