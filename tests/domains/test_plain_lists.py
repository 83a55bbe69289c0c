"""Questions that every variant refuses, or answers as a plain list of its records does."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.tables import TableLayout
from tests.engines import Engine, examples

from .by_design import by_design
from .conftest import OpenSamples
from .plain_lists import PlainList, answer

PLAIN_LISTS: list[PlainList] = [*by_design("plain_list", "PLAIN_LIST").values()]
each_plain_list = pytest.mark.parametrize("plain", PLAIN_LISTS, ids=lambda plain: plain.design.name)


def in_row_order(table: TableLayout[Any, Any], records: set[Any]) -> list[Any]:
    """Records as their rows are stored if there are no buckets, and within a row as their columns are."""
    return sorted(records, key=lambda record: (table.row(record)[table.key.spread_bytes :], *table.cells.pack(record)))


def check_answer(variant: Any, plain_list: Any, repository: Any, question: Any, limit: int) -> Any:
    """Compares the answer of the repository with that of the list, and returns it."""
    pattern, arguments = question
    expected = answer(pattern, plain_list, arguments, limit)
    if isinstance(expected, set):
        expected = in_row_order(variant.tables[0], expected)
    answered = answer(pattern, repository, arguments, limit)
    assert answered == expected, f"{variant.name}: {pattern.name} {arguments}"
    return answered


@each_plain_list
@settings(max_examples=examples(30))
@given(data=st.data())
def test_random_questions_are_refused_or_answered_as_a_plain_list_does(
    engine: Engine, plain: PlainList, data: st.DataObject
) -> None:
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


@each_plain_list
def test_the_samples_are_answered_as_a_plain_list_does(open_samples: OpenSamples, plain: PlainList) -> None:
    records = [*plain.design.loads[0].sample_records()]
    for variant in plain.design.variants:
        plain_list = plain.of(variant.name, records)
        with open_samples(plain.design, variant) as connection:
            repository = variant.open(connection)
            for pattern in plain.design.patterns:
                assert check_answer(variant, plain_list, repository, (pattern, pattern.sample), limit=100)
