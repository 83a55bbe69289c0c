"""Real logs, one of Apache and nine of Kafka, loaded into every variant; equal ones are told apart as `load` does."""

from collections import Counter
from pathlib import Path

import pytest

from domains.logs import LogEvent, Repeats
from domains.logs.formats import FORMATS
from shared.loading import read_records

from .asking import ANSWERING, BY_NAME, dump, expected, paged, query_of, refuses

ROOT = Path(__file__).parents[3]
REAL = ROOT.parent / "shared" / "data" / "logs"
APACHE = REAL / "apache_access.log"
KAFKA = sorted(REAL.glob("kafka/*/*"))
HOUR_MS = 3_600_000

pytestmark = pytest.mark.skipif(not REAL.exists(), reason="the real logs are not on this machine")


def read(*paths):
    """The events of files, equal ones told apart file by file."""
    return [event for path in paths for event in map(Repeats(), read_records(path, LogEvent, FORMATS))]


@pytest.fixture(scope="module")
def events():
    """Of all ten files."""
    return read(APACHE, *KAFKA)


@pytest.fixture(scope="module", params=ANSWERING)
def loaded(request, engine, events):
    """A variant's name, and a connection and a repository with all events."""
    variant = BY_NAME[request.param]
    with engine.store(*variant.tables) as connection:
        logs = variant.open(connection)
        assert logs.store_all(events) == len(events)
        yield request.param, connection, logs


def test_ten_files_hold_3500_requests_and_3207_events_of_brokers(events):
    assert len([APACHE, *KAFKA]) == 10
    of_brokers = sum(event.host.startswith("kafka") for event in events)
    assert (len(events) - of_brokers, of_brokers) == (3500, 3207)


def test_to_read_the_files_again_gives_the_same_events_ties_included(events):
    assert read(APACHE, *KAFKA) == events


def test_all_events_are_there_as_rows(loaded, events):
    name, connection, _logs = loaded
    (table,) = BY_NAME[name].tables
    rows = [row for row, _cells in connection.table(table.name).scan()]
    assert rows == sorted(table.row(event) for event in events)
    assert len({*rows}) == 3500 + 3207


@pytest.mark.parametrize("loaded", ["salted"], indirect=True)
def test_to_load_files_again_changes_nothing(loaded):
    name, connection, logs = loaded
    before = dump(connection, BY_NAME[name])
    for event in read(*KAFKA):
        logs.store(event)
    assert dump(connection, BY_NAME[name]) == before


def test_a_client_whose_address_begins_anothers_is_somebody_else(loaded, events):
    name, _connection, logs = loaded
    alike = [event for event in events if event.host in ("180.76.5.17", "180.76.5.172")]
    mine = {event for event in alike if event.host == "180.76.5.17"}
    since_ms, last_ms = min(event.time_ms for event in alike), max(event.time_ms for event in alike)
    assert 0 < len(mine) < len(alike)
    assert {*logs.window(since_ms, last_ms + 1, host="180.76.5.17")} == mine
    if name != "slices":
        latest = logs.latest("180.76.5.17", "200").page(limit=len(alike)).records
        assert {*latest} == {event for event in mine if event.event == "200"}


def questions_of(events):
    """The latest of a kind, and periods around the events, of busy hosts and of some that begin alike."""
    busy = [host for host, _ in Counter(event.host for event in events).most_common(1)]
    for host in [*busy, "180.76.5.17", "nobody"]:
        mine = [event for event in events if event.host == host] or events[:1]
        middle_ms = sorted(event.time_ms for event in mine)[len(mine) // 2]
        kind = mine[-1].event
        yield ("latest", host, kind, [None, None])
        yield ("host_events", host, kind, [middle_ms, middle_ms + HOUR_MS])
        yield ("window", host, None, [middle_ms - HOUR_MS, middle_ms + 1])
        yield ("window", None, None, [middle_ms, middle_ms + 5000])


def test_questions_of_real_hosts_are_answered_as_a_plain_list_does(loaded, events):
    name, _connection, logs = loaded
    questions = [question for question in questions_of(events) if not refuses(name, question)]
    answers = [query_of(logs, question).page(1000).records for question in questions]
    assert answers == [expected(events, question)[:1000] for question in questions]
    assert sum(map(bool, answers)) > len(questions) / 2


def test_pages_of_a_broker_are_its_answer(loaded, events):
    _name, _connection, logs = loaded
    middle_ms = sorted(event.time_ms for event in events if event.host == "kafka0")[500]
    question = ("window", "kafka0", None, [middle_ms - HOUR_MS, middle_ms + 60_000])
    events_expected = expected(events, question)
    assert len(events_expected) > 100
    assert paged(logs, question, limit=len(events_expected) // 2) == events_expected


def test_hosts_that_begin_alike_are_answered_as_a_plain_list_does(loaded, events):
    _name, _connection, logs = loaded
    middle_ms = sorted(event.time_ms for event in events if event.host.startswith("66.249."))[50]
    question = ("hosts_like", "66.249.", None, [middle_ms, middle_ms + 2 * HOUR_MS])
    assert {*paged(logs, question, limit=40)} == {*expected(events, question)} != set()
