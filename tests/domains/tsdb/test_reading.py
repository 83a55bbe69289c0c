"""The rows that region servers leave out, and series by their TSUIDs."""

import random

import pytest

from domains.tsdb.asking.query_text import SubQuery, TagFilter, parse_query
from domains.tsdb.asking.selecting import MAX_FILTER_BYTES, row_filter
from domains.tsdb.keys import TABLES, data_table
from domains.tsdb.records import Point
from domains.tsdb.repository import TsdbRepository
from domains.tsdb.storage.codecs import SeriesSalt
from domains.tsdb.storage.uids import UnknownUid
from shared.designs.counting import metered
from shared.keys import InvalidKey, InvalidQuestion
from tests.domains.tsdb.compacting import HOUR, HOUR_MS

SPECIAL = b"\x00\n\r'\"\\QE.*[]|()^$\x7f\x80\xa9\xc3\xe2\xf0\xff"
"""Bytes that mean something to the filter language, to patterns or to UTF-8."""


def one_of(dice, bytes_of_uid):
    return bytes(dice.choice((dice.randrange(256), dice.choice(SPECIAL))) for _ in range(bytes_of_uid))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.further)])
def test_the_filter_finds_every_row_that_holds_the_uids_whatever_their_bytes_are(connection, seed):
    dice = random.Random(seed)
    uids = [one_of(dice, 3) for _ in range(12)]
    rows = {one_of(dice, 7) + b"".join(dice.choice(uids) for _ in range(2 * dice.randrange(1, 5))) for _ in range(300)}
    table = connection.table("tsdb")
    with table.batch() as batch:
        for row in rows:
            batch.put(row, {b"t:\0\0": b"\1"})
    for _ in range(20):
        wanted = [{dice.choice(uids) + dice.choice(uids) for _ in range(dice.randrange(1, 4))} for _ in range(2)]
        found = {row for row, _ in table.scan(filter=row_filter(wanted))}
        assert found >= {row for row in rows if all(any(pair in row[7:] for pair in pairs) for pairs in wanted)}
        of_letters = [pairs for pairs in wanted if all(pair.isascii() for pair in pairs)]
        assert all(any(pair in row for pair in pairs) for pairs in of_letters for row in found)


def test_a_repository_says_which_names_of_a_question_have_no_uid(repository):
    repository.store(Point("cpu", HOUR, 1, {"host": "web-1", "dc": "lga"}))
    for m, unknown in (
        ("cpu{host=web-1|web-2|web-3}", ["tag value 'web-2'", "tag value 'web-3'"]),
        ("cpu{host=web-*,rack=*}", ["tag 'rack'"]),
        ("cpu{host=not_literal_or(web-9)}", []),
        ("host{cpu=lga}", ["metric 'host'", "tag 'cpu'"]),  # names of another kind
        ("tsuid=none:000001000001000009", []),
    ):
        assert repository.unknown_names(parse_query(m)) == [f"{name} has no UID" for name in unknown]
    repository.store(Point("cpu", HOUR, 1, {"host": "web-2"}))
    assert repository.unknown_names(parse_query("cpu{host=web-2}")) == [], "an unknown name is not remembered"


def test_rows_of_other_series_stay_on_the_server(connection):
    repository = TsdbRepository(connection)
    connection.table("tsdb-uid").counter_set(b"\0", b"id:tagv", 100)  # so that UIDs of both kinds follow
    hosts = [f"web-{number}" for number in range(50)]
    repository.store_all(Point("cpu", HOUR, number, {"host": host, "dc": "lga"}) for number, host in enumerate(hosts))
    for host, wanted in (("web-1", 1), ("web-10", 1), ("web-1|web-10", 2)):
        with metered(connection) as cost:
            found = repository.read("cpu", [TagFilter("host", "literal_or", host)])
        assert {series.tags["host"] for series in found} == set(host.split("|"))
        assert cost.rows_fetched == wanted
    high = repository.uids.tag_values.ids_of(hosts)
    assert high["web-40"][-1] > 0x7F
    with metered(connection) as cost:
        (series,) = repository.read("cpu", [TagFilter("host", "literal_or", "web-40")])
    assert series.tags["host"] == "web-40"
    assert cost.rows_fetched == sum(uid[-1] > 0x7F for uid in high.values()), "which look the same to the server"
    assert not repository.read("cpu", [TagFilter("host", "literal_or", "web-1"), TagFilter("dc", "literal_or", "sjc")])


