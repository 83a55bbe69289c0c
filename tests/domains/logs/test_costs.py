"""What the questions cost, where a docstring says so: ranges, and rows that the store steps over."""

from contextlib import ExitStack

import pytest

from domains.logs.variants.slices import SLICE_MS
from shared.designs import metered
from shared.keys import InvalidQuestion
from shared.queries.pages import READ_AT_MOST

from .asking import BY_NAME, event, only, stored, times


def cost_of(connection, query, limit=100, cursor=None):
    """Ranges of a page, and rows that came over; a store that counts them steps over no others."""
    with metered(connection) as cost:
        query.page(limit, cursor)
    assert cost.rows_read in (cost.rows_fetched, None)
    return len(cost.ranges), cost.rows_fetched


@pytest.fixture
def hundred(logs):
    """A hundred events of one host, of two kinds by turns, as many of another one, a second apart."""
    for host in ("a", "b"):
        stored(logs, *(event(1000 * at, host, "EF"[at % 2]) for at in range(100)))
    return logs


@only("logs")
def test_newest_first_reads_one_row_more_than_it_returns_and_in_reverse_two(connection, hundred):
    assert cost_of(connection, hundred.latest("a", "E"), 10) == (1, 11)
    assert cost_of(connection, hundred.host_events("a", "E"), 10) == (1, 12)


@only("host-first")
def test_host_first_reads_one_row_more_than_it_returns_and_in_reverse_two(connection, hundred):
    assert cost_of(connection, hundred.host_events("a", "E"), 10) == (1, 11)
    assert cost_of(connection, hundred.latest("a", "E"), 10) == (1, 12)


@only("logs", "host-first")
def test_a_window_of_one_host_reads_all_its_rows_for_every_page(connection, hundred):
    query = hundred.window(0, 5000, host="a")
    page = query.page(limit=2)
    assert (len(page.records), page.rows_read, page.client_work) == (2, 100, ("time_ms", "order"))
    assert cost_of(connection, query, 2, page.cursor) == (1, 100)


@only("logs", "host-first")
def test_hosts_named_alike_are_one_scan_of_their_rows_whenever_they_happened(connection, hundred):
    assert cost_of(connection, hundred.hosts_like("a", 0, 5000)) == (1, 100)
    assert len(list(hundred.hosts_like("a", 0, 5000))) == 5


@only("time-first")
def test_a_period_of_all_hosts_reads_one_row_more_than_it_returns(connection, hundred):
    assert cost_of(connection, hundred.window(0, 100_000), 10) == (1, 11)


@only("modulo")
def test_no_question_knows_its_bucket_of_the_time(connection, hundred):
    for query in (
        hundred.latest("a", "E"),
        hundred.window(0, 5000),
        hundred.window(0, 5000, host="a"),
        hundred.hosts_like("a"),
    ):
        assert cost_of(connection, query)[0] == 8


@only("salted")
def test_a_question_that_names_its_host_reads_one_bucket(connection, hundred):
    assert cost_of(connection, hundred.window(0, 5000, host="a"))[0] == 1
    assert cost_of(connection, hundred.latest("a", "E"))[0] == 1
    assert cost_of(connection, hundred.host_events("a", "E"))[0] == 1
    assert cost_of(connection, hundred.window(0, 5000))[0] == 8
    assert cost_of(connection, hundred.hosts_like("a"))[0] == 8


@only("slices")
def test_slices_read_one_range_for_each_quarter_of_an_hour(connection, hundred):
    quarter = SLICE_MS
    for since, until, ranges in ((0, 1, 1), (1, quarter, 1), (quarter - 1, quarter + 1, 2), (1, 4 * quarter + 1, 5)):
        assert cost_of(connection, hundred.window(since, until, host="a"))[0] == ranges


@only("slices")
def test_slices_read_no_more_of_a_hosts_period_than_a_page_of_it(connection, hundred):
    assert cost_of(connection, hundred.window(1, 50_000, host="a"), 10) == (1, 11)


@only("slices")
def test_slices_read_no_more_of_whole_quarters_than_a_page_of_them(connection, hundred):
    assert cost_of(connection, hundred.window(0, SLICE_MS, host="a"), 10) == (1, 11)


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
