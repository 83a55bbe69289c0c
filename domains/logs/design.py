"""The loads and questions of `logs`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant
from shared.records import Repeats, parse_time

from . import keys
from .formats import FORMATS
from .records import LogEvent
from .repository import LogRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "logs"

TEN_MINUTES = {"since_ms": parse_time("2026-01-12T08:40"), "until_ms": parse_time("2026-01-12T08:50")}

OF_KIND = AccessPattern(
    "one kind of a host's events, ten minutes",
    LogRepository.host_events,
    {"host": "web-1", "event": "GET", **TEN_MINUTES},
)
LATEST = AccessPattern("a host's latest errors", LogRepository.latest, {"host": "web-1", "event": "ERROR"}, limit=10)
ONE_HOST = AccessPattern("one host, ten minutes", LogRepository.window, {**TEN_MINUTES, "host": "web-1"})
ALIKE = AccessPattern("hosts db-..., ten minutes", LogRepository.hosts_like, {"host_prefix": "db-", **TEN_MINUTES})
WARNINGS = {"host": "web-1", "severity": "WARN", **TEN_MINUTES}
BY_FILTER = AccessPattern("a host's warnings, by filter", LogRepository.of_severity, WARNINGS)
BY_CLIENT = AccessPattern(
    "a host's warnings, by the client", LogRepository.of_severity, {**WARNINGS, "filter_at": "client"}
)

KIND_BEFORE_TIME = Exemption(
    "rows",
    "the kind comes before the time, so a question without a kind reads a host's rows of any time",
    (ONE_HOST, ALIKE),
)

DESIGN = Design(
    name="logs",
    question="Which row keys find log events by host, by kind or by time, and which of them spread the writes?",
    loads=(
        Load(
            "events", LogEvent, LogRepository.store, SAMPLES / "logs.jsonl", FORMATS, Repeats, LogRepository.store_all
        ),
    ),
    patterns=(OF_KIND, LATEST, ONE_HOST, ALIKE, BY_FILTER, BY_CLIENT),
    repository=LogRepository,
    variants=(Variant(keys, "host, kind, newest first", (KIND_BEFORE_TIME,)),),
    without_upkeep="stores each event in one put, so there is nothing to recover or to compare",
    exemptions=(
        Exemption("rows", "the severity is in no row key, so other severities are read too", (BY_FILTER, BY_CLIENT)),
        Exemption(
            "order",
            "events of several hosts come in row-key order: sorted by time, each page would read all their rows",
            (ALIKE,),
        ),
    ),
)
