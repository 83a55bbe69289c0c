"""Published keys beside the keys of `monitoring`, and published mistakes with what each of them returns."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from shared.designs import Design, metered, scratch_store
from shared.exhibit import CELL_BYTES, RANGES, Outcome, PublishedKey, ScannedTable, Trap, recorded_heat, scanned_records
from shared.keys import EscapedText, Int64, Slice, between, part, row_key
from shared.records import parse_time, show_time
from shared.sources import Table

from ..keys import HOUR_MS, POINTS
from ..records import Point
from ..repository import PointRepository
from .variants import bucketed, hashed_bucket, host_time_metric, metric_host_time

if TYPE_CHECKING:
    import happybase

# ---- the keys of S3.9 byte for byte as published: names and numbers as text, joined by `_`


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
        'combine( hash(host), host, String.format("%010d", bucket), metric )',
        hashed_bucket.TABLE.layout,
        hashed_bucket.PointOfHostBucket("web-1", BUCKET_START_MS, "cpu"),
        {"HashPrefix": HASH + b"_", "host": b"web-1_", "time_ms": b"%010d_" % BUCKET, "metric": b"cpu"},
        {"time_ms": START},
    ),
)


# ---- four published mistakes about keys of metrics, each as wrong code beside the right code, on the embedded store


NINE_MS = parse_time("2026-01-12T09:00")
DAY_MS = 24 * HOUR_MS
MINUTE_MS = 60_000


def _stored(table: Table[Point], points: Iterable[Point]) -> "tuple[happybase.Connection, PointRepository]":
    """The points in an empty store, one by one."""
    connection = scratch_store(table.tables)
    repository = PointRepository(connection, table)
    for point in points:
        repository.store(point)
    return connection, repository


def bucket_without_time(design: Design) -> Outcome:
    """A bucket of fifteen minutes has one row for a metric of a host, so only its latest point stays."""
    points = list(design.loads[0].sample_records())
    kept: list[int] = []
    for table in (bucketed.TABLE, POINTS):
        connection, _repository = _stored(table, points)
        rows = connection.table(table.layout.name).scan()
        kept.append(sum(len(table.layout.records(row, cells)) for row, cells in rows))
    return Outcome(
        f"the {len(points):,} points of an hour",
        f"{kept[0]:,} points; {len(points) - kept[0]:,} were overwritten",
        f"{kept[1]:,} points",
    )


def bucket_against_hot_spots(design: Design) -> Outcome:
    """All writes of a moment go to the newest bucket, because it comes first; a hash of the host spreads them."""
    recording = recorded_heat(design)
    wrong, right = (recording.table(table.layout.name).heat for table in (bucketed.TABLE, hashed_bucket.TABLE))
    return Outcome(
        f"the later half of {recording.sample}, on {RANGES} ranges of the table",
        f"{wrong.share:.0%} of them in one range",
        f"{right.share:.0%} in the busiest range, with the hash of the host first",
    )


@row_key
class HourOfAllHosts:
    """The points of one hour of a metric on one host, beside those of the other hosts."""

    metric: str = part(EscapedText, "what was counted or timed")
    time_ms: int = part(Slice(Int64, HOUR_MS), "the hour, milliseconds since 1970 UTC")
    host: str = part(EscapedText, "what was measured")


def time_after_the_host(_design: Design) -> Outcome:
    """No range of a key binds the time after an unknown host: a metric's points of any time are read."""
    day = [
        Point(host, "cpu", NINE_MS - DAY_MS + minute * MINUTE_MS, 1.0)
        for host in ("web-1", "web-2", "web-3")
        for minute in range(0, 24 * 60, 10)
    ]
    hour_first = POINTS.like(key=HourOfAllHosts)

    def run(table: Table[Point], label: Callable[[Point], str]) -> ScannedTable:
        connection, _repository = _stored(table, day)
        query = table.on(connection).ask_more(metric="cpu", time_ms=between(NINE_MS - HOUR_MS, NINE_MS))
        records = query.page(limit=1000).records
        return scanned_records(connection, table.layout, query.explain().ranges, records, label, unit="point")

    wrong = run(metric_host_time.TABLE, lambda point: point.host)
    right = run(hour_first, lambda point: show_time(point.time_ms - point.time_ms % HOUR_MS)[11:16])
    return Outcome(
        f"{right.wanted} points of one hour, of all hosts",
        f"{wrong.read} points read for {wrong.wanted}",
        f"{right.read} points read for {right.wanted}, by the key [metric][hour][host]",
        (wrong, right),
    )


def row_for_each_point(_design: Design) -> Outcome:
    """One day of a series, a point a minute: HBase stores a row key with every cell, but sends it once for each row."""
    day = [Point("web-1", "cpu", NINE_MS - DAY_MS + minute * MINUTE_MS, float(minute)) for minute in range(24 * 60)]
    words: list[str] = []
    for table in (host_time_metric.TABLE, POINTS):
        connection, repository = _stored(table, day)
        rows = list(connection.table(table.layout.name).scan())
        sizes = Counter[str]()
        for row, cells in rows:
            sizes["bytes"] += sum(
                CELL_BYTES + len(row) + len(column) - 1 + len(value) for column, value in cells.items()
            )
        query = repository.of_metric("web-1", "cpu", day[0].time_ms, NINE_MS)
        with metered(connection) as at_once:
            assert len(list(query)) == len(day)
        with metered(connection) as in_pages:
            page = query.page(limit=100)
            while page.cursor:
                page = query.page(limit=100, cursor=page.cursor)
        words.append(
            f"{len(rows):,} rows, {sizes['bytes']:,} bytes stored; read in {at_once.rpcs} RPCs and "
            f"{at_once.bytes_fetched:,} bytes, or by 100 points in {in_pages.rpcs} and {in_pages.bytes_fetched:,}"
        )
    return Outcome(f"the {len(day):,} points of a series-day", words[0], words[1])


TRAPS = (
    Trap(
        "bucket without a time inside", "bucketID_host_metric, bucketID = timestamp / (15 minutes)", bucket_without_time
    ),
    Trap(
        "buckets of time against hot spots",
        "partitions by time automatically, avoids hot spots",
        bucket_against_hot_spots,
    ),
    Trap("time after the host", "metric_host_timestamp: getMetricsByType(metric, start, end)", time_after_the_host),
    Trap("a row for each point", "host_timestamp_metric", row_for_each_point),
)
