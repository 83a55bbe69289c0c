"""The contract of every design on hostile values: characters that end, hide or colour text, and integers of 70 bits."""

import json
from functools import partial

import pytest

from shared.testing.contracts import open_samples
from shared.testing.contracts.answers_contract import AnswersContract
from shared.testing.contracts.samples_contract import SamplesContract
from tests.few_designs import FEW

from .by_design import contracts
from .hostile_samples import HOSTILE, hostile_designs

DESIGNS = hostile_designs()


@pytest.fixture(scope="module")
def rowbook_samples(engine):
    """Opens a store of its own: what others share on HBase holds the plain samples."""
    return partial(open_samples, engine)


class HostileContract(SamplesContract, AnswersContract):
    """What is stored and answered; golden keys and answers are those of the plain samples."""

    test_golden_keys_are_those_of_every_table = None
    test_what_the_declarations_store_is_what_layout_txt_says = None
    test_the_answers_of_the_samples_are_golden = None

    def test_nothing_is_found_to_be_wrong(self, repository):
        if hasattr(repository, "upkeep"):
            assert [str(finding) for finding in repository.upkeep.verify()] == []

    def test_what_is_exported_is_what_an_empty_store_exports_after_it_was_stored_there(
        self, variant, repository, rowbook_engine
    ):
        for load in self.design.loads:
            if load.export is None or not hasattr(repository, load.export.__name__):
                continue
            exported = [*getattr(repository, load.export.__name__)()]
            assert exported
            with rowbook_engine.shared_store(*variant.tables) as connection:
                other = variant.open(connection)
                for record in exported:
                    load.store_in(other, record)
                assert [*getattr(other, load.export.__name__)()] == exported


for name, of_name in contracts(HostileContract, "design", DESIGNS).items():
    globals()[name] = of_name if name.removeprefix("Test").lower() in FEW else pytest.mark.long(of_name)


def test_every_hostile_value_is_stored_and_none_is_in_a_sample():
    values = [*HOSTILE.values()]
    plain, hostile = [], []
    for design in DESIGNS.values():
        for load in design.loads:
            hostile += map(repr, load.sample_records())
            plain += load.samples.read_text(encoding="utf-8").splitlines()
    stored, read = "\n".join(hostile), "\n".join(plain)
    for value in values:
        assert repr(value).strip("'") in stored
        assert str(value) not in read
        assert json.dumps(value).strip('"') not in read
