"""Every question, asked of every variant whose key can answer it; and loading again."""

from itertools import chain

import happybase
import pytest
from Hbase_thrift import IOError as HBaseError  # a module that happybase makes

from domains.logs import LogEvent, NotAllStored, Repeats
from domains.logs.variants.slices import SLICE_MS
from shared.designs import metered
from shared.keys import InvalidKey
from shared.loading import UnreadableFile
from shared.records import LAST_MS
from shared.writes import batches

from .asking import (
    all_pages,
    answering,
    at_any_time,
    dump,
    event,
    expected,
    of_all_hosts,
    only,
    paged,
    query_of,
    stored,
    times,
)

# ---- each question ----------------------------------------------------------------------------------


@at_any_time
def test_a_hosts_events_of_one_kind_come_oldest_first(logs):
    old, new, *_others = stored(logs, event(5), event(9), event(7, kind="POST"), event(7, "host2"))
    assert list(logs.host_events("host1", "GET")) == [old, new]


@answering
def test_a_hosts_events_of_one_kind_in_a_period_come_oldest_first(logs):
    _before, *inside, _at_the_end = stored(logs, *map(event, range(4, 9)))
    assert list(logs.host_events("host1", "GET", since_ms=5, until_ms=8)) == inside


@at_any_time
def test_the_latest_events_come_newest_first(logs):
    _oldest, old, new, *_others = stored(logs, event(5), event(7), event(9), event(99, kind="POST"), event(99, "host2"))
    assert logs.latest("host1", "GET").page(limit=2).records == [new, old]


@of_all_hosts
def test_a_window_of_all_hosts_comes_in_the_order_of_time(logs):
    first, second, third = stored(logs, event(5, "host2"), event(6, "host1"), event(7, "a"))
    assert list(logs.window(5, 8)) == [first, second, third]


@of_all_hosts
def test_events_of_one_moment_come_by_host_then_kind_then_tie(logs):
    moment = stored(logs, *(event(5, host, kind) for host in ("b", "a", "ab", "é") for kind in ("F", "E", "E")))
    assert list(logs.window(5, 6)) == sorted(moment, key=lambda each: (each.host, each.event, each.tie))


@answering
def test_a_window_of_one_host_has_all_its_kinds_in_the_order_of_time(logs):
    first, second, third, _other = stored(logs, event(5, kind="Z"), event(6, kind="A"), event(7), event(6, "host2"))
    assert list(logs.window(5, 8, host="host1")) == [first, second, third]


@answering
def test_hosts_named_alike_are_those_whose_name_starts_with_the_prefix(logs):
    events = stored(logs, *(event(5, host) for host in ("db-1", "db-10", "db", "adb-1", "db-", "DB-1")))
    records = list(logs.hosts_like("db-", since_ms=0, until_ms=10))
    assert {record.host for record in records} == {"db-1", "db-10", "db-"}
    assert {*records} <= {*events}


@answering
def test_what_is_stored_comes_back_whole(logs):
    (whole,) = stored(logs, LogEvent("é", "🐘\0", 0, "", "no route\n\tat Router.find\0"))
    assert list(logs.host_events("é", "🐘\0", 0, 1)) == [whole]


@answering
@pytest.mark.parametrize("time_ms", [0, 1, SLICE_MS - 1, SLICE_MS, LAST_MS])
def test_an_event_of_the_first_and_of_the_last_moment_is_found(logs, time_ms):
    (only_one,) = stored(logs, event(time_ms))
    assert list(logs.window(time_ms, time_ms + 1, host="host1")) == [only_one]
    assert list(logs.host_events("host1", "GET", time_ms, time_ms + 1)) == [only_one]
    assert list(logs.hosts_like("host", time_ms, time_ms + 1)) == [only_one]


@answering
def test_an_empty_table_answers_with_an_empty_page(logs):
    for query in (logs.host_events("a", "E", 0, 9), logs.window(0, 9, host="a"), logs.hosts_like("a", 0, 9)):
        page = query.page()
        assert (page.records, page.cursor) == ([], None)


