"""Erasing a person, in every design that does: nothing names the person, whatever dies or is stored meanwhile."""

import time
from contextlib import suppress

import pytest

from shared.intents import Erasure
from shared.intents.times import FORGET_MS
from shared.testing import ErasedPerson, ErasureContract, WatchedConnection, WriterDied, dying_at
from shared.testing.engines import Engine
from shared.testing.erased_person import ErasureTests, MovedTime
from shared.testing.erasure_checks import DEAD_MS
from tests.designs import all_designs
from tests.shared.intents.clocks import SetClock

from .by_design import by_design, contracts

ERASED: dict[str, ErasedPerson] = by_design("erased", "ERASED")
RECORDED = {
    design: person
    for design, person in ERASED.items()
    if any(table.cells.record is Erasure for table in person.variants[0].tables)
}
"""The persons whose erasures are recorded in a table."""
globals().update(contracts(ErasureContract, "person", ERASED))
globals().update(contracts(ErasureContract, "person", ERASED, visits_all=True, pytestmark=[pytest.mark.long]))


def test_every_design_that_erases_names_a_person() -> None:
    erasing = {design.name for design in all_designs() if design.erases}
    assert erasing == ERASED.keys()


@pytest.mark.parametrize("design", [design for design, person in RECORDED.items() if person.ends_dead])
def test_recover_erases_what_a_host_ahead_had_stored_before_a_host_behind_died(
    engine: Engine, passes: MovedTime, design: str
) -> None:
    person = RECORDED[design]
    tests = ErasureTests(engine, person, person.variants[0], passes)
    with tests.store() as connection:
        person.comes_back(tests.open(connection), time.time_ns() // 1_000_000 + 59_000)
        with suppress(WriterDied):
            of_eraser = WatchedConnection(connection, dying_at(tests.after_begin()))
            person.variants[0].open(of_eraser, clock=SetClock(-59_000)).erase(person.name)
        assert {*person.seen(tests.open(connection))}
        for waited_ms in (DEAD_MS, FORGET_MS + 60_000):
            passes(waited_ms)
            assert tests.upkeep_of(tests.open(connection)).recover().failed == ()
            assert list(person.seen(tests.open(connection))) == []
        assert tests.naming(connection) == []
        tests.check_agrees(connection)


@pytest.mark.parametrize("design", RECORDED)
def test_an_erasure_whose_eraser_died_says_what_ends_it(engine: Engine, passes: MovedTime, design: str) -> None:
    person = RECORDED[design]
    for variant in person.variants:
        tests = ErasureTests(engine, person, variant, passes)
        with tests.store() as connection:
            tests.die(connection, dying_at(tests.after_begin()))
            passes(DEAD_MS)
            upkeep = tests.open(connection).upkeep
            (unended,) = [finding for finding in upkeep.verify() if finding.kind == "unsettled"]
            assert unended.reason.startswith("erase has not ended; if it is not running, ")
            assert unended.reason.endswith("call it again") == (not person.ends_dead)
            row = f"{unended.table}: row {unended.row.hex(' ')}: {unended.reason}"
            assert upkeep.recover().failed == (() if person.ends_dead else (row,))
