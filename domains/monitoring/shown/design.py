"""`monitoring` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import AccessPattern, Exemption, Variant, Wrong
from shared.exhibit import ShownDesign

from ..design import (
    ACROSS_HOURS,
    AVERAGES,
    LATEST,
    OF_HOST,
    OF_MANY_POINTS,
    ONE_METRIC,
    TEN_MINUTES,
    WHOLE_HOURS,
    WIDE_ROWS,
)
from ..design import DESIGN as OWN
from ..repository import PointRepository
from .variants import bucketed, hashed_bucket, host_time_metric, latest, metric_host_time, salted

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

LOSES = "all points of fifteen minutes but the latest one"

ACROSS_HOSTS = AccessPattern(
    "one metric of all hosts, ten minutes", PointRepository.across_hosts, {"metric": "cpu", **TEN_MINUTES}, limit=200
)

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    patterns=(*OWN.patterns[:3], LATEST_OF_HOST, LATEST_OF_SITE, OWN.patterns[3], ACROSS_HOSTS, OWN.patterns[4]),
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="you ask for one metric of a host: its points, averages, or latest value",
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
            take_if="you ask for the latest values of a host, or of all hosts of a site",
            avoid_if="you cannot afford a second put for each point",
        ),
        Variant(
            host_time_metric,
            "published A: a row for each point, by host and time",
            (
                Exemption("rows", "the metric comes last, so the points of all metrics are read", (LATEST,)),
                OF_MANY_POINTS,
                Exemption("order", "a host's points come in row-key order, time before metric", (OF_HOST,)),
            ),
            take_if="you ask for all metrics of a host in a short period",
            avoid_if="you mostly ask for one metric",
        ),
        Variant(
            metric_host_time,
            "published B: a row for each point, by metric and host",
            (
                Exemption("rows", "the host comes before the time, so points of any time are read", (ACROSS_HOSTS,)),
                OF_MANY_POINTS,
            ),
            take_if="you ask for one metric of a host, and very often for its latest value",
            avoid_if="you ask for all metrics of a host, which it refuses",
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
)
