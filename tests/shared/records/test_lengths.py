"""Lengths of time as people type and read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.records.lengths import parse_length, show_length


@pytest.mark.parametrize(
    ("length_ms", "text"),
    [
        (0, "0w"),
        (1, "1ms"),
        (1_500, "1500ms"),
        (90_000, "90s"),
        (600_000, "10m"),
        (3_600_000, "1h"),
        (129_600_000, "36h"),
        (1_209_600_000, "2w"),
        (2_592_000_000, "30d"),
    ],
)
def test_a_length_is_shown_in_the_largest_unit_that_divides_it(length_ms, text):
    assert show_length(length_ms) == text


@given(st.integers(0, 10**15 - 1))
def test_a_length_that_is_shown_is_read_as_the_same(length_ms):
    assert parse_length(show_length(length_ms)) == length_ms
