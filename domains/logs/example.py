"""The story of the design: load the sample events, ask every question of every variant.

Run it: python -m domains.logs.example.
"""

from functools import partial
from pathlib import Path

from shared.designs import Design, Variant, load_samples
from shared.patterns import AccessPattern, measure
from shared.stores import connect
from shared.tables import TableDesign, create_tables
from shared.times import parse_time

from . import keys_host_first, keys_modulo, keys_random, keys_salted, keys_slices, keys_time_first
from .formats import FORMATS
from .keys import LOGS
from .records import LogEvent, Repeats
from .repository import LogRepository
from .traps import TRAPS

SAMPLES = Path(__file__).parents[2] / "fixtures" / "logs" / "logs.jsonl"
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
)


def _rival(name: str, differs: str, table: TableDesign[LogEvent], ranges: str = "", rows: str = "") -> Variant:
    """A sibling whose questions are those of `LogRepository`; `ranges` and `rows` name those that keep their costs."""
    return Variant(
        name, differs, (table,), partial(LogRepository, table=table), tuple(ranges.split()), tuple(rows.split())
    )


VARIANTS = (
    _rival("newest-first", "host, kind, newest first", LOGS, "host-events latest hosts-like", "host-events latest"),
    _rival(
        "host-first",
        "host filled with x, kind, time",
        keys_host_first.TABLE,
        "host-events latest hosts-like",
        "host-events latest",
    ),
    _rival("time-first", "time in front", keys_time_first.TABLE, "host-events latest window hosts-like", ""),
    _rival("modulo", "bucket of the time", keys_modulo.TABLE, "host-events latest window hosts-like", ""),
    _rival("salted", "bucket of the host", keys_salted.TABLE, "host-events latest window hosts-like", ""),
    _rival("slices", "slices of fifteen minutes", keys_slices.TABLE, "host-events window hosts-like", ""),
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
    newest_ms=60_000,
    formats=FORMATS,
    traps=TRAPS,
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
