"""Compares the answers of all variants to one question, in one order or in any."""

from collections.abc import Mapping, Sequence
from typing import Any


def check_equal_answers(answers: Mapping[str, Sequence[Any]]) -> None:
    """All variants return the same records for one question, in one order; `answers` are by variant, no refusals."""
    _check_equal({name: list(records) for name, records in answers.items()})


def check_same_records(answers: Mapping[str, Sequence[Any]]) -> None:
    """All variants return the same records for one question, in any order."""
    _check_equal({name: sorted(records, key=repr) for name, records in answers.items()})


def _check_equal(answers: Mapping[str, list[Any]]) -> None:
    (first, expected), *others = answers.items()
    for name, records in others:
        assert records == expected, f"{name} and {first} answer differently"
