"""What questions and writes cost, if a docstring says so: ranges, calls, and rows that the store reads."""

import pytest

from domains.logs import LogEvent, LogRepository, NotAllStored
from domains.logs.shown.design import DESIGN
from domains.logs.shown.variants.slices import SLICE_MS
from shared.designs import metered
from shared.records import LAST_MS
from tests.domains.variants import named, only

BY_NAME = named(DESIGN)


def event(time_ms=5, host="host1", kind="GET"):
    return LogEvent(host, kind, time_ms)


@pytest.fixture
def hundred(logs):
    """A hundred events of one host, of two kinds by turns, as many of another one, a second apart."""
    logs.store_all(event(1000 * at, host, "EF"[at % 2]) for host in ("a", "b") for at in range(100))
    return logs


LATEST = (LogRepository.latest, {"host": "a", "event": "E"})
OF_KIND = (LogRepository.host_events, {"host": "a", "event": "E"})
ALIKE = (LogRepository.hosts_like, {"host_prefix": "a"})


def window(since_ms, until_ms, **host):
    return LogRepository.window, {"since_ms": since_ms, "until_ms": until_ms, **host}


def of_a(since_ms, until_ms):
    return window(since_ms, until_ms, host="a")


@pytest.mark.parametrize(
    ("variant", "question", "ranges", "rows"),
    [
        (BY_NAME[name], *case)
        for name, cases in {
            # A page of ten reads one row more, and two more in reverse.
            "logs": [
                (LATEST, 1, 11),
                (OF_KIND, 1, 12),
                # All rows of a host for a page by time, or of any time for hosts with one prefix.
                (of_a(0, 5000), 1, 100),
                ((LogRepository.hosts_like, {"host_prefix": "a", "since_ms": 0, "until_ms": 5000}), 1, 100),
            ],
            "oldest-first": [(LATEST, 1, 12), (OF_KIND, 1, 11), (of_a(0, 5000), 1, 100)],
            "time-first": [(window(0, 100_000), 1, 11)],
            # No question knows its bucket of the time; one that names its host knows that of the host.
            "modulo": [(LATEST, 8, None), (window(0, 5000), 8, None), (of_a(0, 5000), 8, None), (ALIKE, 8, None)],
            "salted": [
                (LATEST, 1, None),
                (OF_KIND, 1, None),
                (of_a(0, 5000), 1, None),
                (window(0, 5000), 8, None),
                (ALIKE, 8, None),
            ],
            # One range for each quarter of an hour, and no more rows than a page.
            "slices": [
                (of_a(0, 1), 1, 1),
                (of_a(1, 50_000), 1, 11),
                (of_a(0, SLICE_MS), 1, 11),
                (of_a(SLICE_MS - 1, SLICE_MS + 1), 2, None),
                (of_a(1, 4 * SLICE_MS + 1), 5, None),
            ],
        }.items()
        for case in cases
    ],
)
def test_a_page_of_ten_reads_so_many_rows_and_a_larger_one_so_many_ranges(connection, hundred, question, ranges, rows):
    method, arguments = question
    with metered(connection) as cost:
        method(hundred, **arguments).page(limit=10 if rows else 100)
    assert cost.rows_read in (cost.rows_fetched, None)
    assert (len(cost.ranges), rows and cost.rows_fetched) == (ranges, rows)


@only(DESIGN, "logs", "oldest-first", "padded")
def test_a_window_of_one_host_reads_all_its_rows_for_every_page(hundred):
    query = hundred.window(0, 5000, host="a")
    page = query.page(limit=2)
    assert (len(page.records), page.rows_read, page.client_work) == (2, 100, ("time_ms", "order"))
    assert query.page(2, page.cursor).rows_read == 100


@only(DESIGN, "logs")
def test_a_filter_at_the_server_saves_the_rows_that_the_client_would_drop(connection, hundred):
    for filter_at, rows in (("server", 0), ("client", 100)):
        with metered(connection) as cost:
            assert list(hundred.of_severity("a", "WARN", filter_at=filter_at)) == []
        assert cost.rows_fetched == rows


# ---- writes

EVENTS = [event(5), event(5, kind="POST"), event(6), event(5, "host2"), event(0), event(LAST_MS)]


def test_events_stored_together_need_one_call_and_the_time_of_each_is_the_timestamp_of_its_cells(
    connection, variant, logs
):
    with metered(connection) as cost:
        assert logs.store_all(iter(EVENTS)) == len(EVENTS)
        assert logs.store_all([]) == 0
        logs.store(EVENTS[0])
    assert (cost.rpcs, cost.ranges) == (1 + 1, [])
    rows = [cells for _row, cells in connection.table(variant.tables[0].name).scan(include_timestamp=True)]
    assert {stamp for cells in rows for _value, stamp in cells.values()} == {0, 5, 6, LAST_MS}


@only(DESIGN, "padded")
def test_an_event_that_cannot_be_stored_stores_none_of_those_that_go_with_it(connection, variant, logs):
    with pytest.raises(NotAllStored, match=r"^0 records stored; .*LogPadded\.host"):
        logs.store_all([event(1), event(2, "host with an x")])
    assert list(connection.table(variant.tables[0].name).scan()) == []
