"""A check of sample records: they contain the cases that break row keys written by hand."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

import attrs

BUSY_SHARE = 0.15
"""The least share of records that have one and the same name: a hot spot."""


def check_samples(loads: Iterable[Sequence[Any]]) -> None:
    """The records of each kind of a design contain the cases below, all kinds together at least once.

    Names that start with another name, names outside ASCII, a name in 15 of 100 records, times out of order, and
    records that share a millisecond. No record of a kind occurs twice.
    """
    cases = set[str]()
    for records in loads:
        assert len({*map(repr, records)}) == len(records), "a record occurs twice"
        record_class = cast(type[Any], records[0].__class__)
        for name in attrs.fields_dict(record_class):
            values = [value for record in records if (value := getattr(record, name)) is not None]
            cases |= _cases_of_times(values) if name.endswith("_ms") else _cases_of_names(values)
    assert cases >= {"alike", "outside ASCII", "busy", "out of order", "shared millisecond"}, cases


def _cases_of_times(values: Sequence[int]) -> set[str]:
    cases = {"out of order"} if values != sorted(values) else set[str]()
    return cases | ({"shared millisecond"} if len({*values}) < len(values) else set())


def _cases_of_names(values: Sequence[Any]) -> set[str]:
    """The cases among texts, those within mappings and lists too."""
    counted = Counter(text for value in values for text in _texts(value))
    ordered = sorted(counted)
    cases = set[str]()
    if any(after.startswith(before) for before, after in pairwise(ordered) if before):
        cases.add("alike")
    if not "".join(ordered).isascii():
        cases.add("outside ASCII")
    if counted and max(counted.values()) >= BUSY_SHARE * len(values):
        cases.add("busy")
    return cases


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        nested = cast("Mapping[str, Any] | list[Any]", value)
        for inner in nested.values() if isinstance(nested, Mapping) else nested:
            yield from _texts(inner)
