"""What the suite shows of `logs`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant
from shared.records import Repeats, parse_time

from . import keys
from .crossing import buckets_against_scans
from .formats import FORMATS
from .published import PUBLISHED
from .records import LogEvent
from .repository import LogRepository
from .traps import TRAPS
from .variants import modulo, oldest_first, padded, random, salted, slices, time_first

SAMPLES = Path(__file__).parents[2] / "fixtures" / "logs"

TEN_MINUTES = {"since_ms": parse_time("2026-01-12T08:40"), "until_ms": parse_time("2026-01-12T08:50")}

OF_KIND = AccessPattern(
    "one kind of a host's events, ten minutes",
    LogRepository.host_events,
    {"host": "web-1", "event": "GET", **TEN_MINUTES},
)
LATEST = AccessPattern("a host's latest errors", LogRepository.latest, {"host": "web-1", "event": "ERROR"}, limit=10)
LATEST_OF_ALL = AccessPattern("the latest events of all hosts", LogRepository.latest_of_all, {}, limit=10)
ALL_HOSTS = AccessPattern("all hosts, ten minutes", LogRepository.window, TEN_MINUTES)
ONE_HOST = AccessPattern("one host, ten minutes", LogRepository.window, {**TEN_MINUTES, "host": "web-1"})
ALIKE = AccessPattern("hosts named alike, ten minutes", LogRepository.hosts_like, {"host_prefix": "db-", **TEN_MINUTES})
WARNINGS = {"host": "web-1", "severity": "WARN", **TEN_MINUTES}
BY_FILTER = AccessPattern("a host's warnings, by a filter", LogRepository.of_severity, WARNINGS)
BY_CLIENT = AccessPattern(
    "a host's warnings, by the client", LogRepository.of_severity, {**WARNINGS, "filter_at": "client"}
)

OF_A_HOST = (OF_KIND, LATEST, ONE_HOST, ALIKE)
KIND_BEFORE_TIME = Exemption(
    "rows",
    "the kind comes before the time, so a question without a kind reads a host's rows of any time",
    (ONE_HOST, ALIKE),
)
TIME_FIRST = Exemption("rows", "the time comes first, so the rows of all hosts are read", OF_A_HOST)

FEW_WRITES = Accepted("rising", "this key is for few writes; a salt of the host spreads them")

DESIGN = Design(
    name="logs",
    question="Which row keys find log events by host, by kind or by time, and which of them spread the writes?",
    loads=(
        Load(
            "events", LogEvent, LogRepository.store, SAMPLES / "logs.jsonl", FORMATS, Repeats, LogRepository.store_all
        ),
    ),
    patterns=(OF_KIND, LATEST, LATEST_OF_ALL, ALL_HOSTS, ONE_HOST, ALIKE, BY_FILTER, BY_CLIENT),
    repository=LogRepository,
    variants=(
        Variant(
            keys,
            "host, kind, newest first",
            (KIND_BEFORE_TIME,),
            take_if="you ask for the latest events of one host and kind",
            avoid_if="you ask for all hosts in a period, which it refuses",
        ),
        Variant(
            oldest_first,
            "host, kind, oldest first",
            (KIND_BEFORE_TIME,),
            take_if="you mostly read one host and kind from the oldest event to the newest",
            avoid_if="you mostly read the latest events: they are a reverse scan",
        ),
        Variant(
            time_first,
            "time first",
            (TIME_FIRST,),
            take_if="you ask for all hosts, a period or the latest events, and write little",
            avoid_if="one region cannot absorb all writes: they all go to the last region",
            accepted=(FEW_WRITES,),
        ),
        Variant(
            modulo,
            "bucket of the time, then time",
            (TIME_FIRST,),
            mistake="every question reads all eight buckets, and times in whole seconds all fall into one of them",
        ),
        Variant(
            salted,
            "bucket of the host, then time",
            (
                Exemption(
                    "rows",
                    "in a bucket the rows of all its hosts are in order of time, so other hosts and kinds are read",
                    OF_A_HOST,
                ),
            ),
            take_if="you ask for all hosts, a period or the latest events, and write more than one region can absorb",
            avoid_if="one host alone writes that much: all its rows are in one bucket",
        ),
        Variant(
            slices,
            "slices of fifteen minutes, then host",
            (
                Exemption(
                    "rows",
                    "a question without a host reads whole slices, of all hosts or of those named alike",
                    (ALL_HOSTS, ALIKE),
                ),
            ),
            take_if="you ask for all events of one host in some hours",
            avoid_if=(
                "you ask for the latest events or for all hosts, a host name contains a `_`, or one region cannot "
                "absorb all writes"
            ),
            accepted=(FEW_WRITES,),
        ),
        Variant(
            padded,
            "host padded with x, kind, newest first",
            (KIND_BEFORE_TIME,),
            take_if="programs that you cannot change pad the host so",
            avoid_if="a host name contains an `x`, which is the padding, or has more than 20 bytes",
        ),
        Variant(
            random,
            "a random number first",
            (Exemption("loading", "an event that is stored again gets another number, so it becomes another row"),),
            mistake="no reader can compute the number, so every question is refused",
        ),
    ),
    without_upkeep="stores each event in one put, so there is nothing to recover or to compare",
    exemptions=(
        Exemption("rows", "the severity is in no row key, so other severities are read too", (BY_FILTER, BY_CLIENT)),
        Exemption(
            "order", "they come in row-key order: to sort them, each page would read all rows of these hosts", (ALIKE,)
        ),
    ),
    accepted=(
        Accepted(
            "long-key",
            "a server-side filter compares the severity, which needs a cell of its own, and messages are longer than "
            "those of the samples",
        ),
    ),
    traps=TRAPS,
    published=PUBLISHED,
    crossing=buckets_against_scans,
)
