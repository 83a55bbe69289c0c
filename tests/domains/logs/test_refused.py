"""What a variant refuses: in the planner's words, before anything is read or written."""

import pytest

from domains.logs.variants.slices import SLICE_MS
from shared.designs import metered
from shared.keys import InvalidKey, InvalidQuestion
from shared.tables import InvalidRecord, InvalidRow
from tests.engines import located

from .asking import ANSWERING, BY_NAME, answering, dump, event, main_variant, only, query_of, stored

NEEDS_HOST_AND_EVENT = "needs a value for host and event, which come earlier in the row key"
NEEDS_ENDS = "needs a value or an interval with both ends, because slices of 900000 ms come earlier in the row key"
TOO_MANY = "the interval must span at most 1024 slices of 900000 ms (got 1025)"
NEEDS_DRAWN = "needs a value for random_bucket, which comes earlier in the row key"
NEEDS_ALL = "needs a value for random_bucket, host and event, which come earlier in the row key"

HOST_EVENTS = ("host_events", "host1", "GET", [None, None])
IN_A_PERIOD = ("host_events", "host1", "GET", [0, 9])
LATEST = ("latest", "host1", "GET", [None, None])
WINDOW = ("window", None, None, [0, 9])
WINDOW_OF_HOST = ("window", "host1", None, [0, 9])
HOSTS_LIKE = ("hosts_like", "host", None, [0, 9])
AT_ANY_TIME = ("hosts_like", "host", None, [None, None])


@pytest.mark.parametrize(
    ("name", "question", "reason"),
    [
        ("logs", WINDOW, f"LogNewestFirst.time_ms: {NEEDS_HOST_AND_EVENT}"),
        ("host-first", WINDOW, f"LogHostFirst.time_ms: {NEEDS_HOST_AND_EVENT}"),
        ("slices", HOST_EVENTS, f"LogInSlices.time_ms: {NEEDS_ENDS}"),
        ("slices", LATEST, f"LogInSlices.time_ms: {NEEDS_ENDS}"),
        ("slices", AT_ANY_TIME, f"LogInSlices.time_ms: {NEEDS_ENDS}"),
        ("slices", ("window", "host1", None, [0, 1025 * SLICE_MS]), f"LogInSlices.time_ms: {TOO_MANY}"),
        ("random", HOST_EVENTS, f"LogRandom.host: {NEEDS_DRAWN}"),
        ("random", IN_A_PERIOD, f"LogRandom.host: {NEEDS_DRAWN}"),
        ("random", LATEST, f"LogRandom.host: {NEEDS_DRAWN}"),
        ("random", WINDOW, f"LogRandom.time_ms: {NEEDS_ALL}"),
        ("random", WINDOW_OF_HOST, f"LogRandom.host: {NEEDS_DRAWN}"),
        ("random", HOSTS_LIKE, f"LogRandom.host: {NEEDS_DRAWN}"),
        ("random", AT_ANY_TIME, f"LogRandom.host: {NEEDS_DRAWN}"),
    ],
)
def test_what_a_key_cannot_bind_is_refused_in_the_planners_words(opened, name, question, reason):
    connection, logs = opened(name)
    with metered(connection) as cost, pytest.raises(InvalidQuestion) as refused:
        query_of(logs, question)
    assert str(refused.value) == reason
    assert cost.rpcs == 0


def test_slices_answer_for_as_many_quarters_as_are_allowed(opened):
    _, logs = opened("slices")
    records = stored(logs, event(0), event(1024 * SLICE_MS - 1), event(1024 * SLICE_MS))
    assert list(logs.window(0, 1024 * SLICE_MS, host="host1")) == records[:2]


@main_variant
@pytest.mark.parametrize(
    ("since", "until", "reason"),
    [
        (9, 5, r"since must not be above until \(got 9 and 5\)"),
        ("5", 9, r"must be an int \(got '5', str\)"),
        (5, 9.0, r"must be an int \(got 9.0, float\)"),
        (True, 9, r"must be an int \(got True, bool\)"),
    ],
)
def test_a_period_that_is_none_is_refused_by_name(logs, variant, since, until, reason):
    (table,) = variant.tables
    for ask in (
        lambda: logs.host_events("host1", "GET", since, until),
        lambda: logs.window(since, until, host="host1"),
        lambda: logs.hosts_like("host", since, until),
    ):
        with pytest.raises(InvalidQuestion, match=rf"^{table.key.name}\.time_ms: {reason}$"):
            ask()


@main_variant
@pytest.mark.parametrize("wrong", [5, b"host1", "\ud800"])
def test_a_host_or_a_kind_that_is_no_text_is_refused_by_name(logs, variant, wrong):
    name = variant.tables[0].key.name
    for part, ask in (
        ("host", lambda: logs.host_events(wrong, "GET", 0, 9)),
        ("event", lambda: logs.host_events("host1", wrong, 0, 9)),
        ("host", lambda: logs.hosts_like(wrong, 0, 9)),
    ):
        with pytest.raises(InvalidQuestion, match=rf"^{name}\.{part}: must be (text|Unicode text)"):
            ask()


