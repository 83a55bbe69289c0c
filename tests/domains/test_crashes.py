"""Writers that die, pause or meet another one at any call, in every design whose writes touch several rows."""

import pytest

from shared.intents.slots import holds_intents
from shared.testing import CrashContract, StoppedWrites
from shared.testing.crash_tests import CrashTests
from shared.testing.rival_checks import check_a_store_that_fails_often
from shared.testing.stopped_writes import Opened
from tests.designs import all_designs

from .by_design import by_design, contracts

STOPPED: dict[str, StoppedWrites] = by_design("stopped_writes", "STOPPED")
FAILURES = 6
"""Calls of the writes for a store that fails often that must fail; one for each write if there are fewer."""


class CrashesOfTheSuite(CrashContract):
    """The contract, with enough failures of a store that fails often."""

    def test_a_store_that_fails_often_holds_what_was_answered_in_the_end(
        self, crashes: CrashTests, variant: Opened
    ) -> None:
        if self.stopped.often:
            failures = check_a_store_that_fails_often(crashes, self.stopped.often, self.stopped.often_every)
            assert failures >= min(len(self.stopped.often), FAILURES)


globals().update(contracts(CrashesOfTheSuite, "stopped", STOPPED))
globals().update(contracts(CrashesOfTheSuite, "stopped", STOPPED, visits_all=True, pytestmark=[pytest.mark.long]))


def test_every_design_whose_writes_leave_intents_names_its_writes_and_how_many_calls_they_make() -> None:
    with_intents = {design.name for design in all_designs() if any(map(holds_intents, design.main.tables))}
    assert with_intents <= set(STOPPED)
    for stopped in STOPPED.values():
        assert None not in [write.promised_calls(of.name) for write in stopped.writes for of in stopped.variants]
