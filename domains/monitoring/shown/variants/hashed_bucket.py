"""Published plan C as its code has it, with a hash of the host first. Do not copy it: a bucket keeps one point."""

from functools import partial

from shared.keys import DecimalText, Delimited, DelimitedText, HashPrefix, KeyLayout, Slice, TrailingText, part, row_key

from ...keys import POINTS
from ...repository import PointRepository
from .bucketed import BUCKET_MS


@row_key
class PointOfHostBucket:
    """The latest point of a metric of a host in fifteen minutes; it has replaced all others.

    Order:  by host (hashed, so that hosts are spread), by bucket, then by metric.
    Serves: the latest point of each bucket of a host.
    Costs:  every point but one is lost. One metric reads all metrics of the host. A metric of all hosts is refused.
    Fixed:  the length of a bucket; the delimiter, which no host may contain.
    Source: S3.9 C, combine(hash(host), host, String.format("%010d", bucket), metric) of S3.11
    """

    host: str = part(DelimitedText("_"), "what was measured; any text without _")
    time_ms: int = part(Slice(Delimited(DecimalText(13), "_"), BUCKET_MS), "start of the bucket, ms since 1970 UTC")
    metric: str = part(TrailingText, "what was counted or timed")


TABLE = POINTS.like(
    "points_hashed_bucket",
    KeyLayout(PointOfHostBucket, HashPrefix(of="host", bytes=8, hex=True, separator="_")),
    {"time_ms": "p:t", "value": "p:v"},
    holds="the latest point of a bucket",
)
TABLES = TABLE.tables
Repository = partial(PointRepository, points=TABLE)