@main_variant
@pytest.mark.parametrize("nothing", ["", None])
def test_hosts_named_like_nothing_are_refused(logs, nothing):
    with pytest.raises(InvalidQuestion, match=r"^host_prefix: must be text, not empty; ask window for all hosts$"):
        logs.hosts_like(nothing, 0, 9)


@main_variant
@pytest.mark.parametrize("limit", [0, -1, True, 1_000_001])
def test_a_limit_that_no_page_has_is_refused(logs, limit):
    with pytest.raises(InvalidQuestion, match=rf"^limit: must be 1\.\.1000000 .got {limit}.$"):
        logs.window(0, 9, host="host1").page(limit=limit)


@only("host-first")
def test_a_host_that_cannot_be_stored_cannot_be_asked_for(logs):
    with pytest.raises(InvalidQuestion, match=r"^LogHostFirst.host: must not contain the pad 'x' .got 'nginx'.$"):
        logs.latest("nginx", "GET")
    with pytest.raises(InvalidQuestion, match=r"^LogHostFirst.host: must be at most 20 bytes of UTF-8"):
        logs.hosts_like("a" * 21)


@pytest.mark.parametrize(("name", "host"), [("host-first", "nginx"), ("slices", "a_b"), ("host-first", "a" * 21)])
def test_an_event_that_a_variant_refuses_leaves_nothing(opened, name, host):
    connection, logs = opened(name)
    with pytest.raises(InvalidKey, match=r"\.host: must "):
        logs.store(event(host=host))
    assert [*dump(connection, BY_NAME[name]).values()] == [[]]


def test_a_message_that_is_not_unicode_is_refused_by_name_and_leaves_nothing(connection, variant, logs):
    with pytest.raises(InvalidRecord, match=r"^(Log|Bucketed)Event.message: .*surrogates not allowed"):
        logs.store(event(message="\ud800"))
    assert dump(connection, variant) == {variant.tables[0].name: []}


@only("logs", "time-first", "modulo", "salted", "slices")
def test_the_longest_key_is_stored_and_found_and_a_longer_one_refused(new_store, variant):
    connection = located(new_store(*variant.tables), variant.tables)
    logs = variant.open(connection)
    room = 32_767 - len(variant.tables[0].row(event(host="h"))) + 1
    (longest,) = stored(logs, event(host="h" * room))
    assert list(logs.window(0, 9, host=longest.host)) == [longest]
    before = dump(connection, variant)
    with pytest.raises(InvalidKey, match=r"a row key has 1\.\.32767 bytes .got 32768.$"):
        logs.store(event(host="h" * (room + 1)))
    assert dump(connection, variant) == before


@answering
def test_a_row_that_is_no_event_is_named_with_its_table(connection, variant, logs):
    (table,) = variant.tables
    row = table.row(event())
    connection.table(table.name).put(row + b"!", {b"l:s": b"\xa0", b"l:m": b"\xa0"})
    with pytest.raises(InvalidRow, match=rf"^{table.name}: row .*: {table.key.name}: 1 bytes too many"):
        logs.window(0, 9, host="host1").page()


# ---- cursors ----------------------------------------------------------------------------------------


@main_variant
def test_a_cursor_of_another_question_is_refused(logs):
    stored(logs, *(event(at, host, kind) for at in (5, 6) for host in ("a", "b") for kind in ("E", "F")))
    cursor = logs.window(0, 9, host="a").page(limit=1).cursor
    for ask in (
        lambda: logs.window(0, 9, host="b").page(cursor=cursor),
        lambda: logs.window(0, 8, host="a").page(cursor=cursor),
        lambda: logs.host_events("a", "E", 0, 9).page(cursor=cursor),
        lambda: logs.hosts_like("a", 0, 9).page(cursor=cursor),
    ):
        with pytest.raises(InvalidQuestion, match=r"^cursor: belongs to another question"):
            ask()


@main_variant
def test_a_cursor_of_the_other_direction_is_refused(logs):
    stored(logs, event(5), event(6))
    cursor = logs.latest("host1", "GET").page(limit=1).cursor
    with pytest.raises(InvalidQuestion, match=r"^cursor: belongs to another question"):
        logs.host_events("host1", "GET").page(cursor=cursor)


def test_a_cursor_of_another_variant_is_refused(opened):
    repositories = {name: opened(name)[1] for name in ANSWERING}
    cursors = {}
    for name, logs in repositories.items():
        stored(logs, event(5), event(6))
        cursors[name] = logs.window(0, 9, host="host1").page(limit=1).cursor
    for name, logs in repositories.items():
        for other, cursor in cursors.items():
            if other != name:
                with pytest.raises(InvalidQuestion, match=r"^cursor: belongs to another question"):
                    logs.window(0, 9, host="host1").page(limit=1, cursor=cursor)


@main_variant
@pytest.mark.parametrize("cursor", ["", "abc", "é", "AAAA" * 9])
def test_a_damaged_cursor_is_refused(logs, cursor):
    with pytest.raises(InvalidQuestion, match=r"^cursor: is damaged .*; ask again without it$"):
        logs.window(0, 9, host="host1").page(cursor=cursor)
