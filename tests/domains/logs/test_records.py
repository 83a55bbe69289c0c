"""What an event holds, what it refuses, and what tells equal events apart."""

import hashlib
from unittest.mock import patch

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.logs import LogEvent, Repeats
from shared.records import LAST_MS, TIE_BYTES, tie_of, ties

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
        (LogEvent("émile", "店", 0, "", "no route\n\tat Router.find"), 0, "088b78a83351766e"),
        (LogEvent("1", "2", 0, "", "\ud800"), 0, "e6af243019e48e2d"),
    ],
)
def test_a_tie_never_changes(event, ordinal, tie):
    assert tie_of(event, ordinal).hex() == tie


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
        ("time_ms", LAST_MS + 1, "must be 0..253402300799999 .got 253402300800000."),
        ("tie", bytes(7), "must be 8 bytes .got "),
        ("tie", bytes(9), "must be 8 bytes .got "),
    ],
)
def test_a_value_that_no_row_can_hold_is_refused_by_name(field, value, wanted):
    with pytest.raises(ValueError, match=rf"^LogEvent\.{field}: {wanted}"):
        LogEvent(**{"host": "web-1", "event": "GET", "time_ms": 5, field: value})
    assert LogEvent("web-1", "GET", LAST_MS).time_ms == LAST_MS


# ---- Repeats ----------------------------------------------------------------------------------------

A_FEW_EVENTS = st.lists(st.builds(LogEvent, st.sampled_from("ab"), st.sampled_from("EF"), st.integers(0, 3)))


@given(A_FEW_EVENTS, st.sampled_from([0, 3, ties.TIES_IN_MEMORY]))
def test_equal_events_of_one_file_become_distinct_and_a_second_pass_gives_the_same_ties(events, in_memory):
    with patch.object(ties, "TIES_IN_MEMORY", in_memory):
        once = list(map(Repeats(), events))
    assert list(map(Repeats(), events)) == once
    assert len(set(once)) == len({event.tie for event in once}) == len(events)
    ordinals = [events[:place].count(event) for place, event in enumerate(events)]
    assert [event.tie for event in once] == [tie_of(event, at) for event, at in zip(events, ordinals, strict=True)]
    assert [attrs.evolve(event, tie=tie_of(event)) for event in once] == events
    assert all(len(event.tie) == TIE_BYTES for event in once)


def test_numbers_of_the_source_are_kept_also_if_it_delivers_an_event_twice():
    numbered = [LogEvent(host, "GET", 5, tie=bytes([number] * 8)) for host in ("a", "b") for number in (0, 1, 1)]
    assert list(map(Repeats(), numbered)) == numbered
