"""Published plan B: metric, host, time, as legible text; a row for each point."""

from functools import partial

from shared.keys import DecimalText, DelimitedText, part, row_key

from ...keys import POINTS
from ...repository import PointRepository


@row_key
class PointOfMetric:
    """One point in the log of its metric.

    Order:  by metric (as bytes with the delimiter _, so A1 comes before A), by host, then by time.
    Serves: a metric of a host in a period, one range; a metric of all hosts, at any time.
    Costs:  a row key for each point. A metric of all hosts in a period reads their points of any time, because the
            host comes before the time. All metrics of a host are refused.
    Fixed:  thirteen digits of time, which last until the year 2286; the delimiter, which no name may contain.
    Source: S3.9 B, metric_host_timestamp
    """

    metric: str = part(DelimitedText("_"), "what was counted or timed; any text without _")
    host: str = part(DelimitedText("_"), "what was measured; any text without _")
    time_ms: int = part(DecimalText(13), "when, milliseconds since 1970 UTC")


TABLE = POINTS.like("points_metric_host_time", PointOfMetric, {"value": "p:v"}, holds="one point")
TABLES = TABLE.tables
Repository = partial(PointRepository, points=TABLE)
