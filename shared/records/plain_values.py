"""Values of Python's own types as text and JSON show them, and as `rowbook load` and `ask` read them again."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import attrs

from ..keys.errors import shown
from ..keys.value_codecs import is_uuid
from .times import show_datetime


def plain_scalar(value: Any) -> Any:
    """A time as ISO 8601, an Enum's value, a UUID or Decimal as text; any other value as it is."""
    if type(value) in (str, int, float, bytes):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return show_datetime(value)
    return str(value) if isinstance(value, date | Decimal) or is_uuid(value) else value


def plain_value(value: Any) -> Any:
    """A value of texts, numbers, lists and maps by text; bytes are hex. Raises TypeError for a value without such."""
    value = plain_scalar(value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if attrs.has(value.__class__):
        return plain_value(attrs.asdict(value, recurse=False))
    if isinstance(value, Mapping):
        by_name: Mapping[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {plain_value(name): plain_value(inside) for name, inside in by_name.items()}
    if isinstance(value, list | tuple):
        return [plain_value(inside) for inside in value]  # pyright: ignore[reportUnknownVariableType]
    raise TypeError(f"must be a value that JSON can show (got {shown(value)})")


def _with_plain_values(value: Any) -> Any:
    """What `json.dumps` writes in place of a value that JSON does not have; it asks again for values in a record."""
    return attrs.asdict(value, recurse=False) if attrs.has(value.__class__) else plain_value(value)


def json_of(value: Any, *, ascii_only: bool = False) -> str:
    """A value as JSON on one line. Raises TypeError for a value that JSON cannot show."""
    try:
        return json.dumps(value, default=_with_plain_values, ensure_ascii=ascii_only)
    except TypeError:  # JSON asks for no default of a map's keys, such as dates
        return json.dumps(plain_value(value), ensure_ascii=ascii_only)
