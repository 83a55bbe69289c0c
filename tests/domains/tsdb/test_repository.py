"""What the repository answers, beside a plain list of the same points."""

import math
import random
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from domains.tsdb.actions import delete_points
from domains.tsdb.asking import reading
from domains.tsdb.asking.query_text import FILTER_KINDS, SEARCH_S, TagFilter, parse_query
from domains.tsdb.asking.reading import values_of_rows
from domains.tsdb.keys import TABLES
from domains.tsdb.records import Point
from domains.tsdb.repository import TsdbRepository
from domains.tsdb.storage.uids import UnknownUid
from shared.keys import InvalidQuestion
from shared.stores import DeadlineExceeded, deadline
from shared.tables import InvalidRow
from shared.testing import WatchedConnection
from shared.writes import NotAllStored
from tests.domains.clocks import SetClock
from tests.domains.tsdb.compacting import HOUR, HOUR_MS
from tests.domains.tsdb.conftest import LAYOUTS, opened

HOSTS, DCS = ("web-1", "web-2", "db-1"), ("lga", "sjc")


@cache
def made(seed, count=400):
    """Points of several series over six hours, in random order, some of them at one time with other values."""
    dice = random.Random(seed)
    points = []
    for _ in range(count):
        tags = {"host": dice.choice(HOSTS)} | ({"dc": dice.choice(DCS)} if dice.random() < 0.7 else {})
        time_ms = HOUR + dice.choice((dice.randrange(6 * HOUR_MS), dice.randrange(6 * 60) * 60_000))
        value = dice.choice((dice.randrange(-300, 70_000), dice.random() * 100, dice.randrange(100) / 2))
        points.append(Point(dice.choice(("cpu", "load")), time_ms, value, tags))
    return points


REQUESTS = [
    ({"server": "a", "dc": "lga"}, {0: 1, 60: 2}),
    ({"server": "a", "dc": "sjc"}, {0: 10, 60: 20}),
    ({"server": "b", "dc": "lga"}, {0: 100, 30: 150, 60: 200}),
    ({"server": "c"}, {0: 0.5}),
]
"""Four series of requests, by server and data centre: values by second."""


@pytest.fixture(scope="module", params=LAYOUTS)
def stocked(request, engine):
    """A repository of each layout that no test changes."""
    with opened(engine, request.param) as repository:
        for tags, values in REQUESTS:
            repository.store_all(
                Point("requests", HOUR + second * 1000, value, tags) for second, value in values.items()
            )
        repository.store_all(made(4))
        yield repository


SEED = 6
OPENTSDB_HOUR = 1_356_998_400_000
"""With it, five times of a series come twice in one call."""


@pytest.mark.parametrize("seed", [SEED, *(pytest.param(seed, marks=pytest.mark.further) for seed in (0, 1))])
def test_every_period_of_every_series_is_as_in_a_plain_list(repository, seed):
    points = made(seed)
    assert repository.store_all(points[:300]) == 300
    for point in points[300:]:
        repository.store(point)
    wanted = {(point.metric, point.tags, point.time_ms): point.value for point in points}  # the last of each time
    dice = random.Random(seed)
    periods = [(0, 2**32 * 1000), *(sorted(HOUR + dice.randrange(6 * HOUR_MS) for _ in range(2)) for _ in range(10))]
    for since_ms, until_ms in periods:
        found = {
            (series.metric, tuple(sorted(series.tags.items())), time_ms): value
            for metric in ("cpu", "load", "none")
            for series in repository.read(metric, (), since_ms, until_ms)
            for time_ms, value in series.values.points()
        }
        assert found == {key: value for key, value in wanted.items() if since_ms <= key[2] < until_ms}


