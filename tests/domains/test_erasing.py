"""Erasing a person, in every design that does: nothing names the person, whatever dies or is stored meanwhile."""

import pytest

from domains.command_line.designs import all_designs
from shared.testing import (
    ErasedPerson,
    ErasureTests,
    MovedTime,
    check_a_dead_eraser_is_found,
    check_an_erasure,
    check_deaths,
    check_deaths_of_recovery,
    check_rivals_of_an_erasure,
    check_the_same_call_again,
)
from shared.testing.stopped_writes import Opened
from tests.domains.activity import erased as activity
from tests.domains.counters import erased as counters
from tests.domains.documents import erased as documents
from tests.domains.feeds import erased as feeds
from tests.domains.messages import erased as messages
from tests.domains.orders import erased as orders
from tests.engines import Engine

ERASED = {
    "orders": orders.ERASED,
    "counters": counters.ERASED,
    "messages": messages.ERASED,
    "feeds": feeds.ERASED,
    "activity": activity.ERASED,
    "documents": documents.ERASED,
}
MANY, FEW = 8, 2
"""Points that a check visits, of the design itself, and of its other variants. `make test-long` visits all."""

CASES = [
    pytest.param(person, variant, id=f"{name}:{variant.name}")
    for name, person in ERASED.items()
    for variant in person.variants
]
of_each_person = pytest.mark.parametrize(("person", "variant"), CASES)
with_traces = pytest.mark.parametrize(("person", "variant"), [case for case in CASES if case.values[0].erasures])
"""Runs a test for each person whose erasures are stored."""


@pytest.fixture
def erasures(engine: Engine, person: ErasedPerson, variant: Opened, passes: MovedTime) -> ErasureTests:
    return ErasureTests(engine, person, variant, passes)


@pytest.fixture(params=["some", pytest.param("all", marks=pytest.mark.long)])
def points(request: pytest.FixtureRequest, engine: Engine, person: ErasedPerson, variant: Opened) -> int | None:
    if request.param == "all":
        return None
    return FEW if engine.is_slow or variant is not person.variants[0] else MANY


def test_every_design_that_erases_names_a_person() -> None:
    erasing = {design.name for design in all_designs() if design.erases}
    assert erasing == ERASED.keys()


@of_each_person
def test_what_is_erased_goes_at_once_or_once_it_is_old_enough(erasures: ErasureTests) -> None:
    check_an_erasure(erasures)


@of_each_person
def test_an_eraser_may_die_at_any_call_and_what_is_new_stays(erasures: ErasureTests, points: int | None) -> None:
    check_deaths(erasures, points)


@of_each_person
def test_the_same_call_again_completes_an_erasure_that_died(
    engine: Engine, person: ErasedPerson, variant: Opened, points: int | None, at_once: None
) -> None:
    check_the_same_call_again(ErasureTests(engine, person, variant), points)


@of_each_person
def test_recovery_may_die_at_any_call_and_another_one_ends_the_erasure(erasures: ErasureTests) -> None:
    check_deaths_of_recovery(erasures)


@of_each_person
def test_another_call_may_come_before_any_call_of_an_eraser(erasures: ErasureTests, points: int | None) -> None:
    check_rivals_of_an_erasure(erasures, points)


@with_traces
def test_an_erasure_whose_eraser_died_is_found_once_it_is_ten_minutes_old(erasures: ErasureTests) -> None:
    check_a_dead_eraser_is_found(erasures)
