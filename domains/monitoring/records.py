"""The application's records: a measured point, and the average of a period. Nothing here knows of storage."""

import attrs

from shared.records import LAST_MS, finite, integer, text


@attrs.frozen
class Point:
    """One measured value of a metric on a host. Host, metric and time identify it: a later value replaces it."""

    host: str = attrs.field(validator=text())
    metric: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC; the timestamp of its cell too, so never below 0."""
    value: float = attrs.field(validator=finite())


@attrs.frozen
class Average:
    """The average of all points of a metric that fall into one period."""

    start_ms: int
    """Start of the period, milliseconds since 1970-01-01 UTC."""
    points: int
    """Number of points in the period, 1 or more."""
    value: float
