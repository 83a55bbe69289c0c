"""How likely a table holds a row key: several layouts may decode the same bytes, some to values that no record has."""

from collections.abc import Iterable
from typing import Any

import attrs

from ...designs.ruler import show_value
from ...keys.errors import message_of
from ...keys.parts import Segment
from ...records import parse_time
from ...tables import TableLayout

LIKELY_TIMES = range(parse_time("1990-01-01"), parse_time("2100-01-01"))
"""Times that records are likely to have; other bytes, read as a time, mostly give one outside of them."""


def doubts(table: TableLayout[Any, Any], row: bytes) -> list[str]:
    """Why a table is unlikely to hold a row that its key decodes, each in words; empty if nothing speaks against it."""
    return [doubt for segment in table.key.segments(row) if (doubt := _doubt(table.cells.record, segment))]


def by_likelihood(
    keys: Iterable[tuple[TableLayout[Any, Any], bytes]],
) -> list[tuple[TableLayout[Any, Any], bytes]]:
    """Tables with a row, those with the fewest doubts first."""
    return sorted(keys, key=lambda of_table: len(doubts(*of_table)))


def refusal(record: type[Any], field: "attrs.Attribute[Any]", value: Any) -> str | None:
    """Why no record has this value in a field; None if one may, as far as the validator of the field alone tells."""
    if field.validator is None:
        return None
    try:
        field.validator(object.__new__(record), field, value)
    except AttributeError:  # it compares the value with other fields
        return None
    except (ValueError, TypeError) as error:
        return message_of(error)
    return None


def _doubt(record: type[Any], segment: Segment) -> str:
    name, value = segment.name, segment.value
    for field in attrs.fields(record):
        if field.name == name and (reason := refusal(record, field, value)) is not None:
            return reason
    if isinstance(value, str) and not value.isprintable():
        return f"{name} has characters that cannot be printed"
    if name.endswith("_ms") and type(value) is int and value not in LIKELY_TIMES:
        return f"{name} is {show_value(name, value)}"
    return ""
