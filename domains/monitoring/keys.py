"""One table of points: a row for each host, metric and hour, and a cell for each point of that hour."""

from shared.keys import EscapedText, Int64, KeyLayout, Rest, Slice, UInt32, part, row_key
from shared.sources import Table
from shared.tables import ItemCells

from .records import Point

HOUR_MS = 60 * 60 * 1000
"""The length of a row, milliseconds. Stay below 1,000 points in a row if you can: one a minute makes 60 in an hour."""


@row_key
class HourOfMetric:
    """The points of one metric of a host in one hour.

    Order:  by host, by metric, by hour.
    Serves: a metric of a host in a period; its latest point; all metrics of a host; whole hours to delete.
    Costs:  one range. All metrics of a host in a period read the rows of any time. All hosts of a metric are refused.
    Fixed:  the sequence of the parts and the length of an hour; changing them means a new table.
    Source: none
    """

    host: str = part(EscapedText, "what was measured; any text, and web-1 never matches web-12")
    metric: str = part(EscapedText, "what was counted or timed")
    time_ms: int = part(Slice(Int64, HOUR_MS), "the hour, milliseconds since 1970 UTC")


@row_key
class WithinHour:
    """The place of a point in its row: the qualifier of its cell.

    Order:  by time.
    Serves: pages that end, and continue, within an hour.
    Costs:  four bytes for each point, and the row key, which HBase stores with each cell.
    Fixed:  as the hour.
    Source: S2.8, S2.11
    """

    time_ms: int = part(Rest(UInt32, HOUR_MS), "the rest of the hour, milliseconds")


POINTS = Table(
    "points",
    HourOfMetric,
    Point,
    ItemCells(Point, "p", KeyLayout(WithinHour), value="value"),
    dated_by="time_ms",
    holds="the points of one hour of a metric",
)
"""A cell for each point: many records in a row. `value=("value", "quality")` would store an array of two attributes."""
TABLES = POINTS.tables


@row_key
class PointByTime:
    """The order in which `of_metric`, `latest` and `averages` return points, whatever the key of their table.

    Order:  by time, then host, then metric.
    Serves: as the `order` of a `Query`, which compares it with the key of the table. No table has this key.
    Costs:  nothing if the key of the table has this order within the question's ranges; otherwise the client sorts.
    Fixed:  nothing is stored under it.
    Source: none
    """

    time_ms: int = part(Int64, "when, milliseconds since 1970 UTC")
    host: str = part(EscapedText, "what was measured")
    metric: str = part(EscapedText, "what was counted or timed")


BY_TIME = KeyLayout(PointByTime)