@pytest.mark.further
def test_a_filter_is_as_long_as_the_server_takes_it(connection):
    pairs = [bytes([0, 0, 1, 0, number >> 7, number & 0x7F]) for number in range(2620)]
    assert MAX_FILTER_BYTES - 25 < len(row_filter([pairs])) <= MAX_FILTER_BYTES
    table = connection.table("tsdb")
    table.put(b"cpu" + pairs[-1], {b"t:\0\0": b"\1"})
    table.put(b"cpu", {b"t:\0\0": b"\1"})
    found = table.scan(filter=row_filter([pairs]))
    assert [row for row, _ in found] == [b"cpu" + pairs[-1]]
    assert row_filter([[*pairs, b"any more"]]) is None


@pytest.mark.parametrize(("longest", "rows"), [(1000, 1), (30, 2)])
def test_with_too_many_values_the_client_compares(connection, monkeypatch, longest, rows):
    monkeypatch.setattr("domains.tsdb.asking.selecting.MAX_FILTER_BYTES", longest)
    repository = TsdbRepository(connection)
    repository.store_all(Point("cpu", HOUR, 1, {"host": host}) for host in ("web-1", "db-1"))
    with metered(connection) as cost:
        found = repository.read("cpu", [TagFilter("host", "literal_or", "web-1")])
    assert [series.tags["host"] for series in found] == ["web-1"]
    assert cost.rows_fetched == rows, "all names are remembered"


def test_series_by_their_tsuids(repository):
    for number, host in enumerate(("a", "b", "c")):
        repository.store_all(
            Point("cpu", HOUR + hour * HOUR_MS, 10 * number + hour, {"host": host, "dc": "x"}) for hour in range(3)
        )
    by_host = {series.tags["host"]: series for series in repository.read("cpu")}
    tsuids = {host: series.tsuids[0] for host, series in by_host.items()}
    assert all(tsuid == tsuid.upper() for tsuid in tsuids.values())
    (only,) = repository.read_tsuids([tsuids["b"].lower()], HOUR + HOUR_MS, HOUR + 2 * HOUR_MS)
    assert (only.metric, only.tags, only.values.points()) == ("cpu", {"host": "b", "dc": "x"}, [(HOUR + HOUR_MS, 11)])
    both = repository.read_tsuids([tsuids["c"], tsuids["a"], tsuids["a"]])
    assert [series.tags["host"] for series in both] == ["a", "c"]
    (summed,) = repository.ask(parse_query(f"tsuid=sum:{tsuids['a']},{tsuids['c']}"), HOUR, HOUR + 3 * HOUR_MS)
    assert [value for _, value in summed.values.points()] == [20, 22, 24]
    assert (summed.metric, summed.tags, summed.aggregated_tags) == ("cpu", {"dc": "x"}, ("host",))
    assert set(summed.tsuids) == {tsuids["a"], tsuids["c"]}
    hourly = repository.query(f"tsuid=max:3h-max:{tsuids['b']}", HOUR, HOUR + 3 * HOUR_MS)
    assert [(answer.metric, answer.value) for answer in hourly] == [("cpu", 12.0)]


def test_one_series_of_a_salted_table_is_one_range(new_store):
    tables = TABLES._replace(points=data_table(salt=SeriesSalt(1, 20)))
    connection = new_store(*tables)
    repository = TsdbRepository(connection, tables)
    repository.store_all(Point("cpu", HOUR, 1, {"host": host}) for host in "abcdef")
    tsuids = [tsuid for series in repository.read("cpu") for tsuid in series.tsuids]
    for asked, ranges in ((tsuids[:1], 1), (tsuids, 20)):
        with metered(connection) as cost:
            assert len(repository.read_tsuids(asked)) == len(asked)
        assert len([read for read in cost.reads if read.table.endswith(b"tsdb")]) == ranges


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda tsdb: tsdb.read_tsuids([]), InvalidQuestion, r"tsuids: must be of one metric .got 0 metrics"),
        (lambda tsdb: tsdb.read_tsuids(["000001000001", "000002000001"]), InvalidQuestion, "of one metric .got 2"),
        (lambda tsdb: tsdb.read_tsuids(["xyz"]), InvalidKey, "tsuid: must be UIDs in hex .got 'xyz'"),
        (lambda tsdb: tsdb.read_tsuids(["000001000001"]), InvalidQuestion, "must be 1..8 pairs of 6 bytes .got 3 b"),
        (lambda tsdb: tsdb.read_tsuids(["000009000001000001"]), UnknownUid, "metrics: must be a UID with a name"),
        (lambda tsdb: tsdb.query("tsuid=sum:000001{host=a}", HOUR, HOUR), InvalidQuestion, "SubQuery: needs a metric"),
        (lambda tsdb: SubQuery(), InvalidQuestion, "SubQuery: needs a metric"),
    ],
)
def test_tsuids_that_cannot_be_asked_are_refused(connection, ask, error, message):
    repository = TsdbRepository(connection)
    repository.store(Point("cpu", HOUR, 1, {"host": "a"}))
    with pytest.raises(error, match=message):
        ask(repository)
