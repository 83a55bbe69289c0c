"""The story of the design: load the sample events, ask every question of every variant.

Run it: python -m domains.logs.example.
"""

from functools import partial

from shared.designs import AccessPattern, Design, Variant, load_samples, measure
from shared.records import parse_time
from shared.stores import connect
from shared.tables import TableLayout, create_tables

from . import keys_host_first, keys_modulo, keys_random, keys_salted, keys_slices, keys_time_first
from .formats import FORMATS
from .keys import LOGS
from .published import PUBLISHED
from .records import LogEvent, Repeats
from .repository import LogRepository
from .samples import LAST_MINUTE_MS, SAMPLES
from .traps import TRAPS

SINCE_MS = parse_time("2026-01-12T08:40")
UNTIL_MS = parse_time("2026-01-12T08:50")
TEN_MINUTES = {"since_ms": SINCE_MS, "until_ms": UNTIL_MS}

PATTERNS = (
    AccessPattern(
        "host-events",
        "one kind of a host's events, ten minutes",
        LogRepository.host_events,
        {"host": "web-1", "event": "GET", **TEN_MINUTES},
    ),
    AccessPattern(
        "latest", "a host's latest errors", LogRepository.latest, {"host": "web-1", "event": "ERROR", "limit": 10}
    ),
    AccessPattern("window", "all hosts, ten minutes", LogRepository.window, TEN_MINUTES),
    AccessPattern("window", "one host, ten minutes", LogRepository.window, {**TEN_MINUTES, "host": "web-1"}),
    AccessPattern(
        "hosts-like", "hosts named alike, ten minutes", LogRepository.hosts_like, {"host_prefix": "db-", **TEN_MINUTES}
    ),
    AccessPattern(
        "of-severity",
        "a host's warnings, by a filter",
        LogRepository.of_severity,
        {"host": "web-1", "severity": "WARN", **TEN_MINUTES},
    ),
    AccessPattern(
        "of-severity",
        "a host's warnings, by the client",
        LogRepository.of_severity,
        {"host": "web-1", "severity": "WARN", **TEN_MINUTES, "at": "client"},
    ),
)


OF_HOST = ("host-events", "latest")
FILTERED = ("hosts-like", "of-severity")
WITH_PERIOD = ("host-events", "window", *FILTERED)


def _rival(
    name: str, differs: str, table: TableLayout[LogEvent], same_ranges: tuple[str, ...] = (), *rows_as_returned: str
) -> Variant:
    """A sibling whose questions are those of `LogRepository`."""
    return Variant(name, differs, (table,), partial(LogRepository, table=table), same_ranges, rows_as_returned)


VARIANTS = (
    _rival("newest-first", "host, kind, newest first", LOGS, (*OF_HOST, *FILTERED), *OF_HOST),
    _rival("host-first", "host filled with x, kind, time", keys_host_first.TABLE, (*OF_HOST, *FILTERED), *OF_HOST),
    _rival("time-first", "time in front", keys_time_first.TABLE, (*OF_HOST, "window", *FILTERED)),
    _rival("modulo", "bucket of the time", keys_modulo.TABLE, (*OF_HOST, "window", *FILTERED)),
    _rival("salted", "bucket of the host", keys_salted.TABLE, (*OF_HOST, "window", *FILTERED)),
    _rival("slices", "slices of fifteen minutes", keys_slices.TABLE, WITH_PERIOD),
    Variant("random", "a random number in front", (keys_random.TABLE,), keys_random.RandomLogRepository),
)

DESIGN = Design(
    name="logs",
    question="Which row key finds log events by host, by kind and by time, without one region taking all writes?",
    record=LogEvent,
    variants=VARIANTS,
    store=LogRepository.store,
    patterns=PATTERNS,
    samples=SAMPLES,
    newest_ms=LAST_MINUTE_MS,
    formats=FORMATS,
    traps=TRAPS,
    published=PUBLISHED,
    each_file=Repeats,
)


def main() -> None:
    """Tells the story on empty stores in memory, and asserts what it claims."""
    answers: dict[str, list[list[LogEvent]]] = {}
    for variant in VARIANTS:
        connection = connect("embedded:")
        create_tables(connection, variant.tables)
        print(f"{variant.name}: {variant.differs}")
        for each in measure(connection, load_samples(connection, DESIGN, variant), PATTERNS):
            if each.refused:
                print(f"  {each.pattern.question}: refused")
                continue
            print(f"  {each.pattern.question}: {len(each.records)} found, {each.rows_read} rows read")
            answers.setdefault(each.pattern.question, []).append(sorted(each.records, key=lambda event: event.time_ms))

    print("whoever answers says the same")
    for given in answers.values():
        assert all(answer == given[0] for answer in given)


if __name__ == "__main__":
    main()
