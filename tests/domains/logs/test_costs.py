"""What the questions cost, if a docstring says so: ranges, and rows that the store reads."""

from contextlib import ExitStack

import pytest

from domains.logs import LogRepository
from domains.logs.variants.slices import SLICE_MS
from shared.designs import metered
from shared.keys import InvalidQuestion
from shared.queries.pages import READ_AT_MOST

from .asking import BY_NAME, event, only, stored, times


@pytest.fixture
def hundred(logs):
    """A hundred events of one host, of two kinds by turns, as many of another one, a second apart."""
    stored(logs, *(event(1000 * at, host, "EF"[at % 2]) for host in ("a", "b") for at in range(100)))
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
                # All rows of a host for a page by time, or of any time for hosts named alike.
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


@only("logs", "oldest-first", "padded")
def test_a_window_of_one_host_reads_all_its_rows_for_every_page(hundred):
    query = hundred.window(0, 5000, host="a")
    page = query.page(limit=2)
    assert (len(page.records), page.rows_read, page.client_work) == (2, 100, ("time_ms", "order"))
    assert query.page(2, page.cursor).rows_read == 100


@only("logs")
def test_a_filter_at_the_server_saves_the_rows_that_the_client_would_drop(connection, hundred):
    for filter_at, rows in (("server", 0), ("client", 100)):
        with metered(connection) as cost:
            assert list(hundred.of_severity("a", "WARN", filter_at=filter_at)) == []
        assert cost.rows_fetched == rows


# ---- more rows than a page reads --------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowded(engine):
    """A repository on one table, by name: a host with more events than a page reads, two of them of a rare kind."""
    with ExitStack() as stores:
        repositories = {}
        for name in ("logs", "time-first"):
            (table,) = BY_NAME[name].tables
            connection = stores.enter_context(engine.shared_store(table))
            repositories[name] = BY_NAME[name].open(connection)
            with connection.table(table.name).batch(batch_size=1000) as batch:
                for time_ms in range(READ_AT_MOST + 1):
                    new_event = event(time_ms, kind="RARE" if time_ms in (0, READ_AT_MOST) else "GET")
                    batch.put(table.row(new_event), table.cells.pack(new_event))
        yield repositories


def test_a_filtered_page_ends_short_with_a_cursor_and_goes_on(crowded):
    first = crowded["time-first"].latest("host1", "RARE").page(limit=2)
    assert (times(first.records), first.rows_read) == ([READ_AT_MOST], READ_AT_MOST)
    second = crowded["time-first"].latest("host1", "RARE").page(limit=2, cursor=first.cursor)
    assert (times(second.records), second.cursor) == ([0], None)


def test_a_window_of_a_host_with_more_rows_than_are_sorted_is_refused_however_short_it_is(crowded):
    with pytest.raises(InvalidQuestion) as refused:
        crowded["logs"].window(5, 6, host="host1").page(limit=1)
    assert str(refused.value) == (
        "a sorted page reads all rows of its ranges, which hold more than 10000: "
        "ask with a condition on event, the first part of the row key that has none"
    )
    assert times(crowded["logs"].host_events("host1", "GET", 5, 6)) == [5]