# ---- ties -------------------------------------------------------------------------------------------


@answering
def test_equal_events_of_one_millisecond_are_all_kept(logs):
    events = stored(logs, *[event()] * 22)
    by_tie = sorted(events, key=lambda each: each.tie)
    assert list(logs.host_events("host1", "GET", 5, 6)) == list(logs.window(5, 6, host="host1")) == by_tie
    assert len({*by_tie}) == 22


@at_any_time
def test_the_latest_of_one_millisecond_come_in_the_opposite_order(logs):
    events = stored(logs, *[event()] * 5)
    assert list(logs.latest("host1", "GET")) == sorted(events, key=lambda each: each.tie, reverse=True)


# ---- hosts that begin alike -------------------------------------------------------------------------

ALIKE = ["host", "host1", "host12", "host123", "host1 ", "host1\0"]


@answering
@pytest.mark.parametrize("host", ALIKE)
def test_no_question_of_a_host_answers_with_another(logs, variant, host):
    stored(
        logs, *(event(time_ms, other, kind) for other in ALIKE for kind in ("GET", "GETS", "G") for time_ms in (5, 6))
    )
    queries = [logs.host_events(host, "GET", 0, 9), logs.window(0, 9, host=host), logs.window(0, SLICE_MS, host=host)]
    if variant.name != "slices":
        queries += [logs.latest(host, "GET"), logs.host_events(host, "GET")]
    for query in queries:
        assert {record.host for record in query} == {host}
    assert {record.event for record in queries[0]} == {"GET"}


# ---- periods ----------------------------------------------------------------------------------------


@answering
@pytest.mark.parametrize("border", [7, SLICE_MS, 2 * SLICE_MS], ids=["inside a slice", "a slice's end", "another's"])
def test_periods_that_meet_share_no_event_and_lose_none(logs, border):
    events = stored(logs, *(event(border + offset, kind=kind) for offset in range(-3, 3) for kind in ("A", "B")))
    first, last = border - 3, border + 3
    for ask in (
        lambda since, until: logs.window(since, until, host="host1"),
        lambda since, until: logs.hosts_like("host", since, until),
        lambda since, until: logs.host_events("host1", "A", since, until),
    ):
        parts = list(ask(first, border)), list(ask(border, last))
        assert {*map(times_of, parts)} == {(first, first + 1, first + 2), (border, border + 1, border + 2)}
        whole = list(ask(first, last))
        assert sorted(parts[0] + parts[1], key=events.index) == sorted(whole, key=events.index)


def times_of(records):
    return tuple(sorted({record.time_ms for record in records}))


@answering
@pytest.mark.parametrize("at", [0, 5, SLICE_MS])
def test_a_period_that_ends_where_it_begins_is_empty(logs, at):
    stored(logs, event(at))
    for query in (logs.host_events("host1", "GET", at, at), logs.window(at, at, host="host1")):
        page = query.page()
        assert (page.records, page.cursor) == ([], None)


@at_any_time
@pytest.mark.parametrize(
    ("since", "until", "found"), [(None, None, [4, 5, 6]), (5, None, [5, 6]), (None, 5, [4]), (7, None, [])]
)
def test_a_period_may_be_open_at_either_end(logs, since, until, found):
    stored(logs, *map(event, (4, 5, 6)))
    assert times(logs.host_events("host1", "GET", since, until)) == found
    assert sorted(times(logs.hosts_like("host", since, until))) == found


# ---- pages ------------------------------------------------------------------------------------------

TWELVE = [event(at, host, kind) for at in (5, 5, SLICE_MS) for host in ("a", "ab") for kind in ("E", "F")]
OF_ONE_KIND = [event(at, "a", "E") for at in (5, 5, 5, 6, SLICE_MS - 1, SLICE_MS, SLICE_MS)]


