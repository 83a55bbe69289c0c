"""Published plan A: host, time, metric, as legible text; a row for each point."""

from functools import partial

from shared.keys import DecimalText, Delimited, DelimitedText, TrailingText, part, row_key

from ...keys import POINTS
from ...repository import PointRepository


@row_key
class PointOfHost:
    """One point in the log of its host.

    Order:  by host (as bytes with the delimiter _, so A1 comes before A), by time, then by metric.
    Serves: all metrics of a host in a period, one range.
    Costs:  a row key for each point. One metric of a host reads the points of all its metrics.
    Fixed:  thirteen digits of time, which last until the year 2286; the delimiter, which no host may contain.
    Source: S3.9 A, host_timestamp_metric
    """

    host: str = part(DelimitedText("_"), "what was measured; any text without _")
    time_ms: int = part(Delimited(DecimalText(13), "_"), "when, milliseconds since 1970 UTC")
    metric: str = part(TrailingText, "what was counted or timed")


TABLE = POINTS.like("points_host_time_metric", PointOfHost, {"value": "p:v"}, holds="one point")
TABLES = TABLE.tables
Repository = partial(PointRepository, points=TABLE)
