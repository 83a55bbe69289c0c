"""The loads and questions of `monitoring`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from . import keys
from .formats import FORMATS
from .records import Point
from .repository import PointRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "monitoring"

HOUR = {"since_ms": parse_time("2026-01-12T09:00"), "until_ms": parse_time("2026-01-12T10:00")}
TEN_MINUTES = {"since_ms": parse_time("2026-01-12T08:55"), "until_ms": parse_time("2026-01-12T09:05")}
CPU = {"host": "web-1", "metric": "cpu"}

ONE_METRIC = AccessPattern("one metric of a host, one hour", PointRepository.of_metric, {**CPU, **HOUR}, limit=200)
ACROSS_HOURS = AccessPattern("one metric of a host, ten minutes", PointRepository.of_metric, {**CPU, **TEN_MINUTES})
LATEST = AccessPattern("the latest value of a metric", PointRepository.latest, CPU)
OF_HOST = AccessPattern("all metrics of a host, ten minutes", PointRepository.of_host, {"host": "web-1", **TEN_MINUTES})
AVERAGES = AccessPattern("averages of each minute", PointRepository.averages, {**CPU, **HOUR})

OF_MANY_POINTS = Exemption("rows", "an average is made of all points of its minute", (AVERAGES,))
WIDE_ROWS = (
    Exemption("rows", "the first and the last hour of a period are read whole", (ACROSS_HOURS,)),
    Exemption("rows", "the metric comes before the time, so a host's points of any time are read", (OF_HOST,)),
    OF_MANY_POINTS,
)
WHOLE_HOURS = (*WIDE_ROWS, Exemption("rows", "the hour of the latest point is read whole", (LATEST,)))

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
    patterns=(ONE_METRIC, ACROSS_HOURS, LATEST, OF_HOST, AVERAGES),
    repository=PointRepository,
    variants=(Variant(keys, "a row for each hour of a metric, a cell for each point", WHOLE_HOURS),),
    without_upkeep="stores each point in one cell, so there is nothing to recover or to compare",
    accepted=(Accepted("no-ttl", "only you know how long points are worth keeping; `drop_before` deletes old hours"),),
)