@answering
def test_pages_of_every_size_follow_each_other_without_gap_or_repeat(logs):
    records = stored(logs, *TWELVE)
    of_host = ("window", "a", None, [0, SLICE_MS + 1])
    alike = ("hosts_like", "a", None, [0, 2 * SLICE_MS])
    as_the_rows_lie = list(query_of(logs, alike))
    assert {*as_the_rows_lie} == {*records}
    for limit in range(1, 14):
        assert paged(logs, of_host, limit) == expected(records, of_host)
        assert paged(logs, alike, limit) == as_the_rows_lie


@of_all_hosts
@pytest.mark.parametrize("period", [[0, 2 * SLICE_MS], [5, SLICE_MS + 1]], ids=["whole slices", "parts of slices"])
def test_pages_of_all_hosts_follow_each_other_without_gap_or_repeat(logs, period):
    records = stored(logs, *TWELVE)
    of_all = ("window", None, None, period)
    for limit in range(1, 14):
        assert paged(logs, of_all, limit) == expected(records, of_all)


@at_any_time
def test_pages_end_and_go_on_between_events_of_one_millisecond_both_ways(logs):
    records = stored(logs, *OF_ONE_KIND)
    oldest_first = expected(records, ("host_events", "a", "E", [None, None]))
    for limit in range(1, 9):
        assert all_pages(logs.host_events("a", "E"), limit) == oldest_first
        assert all_pages(logs.latest("a", "E"), limit) == oldest_first[::-1]


# ---- many at once -----------------------------------------------------------------------------------

EVENTS = [event(5), event(5, kind="POST"), event(6), event(5, "host2"), event(0), event(LAST_MS, message="é\0")]


@answering
def test_events_stored_together_are_the_cells_of_events_stored_one_by_one(connection, variant, logs, opened):
    assert logs.store_all(iter(EVENTS)) == len(EVENTS)
    together = dump(connection, variant)
    other_connection, others = opened(variant.name)
    for new_event in EVENTS:
        others.store(new_event)
    assert dump(other_connection, variant) == together
    others.store_all(EVENTS)
    assert dump(other_connection, variant) == together


@only("random")
def test_events_stored_together_are_in_random_buckets(connection, variant, logs):
    assert logs.store_all(EVENTS) == len(EVENTS)
    (rows,) = dump(connection, variant).values()
    assert sorted(stamp for _row, cells in rows for _value, stamp in cells.values()) == sorted(
        2 * [new_event.time_ms for new_event in EVENTS]
    )


def test_events_of_one_time_need_one_call(connection, logs):
    with metered(connection) as cost:
        logs.store_all(EVENTS)
    assert cost.rpcs == len({new_event.time_ms for new_event in EVENTS})


@only("logs")
def test_no_events_need_no_call(connection, logs):
    with metered(connection) as cost:
        assert logs.store_all([]) == 0
    assert cost.rpcs == 0


@pytest.fixture
def two_at_once(monkeypatch):
    monkeypatch.setattr(batches, "RECORDS_AT_ONCE", 2)


@answering
@pytest.mark.usefixtures("two_at_once")
def test_more_events_than_go_at_once_are_all_stored(connection, variant, logs):
    seven = [event(time_ms) for time_ms in range(7)]
    assert logs.store_all(seven) == 7
    assert len(dump(connection, variant)[variant.tables[0].name]) == 7


@answering
@pytest.mark.usefixtures("two_at_once")
def test_a_store_that_fails_leaves_the_events_to_go_on_with(connection, variant, logs, monkeypatch):
    five = [event(time_ms) for time_ms in range(5)]
    source = iter(five)
    send, batches = happybase.Batch.send, []

    def failing(batch):
        batches.append(batch)
        if len(batches) == 4:
            raise HBaseError(message=b"no region")
        send(batch)

    monkeypatch.setattr(happybase.Batch, "send", failing)
    with pytest.raises(NotAllStored, match=r"^2 records stored; some of the next 2 may be stored too: ") as refused:
        logs.store_all(source)
    assert (refused.value.stored, refused.value.unconfirmed) == (2, five[2:4])
    assert isinstance(refused.value.__cause__, HBaseError)
    assert logs.store_all(chain(refused.value.unconfirmed, source)) == 3
    assert len(dump(connection, variant)[variant.tables[0].name]) == 5


