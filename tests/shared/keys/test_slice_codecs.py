"""Slices and their rests: records have whole values, keys the starts of slices, and cells the rests."""

import attrs
import pytest

from shared.keys import (
    DecimalText,
    Delimited,
    Int8,
    InvalidKey,
    InvalidQuestion,
    KeyLayout,
    Rest,
    Slice,
    UInt8,
    between,
)
from tests.shared.specimens import HourOfMetric, WithinHour, key_class

HOURS = KeyLayout(HourOfMetric)
WITHIN = KeyLayout(WithinHour)


@attrs.frozen
class Sample:
    metric: str
    time_ms: int


def test_a_key_must_have_the_start_of_a_slice():
    wanted = r"^HourOfMetric\.time_ms: must be a multiple of 3600000 \(got 5\)"
    for encode in (HOURS.encode, HOURS.encode_reference):
        with pytest.raises(InvalidKey, match=f"{wanted}$"):
            encode(HourOfMetric("a", 5))
    with pytest.raises(InvalidKey, match=f"{wanted}, at offset 3"):
        HOURS.decode(bytes.fromhex("61 0001 8000000000000005"))
    with pytest.raises(InvalidKey, match=r"^WithinHour\.time_ms: must be 0\.\.3599999 \(got 3600000\), at offset 0"):
        WITHIN.decode(bytes.fromhex("0036ee80"))


@pytest.mark.parametrize(
    ("value", "given"), [(True, "True, bool"), ("5", "'5', str"), (5.0, "5.0, float"), (None, "None")]
)
def test_a_record_without_an_int_is_refused_by_name(value, given):
    for layout in (HOURS, WITHIN):
        with pytest.raises(InvalidKey) as refused:
            layout.row_of(Sample("a", value))
        assert str(refused.value).startswith(f"{layout.key_class.__name__}.time_ms: must be an int (got {given}")


@pytest.mark.parametrize(
    ("codec_of", "last"),
    [
        (lambda: Int8, 127),
        (lambda: DecimalText(3), 999),
        (lambda: Delimited(DecimalText(2), "_"), 99),
        (lambda: Slice(Int8, 2), 127),
        (lambda: Rest(UInt8, 100), 99),
    ],
    ids=["Int8", "DecimalText", "Delimited", "Slice", "Rest"],
)
def test_an_interval_may_end_one_past_the_last_int_and_no_later(codec_of, last):
    layout = KeyLayout(key_class("Key", a=codec_of()))
    assert layout.plan(a=between(0, last + 1)).ranges == layout.plan(a=between(0)).ranges
    with pytest.raises(InvalidQuestion):
        layout.plan(a=between(0, last + 2))


def test_a_value_whose_slice_starts_below_the_codec_is_refused():
    layout = KeyLayout(key_class("Key", a=Slice(Int8, 100)))
    with pytest.raises(InvalidKey, match=r"^Key\.a: must be -128\.\.127 \(got -200\)$"):
        layout.row_of(layout.key_class(-101))
    with pytest.raises(InvalidQuestion, match=r"^Key\.a: must be -128\.\.127 \(got -200\)$"):
        layout.plan(a=-101)
