"""Published plan C: the bucket of fifteen minutes first. Do not copy it: a bucket keeps one point of a metric."""

from functools import partial

from shared.keys import DecimalText, Delimited, DelimitedText, Slice, TrailingText, part, row_key

from ...keys import POINTS
from ...repository import PointRepository

BUCKET_MS = 15 * 60 * 1000


@row_key
class PointOfBucket:
    """The latest point of a metric of a host in fifteen minutes; it has replaced all others.

    Order:  by bucket, by host (as bytes with the delimiter _, so A1 comes before A), then by metric.
    Serves: the latest point of each bucket, of all hosts in a period.
    Costs:  every point but one is lost. One host, or one metric, reads whole buckets. Writes go to the newest bucket.
    Fixed:  the length of a bucket; the delimiter, which no host may contain.
    Source: S3.9 C, bucketID_host_metric, bucketID = timestamp / (15 minutes)
    """

    time_ms: int = part(Slice(Delimited(DecimalText(13), "_"), BUCKET_MS), "start of the bucket, ms since 1970 UTC")
    host: str = part(DelimitedText("_"), "what was measured; any text without _")
    metric: str = part(TrailingText, "what was counted or timed")


TABLE = POINTS.like(
    "points_bucketed", PointOfBucket, {"time_ms": "p:t", "value": "p:v"}, holds="the latest point of a bucket"
)
TABLES = TABLE.tables
Repository = partial(PointRepository, points=TABLE)