@only("host-first")
@pytest.mark.usefixtures("two_at_once")
def test_an_event_that_cannot_be_stored_stores_none_of_those_that_go_with_it(connection, variant, logs):
    good, bad = event(1), event(2, "host with an x")
    with pytest.raises(NotAllStored, match=r"^2 records stored; .*LogHostFirst\.host") as refused:
        logs.store_all([event(3), event(4), good, bad])
    assert (refused.value.stored, refused.value.unconfirmed) == (2, [good, bad])
    assert isinstance(refused.value.__cause__, InvalidKey)
    assert len(dump(connection, variant)[variant.tables[0].name]) == 2


@only("logs")
def test_a_source_that_fails_leaves_what_was_read_of_it(connection, variant, logs):
    def source():
        yield from EVENTS
        raise UnreadableFile("a.log:7: bad")

    with pytest.raises(
        NotAllStored, match=r"^0 records stored; some of the next 6 may be stored too: a\.log:7: bad$"
    ) as ended:
        logs.store_all(source())
    assert (ended.value.stored, ended.value.unconfirmed) == (0, EVENTS)
    assert dump(connection, variant)[variant.tables[0].name] == []


# ---- loading again ----------------------------------------------------------------------------------


@answering
def test_loading_samples_twice_changes_nothing(connection, variant, logs, samples):
    last_minutes = samples[-400:]
    stored(logs, *last_minutes)
    before = dump(connection, variant)
    assert len(before[variant.tables[0].name]) == 400
    stored(logs, *last_minutes)
    assert dump(connection, variant) == before


@answering
def test_a_file_loaded_twice_as_it_was_read_changes_nothing(connection, variant, logs):
    for _ in range(2):
        repeats = Repeats()
        for new_event in [event(), event(), event(6), event()]:
            logs.store(repeats(new_event))
    assert len(dump(connection, variant)[variant.tables[0].name]) == 4


@answering
def test_the_timestamp_of_every_cell_is_the_events_own_time(connection, variant, logs):
    stored(logs, event(0), event(5), event(LAST_MS))
    (rows,) = dump(connection, variant).values()
    assert sorted({stamp for _row, cells in rows for _value, stamp in cells.values()}) == [0, 5, LAST_MS]


def test_an_event_takes_one_put(connection, logs):
    with metered(connection) as cost:
        logs.store(event())
    assert (cost.rpcs, cost.ranges) == (1, [])


# ---- limits -----------------------------------------------------------------------------------------


@answering
def test_a_page_has_a_hundred_events_if_no_limit_is_given(logs):
    stored(logs, *map(event, range(1, 102)))
    queries = [
        logs.host_events("host1", "GET", since_ms=0, until_ms=1000),
        logs.window(0, 1000, host="host1"),
        logs.of_severity("host1", "INFO", 0, 1000),
        logs.of_severity("host1", "INFO", 0, 1000, filter_at="client"),
    ]
    pages = [query.page() for query in queries]
    assert [(len(page.records), page.cursor is None) for page in pages] == [(100, False)] * len(pages)


@at_any_time
def test_the_latest_are_a_hundred_events_if_no_limit_is_given(logs):
    *_older, last = stored(logs, *map(event, range(1, 102)))
    page = logs.latest("host1", "GET").page()
    assert (len(page.records), page.records[0], page.cursor is None) == (100, last, False)


@only("logs", "host-first")
def test_hosts_that_begin_alike_give_a_hundred_events_if_no_limit_is_given(logs):
    stored(logs, *(event(at, f"host{at % 3}") for at in range(1, 102)))
    page = logs.hosts_like("host").page()
    assert (len(page.records), page.cursor is None) == (100, False)
