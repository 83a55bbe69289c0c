"""What the suite shows of `monitoring`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant, Wrong
from shared.records import parse_time

from . import keys
from .crossing import tall_against_wide
from .formats import FORMATS
from .published import PUBLISHED
from .records import Point
from .repository import PointRepository
from .traps import TRAPS
from .variants import bucketed, hashed_bucket, host_time_metric, latest, metric_host_time, salted

SAMPLES = Path(__file__).parents[2] / "fixtures" / "monitoring"

HOUR = {"since_ms": parse_time("2026-01-12T09:00"), "until_ms": parse_time("2026-01-12T10:00")}
TEN_MINUTES = {"since_ms": parse_time("2026-01-12T08:55"), "until_ms": parse_time("2026-01-12T09:05")}
CPU = {"host": "web-1", "metric": "cpu"}

ONE_METRIC = AccessPattern("one metric of a host, one hour", PointRepository.of_metric, {**CPU, **HOUR}, limit=200)
ACROSS_HOURS = AccessPattern("one metric of a host, ten minutes", PointRepository.of_metric, {**CPU, **TEN_MINUTES})
LATEST = AccessPattern("the latest value of a metric", PointRepository.latest, CPU)
NEEDS_LATEST = "needs a table of latest points, or one question for each metric of each host"
LATEST_OF_HOST = AccessPattern(
    "the latest value of every metric of a host",
    latest.Repository.latest_of_host,
    {"host": "web-1"},
    why_lacking=NEEDS_LATEST,
)
LATEST_OF_SITE = AccessPattern(
    "the latest value of a metric on every host of a site",
    latest.Repository.latest_of_hosts,
    {"host_prefix": "web-", "metric": "cpu"},
    why_lacking=NEEDS_LATEST,
)
OF_HOST = AccessPattern("all metrics of a host, ten minutes", PointRepository.of_host, {"host": "web-1", **TEN_MINUTES})
ACROSS_HOSTS = AccessPattern(
    "one metric of all hosts, ten minutes", PointRepository.across_hosts, {"metric": "cpu", **TEN_MINUTES}, limit=200
)
AVERAGES = AccessPattern("averages of each minute", PointRepository.averages, {**CPU, **HOUR})

OF_MANY_POINTS = Exemption("rows", "an average is made of all points of its minute", (AVERAGES,))
WIDE_ROWS = (
    Exemption("rows", "the first and the last hour of a period are read whole", (ACROSS_HOURS,)),
    Exemption("rows", "the metric comes before the time, so a host's points of any time are read", (OF_HOST,)),
    OF_MANY_POINTS,
)
WHOLE_HOURS = (*WIDE_ROWS, Exemption("rows", "the hour of the latest point is read whole", (LATEST,)))


LOSES = "all points of fifteen minutes but the latest one"


DESIGN = Design(
    name="monitoring",
    question="How are the points of many metrics stored, so that one metric in a period is one range of few rows?",
    loads=(
        Load(
            "points",
            Point,
            PointRepository.store,
            SAMPLES / "points.jsonl",
            FORMATS,
            store_all=PointRepository.store_all,
        ),
    ),
    patterns=(ONE_METRIC, ACROSS_HOURS, LATEST, LATEST_OF_HOST, LATEST_OF_SITE, OF_HOST, ACROSS_HOSTS, AVERAGES),
    repository=PointRepository,
    variants=(
        Variant(
            keys,
            "a row for each hour of a metric, a cell for each point",
            WHOLE_HOURS,
            take_if="you ask for one metric of a host: the points of a period, their averages, the latest value",
            avoid_if="you ask for one metric of all hosts, which it refuses",
        ),
        Variant(
            salted,
            "the same rows in buckets",
            WHOLE_HOURS,
            take_if="you ask for the same, and busy hosts have adjacent names",
            avoid_if="you often ask for all metrics of a host: that reads every bucket",
        ),
        Variant(
            latest,
            "the same rows, and a table with the latest point of each metric",
            (
                *WIDE_ROWS,
                Exemption(
                    "rows", "the host comes first, so the latest points of all metrics are read", (LATEST_OF_SITE,)
                ),
            ),
            without_upkeep=(
                "puts a point into its hour, then into its latest row, so a crash leaves at most an old latest row; "
                "repeat the call, or wait for the next point of the metric"
            ),
            take_if="you ask for the latest value of every metric of a host, or of every host of a site",
            avoid_if="you cannot afford a second put for each point",
        ),
        Variant(
            host_time_metric,
            "published A: a row for each point, by host and time",
            (
                Exemption("rows", "the metric comes last, so the points of all metrics are read", (LATEST,)),
                OF_MANY_POINTS,
                Exemption("order", "they come in row-key order, which has the time before the metric", (OF_HOST,)),
            ),
            take_if="you ask for all metrics of a host in a short period",
            avoid_if=(
                "you mostly ask for one metric, or delete old points of single metrics, or a host name contains a `_`"
            ),
        ),
        Variant(
            metric_host_time,
            "published B: a row for each point, by metric and host",
            (
                Exemption("rows", "the host comes before the time, so points of any time are read", (ACROSS_HOSTS,)),
                OF_MANY_POINTS,
            ),
            take_if="you ask for one metric of a host, and very often for its latest value",
            avoid_if="you ask for all metrics of a host, which it refuses, or a name contains a `_`",
        ),
        Variant(
            bucketed,
            "published C: the bucket of the time first",
            (
                Exemption(
                    "rows",
                    "the bucket comes first, so whole buckets of all hosts are read",
                    (ONE_METRIC, ACROSS_HOURS, OF_HOST, ACROSS_HOSTS, AVERAGES),
                ),
            ),
            wrong=Wrong(LOSES, (ONE_METRIC, ACROSS_HOURS, OF_HOST, ACROSS_HOSTS, AVERAGES)),
        ),
        Variant(
            hashed_bucket,
            "published C with a hash of the host first",
            (Exemption("rows", "the metric comes last, so the rows of all metrics are read", (ACROSS_HOURS, LATEST)),),
            wrong=Wrong(LOSES, (ONE_METRIC, ACROSS_HOURS, OF_HOST, AVERAGES)),
        ),
    ),
    without_upkeep="stores each point in one cell, so there is nothing to recover or to compare",
    accepted=(
        Accepted(
            "long-key",
            "a point is put as it arrives, so it is a cell of its own; a scan sends the key once for each row; in "
            "`tsdb` names are codes, and a compaction makes one cell of an hour",
        ),
        Accepted(
            "tie",
            "host, metric and time identify a point: a value that is sent again replaces the earlier one",
            ("points", "points_salted", "points_with_latest", "points_host_time_metric", "points_metric_host_time"),
        ),
        Accepted("no-ttl", "only you know how long points are worth keeping; `drop_before` deletes old hours"),
    ),
    traps=TRAPS,
    published=PUBLISHED,
    crossing=tall_against_wide,
)
