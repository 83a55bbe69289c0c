"""The laws of `codecs.py`, tried on every codec with generated values and bytes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.keys import Descending, InvalidKey
from tests.shared.keys.strategies import BOTH_WAYS, CASES, ENDED, ORDERED, Few, Text, before, blobs, damaged, few, many

every_codec = pytest.mark.parametrize("case", CASES, ids=str)
every_ended_codec = pytest.mark.parametrize("case", ENDED, ids=str)


class Index:
    """An int to `struct` and `range`, as numpy's are."""

    def __index__(self) -> int:
        return 1


class Bytes(bytes):
    """Bytes that could do anything when compared."""


class Float(float):
    """A float, but not exactly."""


WRONG: dict[type, list[Any]] = {
    int: [None, True, False, Few.ONE, Index(), 1.0, "1", b"1"],
    float: [None, True, 1, Few.ONE, Index(), Float(1.0), "1.0"],
    str: [None, 1, b"a", Text("a"), bytearray(b"a"), ["a"]],
    bytes: [None, 1, "abc", Bytes(b"abc"), bytearray(b"abc"), memoryview(b"abc"), [1, 2, 3]],
}


@every_codec
@few
@given(data=st.data(), rest=blobs)
def test_a_value_comes_back_from_its_bytes_and_ends_where_it_says(case, data, rest):
    value = data.draw(case.values)
    encoded = case.codec.encode(value)
    assert case.codec.width_bytes in (None, len(encoded))
    back = case.codec.decode(encoded)
    assert (value, type(value)) == (back, type(back))
    if not case.codec.trailing:
        assert (value, rest) == case.codec.decode_first(encoded + rest)


@pytest.mark.parametrize("case", ORDERED, ids=str)
@few
@given(data=st.data())
def test_bytes_sort_as_values_do(case, data):
    first, second = data.draw(case.values), data.draw(case.values)
    assert before(case.codec, first, second) == (case.codec.encode(first) < case.codec.encode(second))
    assert (first == second) == (case.codec.encode(first) == case.codec.encode(second))


@every_codec
@few
@given(data=st.data())
def test_bytes_that_decode_are_the_only_ones_of_their_value(case, data):
    encoded = case.codec.encode(data.draw(case.values))
    row = data.draw(damaged(encoded) | st.binary(max_size=20))
    try:
        value = case.codec.decode(row)
    except InvalidKey:
        return
    assert row == case.codec.encode(value)


@every_ended_codec
@few
@given(data=st.data())
def test_a_value_cut_short_or_continued_is_refused(case, data):
    encoded = case.codec.encode(data.draw(case.values))
    for end in range(len(encoded)):
        with pytest.raises(InvalidKey):
            case.codec.decode(encoded[:end])
    for more in (b"\0", b"\1", b"\xff", b"a", b"0", b"_", encoded):
        with pytest.raises(InvalidKey):
            case.codec.decode(encoded + more)


@pytest.mark.parametrize("case", BOTH_WAYS, ids=str)
@few
@given(data=st.data())
def test_descending_bytes_sort_in_the_opposite_order_and_have_the_same_width(case, data):
    first, second = data.draw(case.values), data.draw(case.values)
    down = Descending(case.codec)
    assert (first > second) == (down.encode(first) < down.encode(second))
    assert len(case.codec.encode(first)) == len(down.encode(first))


@many
@given(data=st.data())
def test_exactly_the_values_with_a_beginning_have_its_encoded_prefix(data):
    with_beginnings = [case for case in CASES if case.codec.trailing or "Escaped" in str(case)]
    case = data.draw(st.sampled_from([case for case in with_beginnings if "Reversed" not in str(case)]))
    start, value = data.draw(case.values), data.draw(case.values)
    for candidate in (value, start + value):
        assert candidate.startswith(start) == case.codec.encode(candidate).startswith(case.codec.encode_prefix(start))


@every_codec
def test_a_value_of_another_type_is_refused_even_if_python_accepts_it(case):
    for wrong in WRONG[case.value_type]:
        with pytest.raises(InvalidKey, match=r"^must be .*\(got "):
            case.codec.encode(wrong)
