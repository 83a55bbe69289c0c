"""Points in a plain list: what every variant has to answer."""

from functools import reduce
from operator import add

from domains.monitoring import Average
from domains.monitoring.keys import HOUR_MS
from domains.monitoring.shown.design import DESIGN
from domains.monitoring.shown.variants.bucketed import BUCKET_MS
from shared.keys import InvalidQuestion
from shared.testing import PlainList, in_period

REFUSED = {
    "of_host": ["metric-host-time"],
    "across_hosts": ["monitoring", "salted", "latest", "host-time-metric", "hashed-bucket"],
    "latest": ["bucketed"],
    "latest_of_hosts": [variant.name for variant in DESIGN.variants if variant.name != "latest"],
}
"""The variants that refuse a question."""


class PlainPoints:
    """The questions of `PointRepository`. A later point replaces that of the same time; in buckets, of the bucket."""

    def __init__(self, variant, points):
        self.variant = variant
        every_ms = BUCKET_MS if "bucket" in variant else 1
        in_order = sorted(points, key=lambda point: point.time_ms)  # among equal times, in the order stored
        self.points = [*{(point.host, point.metric, point.time_ms // every_ms): point for point in in_order}.values()]
        self.points.sort(key=lambda point: (point.time_ms, point.host, point.metric))

    def of_metric(self, host, metric, since_ms=None, until_ms=None):
        return self._between("of_metric", since_ms, until_ms, host=host, metric=metric)

    def latest(self, host, metric):
        points = self._between("latest", None, None, host=host, metric=metric)
        return points[-1] if points else None

    def latest_of_host(self, host):
        return {point for point in self.latest_of_hosts(host) if point.host == host}

    def latest_of_hosts(self, host_prefix, metric=None):
        of_all = self._between("latest_of_hosts", None, None)
        newest = {(point.host, point.metric): point for point in of_all}.values()
        return {p for p in newest if p.host.startswith(host_prefix) and metric in (None, p.metric)}

    def of_host(self, host, since_ms, until_ms):
        return {*self._between("of_host", since_ms, until_ms, host=host)}

    def across_hosts(self, metric, since_ms, until_ms):
        return {*self._between("across_hosts", since_ms, until_ms, metric=metric)}

    def averages(self, host, metric, since_ms, until_ms, every_ms=60_000):
        values = {}
        for point in self._between("of_metric", since_ms, until_ms, host=host, metric=metric):
            values.setdefault(point.time_ms // every_ms, []).append(point.value)
        return [Average(start * every_ms, len(some), reduce(add, some) / len(some)) for start, some in values.items()]

    def _between(self, question, since_ms, until_ms, **wanted):
        if self.variant in REFUSED.get(question, ()):
            raise InvalidQuestion(f"{question}: has no range")
        return in_period(self.points, since_ms, until_ms, **wanted)


TIMES_MS = [0, 1, 59_999, 60_000, BUCKET_MS - 1, BUCKET_MS, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1, 3 * HOUR_MS, 10**12 + 7]

PLAIN_LIST = PlainList(
    DESIGN,
    PlainPoints,
    {
        "host_prefix": ["", "a", "web-", "web-1", "z"],
        "host": ["a", "ab", "web-1", "web-12", "é"],
        "metric": ["c", "cpu", "cpu-idle"],
        "time_ms": TIMES_MS,
        "value": [eighths / 8 for eighths in range(-8, 9)],  # their sums are exact
        "since_ms": [*TIMES_MS, 2 * HOUR_MS],
        "until_ms": [*TIMES_MS, 2 * HOUR_MS],
        "every_ms": [1, 60_000, HOUR_MS, 7 * HOUR_MS + 1],
    },
)
