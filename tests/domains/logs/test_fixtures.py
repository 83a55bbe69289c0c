"""The sample files hold what breaks row keys."""

import attrs

from domains.logs.design import DESIGN
from fixtures.logs import make_samples

SAMPLES = [*DESIGN.loads[0].sample_records()]
"""The sample events, told apart as `load` does."""


def test_the_samples_are_an_hour_of_24_hosts_of_which_half_write_whole_seconds():
    times_ms = [event.time_ms for event in SAMPLES]
    assert 60 < (max(times_ms) - min(times_ms)) / 60_000 < 62
    with_milliseconds = {event.host for event in SAMPLES if event.time_ms % 1000}
    assert len(with_milliseconds) == 24 - 12
    assert {event.host for event in SAMPLES} - with_milliseconds == {*make_samples.WHOLE_SECONDS}


def test_some_events_share_a_millisecond_or_all_fields_and_some_messages_have_several_lines():
    moments = {(event.host, event.event, event.time_ms) for event in SAMPLES}
    fields = {attrs.astuple(attrs.evolve(event, tie=bytes(8))) for event in SAMPLES}
    assert (len({*SAMPLES}), len(fields), len(moments)) == (1400, 1400 - 3, 1400 - 11)
    assert any(event.message.count("\n\t") == 2 for event in SAMPLES)


def test_larger_samples_have_as_many_more_hosts_in_every_bucket_of_hosts():
    hosts = {times: {event["host"] for event in make_samples.SAMPLES["events"](times)} for times in (1, 4)}
    assert (len(hosts[1]), len(hosts[4])) == (24, 4 * 24)
    assert make_samples.SAMPLES["events"](1) == make_samples.logs()
    assert not any(host.startswith("db-") or "x" in host or "_" in host for host in hosts[4] - hosts[1])
