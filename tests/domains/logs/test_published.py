"""The keys as published end before the tie: of the events that they tie one is kept, and the others are lost."""

from pathlib import Path

import pytest

from domains.logs import LogEvent, Repeats
from domains.logs.formats import FORMATS
from domains.logs.keys import LOG_CELLS
from shared.keys import Descending, EscapedText, Int64, KeyLayout, part, row_key
from shared.loading import read_records
from tests.engines import plain_table

REAL = Path(__file__).parents[4] / "shared" / "data" / "logs"
needs_real_logs = pytest.mark.skipif(not REAL.exists(), reason="the real logs are not on this machine")


@row_key
class PublishedNewestFirst:
    """S0.12, [hostname][log-event][Long.MAX_VALUE - timestamp]."""

    host: str = part(EscapedText, "where")
    event: str = part(EscapedText, "what")
    time_ms: int = part(Descending(Int64), "when")


@row_key
class PublishedTimeFirst:
    """S0.7, [timestamp][hostname][log-event]."""

    time_ms: int = part(Int64, "when")
    host: str = part(EscapedText, "where")
    event: str = part(EscapedText, "what")


published = pytest.mark.parametrize("key", [PublishedNewestFirst, PublishedTimeFirst])


@pytest.fixture
def rows_kept(engine):
    """Counts the rows of a table into which all events were put."""

    def count(key, events):
        layout = KeyLayout(key)
        with engine.shared_store(plain_table("t", "l")) as connection:
            rows = connection.table("t")
            with rows.batch(batch_size=1000) as batch:
                for event in events:
                    batch.put(layout.encode(layout.key_of(event)), LOG_CELLS.pack(event))
            return sum(1 for _ in rows.scan())

    return count


def read(*paths):
    """The events of files, told apart file by file."""
    return [event for path in paths for event in map(Repeats(), read_records(path, LogEvent, FORMATS))]


def moments(events):
    """How many events are lost where a host has one for a moment."""
    return len(events) - len({(event.host, event.time_ms) for event in events})


@pytest.fixture(scope="module")
def requests():
    return read(REAL / "apache_access.log")


@pytest.fixture(scope="module")
def of_brokers():
    return read(*sorted(REAL.glob("kafka/*/*")))


@published
def test_published_keys_lose_11_of_1400_samples(rows_kept, key, samples):
    assert (len(samples), rows_kept(key, samples)) == (1400, 1400 - 11)
    assert moments(samples) == 27


@published
@needs_real_logs
def test_published_keys_lose_229_of_3500_real_requests(rows_kept, key, requests):
    assert (len(requests), rows_kept(key, requests)) == (3500, 3500 - 229)


@needs_real_logs
def test_268_real_requests_are_of_a_client_and_a_second_that_have_another(requests):
    assert moments(requests) == 268


@published
@needs_real_logs
def test_published_keys_lose_582_of_3207_real_events_of_kafka_as_many_as_share_host_and_moment(
    rows_kept, key, of_brokers
):
    assert (len(of_brokers), rows_kept(key, of_brokers)) == (3207, 3207 - 582)
    assert moments(of_brokers) == 582