@pytest.mark.parametrize(
    ("kind", "text", "matches"),
    [
        ("literal_or", "web-1", lambda host: host == "web-1"),
        ("literal_or", "web-1|db-1|none", lambda host: host in ("web-1", "db-1")),
        ("iliteral_or", "WEB-1", lambda host: host == "web-1"),
        ("not_literal_or", "web-1", lambda host: host != "web-1"),
        ("not_iliteral_or", "WEB-1", lambda host: host != "web-1"),
        ("wildcard", "*", lambda host: True),
        ("wildcard", "web*", lambda host: host.startswith("web")),
        ("wildcard", "WEB*", lambda host: False),
        ("iwildcard", "WEB*", lambda host: host.startswith("web")),
        ("wildcard", "*b-1", lambda host: host.endswith("b-1")),
        ("wildcard", "e*-1", lambda host: host == "web-1"),  # as OpenTSDB compares it
        ("regexp", "b-[1]$", lambda host: host.endswith("b-1")),
        ("literal_or", "none", lambda host: False),
        ("literal_or", "web-1||", lambda host: host == "web-1"),
        ("literal_or", "||", lambda host: False),
        ("not_literal_or", "web-1|", lambda host: host != "web-1"),
        ("iliteral_or", "WEB-1|", lambda host: host == "web-1"),
    ],
)
def test_filters_of_a_tag(stocked, kind, text, matches):
    wanted = {
        dict(point.tags)["host"] for point in made(4) if point.metric == "cpu" and matches(dict(point.tags)["host"])
    }
    assert {series.tags["host"] for series in stocked.read("cpu", [TagFilter("host", kind, text)])} == wanted


@pytest.mark.parametrize("kind", FILTER_KINDS)
def test_the_kind_of_a_filter_may_be_in_any_case(kind):
    wanted = parse_query(f"sum:cpu{{host={kind}(a*)}}")
    for other in (kind.upper(), kind.title()):
        assert parse_query(f"sum:cpu{{host={other}(a*)}}") == wanted


def test_what_is_exported_and_deleted_is_named_by_kinds_of_any_case(repository):
    repository.store_all(point for point in made(4) if point.metric == "cpu")
    for m in ("cpu{host=WILDCARD(web-*)}", "cpu{host=Regexp(^web)}", "cpu{host=web-1|web-2|}"):
        assert len(list(repository.export(m))) == len(list(repository.export("cpu{host=web-*}"))) > 0
    assert delete_points(repository, "cpu{host=NOT_literal_or(db-1)}", HOUR, HOUR + HOUR_MS).changed > 0
    assert {series.tags["host"] for series in repository.read("cpu", (), HOUR, HOUR + HOUR_MS)} == {"db-1"}


def test_a_pattern_that_would_search_for_hours_is_an_error_and_meanwhile_other_threads_go_on(connection):
    repository = TsdbRepository(connection)
    repository.store(Point("cpu", HOUR, 1, {"host": "a" * 40 + "-"}))
    assert repository.query("none:cpu{host=regexp((a+)+$)}", HOUR, HOUR + HOUR_MS) == []  # `re` needs hours here
    message = rf"^regexp: must search each value within {SEARCH_S} s .got '\^\(a\|a\)\*\$' and the value 'a+-'.$"
    with ThreadPoolExecutor(1) as pool:
        asked, ticks = pool.submit(repository.query, "none:cpu{host=regexp(^(a|a)*$)}", HOUR, HOUR + HOUR_MS), 0
        while not asked.done():
            time.sleep(0.005)
            ticks += 1
        with pytest.raises(InvalidQuestion, match=message):
            asked.result()
    assert ticks > 3


def test_a_pattern_whose_counts_need_gigabytes_when_they_are_written_out_is_refused():
    with pytest.raises(InvalidQuestion, match=r"^regexp: its counts must multiply to 10000 at most \(got '\(\(a"):
        TagFilter("host", "regexp", "((a{1000}){1000}){1000}")


