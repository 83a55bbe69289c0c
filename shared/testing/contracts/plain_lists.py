"""A design's plain list: what every variant must answer, and the values of which random questions are made."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar

import attrs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ...designs import AccessPattern, Design, Variant
from ...keys import InvalidQuestion
from ...tables import TableLayout
from ..engines import Engine
from ..paging import pages
from .of_design import OpenSamples

EXAMPLES_OF_SLOW = 3
"""Stores with random records in which random questions are asked, if a store takes long to make."""


@attrs.frozen
class PlainList:
    """A design, and the answers of its variants made from a plain list of the records that were stored.

    A plain list has a method for each question, named as in the repository. It raises InvalidQuestion if the variant
    must refuse the question. A set is an answer in row-key order; any other answer must be equal.
    """

    design: Design = attrs.field(repr=lambda design: design.name)
    of: Callable[[str, list[Any]], Any]
    """The plain list of a variant, by its name and the records that were stored, in their order."""
    values: Mapping[str, Sequence[Any]] = attrs.field(repr=False)
    """Values of the records' fields and of the questions' arguments, by `method.argument`, or by the name alone."""

    @property
    def records(self) -> st.SearchStrategy[list[Any]]:
        """Records of the design's one load; fields without values have their defaults."""
        record = self.design.loads[0].record
        names = [field.name for field in attrs.fields(record) if field.name in self.values]
        return st.lists(st.builds(record, **{name: st.sampled_from(self.values[name]) for name in names}), max_size=30)

    @property
    def questions(self) -> st.SearchStrategy[tuple[AccessPattern, dict[str, Any]]]:
        """Questions with their arguments; a period does not end before it begins."""
        patterns = {pattern.name: pattern for pattern in self.design.patterns}.values()
        return st.one_of([st.tuples(st.just(pattern), self._arguments(pattern)) for pattern in patterns])

    def _arguments(self, pattern: AccessPattern) -> st.SearchStrategy[dict[str, Any]]:
        drawn: dict[str, st.SearchStrategy[Any]] = {}
        for parameter in pattern.parameters:
            own_name = f"{pattern.method.__name__}.{parameter.name}"
            values = self.values[own_name if own_name in self.values else parameter.name]
            drawn[parameter.name] = st.sampled_from([None, *values] if parameter.default is None else values)
        return st.fixed_dictionaries(drawn).map(_in_order)


def _in_order(arguments: dict[str, Any]) -> dict[str, Any]:
    since_ms, until_ms = arguments.get("since_ms"), arguments.get("until_ms")
    is_reversed = since_ms is not None and until_ms is not None and since_ms > until_ms
    return {**arguments, "since_ms": until_ms, "until_ms": since_ms} if is_reversed else arguments


REFUSED = "refused"


def answer(pattern: AccessPattern, repository: Any, arguments: Mapping[str, Any], limit: int) -> Any:
    """The answer of a repository or of a plain list, a query's page by page; `REFUSED` if it refuses the question."""
    try:
        answered = pattern.ask(repository, **arguments)
        return [*chain(*pages(answered, limit))] if hasattr(answered, "page") else answered
    except InvalidQuestion:
        return REFUSED


class PlainListContract:
    """Tests that every variant refuses a question, or answers it as the plain list does."""

    plain_list: ClassVar[PlainList]
    """The plain list of the design that is tested."""
    examples: ClassVar[int] = 10
    """How many stores with random records are made, in which random questions are asked."""

    def test_random_questions_are_refused_or_answered_as_a_plain_list_does(self, rowbook_engine: Engine) -> None:
        examples = EXAMPLES_OF_SLOW if rowbook_engine.is_slow else self.examples

        @settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(data=st.data())
        def check(data: st.DataObject) -> None:
            check_random_questions(rowbook_engine, self.plain_list, data)

        check()

    def test_the_samples_are_answered_as_a_plain_list_does(self, rowbook_samples: OpenSamples) -> None:
        plain = self.plain_list
        for variant in plain.design.variants:
            plain_list = plain.of(variant.name, [*plain.design.loads[0].sample_records()])
            with rowbook_samples(plain.design, variant) as connection:
                repository = variant.open(connection)
                for pattern in plain.design.patterns:
                    assert check_answer(variant, plain_list, repository, (pattern, pattern.sample), limit=100)


def check_random_questions(engine: Engine, plain: PlainList, data: st.DataObject) -> None:
    """Stores random records, and asks random questions, in every variant."""
    (load,) = plain.design.loads
    records = [*map(load.new_record_transform(), data.draw(plain.records))]
    questions = data.draw(st.lists(plain.questions, min_size=1, max_size=8))
    limit = data.draw(st.integers(1, 12))
    for variant in plain.design.variants:
        with engine.shared_store(*variant.tables) as connection:
            repository = variant.open(connection)
            for record in records:
                load.store_in(repository, record)
            for question in questions:
                check_answer(variant, plain.of(variant.name, records), repository, question, limit)


def check_answer(
    variant: Variant, plain_list: Any, repository: Any, question: tuple[AccessPattern, Mapping[str, Any]], limit: int
) -> Any:
    """Compares the answer of the repository with that of the list, and returns it."""
    pattern, arguments = question
    expected = answer(pattern, plain_list, arguments, limit)
    if expected.__class__ is set:
        expected = in_row_order(variant.tables[0], expected)
    answered = answer(pattern, repository, arguments, limit)
    assert answered == expected, f"{variant.name}: {pattern.name} {arguments}"
    return answered


def in_row_order(table: TableLayout[Any, Any], records: Iterable[Any]) -> list[Any]:
    """Records as their rows are stored if there are no buckets, and within a row as their columns are."""
    return sorted(records, key=lambda record: (table.row(record)[table.key.spread_bytes :], *table.cells.pack(record)))
