"""Helpers of the variants' tests: points, questions as data, and the answers of a plain list."""

import pytest

from domains.monitoring import Average, Point
from domains.monitoring.design import DESIGN
from domains.monitoring.variants.bucketed import BUCKET_MS
from shared.records import LAST_MS

BY_NAME = {variant.name: variant for variant in DESIGN.variants}
WIDE = ["monitoring", "salted"]
LOSSLESS = [*WIDE, "host-time-metric", "metric-host-time"]
BUCKETS = ["bucketed", "hashed-bucket"]


def only(*names):
    """Runs a test for these variants."""
    return pytest.mark.parametrize("variant", [BY_NAME[name] for name in names], ids=names)


main_variant = only(DESIGN.main.name)
wide = only(*WIDE)
lossless = only(*LOSSLESS)


def table_of(name):
    (table,) = BY_NAME[name].tables
    return table


def point(time_ms=5, host="web-1", metric="cpu", value=1.0):
    return Point(host, metric, time_ms, value)


def stored(points, *new_points):
    """Stores points, and returns those that stay: a later value replaces that of the same time."""
    for new_point in new_points:
        points.store(new_point)
    return list({(new.host, new.metric, new.time_ms): new for new in new_points}.values())


def put_all(connection, table, points):
    """Many points in few calls, the timestamps of their cells left to the server."""
    with connection.table(table.name).batch(batch_size=5000) as batch:
        for each in points:
            batch.put(table.row(each), table.cells.pack(each))


def latest_of_buckets(points):
    """The points that stay if a bucket of fifteen minutes has one row for a metric of a host."""
    stay = {}
    for new in points:
        bucket = new.host, new.metric, new.time_ms // BUCKET_MS
        if bucket not in stay or stay[bucket].time_ms <= new.time_ms:
            stay[bucket] = new
    return list(stay.values())


def dump(connection, variant):
    """Every cell of the variant's table, with its timestamp."""
    (table,) = variant.tables
    return list(connection.table(table.name).scan(include_timestamp=True))


def times(points):
    return [each.time_ms for each in points]


def by_time(points):
    return sorted(points, key=lambda each: (each.time_ms, each.host, each.metric))


def refuses(name, method):
    """Whether a variant must refuse a question about a bounded period."""
    return {
        "of_host": name == "metric-host-time",
        "across_hosts": name not in ("metric-host-time", "bucketed"),
        "latest": name == "bucketed",
        "drop_before": name not in ("monitoring", "salted", "metric-host-time"),
    }.get(method, False)


def expected(points, method, **question):
    """The answer of a plain list."""
    since_ms, until_ms = question.pop("since_ms", None) or 0, question.pop("until_ms", None)
    until_ms = LAST_MS + 1 if until_ms is None else until_ms
    every_ms = question.pop("every_ms", 60_000)
    matching = [
        each
        for each in by_time(points)
        if since_ms <= each.time_ms < until_ms
        and all(getattr(each, name) == wanted for name, wanted in question.items())
    ]
    if method == "latest":
        return matching[-1] if matching else None
    if method == "averages":
        return averages(matching, every_ms)
    return matching


def averages(points, every_ms):
    values = {}
    for each in points:
        values.setdefault(each.time_ms // every_ms, []).append(each.value)
    return [Average(number * every_ms, len(some), sum(some) / len(some)) for number, some in values.items()]
