"""Validators for the fields of records; their errors name record and field, what was wanted and what was given.

    order_number: str = attrs.field(validator=text())
    placed_ms: int = attrs.field(validator=integer(0, LAST_MS))
    status: Status = attrs.field(validator=one_of(*STATUSES))

Types are exact, as in keys and cells: a bool is not an int.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

import attrs

from ..keys.errors import shown

Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]

LAST_MS = 253_402_300_799_999
"""9999-12-31T23:59:59.999Z in milliseconds since 1970-01-01 UTC, the end of the last year of four digits."""


class InvalidRecord(ValueError):
    """A record that cannot be stored, or cells that do not hold one; the message names record and attribute."""


def text(*, empty: bool = False) -> Validator:
    """Text, of at least one character unless it may be `empty`."""

    def check(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if type(value) is not str or not (value or empty):
            _refuse(record, field, "text" if empty else "text, not empty", value)

    return check


def integer(first: int | None = None, last: int | None = None) -> Validator:
    """An int from `first` to `last`, both included; None means no bound."""
    bounds = f"{'' if first is None else first}..{'' if last is None else last}"

    def check(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if type(value) is not int or (first is not None and value < first) or (last is not None and value > last):
            _refuse(record, field, "an int" if bounds == ".." else bounds, value)

    return check


def finite() -> Validator:
    """A float other than NaN and the infinities."""

    def check(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if type(value) is not float or not math.isfinite(value):
            _refuse(record, field, "a float, not NaN or infinite", value)

    return check


def fixed_bytes(width_bytes: int) -> Validator:
    """Bytes, exactly `width_bytes` of them."""

    def check(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if type(value) is not bytes or len(value) != width_bytes:
            _refuse(record, field, f"{width_bytes} bytes", value)

    return check


def one_of(*values: Any) -> Validator:
    """One of these values, and of the same type: True is not 1."""
    typed = [(value.__class__, value) for value in values]

    def check(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if (type(value), value) not in typed:
            _refuse(record, field, f"one of {', '.join(map(str, values))}", value)

    return check


def texts_by_name() -> Validator:
    """A mapping of texts, which may be empty, by names, which may not."""

    def check(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if not isinstance(value, Mapping):
            _refuse(record, field, "texts by name, such as a dict", value)
        for name, text_of_name in cast("Mapping[Any, Any]", value).items():
            if type(name) is not str or not name:
                _refuse(record, field, "texts by name, each name text, not empty", name)
            if type(text_of_name) is not str:
                _refuse(record, field, f"texts by name, so {shown(name)} must be text", text_of_name)

    return check


def _refuse(record: Any, field: "attrs.Attribute[Any]", wanted: str, value: Any) -> None:
    raise InvalidRecord(f"{type(record).__name__}.{field.name}: must be {wanted} (got {shown(value)})")
