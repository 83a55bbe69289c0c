"""The sample files hold what breaks row keys."""

from collections import Counter
from pathlib import Path

import attrs
import pytest

from domains.logs import LogEvent
from domains.logs.formats import FORMATS
from fixtures.logs import make_samples
from shared.loading import read_records

FIXTURES = Path(__file__).parents[3] / "fixtures" / "logs"


def test_the_samples_are_an_hour_of_24_hosts_of_which_half_write_whole_seconds(samples):
    times_ms = [event.time_ms for event in samples]
    assert 60 < (max(times_ms) - min(times_ms)) / 60_000 < 62
    with_milliseconds = {event.host for event in samples if event.time_ms % 1000}
    assert len(with_milliseconds) == 24 - 12
    assert {event.host for event in samples} - with_milliseconds == {*make_samples.WHOLE_SECONDS}


def test_no_host_has_what_a_variant_refuses(samples):
    assert [event.host for event in samples if {*"x_"} & {*event.host} or len(event.host.encode()) > 20] == []


def test_some_events_share_a_millisecond_or_all_fields_and_some_messages_have_several_lines(samples):
    moments = {(event.host, event.event, event.time_ms) for event in samples}
    fields = {attrs.astuple(attrs.evolve(event, tie=bytes(8))) for event in samples}
    assert (len({*samples}), len(fields), len(moments)) == (1400, 1400 - 3, 1400 - 11)
    assert any(event.message.count("\n\t") == 2 for event in samples)


def test_the_last_minute_is_a_busy_one(samples):
    minutes = Counter((event.time_ms - make_samples.START_MS) // 60_000 for event in samples)
    assert minutes == {60: 200} | dict.fromkeys(range(60), 20)


@pytest.mark.parametrize(("name", "events"), [("access.log", 5), ("broker-1/server.log", 4)])
def test_the_small_files_hold_an_event_twice_and_times_that_go_back(name, events):
    records = list(read_records(FIXTURES / name, LogEvent, FORMATS))
    assert len(records) == events == len(set(records)) + 1
    times_ms = [event.time_ms for event in records]
    assert times_ms != sorted(times_ms)


def test_larger_samples_have_as_many_more_hosts_in_every_bucket_of_hosts():
    hosts = {times: {event["host"] for event in make_samples.SAMPLES["events"](times)} for times in (1, 4)}
    assert (len(hosts[1]), len(hosts[4])) == (24, 4 * 24)
    assert make_samples.SAMPLES["events"](1) == make_samples.logs()
    assert not any(host.startswith("db-") or "x" in host or "_" in host for host in hosts[4] - hosts[1])
