"""The application's records: a point of a series by names, and by the UIDs that its table stores. No bytes of rows."""

import math
from typing import Any, TypeAlias

import attrs

from shared.keys import shown
from shared.records import LAST_MS, InvalidRecord, integer, text

LAST_POINT_MS = 4_294_967_295_999
"""2106-02-07T06:28:15.999Z: the end of the last second that fits the four bytes of the row key."""
MAX_TAGS = 8
FIRST_INT, LAST_INT = -(2**63), 2**63 - 1

Number: TypeAlias = int | float
"""An int of up to 64 bits, or a finite float. 1 and 1.0 are stored differently, and stay what they are."""


def _number(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    if type(value) is int and FIRST_INT <= value <= LAST_INT:
        return
    if type(value) is not float or not math.isfinite(value):
        wanted = "an int of 64 bits, or a float that is not NaN or infinite"
        raise InvalidRecord(f"{type(record).__name__}.{field.name}: must be {wanted} (got {shown(value)})")


def _sorted_pairs(tags: Any) -> Any:
    """Tags as pairs, by name; any other value is left to the validator."""
    pairs: Any = getattr(tags, "items", lambda: tags)()
    try:
        return tuple(sorted((name, value) for name, value in pairs))
    except (TypeError, ValueError):
        return tags


def _tags(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    where = f"{type(record).__name__}.{field.name}"
    pairs: tuple[Any, ...] = value if value.__class__ is tuple else ((None, None),)
    if not all(type(pair) is tuple and [type(text) for text in pair] == [str, str] for pair in pairs):
        raise InvalidRecord(f"{where}: must be text by text, such as {{'host': 'web-1'}} (got {shown(value)})")
    if not 1 <= len(pairs) <= MAX_TAGS or len(dict(pairs)) < len(pairs):
        raise InvalidRecord(f"{where}: must be 1..{MAX_TAGS} tags, each name once (got {len(pairs)})")


def _filters(record: Any, field: "attrs.Attribute[Any]", value: list[list[str]]) -> None:
    for filter_ in value:
        if len(filter_) != 3:
            wanted = "must each be tag, kind and text"
            raise InvalidRecord(f"{type(record).__name__}.{field.name}: {wanted} (got {shown(filter_)})")


@attrs.frozen
class Point:
    """One value of a series at one time. Metric, tags and time identify it: a later value replaces it."""

    metric: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0, LAST_POINT_MS))
    """Milliseconds since 1970-01-01 UTC."""
    value: Number = attrs.field(validator=_number)
    tags: tuple[tuple[str, str], ...] = attrs.field(converter=_sorted_pairs, validator=_tags)
    """Names and values of 1 to 8 tags. Made of a mapping, such as {"host": "web-1"}; their order does not matter."""


@attrs.frozen
class SeriesPoint:
    """A point as its table holds it: a UID instead of each name."""

    metric_uid: bytes
    time_ms: int = attrs.field(validator=integer(0, LAST_POINT_MS))
    tag_uids: bytes = attrs.field()
    """The UIDs of tag names and values, pair after pair, in the order of their bytes."""
    value: Number = attrs.field(validator=_number)


@attrs.frozen
class UidMapping:
    """The UID of a name, as a metric, a tag name or a tag value."""

    name: str
    kind: str
    """`metrics`, `tagk` or `tagv`."""
    uid: bytes


@attrs.frozen
class Settings:
    """The options with which all rows of a table were written; they can never change."""

    table: str
    """The table of points, or that of names."""
    options: dict[str, int]
    """Numbers by OpenTSDB's own names, such as `tsd.storage.salt.width`."""


@attrs.frozen
class RegisteredDeletion:
    """A deletion that is under way, or whose writer died, or that ended a short time ago; see `registry.py`."""

    table: str
    """The table of points, # and a random number in 16 hex digits."""
    started_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """When its latest batch of rows was begun, by the clock of its writer."""
    metric: str = ""
    """The metric of `delete_points`; empty if a whole series is deleted."""
    filters: list[list[str]] = attrs.field(factory=list[list[str]], validator=_filters)
    """Tag, kind and text of each filter of `delete_points`."""
    tsuid: str = ""
    """The series of `delete_series`, in hex; empty otherwise."""
    since_ms: int = 0
    until_ms: int = LAST_POINT_MS + 1


@attrs.frozen
class Answer:
    """One number of an answer: of a series, or of the aggregate of several."""

    metric: str
    tags: str
    """The tags that all series of the group have with one value, such as `dc=lga,host=web-1`."""
    time_ms: int
    value: Number
