"""The contract that a design and all its variants keep, as a class to inherit."""

from .answers_contract import AnswersContract
from .samples_contract import SamplesContract
from .wrong_input_contract import WrongInputContract


class DesignContract(SamplesContract, AnswersContract, WrongInputContract):
    """Tests of a design on its samples: `class TestContract(DesignContract): design = DESIGN`.

    What holds of every question is in `rowbook.designs.FACTS`. A variant that breaks a fact must declare an exemption,
    and an exemption that nothing needs fails too. A test that a design cannot keep is set to None in the subclass.
    """
