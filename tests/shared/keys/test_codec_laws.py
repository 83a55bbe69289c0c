"""The laws of `codecs.py`, tried on the edges of every codec."""

import re
from datetime import UTC, date, datetime
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from shared.keys import InvalidKey
from tests.shared.keys.strategies import CASES, MARKS, Few, Status, Text

NOT_ORDERED = r"Reversed|Code|'~'|DelimitedText\('_'\)"
every_codec = pytest.mark.parametrize("kind", CASES, ids=str)


class Index:
    """An int to `struct` and `range`, as numpy's are."""

    def __index__(self) -> int:
        return 1


class Bytes(bytes):
    """Bytes that could do anything when compared."""


class Float(float):
    """A float, but not exactly."""


class Moment(datetime):
    """A datetime, but not exactly."""


WRONG: dict[type, list[Any]] = {
    int: [None, True, False, Few.ONE, Index(), 1.0, "1", b"1"],
    float: [None, True, 1, Few.ONE, Index(), Float(1.0), "1.0"],
    str: [None, 1, b"a", Text("a"), bytearray(b"a"), ["a"]],
    datetime: [None, 0, date(2020, 1, 1), datetime(2020, 1, 1), Moment(2020, 1, 1, tzinfo=UTC), "2020-01-01T00:00:00Z"],
    date: [None, 0, datetime(2020, 1, 1, tzinfo=UTC), "2020-01-01"],
    UUID: [None, 0, bytes(16), str(UUID(int=0))],
    bool: [None, 0, 1, "true", b"\1"],
    Status: [None, 0, "paid", "PAID", Few.ONE],
    bytes: [None, 1, "abc", Bytes(b"abc"), bytearray(b"abc"), memoryview(b"abc"), [1, 2, 3]],
}


@every_codec
def test_a_value_comes_back_from_its_bytes_and_ends_where_it_says(kind):
    codec = kind.codec
    for value in kind.keys:
        encoded = codec.encode(value)
        assert codec.width_bytes in (None, len(encoded))
        back = codec.decode(encoded)
        assert (value, type(value)) == (back, type(back))
        if not codec.trailing:
            for rest in (b"", b"\0", b"\1", b"\xff", b"a", b"0", b"_", encoded):
                assert (value, rest) == codec.decode_first(encoded + rest)
                assert not rest or is_refused(codec, encoded + rest)
            assert all(is_refused(codec, encoded[:end]) for end in range(len(encoded)))


def is_refused(codec, row):
    try:
        codec.decode(row)
    except InvalidKey:
        return True
    return False


@every_codec
def test_bytes_sort_as_values_do_in_all_codecs_that_are_ordered(kind):
    assert kind.codec.ordered == (re.search(NOT_ORDERED, str(kind)) is None)
    if not kind.codec.ordered:
        return
    rows = [(value, kind.codec.encode(value)) for value in kind.keys]
    for (first, first_row), (second, second_row) in product(rows, repeat=2):
        is_before = first > second if kind.codec.descending else first < second
        assert is_before == (first_row < second_row)
        assert (first == second) == (first_row == second_row)


@every_codec
def test_bytes_that_decode_are_the_only_ones_of_their_value(kind):
    for encoded in map(kind.codec.encode, kind.keys[::3]):
        for start, removed, inserted in product(range(len(encoded) + 1), range(3), MARKS):
            row = encoded[:start] + inserted + encoded[start + removed :]
            assert is_refused(kind.codec, row) or row == kind.codec.encode(kind.codec.decode(row))


@every_codec
def test_a_value_of_another_type_is_refused_even_if_python_accepts_it(kind):
    for wrong in WRONG[kind.value_type]:
        with pytest.raises(InvalidKey, match=r"^must be .*\(got "):
            kind.codec.encode(wrong)
