"""Writers that die, pause or meet another one at any call, in every design whose writes touch several rows."""

import pytest

from domains.command_line.designs import all_designs
from shared.intents.slots import holds_intents
from shared.testing import CrashContract, StoppedWrites

from .by_design import by_design, contracts

STOPPED: dict[str, StoppedWrites] = by_design("stopped_writes", "STOPPED")
globals().update(contracts(CrashContract, "stopped", STOPPED))
globals().update(contracts(CrashContract, "stopped", STOPPED, visits_all=True, pytestmark=[pytest.mark.long]))


def test_every_design_whose_writes_leave_intents_names_its_writes_and_how_many_calls_they_make() -> None:
    with_intents = {design.name for design in all_designs() if any(map(holds_intents, design.main.tables))}
    assert with_intents <= set(STOPPED)
    for stopped in STOPPED.values():
        assert None not in [write.promised_calls(of.name) for write in stopped.writes for of in stopped.variants]
