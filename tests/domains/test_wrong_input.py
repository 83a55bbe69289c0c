"""The ends of what a record of any design may hold; all other wrong input is in `wrong_input.py`."""

import re
from typing import Any

import attrs
import pytest

from domains.tsdb.records import LAST_POINT_MS
from shared.records import LAST_MS, InvalidRecord
from tests.designs import all_designs

RECORDS = [(design.name, load) for design in all_designs() for load in design.loads]
FIRST = {"position": 1, "revision": 1, "number": 1}
"""The first number of a field that does not begin with 0."""
LAST = {
    "position": 2**63 - 2,
    "revision": 2**32 - 1,
    "number": 2**32 - 1,
    "score": 2**63 - 1,
    "tie": 2**64 - 1,
    "post_id": 2**64 - 1,
    "tsdb": LAST_POINT_MS,
}
"""The last number of a field, or of the times of a design, that does not go up to the last millisecond of 9999."""
MAY_BE_EMPTY = ("item", "body", "text", "email")
"""Fields of text that may be empty, besides those that are if they are omitted."""
MAY_BE_ANY = ("amount", "price", "from_day", "until_day")
"""Fields of numbers without bounds, or whose bounds are others of the record."""


@pytest.mark.parametrize(("design", "load"), RECORDS, ids=[f"{name}:{load.record.__name__}" for name, load in RECORDS])
def test_a_record_has_numbers_from_first_to_last_and_texts_that_are_not_empty(design: str, load: Any) -> None:
    stored = next(load.sample_records())
    attrs.resolve_types(load.record)
    needed = [field.name for field in attrs.fields(load.record) if field.default is attrs.NOTHING]
    sample = load.record(**{name: getattr(stored, name) for name in needed})  # no other field bounds one
    for field in attrs.fields(load.record):
        values: dict[Any, str] = {}
        if field.type is int and field.name not in MAY_BE_ANY:
            last = LAST.get(field.name, LAST.get(design, LAST_MS))
            first = FIRST.get(field.name, 0)
            values = {end: f"must be {first}..{last} (got {end})" for end in (first - 1, last + 1)}
            ends = [first, last]
            assert [getattr(attrs.evolve(sample, **{field.name: end}), field.name) for end in ends] == ends
        elif field.type in (str, str | None) and field.default != "" and field.name not in MAY_BE_EMPTY:
            values = {"": "must be text, not empty (got '')"}
        for value, reason in values.items():
            with pytest.raises(InvalidRecord, match=f"^{load.record.__name__}.{field.name}: {re.escape(reason)}$"):
                attrs.evolve(sample, **{field.name: value})
