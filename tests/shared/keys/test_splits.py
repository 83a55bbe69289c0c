"""Split points: golden ones, and what is refused."""

import re
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from shared.keys import (
    DecimalText,
    Descending,
    FixedBytes,
    InvalidQuestion,
    KeyLayout,
    Salt,
    Splits,
    UInt8,
    UInt32,
    UInt64,
    split_points,
    splits,
)
from shared.keys.codecs import Codec
from shared.keys.prefixes import Prefix
from tests.shared.specimens import key_class, made, question_of


def of_prefix(*prefixes: Prefix) -> KeyLayout[Any]:
    return KeyLayout(key_class("Key", id=UInt32), *prefixes)


def of_part(codec: Codec[Any]) -> KeyLayout[Any]:
    return KeyLayout(key_class("Key", id=codec))


def layout_by_hand(text: str) -> KeyLayout[Any]:
    """A key of one part, id: of this codec, or a number after these prefixes; or `parts; prefixes`."""
    parts, has_parts, prefixes = text.partition(";")
    if has_parts:
        return KeyLayout(key_class("Key", **question_of(parts)), *made(f"[{prefixes.strip()}]"))
    first, *others = made(f"[{text}]")
    return of_part(first) if isinstance(first, Codec) else of_prefix(first, *others)


# ---- golden points -------------------------------------------------------------------------------

# prefix or codec: points wanted (- if no number is given) | points | part of the reason
CUT = """
Salt(of='id', buckets=4): 2 | 01 02 | 3 regions, as equal as possible
Salt(of='id', buckets=10): 3 | 02 05 07 | 4 regions, as equal as possible
Modulo(of='id', by=3): - | 01 02 | 3 buckets of Modulo(of='id', by=3): one region
HashPrefix(of='id', bytes=4): 2 | 55 aa | bytes of HashPrefix(of='id', bytes=4): 3 regions, as equal as possible
HashPrefix(of='id', bytes=4, hex=True): 3 | 34 38 63 | hex digits of HashPrefix(of='id', bytes=4, hex=True): 4 regions
HashPrefix(of='id', bytes=4, hex=True): 2 | 3535 6161 | 3 regions, as equal as possible
HashPrefix(of='id', bytes=1, hex=True): 4 | 33 36 39 63 | 5 regions, as equal as possible
HashPrefix(of='id', bytes=2, hex=True, separator='_', take='last'): 1 | 38 | 2 regions, as
ReversedDigits(8): - | 31 32 33 34 35 36 37 38 39 | digits of id, last digit first: 10 regions, as
ReversedDigits(8): 3 | 3235 35 3735 | 4 regions, as equal as possible
Reversed(UInt32): 3 | 40 80 c0 | bytes of id, last byte first: 4 regions, as equal as possible
Reversed(DecimalText(8)): 3 | 3235 35 3735 | digits of id, last digit first: 4 regions, as equal as possible
STATUS: - | 02 ff | 3 codes of id: one region each
STATUS: 1 | 02 | 3 codes of id: 2 regions, as equal as possible
DecimalText(8): 3 | 3235 35 3735 | 4 regions, as equal as possible, if id is spread over all
Descending(DecimalText(8)): 1 | 35 | if id is spread over all values of Descending(DecimalText(8)) and does not count up
UInt32: 3 | 40 80 c0 | rows start with id (a specimen): 4 regions, as equal as possible, if id is spread
Descending(Int64): 1 | 80 | all values of Descending(Int64)
FixedBytes(16): 3 | 40 80 c0 | all values of FixedBytes(16)
# The first spreading prefix decides, also before a time; without one, the first part.
Salt(of='id', buckets=4), HashPrefix(of='id', bytes=4): - | 01 02 03 | buckets of Salt
HashPrefix(of='id', bytes=4), Salt(of='id', buckets=4): 3 | 40 80 c0 | bytes of HashPrefix
time_ms=Int64, id=UInt32; Salt(of='id', buckets=4): - | 01 02 03 | buckets of Salt
time_ms=Int64, id=UInt32; Salt(of='id', buckets=4), TimeBucket(of='time_ms', every_ms=1000): - | 01 02 03 | buckets
kind=STATUS, time_ms=Int64;: - | 02 ff | 3 codes of kind
time_ms=ReversedDigits(13);: 2 | 333333 363636 | digits of time_ms, last digit first
"""


def cut(line: str) -> ParameterSet:
    """The layout, the points wanted, the points and the reason of a line."""
    layout, wanted = line.split(": ", maxsplit=1)
    count, points, reason = wanted.split(" | ")
    return pytest.param(layout_by_hand(layout), None if count == "-" else int(count), points, reason, id=line)


