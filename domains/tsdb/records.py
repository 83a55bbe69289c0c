"""The application's records: a point of a series by names, and by the UIDs that its table stores. No bytes of rows."""

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import attrs

from shared.keys.errors import shown
from shared.records import integer, text

LAST_POINT_MS = 4_294_967_295_999
"""2106-02-07T06:28:15.999Z: the end of the last second that fits the four bytes of the row key."""
MAX_TAGS = 8
_FIRST_INT, _LAST_INT = -(2**63), 2**63 - 1

Number: TypeAlias = int | float
"""An int of up to 64 bits, or a finite float. 1 and 1.0 are stored differently, and stay what they are."""


def _number(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    if type(value) is int and _FIRST_INT <= value <= _LAST_INT:
        return
    if type(value) is not float or not math.isfinite(value):
        wanted = "an int of 64 bits, or a float that is not NaN or infinite"
        raise ValueError(f"{type(record).__name__}.{field.name}: must be {wanted} (got {shown(value)})")


def _tags(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    if not isinstance(value, Mapping) or not all(type(name) is str is type(tag) for name, tag in value.items()):
        raise ValueError(f"{type(record).__name__}.{field.name}: must be text by text (got {shown(value)})")
    if not 1 <= len(value) <= MAX_TAGS:
        raise ValueError(f"{type(record).__name__}.{field.name}: must be 1..{MAX_TAGS} tags (got {len(value)})")


@attrs.frozen
class Point:
    """One value of a series at one time. Metric, tags and time identify it: a later value replaces it."""

    metric: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0, LAST_POINT_MS))
    """Milliseconds since 1970-01-01 UTC."""
    value: Number = attrs.field(validator=_number)
    tags: Mapping[str, str] = attrs.field(validator=_tags)
    """Names and values of 1 to 8 tags, such as {"host": "web-1"}. Their order does not matter."""


@attrs.frozen
class SeriesPoint:
    """A point as its table holds it: a UID instead of each name."""

    metric: bytes
    """The UID of the metric."""
    time_ms: int = attrs.field(validator=integer(0, LAST_POINT_MS))
    tags: bytes = attrs.field()
    """The UIDs of tag names and values, pair after pair, in the order of their bytes."""
    value: Number = attrs.field(validator=_number)


@attrs.frozen
class UidMapping:
    """That a name has a UID, as a metric, a tag name or a tag value."""

    name: str
    kind: str
    """`metrics`, `tagk` or `tagv`."""
    uid: bytes


@attrs.frozen
class Answer:
    """One number of an answer: of a series, or of the aggregate of several."""

    metric: str
    tags: str
    """The tags that all series of the group have with one value, such as `dc=lga,host=web-1`."""
    time_ms: int
    value: Number
