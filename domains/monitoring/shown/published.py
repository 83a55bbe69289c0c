"""The keys of S3.9 byte for byte as published: names and numbers as text, joined by `_`."""

import hashlib

from shared.exhibit import PublishedKey

from .variants import bucketed, hashed_bucket, host_time_metric, metric_host_time

TIME_MS = 1_768_208_345_000  # 2026-01-12T08:59:05.000Z
BUCKET = TIME_MS // bucketed.BUCKET_MS
BUCKET_START_MS = BUCKET * bucketed.BUCKET_MS
HASH = hashlib.md5(b"web-1", usedforsecurity=False).hexdigest()[:8].encode()

START = "the start of the bucket in milliseconds, which sorts like its number and is shown as a time"

PUBLISHED = (
    PublishedKey(
        "S3.9 A",
        "host_timestamp_metric",
        host_time_metric.TABLE.layout,
        host_time_metric.PointOfHost("web-1", TIME_MS, "cpu"),
        {"host": b"web-1_", "time_ms": b"%d_" % TIME_MS, "metric": b"cpu"},
        {},
    ),
    PublishedKey(
        "S3.9 B",
        "metric_host_timestamp",
        metric_host_time.TABLE.layout,
        metric_host_time.PointOfMetric("cpu", "web-1", TIME_MS),
        {"metric": b"cpu_", "host": b"web-1_", "time_ms": b"%d" % TIME_MS},
        {},
    ),
    PublishedKey(
        "S3.9 C",
        "bucketID_host_metric",
        bucketed.TABLE.layout,
        bucketed.PointOfBucket(BUCKET_START_MS, "web-1", "cpu"),
        {"time_ms": b"%d_" % BUCKET, "host": b"web-1_", "metric": b"cpu"},
        {"time_ms": START},
    ),
    PublishedKey(
        "S3.9 C with the code of S3.11",
        'combine(hash(host), host, String.format("%010d", bucket), metric)',
        hashed_bucket.TABLE.layout,
        hashed_bucket.PointOfHostBucket("web-1", BUCKET_START_MS, "cpu"),
        {"HashPrefix": HASH + b"_", "host": b"web-1_", "time_ms": b"%010d_" % BUCKET, "metric": b"cpu"},
        {"time_ms": START},
    ),
)
