"""Erasures of a person: nothing names the person, whatever dies or is stored meanwhile; as a class."""

import time
from operator import attrgetter
from typing import ClassVar

import pytest

from ...intents import erasing, without_intents
from ...keys.errors import shown
from ..engines import EMBEDDED, Engine
from ..erased_person import ErasedPerson, ErasureTests, MovedTime
from ..erasure_checks import (
    check_a_dead_eraser_is_found,
    check_an_erasure,
    check_deaths,
    check_deaths_of_recovery,
    check_rivals_of_an_erasure,
    check_the_same_call_again,
)
from ..stopped_writes import Opened

MANY, FEW = 4, 2
"""Points that a check visits, of the first variant, and of others or of a store that takes long to make."""


class ErasureContract:
    """Tests of erasures: `class TestErasures(ErasureContract): person = ERASED`.

    A test visits some calls of the eraser, always the same ones; with `visits_all` all of them. Most tests move the
    time of the store and of all writers, and are skipped on a real HBase.
    """

    person: ClassVar[ErasedPerson]
    """The person who is erased, and the variants that erase."""
    visits_all: ClassVar[bool] = False
    """Whether every call is visited, which may take minutes."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Runs every test for all variants that erase."""
        person = getattr(self, "person", None)
        if not isinstance(person, ErasedPerson):
            raise pytest.Collector.CollectError(
                f"{type(self).__name__}.person: must be a rowbook.testing.ErasedPerson (got {shown(person)})"
            )
        metafunc.parametrize("variant", person.variants, ids=attrgetter("name"))

    @pytest.fixture
    def erasures(self, rowbook_engine: Engine, variant: Opened, monkeypatch: pytest.MonkeyPatch) -> ErasureTests:
        """The erasures of the person in a variant, in a time that the checks move."""
        if rowbook_engine.name != EMBEDDED:
            pytest.skip("the time of a real server cannot be moved")
        moved_time = MovedTime()
        monkeypatch.setattr(time, "time_ns", moved_time.time_ns)
        return ErasureTests(rowbook_engine, self.person, variant, moved_time)

    @pytest.fixture
    def points(self, rowbook_engine: Engine, variant: Opened) -> int | None:
        """The number of calls that a check visits; None for all."""
        if self.visits_all:
            return None
        return FEW if rowbook_engine.is_slow or variant is not self.person.variants[0] else MANY

    def test_what_is_erased_goes_at_once_or_once_it_is_old_enough(self, erasures: ErasureTests) -> None:
        check_an_erasure(erasures)

    def test_an_eraser_may_die_at_any_call_and_what_is_new_stays(
        self, erasures: ErasureTests, points: int | None
    ) -> None:
        check_deaths(erasures, points)

    def test_the_same_call_again_completes_an_erasure_that_died(
        self, rowbook_engine: Engine, variant: Opened, points: int | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for module in (without_intents, erasing):  # all that is erased is old enough, also on a real server
            monkeypatch.setattr(module, "FORGET_MS", -1_000_000)
        check_the_same_call_again(ErasureTests(rowbook_engine, self.person, variant), points)

    def test_recovery_may_die_at_any_call_and_another_one_ends_the_erasure(self, erasures: ErasureTests) -> None:
        check_deaths_of_recovery(erasures)

    def test_another_call_may_come_before_any_call_of_an_eraser(
        self, erasures: ErasureTests, points: int | None
    ) -> None:
        check_rivals_of_an_erasure(erasures, points)

    def test_an_erasure_whose_eraser_died_is_found_once_it_is_ten_minutes_old(self, erasures: ErasureTests) -> None:
        if erasures.erasures:
            check_a_dead_eraser_is_found(erasures)
