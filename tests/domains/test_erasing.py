"""Erasing a person, in every design that does: nothing names the person, whatever dies or is stored meanwhile."""

import pytest

from domains.command_line.designs import all_designs
from shared.testing import ErasedPerson, ErasureContract

from .by_design import by_design, contracts

ERASED: dict[str, ErasedPerson] = by_design("erased", "ERASED")
globals().update(contracts(ErasureContract, "person", ERASED))
globals().update(contracts(ErasureContract, "person", ERASED, visits_all=True, pytestmark=[pytest.mark.long]))


def test_every_design_that_erases_names_a_person() -> None:
    erasing = {design.name for design in all_designs() if design.erases}
    assert erasing == ERASED.keys()
