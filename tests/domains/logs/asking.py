"""Helpers of the variants' tests: events, questions as data, and the answers of a plain list."""

import pytest

from domains.logs import LogEvent, Repeats
from domains.logs.design import DESIGN
from shared.records import LAST_MS

BY_NAME = {variant.name: variant for variant in DESIGN.variants}
ANSWERING = ["logs", "host-first", "time-first", "modulo", "salted", "slices"]


def only(*names):
    """Runs a test for these variants."""
    return pytest.mark.parametrize("variant", [BY_NAME[name] for name in names], ids=names)


main_variant = only(DESIGN.main.name)
"""Runs a test on the main variant only, because every variant behaves alike: a refused question, a damaged cursor."""
answering = only(*ANSWERING)
at_any_time = only("logs", "host-first", "time-first", "modulo", "salted")
of_all_hosts = only("time-first", "modulo", "salted", "slices")


def event(time_ms=5, host="host1", kind="GET", message="", severity="INFO"):
    return LogEvent(host, kind, time_ms, severity, message)


def stored(logs, *events):
    """Stores events, equal ones with ties of their own, and returns them."""
    repeats = Repeats()
    numbered = [repeats(new_event) for new_event in events]
    for new_event in numbered:
        logs.store(new_event)
    return numbered


def dump(connection, variant):
    """Every cell of the variant's tables, with its timestamp."""
    return {table.name: list(connection.table(table.name).scan(include_timestamp=True)) for table in variant.tables}


def all_pages(query, limit):
    """The records of all pages."""
    records, cursor = [], None
    while True:
        page = query.page(limit, cursor)
        assert len(page.records) <= limit
        records += page.records
        cursor = page.cursor
        if cursor is None:
            return records


def times(records):
    return [record.time_ms for record in records]


def query_of(logs, question):
    """The query of (method, host or prefix of hosts, kind, [since_ms, until_ms]).

    For `of_severity server` and `of_severity client` the kind is the severity.
    """
    ask, host, kind, (since_ms, until_ms) = question
    if ask == "host_events":
        return logs.host_events(host, kind, since_ms, until_ms)
    if ask == "latest":
        return logs.latest(host, kind)
    if ask == "window":
        return logs.window(since_ms, until_ms, host=host)
    if ask.startswith("of_severity"):
        return logs.of_severity(host, kind, since_ms, until_ms, ask.split()[1])
    return logs.hosts_like(host, since_ms, until_ms)


def paged(logs, question, limit):
    """The whole answer, page by page."""
    return all_pages(query_of(logs, question), limit)


def expected(events, question):
    """The answer of a plain list of the events, by time."""
    ask, host, kind, (since_ms, until_ms) = question
    since_ms, until_ms = (0 if since_ms is None else since_ms), (LAST_MS + 1 if until_ms is None else until_ms)
    matching = [
        record
        for record in events
        if since_ms <= record.time_ms < until_ms
        and (host is None or (record.host.startswith(host) if ask == "hosts_like" else record.host == host))
        and (kind is None or kind == (record.severity if ask.startswith("of_severity") else record.event))
    ]
    return sorted(matching, key=by_time, reverse=ask == "latest")


def by_time(record):
    return record.time_ms, record.host, record.event, record.tie


def refuses(name, question):
    """Whether a variant must refuse a question."""
    ask, host, _kind, period = question
    if name == "slices":
        return None in period
    return name == "random" or (name in ("logs", "host-first") and ask == "window" and host is None)
