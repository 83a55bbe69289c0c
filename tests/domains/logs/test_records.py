"""What an event holds, what it refuses, and what tells equal events apart."""

import hashlib
import json
from pathlib import Path

import attrs
import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.logs import LogEvent, Repeats
from domains.logs.records import TIE_BYTES, tie_of
from fixtures.logs.make_keys import SAID
from shared.records import LAST_MS

GOLDEN = json.loads((Path(__file__).parents[3] / "fixtures" / "logs" / "keys.json").read_text(encoding="utf-8"))["ties"]

CART = LogEvent("web-1", "GET", 1_768_205_250_123, "INFO", "/cart")


def test_a_tie_is_eight_bytes_of_the_md5_of_six_texts_in_msgpack():
    packed = bytes.fromhex(
        "96 a5 7765622d31 a3 474554 ad 31373638323035323530313233 a4 494e464f a5 2f63617274 a1 30"
    )  # web-1, GET, 1768205250123, INFO, /cart, 0
    assert hashlib.md5(packed).digest()[:8] == bytes.fromhex("f729184e15422d9a") == CART.tie == tie_of(CART)


@pytest.mark.parametrize(
    ("event", "ordinal", "tie"),
    [
        (CART, 1, "5217482a68165e2e"),
        (CART, 10, "f893593fe5073528"),
        (LogEvent("1", "2", LAST_MS, "3", "4"), 0, "c2756b3732c08500"),
        (LogEvent("1", "2", 0), 0, "15989f7a8a7646ba"),
        (LogEvent("émile", "店", 0, "", "no route\n\tat Router.find"), 0, "088b78a83351766e"),
        (LogEvent("1", "2", 0, "", "\ud800"), 0, "e6af243019e48e2d"),
    ],
)
def test_a_tie_never_changes(event, ordinal, tie):
    assert tie_of(event, ordinal).hex() == tie


def test_the_golden_ties_come_out_byte_for_byte():
    assert [tie_of(LogEvent(**golden["event"]), golden["ordinal"]).hex() for golden in GOLDEN] == [
        golden["tie"] for golden in GOLDEN
    ]
    assert [LogEvent(**golden["event"]) for golden in GOLDEN[::3]] == SAID


def test_a_golden_tie_is_what_another_language_computes():
    for golden in GOLDEN:
        values = [str(golden["event"][name]) for name in ("host", "event", "time_ms", "severity", "message")]
        packed = msgpack.packb([*values, str(golden["ordinal"])])
        assert hashlib.md5(packed).hexdigest()[:16] == golden["tie"]


@pytest.mark.parametrize(
    "other",
    [
        {"host": "web-12"},
        {"event": "POST"},
        {"time_ms": CART.time_ms + 1},
        {"severity": ""},
        {"message": "/cart "},
        {"host": "web", "event": "-1GET"},
        {"severity": "INFO/", "message": "cart"},
    ],
    ids=str,
)
def test_events_that_differ_in_anything_have_different_ties(other):
    values = attrs.asdict(CART, filter=lambda field, _: field.name != "tie") | other
    assert LogEvent(**values).tie != CART.tie


def test_a_tie_of_the_source_is_kept():
    assert LogEvent("web-1", "GET", 5, tie=bytes(8)).tie == bytes(8)


def test_a_copy_with_another_message_keeps_the_tie_it_was_given():
    copy = attrs.evolve(CART, message="/items")
    assert copy.tie == CART.tie != tie_of(copy)


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("host", "", "must be text, not empty .got ''."),
        ("host", None, "must be text, not empty .got None."),
        ("event", "", "must be text, not empty .got ''."),
        ("event", 404, "must be text, not empty .got 404."),
        ("time_ms", -1, "must be 0..253402300799999 .got -1."),
        ("time_ms", LAST_MS + 1, "must be 0..253402300799999 .got 253402300800000."),
        ("time_ms", True, "must be 0..253402300799999 .got True."),
        ("time_ms", 1.0, "must be 0..253402300799999 .got 1.0."),
        ("severity", None, "must be text .got None."),
        ("message", b"/cart", "must be text .got b'/cart'."),
        ("tie", bytes(7), "must be 8 bytes .got "),
        ("tie", bytes(9), "must be 8 bytes .got "),
        ("tie", "12345678", "must be 8 bytes .got '12345678'."),
    ],
)
def test_what_no_row_can_hold_is_refused_by_name(field, value, wanted):
    with pytest.raises(ValueError, match=rf"^LogEvent\.{field}: {wanted}"):
        LogEvent(**{"host": "web-1", "event": "GET", "time_ms": 5, field: value})


@pytest.mark.parametrize("time_ms", [0, LAST_MS])
def test_the_first_and_the_last_time_are_taken(time_ms):
    assert LogEvent("web-1", "GET", time_ms).time_ms == time_ms


# ---- Repeats ----------------------------------------------------------------------------------------


def test_equal_events_of_one_file_become_distinct():
    first, second, third = map(Repeats(), [CART, CART, CART])
    assert [first.tie, second.tie, third.tie] == [tie_of(CART, ordinal) for ordinal in (0, 1, 2)]
    assert attrs.evolve(second, tie=CART.tie) == attrs.evolve(third, tie=CART.tie) == first == CART


def test_an_event_that_is_there_once_stays_as_it_is():
    events = [CART, LogEvent("web-1", "GET", 5), LogEvent("web-1", "GET", 6)]
    assert list(map(Repeats(), events)) == events


def test_the_other_events_between_equal_ones_change_no_tie():
    between = LogEvent("web-1", "GET", 5)
    assert list(map(Repeats(), [CART, between, CART]))[::2] == list(map(Repeats(), [CART, CART]))


@given(st.lists(st.builds(LogEvent, st.sampled_from("ab"), st.sampled_from("EF"), st.integers(0, 1))))
def test_all_events_of_a_file_are_distinct_and_a_second_pass_gives_the_same_ties(events):
    once = list(map(Repeats(), events))
    assert list(map(Repeats(), events)) == once
    assert len(set(once)) == len({event.tie for event in once}) == len(events)
    assert [attrs.evolve(event, tie=tie_of(event)) for event in once] == events
    assert all(len(event.tie) == TIE_BYTES for event in once)


def test_different_ties_of_the_source_are_kept():
    events = [LogEvent("web-1", "GET", 5, tie=bytes([number] * 8)) for number in range(3)]
    assert list(map(Repeats(), events)) == events


def test_numbers_that_each_host_counts_for_itself_are_kept():
    events = [LogEvent(host, "GET", 5, tie=bytes(8)) for host in ("web-1", "web-2")]
    assert list(map(Repeats(), events)) == events


def test_an_event_that_its_source_delivers_twice_under_one_number_is_one_row():
    event = LogEvent("web-1", "GET", 5, tie=bytes(8))
    assert list(map(Repeats(), [event, event])) == [event, event]
