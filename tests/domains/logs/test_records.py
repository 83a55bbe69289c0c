"""What tells equal events apart."""

import hashlib
from unittest.mock import patch

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.logs import LogEvent, Repeats
from shared.records import TIE_BYTES, tie_of, ties
from tests.engines import examples

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
        (LogEvent("1", "2", 0, "", "\ud800"), 0, "e6af243019e48e2d"),
    ],
)
def test_a_tie_never_changes(event, ordinal, tie):
    assert tie_of(event, ordinal).hex() == tie


def test_a_copy_with_another_message_keeps_the_tie_it_was_given():
    copy = attrs.evolve(CART, message="/items")
    assert copy.tie == CART.tie != tie_of(copy)


A_FEW_EVENTS = st.lists(st.builds(LogEvent, st.sampled_from("ab"), st.sampled_from("EF"), st.integers(0, 3)))


@settings(max_examples=examples(50))
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