@pytest.mark.parametrize(
    ("layout", "count", "points", "reason"), [cut(line) for line in CUT.splitlines() if " | " in line]
)
def test_points_and_their_reason(layout, count, points, reason):
    result = split_points(layout, count)
    assert points == " ".join(point.hex() for point in result.points)
    assert reason in result.reason
    assert "\n" not in result.reason


TIME_FIRST = "rows start with time_ms: new rows always come"
UNKNOWN = "and the layout does not say which values are frequent"

# why rows have no points, and the layouts of which that is said
WHY_NONE = {
    f"{TIME_FIRST} after the last split point, so splitting does not spread them; put a Salt or HashPrefix before it": [
        *("time_ms=Int64;", "time_ms=DecimalText(13);", "time_ms=EscapedText;"),
        "id=UInt32, time_ms=Int64; TimeBucket(of='time_ms', every_ms=1000)",
    ],
    f"{TIME_FIRST} before the first split point": [
        *("time_ms=Descending(Int64);", "time_ms=LongMaxMinus;"),
        "id=UInt32, time_ms=Descending(Int64); TimeBucket(of='time_ms', every_ms=1000)",
    ],
    f"rows start with host (EscapedText), {UNKNOWN}; "
    "put a Salt or HashPrefix before it, or choose the points yourself": ["host=EscapedText;"],
    **{
        f"rows start with id ({codec}), {UNKNOWN}": [codec]
        for codec in (
            *("FixedText(4, 'x')", "TrailingBytes", "Float64", "LongMaxMinus", "Delimited(DecimalText(4), '_')"),
            "Reversed(EscapedText)",
        )
    },
    "buckets of Salt(of='id', buckets=1): only one, so one region": ["Salt(of='id', buckets=1)"],
    "buckets of Modulo(of='id', by=1): only one, so one region": ["Modulo(of='id', by=1)"],
    "codes of kind: only one, so one region": ["kind=Code({'only': 7});"],
}


@pytest.mark.parametrize(
    ("layout", "reason"), [(layout, reason) for reason, layouts in WHY_NONE.items() for layout in layouts]
)
def test_a_layout_without_points_says_why_and_refuses_to_invent_some(layout, reason):
    layout = layout_by_hand(layout)
    result = split_points(layout)
    assert result.points == ()
    assert result.reason.startswith(reason)
    assert "\n" not in result.reason
    with pytest.raises(InvalidQuestion) as refused:
        split_points(layout, 7)
    assert str(refused.value) == f"Key: has no split points (wanted 7): {result.reason}"


@pytest.mark.parametrize("codec", [UInt8, Descending(UInt64), DecimalText(4), FixedBytes(16)], ids=str)
def test_numbers_are_split_only_if_a_number_of_points_is_given(codec):
    reason = (
        "rows start with id (a specimen): not split by default; give a number of points "
        f"if id is spread over all values of {codec} and does not count up"
    )
    assert Splits((), reason) == split_points(of_part(codec))


def test_the_docstring_shows_the_points_that_split_points_returns():
    examples = re.findall(r"^    (\S.*) -> (.*)$", splits.__doc__, re.MULTILINE)
    assert len(examples) == 7
    for written, points in examples:
        assert points == ", ".join(point.hex() for point in split_points(layout_by_hand(written)).points)


# ---- refusals ------------------------------------------------------------------------------------

MOST = {
    "Salt(of='id', buckets=2)": 1,
    "HashPrefix(of='id', bytes=2)": 1023,
    "HashPrefix(of='id', bytes=1, hex=True, separator='_')": 15,
    "STATUS": 2,
    "Reversed(UInt32)": 1023,
    "DecimalText(2)": 99,
}


@pytest.mark.parametrize(("layout", "most"), MOST.items())
def test_more_points_than_keys_can_be_told_apart_by_are_refused(layout, most):
    layout = layout_by_hand(layout)
    points = split_points(layout, most).points
    assert sorted({*points}) == [*points]
    assert most == len(points)
    with pytest.raises(InvalidQuestion) as refused:
        split_points(layout, most + 1)
    assert f"Key: must be 1..{most} split points (got {most + 1})" == str(refused.value)


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0"), (True, "True"), (2.0, "2.0"), (10**5000, "an int of 16610 bits")],
    ids=["zero", "bool", "float", "huge"],
)
def test_a_number_of_points_is_an_int_of_at_least_1(count, shown):
    with pytest.raises(InvalidQuestion) as refused:
        split_points(of_prefix(Salt(of="id", buckets=8)), count)
    assert f"Key: must be 1..7 split points (got {shown})" == str(refused.value)
    with pytest.raises(InvalidQuestion, match=re.escape(f"has no split points (wanted {shown}): rows start with id")):
        split_points(layout_by_hand("TrailingText"), count)
