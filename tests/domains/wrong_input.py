"""Wrong values in records, questions and other calls of a design: one line names the field, wanted and given.

This is the form of the suite's own errors; a user's design may refuse in any words.
"""

import inspect
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from types import NoneType
from typing import Any, ClassVar, get_args

import attrs
import happybase

from shared.designs import Design, Variant
from shared.keys.errors import shown
from shared.testing.contracts.of_design import ContractOfDesign, samples_of
from shared.testing.contracts.wrong_input_contract import TURNED_MS
from shared.testing.engines import Embedded
from shared.testing.wrong_values import SURROGATE

from .refusals import refusals, turned_period

CALLED_WITH: dict[Any, Any] = {int: 0, str: "x", bool: True, int | None: None, str | None: None}
"""The types of arguments for which wrong values are tried in calls that answer no question, each with a right one."""


class WrongInputInOneLine(ContractOfDesign):
    """Tests of what is refused."""

    also_refuses: ClassVar[tuple[str, ...]] = ()
    """Patterns of how further messages begin, beside `Record.field: ` and the name of the argument."""

    def test_a_record_refuses_wrong_values_in_one_line(self) -> None:
        wrong: list[str] = []
        for load in self.design.loads:
            sample = next(load.sample_records())
            attrs.resolve_types(load.record)
            fields = [field for field in attrs.fields(load.record) if field.init]
            needed = {field.alias: getattr(sample, field.name) for field in fields if field.default is attrs.NOTHING}
            for field in fields:
                others = {str(name): value for name, value in needed.items() if name != field.alias}
                # The store refuses text that is not Unicode, by the codecs of its rows and cells.
                any_text: Any = str | field.type if str in (field.type, *get_args(field.type)) else field.type
                begins = rf"{load.record.__name__}\.\w+: must .*\(got "
                wrong += refusals(load.record, str(field.alias), any_text, begins, **others)
        assert [line for line in wrong if f"={shown(SURROGATE)}: answered" not in line] == []

    def test_a_question_refuses_wrong_values_in_one_line(self, variant: Variant) -> None:
        wrong: list[str] = []
        with opened(self.design, variant) as repository:
            for pattern in {pattern.name: pattern for pattern in self.design.patterns}.values():
                ask = partial(pattern.ask, repository)
                for parameter in pattern.parameters:
                    others = {name: value for name, value in pattern.sample.items() if name != parameter.name}
                    # A bound that may be omitted in another question may be None here, and a bucket by chance answers
                    # nothing.
                    is_bound = parameter.name in ("since_ms", "until_ms", "newest_first")
                    declared = parameter.annotation | NoneType if is_bound else parameter.annotation
                    named = parameter.name.removesuffix("_ms")
                    begins = "|".join((r"\w+\.\w+: ", f"(where: )?{named}", r"\w+: needs ", *self.also_refuses))
                    wrong += (
                        f"{pattern.name} {line}" for line in refusals(ask, parameter.name, declared, begins, **others)
                    )
                if {parameter.name for parameter in pattern.parameters} >= TURNED_MS.keys():
                    wrong += (f"{pattern.name} {line}" for line in turned_period(ask, **pattern.sample))
        assert wrong == []

    def test_other_calls_refuse_wrong_names_numbers_and_times_in_one_line(self, variant: Variant) -> None:
        questions = {pattern.method.__name__ for pattern in self.design.patterns}
        wrong: list[str] = []
        with opened(self.design, variant) as repository:
            for name, method in inspect.getmembers(repository.__class__, inspect.isfunction):
                if name.startswith("_") or name in questions:
                    continue
                _self, *parameters = inspect.signature(method, eval_str=True).parameters.values()
                if all(parameter.annotation in CALLED_WITH for parameter in parameters):
                    wrong += self._refusals_of(repository, name, parameters)
            if not self.design.why_no_upkeep(variant):
                found = refusals(repository.upkeep.recover, "older_than_ms", int | None, "older_than_ms: ")
                wrong += (f"recover {line}" for line in found)
        assert wrong == []

    def _refusals_of(self, repository: Any, name: str, parameters: list[inspect.Parameter]) -> list[str]:
        """What is wrong with the answers of a call to wrong values of each of its parameters."""
        wrong: list[str] = []
        right = {parameter.name: CALLED_WITH[parameter.annotation] for parameter in parameters}
        call = getattr(repository, name)
        for parameter in parameters:
            others = {other: value for other, value in right.items() if other != parameter.name}
            named = parameter.name.removesuffix("_ms")
            begins = "|".join((r"\w+\.\w+: ", named, f"{name}: needs ", *self.also_refuses))
            found = refusals(call, parameter.name, parameter.annotation, begins, **others)
            wrong += (f"{name} {line}" for line in found)
        if right.keys() >= TURNED_MS.keys():
            wrong += (f"{name} {line}" for line in turned_period(call, **right))
        return wrong


@contextmanager
def opened(design: Design, variant: Variant) -> Generator[Any]:
    """The repository of a variant; with the samples if it looks up names, because an unknown one ends a question."""
    stock = _nothing if design.names_in_key is None else samples_of(design, variant)
    with Embedded().stocked_store(stock, *variant.tables) as connection:
        yield variant.open(connection)


def _nothing(_connection: happybase.Connection) -> None:
    """Stores nothing."""