def test_a_tag_that_a_series_lacks(stocked):
    with_dc = stocked.read("cpu", [TagFilter("dc", "wildcard", "*")])
    not_lga = stocked.read("cpu", [TagFilter("dc", "not_literal_or", "lga")])
    assert {"dc" in series.tags for series in with_dc} == {True}
    assert {series.tags.get("dc") for series in not_lga} == {"sjc"}, "a series without the tag never matches"
    assert stocked.read("cpu", [TagFilter("rack", "literal_or", "1")]) == []


def shown(answers):
    return [(answer.tags, (answer.time_ms - HOUR) // 1000, answer.value) for answer in answers]


@pytest.mark.parametrize(
    ("m", "wanted"),
    [
        ("sum:requests", [("", 0, 111.5), ("", 30, 166), ("", 60, 222)]),
        ("sum:requests{server=*}", [("server=a", 0, 11), ("server=a", 60, 22)]),
        ("max:rate:requests{dc=sjc|xxx}", [("dc=sjc,server=a", 60, 10 / 60)]),
        ("sum:2m-count:requests{server=b}{dc=lga}", [("dc=lga,server=b", 0, 3)]),
        ("sum:requests{dc=*}{server=a|b}", [("dc=lga", 0, 101), ("dc=lga", 30, 151), ("dc=lga", 60, 202)]),
        ("max:1m-avg:requests{dc=lga}", [("dc=lga", 0, 125.0), ("dc=lga", 60, 200.0)]),
        ("avg:rate:requests{server=b}", [("dc=lga,server=b", 30, 50 / 30), ("dc=lga,server=b", 60, 50 / 30)]),
        ("none:requests{dc=literal_or(sjc)}", [("dc=sjc,server=a", 0, 10), ("dc=sjc,server=a", 60, 20)]),
        ("count:requests{dc=lga,server=wildcard(*)}", [("dc=lga,server=a", 0, 1), ("dc=lga,server=a", 60, 1)]),
        ("sum:2m-sum-zero:requests{server=c}", [("server=c", 0, 0.5), ("server=c", 120, 0.0)]),
        ("sum:none", []),
    ],
)
def test_questions(stocked, m, wanted):
    assert shown(stocked.query(m, HOUR, HOUR + 180_000))[: len(wanted) or None] == wanted


@pytest.mark.parametrize(
    ("filters", "servers"),
    [
        ("{}{server=a,server=b}", {"a", "b"}),
        ("{}{server=a|b,server=regexp(b)}", {"b"}),
        ("{}{server=a,server=z}", {"a"}),
        ("{}{server=a,dc=lga}", {"a"}),
        ("{server=iliteral_or(A|C)}", {"a", "c"}),
    ],
)
def test_literal_filters_of_one_tag_are_a_union_and_other_filters_must_all_match(stocked, filters, servers):
    found = stocked.ask(parse_query(f"none:requests{filters}"), HOUR, HOUR + HOUR_MS)
    assert {series.tags["server"] for series in found} == servers


def test_letters_are_compared_in_any_case_as_java_does(connection):
    repository = TsdbRepository(connection)
    repository.store(Point("cpu", HOUR, 1, {"street": "stra\u00dfe"}))
    for text, count in (("STRA\u00dfE", 1), ("STRASSE", 0)):
        assert len(repository.read("cpu", [TagFilter("street", "iliteral_or", text)])) == count


def test_explicit_tags_are_the_only_tags_of_a_series(stocked):
    for filters, servers in (("{server=*}", {"c"}), ("{server=*,dc=*}", {"a", "b"}), ("", {"a", "b", "c"})):
        found = stocked.ask(parse_query(f"none:explicit_tags:requests{filters}"), HOUR, HOUR + HOUR_MS)
        assert {series.tags["server"] for series in found} == servers


def test_the_first_rate_is_that_since_the_filled_interval_before_the_hours_that_are_read(connection):
    """As OpenTSDB 2.4.1 answered, whose intervals of 13 minutes start at 58 and 71 minutes."""
    repository = TsdbRepository(connection)
    for host, numbers in {"a": (10**12, 0, 100, 200), "b": (0, 100, 200, 300)}.items():
        repository.store_all(
            Point("drop", OPENTSDB_HOUR + (71 + 13 * place) * 60_000, number, {"host": host})
            for place, number in enumerate(numbers)
        )
    period = (OPENTSDB_HOUR + HOUR_MS, OPENTSDB_HOUR + 2 * HOUR_MS)
    for fill, wanted in (
        ("nan", [math.nan, 100 / 780, 200 / 780, 200 / 780]),
        ("zero", [10**12 / 780, (10**12 + 100) / 780, 200 / 780, 200 / 780]),
    ):
        answers = repository.query(f"sum:13m-last-{fill}:rate{{dropcounter}}:drop", *period)
        assert [answer.value for answer in answers] == pytest.approx(wanted, rel=1e-12, nan_ok=True)
        assert answers[0].time_ms == OPENTSDB_HOUR + 71 * 60_000


@pytest.mark.parametrize(
    ("m", "wanted"),
    [
        ("none:1m-dev:vast{host=a}", [math.nan]),
        ("dev:1m-dev:vast", [math.nan]),
        ("dev:vast", [math.nan, math.nan, 5.0]),
        ("dev:rate:vast{host=a}", [0.0, 0.0]),
        ("count:rate:vast", [2, 2]),
        ("min:rate:vast{host=a}", [-math.inf, math.nan]),
        ("mimmax:rate:vast{host=a}", [math.nan, math.inf]),
        ("max:rate:vast", [math.inf, math.inf]),
    ],
)
def test_differences_above_the_largest_float_are_as_in_java(connection, m, wanted):
    repository = TsdbRepository(connection)
    for host, sign in (("a", 1), ("b", -1)):
        for place, number in enumerate((1.5e308, -1.5e308, 5.0)):
            repository.store(Point("vast", HOUR + place * 100, sign * number, {"host": host}))
    with warnings.catch_warnings(action="error"):
        answers = repository.query(m, HOUR, HOUR + 60_000)
    assert [answer.value for answer in answers] == pytest.approx(wanted, nan_ok=True)


def test_an_interval_that_the_end_of_the_hours_cuts_is_not_filled(connection):
    """As in OpenTSDB: host a has no rate from 01:24 on, so it takes part up to the one at 01:11."""
    repository = TsdbRepository(connection)
    for host, numbers in {"a": (10, 790, 5, 0, 780), "b": (10, 20, 30, 40, 50)}.items():
        repository.store_all(
            Point("cut", OPENTSDB_HOUR + (58 + 13 * place) * 60_000, number, {"host": host})
            for place, number in enumerate(numbers)
        )
    period = (OPENTSDB_HOUR, OPENTSDB_HOUR + 100 * 60_000)
    answers = repository.query("max:13m-last-zero:rate{dropcounter}:cut", *period)
    assert [answer.value for answer in answers[-3:]] == pytest.approx([1.0, 10 / 780, 10 / 780])


@pytest.mark.parametrize("m", ["sum:1ms-sum-zero:cpu", "sum:1sc-sum:cpu"])
def test_a_question_that_would_need_gigabytes_for_its_intervals_is_refused(connection, m):
    repository = TsdbRepository(connection)
    repository.store_all(Point("cpu", HOUR - years * 8766 * HOUR_MS, 1, {"host": "web-1"}) for years in (0, 10))
    message = (
        r"^downsampling: all series must have 10000000 intervals at most \(got \d+\); ask for longer ones, or for a"
    )
    with pytest.raises(InvalidQuestion, match=message):
        repository.query(m, HOUR - 10 * 8766 * HOUR_MS, HOUR + 1000)


def test_a_question_ends_at_the_deadline_between_two_batches_of_rows(connection, monkeypatch):
    repository = TsdbRepository(connection)
    repository.store_all(Point("cpu", HOUR + hour * HOUR_MS, 1, {"host": "web-1"}) for hour in range(40))
    batches = []

    def slow(*arguments):
        batches.append(arguments)
        time.sleep(0.1)
        return values_of_rows(*arguments)

    monkeypatch.setattr(reading, "ROWS_AT_ONCE", 2)
    monkeypatch.setattr(reading, "values_of_rows", slow)
    with pytest.raises(DeadlineExceeded), deadline(500):
        repository.query("sum:cpu", HOUR, HOUR + 40 * HOUR_MS)
    assert 0 < len(batches) < 10


def test_several_questions_are_answered_one_after_the_other_and_equal_ones_once(stocked):
    both = stocked.query("sum:requests{server=c}&m=sum:requests{server=b}&m=sum:requests{server=c}", HOUR, HOUR + 1000)
    assert shown(both) == [("server=c", 0, 0.5), ("dc=lga,server=b", 0, 100)]
    (tsuid,) = stocked.read("requests", [TagFilter("server", "literal_or", "c")])[0].tsuids
    by_tsuid = stocked.query(f"max:requests{{server=c}}&tsuid=sum:{tsuid}", HOUR, HOUR + 1000)
    assert shown(by_tsuid) == [("server=c", 0, 0.5)] * 2


@pytest.mark.parametrize(("before_ms", "last"), [(0, 11), (1, 11), (999, 11), (1001, 1)])
def test_a_period_that_ends_on_a_full_hour_reads_the_next_hour_too_as_opentsdb_does(connection, before_ms, last):
    repository = TsdbRepository(connection)
    repository.store_all(Point("min", HOUR + second * 1000, 1, {"host": "a"}) for second in range(0, 3600, 10))
    repository.store_all(Point("min", HOUR + second * 1000, 10, {"host": "b"}) for second in range(0, 3900, 300))
    answers = repository.query("sum:min", HOUR, HOUR + HOUR_MS - before_ms)
    assert answers[-1].value == last


def test_with_explicit_tags_one_more_hour_is_read_as_opentsdb_does(connection):
    repository = TsdbRepository(connection)
    repository.store_all(Point("min", HOUR + second * 1000, 1, {"host": "a"}) for second in range(0, 1800, 10))
    repository.store_all(Point("min", HOUR + second * 1000, 10, {"host": "b"}) for second in (0, 5400))
    repository.store(Point("min", HOUR + 2 * HOUR_MS - 1000, 10, {"host": "c"}))
    for m, last in (("sum:min{}{host=*}", 1), ("sum:explicit_tags:min{}{host=*}", 11)):
        (series,) = repository.ask(parse_query(m), HOUR, HOUR + HOUR_MS // 2)
        assert series.values.points()[-1] == (HOUR + 1_790_000, last)
        assert len(series.tsuids) == 2, "a series that begins in that hour takes no part"


def test_rows_that_opentsdb_does_not_write_but_answers_are_answered(repository):
    repository.store(Point("cpu", HOUR, 1, {"host": "a", "dc": "lga"}))
    layout, rows = repository._points.layout, repository._points.rows
    ((row, cells),) = rows.scan()
    tags_at = len(row) - 2 * repository.uids.pair_bytes
    time_at, first_at = tags_at - 4, tags_at + repository.uids.pair_bytes
    unaligned = row[:time_at] + (HOUR // 1000 + 100).to_bytes(4, "big") + row[tags_at:]
    for other in (unaligned, row[:tags_at] + row[first_at:] + row[tags_at:first_at], row[:tags_at]):
        rows.put(other, cells)
        with pytest.raises(ValueError, match=r"must be"):
            layout.key.decode(other)
    found = repository.read("cpu")
    assert sorted((len(series.tags), series.values.points()) for series in found) == [
        (0, [(HOUR, 1)]),
        (2, [(HOUR, 1)]),
        (2, [(HOUR, 1), (HOUR + 100_000, 1)]),
    ]
    repository.store(Point("cpu", HOUR + 100_000, 7, {"host": "a", "dc": "lga"}))
    both = [point for series in repository.read("cpu") for point in series.values.points() if point[0] > HOUR]
    assert both == [(HOUR + 100_000, 7)], "of two rows with one time the first counts"
    rows.put(row[:-1], cells)
    with pytest.raises(InvalidRow, match=f"row {row[:-1].hex(' ')}: "):
        repository.read("cpu")


def test_tags_of_a_group_are_those_with_one_value_and_the_others_are_named(stocked):
    (whole,) = stocked.ask(parse_query("sum:requests{}{dc=lga}"), HOUR, HOUR + HOUR_MS)
    assert (whole.tags, whole.aggregated_tags) == ({"dc": "lga"}, ("server",))


def test_the_row_that_cannot_be_read_is_named(connection):
    repository = TsdbRepository(connection)
    repository.store(Point("cpu", HOUR, 1, {"host": "a"}))
    ((row, _),) = connection.table("tsdb").scan()
    connection.table("tsdb").put(row, {b"t:\0\0\0\x10": b"\1"})
    with pytest.raises(InvalidRow, match=f"tsdb: row {row.hex(' ')}: cell 00 00 00 10: must be 2 bytes"):
        repository.read("cpu")
    connection.table("tsdb").delete(row)
    connection.table("tsdb").put(row[:7] + bytes.fromhex("000001000009"), {b"t:\0\0": b"\1"})
    with pytest.raises(UnknownUid, match=r"tagv: must be a UID with a name .got 00 00 09"):
        repository.read("cpu")


def test_a_batch_gathers_the_cells_of_a_row(connection, monkeypatch):
    monkeypatch.setattr("domains.tsdb.repository.POINTS_AT_ONCE", 100)
    points = [Point("cpu", HOUR + second * 1000, second, {"host": "a"}) for second in range(0, 7200, 10)]
    watched = WatchedConnection(connection)
    assert TsdbRepository(watched).store_all(points) == 720
    batches = [call for call in watched.calls if call.table == "tsdb"]
    assert [len(call.rows) for call in batches] == [1, 1, 1, 2, 1, 1, 1, 1]
    assert len(TsdbRepository(connection).points("cpu", "host", "a")) == 720


def test_points_of_series_that_take_turns_are_gathered_by_row(connection):
    points = [
        Point("cpu", HOUR + second * 1000, second, {"host": f"h{host}"}) for second in range(50) for host in range(20)
    ]
    watched = WatchedConnection(connection)
    assert TsdbRepository(watched).store_all(points) == 1000
    assert [len(call.rows) for call in watched.calls if call.table == "tsdb"] == [20]


def test_no_point_waits_for_more_than_its_time_while_others_come(connection, monkeypatch):
    monkeypatch.setattr("domains.tsdb.repository.BUFFERED_S", 0.0)
    watched = WatchedConnection(connection)
    assert TsdbRepository(watched).store_all(Point("cpu", HOUR + at, at, {"host": "a"}) for at in range(5)) == 5
    assert len([call for call in watched.calls if call.table == "tsdb"]) == 5


def test_points_after_one_that_cannot_be_stored_are_returned(connection):
    points = [Point("cpu", HOUR, 1, {"host": "a"}), Point("cpu", HOUR, 1, {"host": "a b"})]
    with pytest.raises(NotAllStored, match=r"0 records stored; .*tagv: a name must be letters") as raised:
        TsdbRepository(connection).store_all(points)
    assert raised.value.unconfirmed == points
    assert list(connection.table("tsdb").scan()) == []


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("m", "period", "message"),
    [
        ("sum:cpu", (-1, HOUR), "since_ms: must be 0..4294967296000 .got -1"),
        ("sum:cpu", (0, 2**43), "until_ms: must be 0..4294967296000"),
        ("p99:cpu", (0, HOUR), "aggregator: must be one of sum, .*, none .got 'p99'"),
        ("sum:", (0, HOUR), "m: must be such as sum:1h-avg:rate:requests"),
        ("sum:1x-avg:cpu", (0, HOUR), "downsampling: must be such as 1h-avg"),
        ("sum:1h-avg-half:cpu", (0, HOUR), "downsampling: must be such as"),
        ("sum:1h-median:cpu", (0, HOUR), "Downsampling.by: must be one of"),
        ("sum:0s-avg:cpu", (0, HOUR), "Downsampling.every_ms: must be 1..31536000000000"),
        ("sum:1h-avg:1m-avg:cpu", (0, HOUR), "m: must have one downsampling and one rate at most"),
        ("sum:1001yc-avg:cpu", (0, HOUR), "Downsampling.every_ms: must be .*, a thousand years"),
        ("sum:rate{counter,99999999999999999999}:cpu", (0, HOUR), "rate: must be .* numbers up to 9223372036854775807"),
        ("sum:cpu{host=wildcard(a)}", (0, HOUR), "wildcard: must have an asterisk .got 'a'"),
        ("sum:cpu&m=p99:cpu", (0, HOUR), "aggregator: must be one of sum, .*, none .got 'p99'"),
        ("sum:rate{x}:cpu", (0, HOUR), "rate: must be rate or rate.counter,MAX,RESET."),
        ("sum:cpu{host}", (0, HOUR), "m: a filter must be tag=value .got 'host'"),
        ("sum:cpu{host=like(x)}", (0, HOUR), "host: must be one of literal_or"),
        ("sum:cpu{host=regexp([)}", (0, HOUR), "regexp: unterminated character set"),
        (f"sum:cpu{{host=regexp({'(' * 9999})}}", (0, HOUR), "^regexp: [^\n]*$"),
        (r"sum:cpu{host=regexp(a\h)}", (0, HOUR), "regexp: bad escape"),
        ("sum:cpu{host=a(b}", (0, HOUR), "host: must be KIND.X. .got 'a.b'"),
        ("sum:cpu{host=wildcard(*)x}", (0, HOUR), "host: must be KIND.X. .got 'wildcard"),
        ("sum:cpu{host=(a)}", (0, HOUR), "host: must be one of literal_or, .* .got ''"),
        ("sum:cpu{host=|}", (0, HOUR), "literal_or: needs a value .got '|'"),
        ("sum:cpu{host=NOT_ILITERAL_OR(|)}", (0, HOUR), "literal_or: needs a value .got '|'"),
        ("sum:cpu{host=|a}", (0, HOUR), "host: no value may be empty .got '|a'"),
        ("sum:cpu{host=a||b}", (0, HOUR), "host: no value may be empty .got 'a||b'"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(connection, m, period, message):
    with pytest.raises(InvalidQuestion, match=message):
        TsdbRepository(connection).query(m, *period)


def test_a_point_that_is_overwritten_within_a_millisecond_has_its_last_value(new_store):
    repository = TsdbRepository(new_store(*TABLES), clock=SetClock(HOUR))
    for value in (1, 300, 2.5, 7):  # other widths and types are other cells
        repository.store(Point("cpu", HOUR, value, {"host": "web-1"}))
    assert [answer.value for answer in repository.query("none:cpu", HOUR, HOUR + HOUR_MS)] == [7]


def test_the_timestamps_of_many_points_do_not_run_ahead_of_the_clock(new_store, monkeypatch):
    monkeypatch.setattr("domains.tsdb.repository.POINTS_OF_ONE_TIME", 40)
    connection = new_store(*TABLES)
    repository = TsdbRepository(connection, clock=SetClock(HOUR))
    for second in range(100):
        repository.store(Point("cpu", HOUR + second * 1000, second, {"host": "web-1"}))
    ((_, cells),) = connection.table("tsdb").scan(include_timestamp=True)
    assert {HOUR, HOUR + 1, HOUR + 2} == {written_ms for _, written_ms in cells.values()}
