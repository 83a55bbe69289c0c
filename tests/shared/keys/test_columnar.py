"""Rows of many keys at once are the rows of `encode`, key by key."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shared.keys import (
    Code,
    Codec,
    DecimalText,
    Descending,
    EscapedText,
    FixedBytes,
    Float64,
    HashPrefix,
    Int8,
    Int16,
    Int32,
    Int64,
    InvalidKey,
    KeyLayout,
    Modulo,
    Prefix,
    Prefixed,
    Rest,
    Salt,
    Slice,
    TimeBucket,
    UInt8,
    UInt16,
    UInt24,
    UInt32,
    UInt64,
    part,
    row_key,
)
from shared.keys.codecs import Integer
from shared.keys.columnar import encode_many

INTS = (UInt8, UInt16, UInt24, UInt32, UInt64, Int8, Int16, Int32, Int64)
HOUR_MS = 3_600_000


def ints(codec: Integer) -> st.SearchStrategy[int]:
    return st.integers(codec.first, codec.last) | st.sampled_from((codec.first, codec.last, 0))


def as_ints(values: list[int]) -> NDArray[Any]:
    return np.array(values, np.uint64 if max(values, default=0) > 2**63 - 1 else np.int64)


def as_bytes(values: list[bytes]) -> NDArray[Any]:
    return np.array(values, "V3")


Column = Callable[[list[Any]], NDArray[Any]]
CASES: list[tuple[Codec[Any], st.SearchStrategy[Any], Column]] = [
    *((codec, ints(codec), as_ints) for codec in INTS),
    (Float64, st.floats(allow_nan=False).filter(lambda value: str(value) != "-0.0"), np.array),
    (FixedBytes(3), st.binary(min_size=3, max_size=3), as_bytes),
    (Slice(Int64, HOUR_MS), st.integers(-(10**9), 10**9).map(lambda hour: hour * HOUR_MS), as_ints),
    (Rest(UInt32, HOUR_MS), st.integers(0, HOUR_MS - 1), as_ints),
]
CASES += [(Descending(codec), values, column) for codec, values, column in CASES]
CASES += [(Prefixed("at_", codec), values, column) for codec, values, column in CASES[:12]]


def key_of(*codecs: Codec[Any]) -> type[Any]:
    names = [f"part_{number}" for number in range(len(codecs))]
    body: dict[str, Any] = {name: part(codec, "a part") for name, codec in zip(names, codecs, strict=True)}
    body["__annotations__"] = dict.fromkeys(names, Any)
    return row_key(type("Key", (), body))


def rows_of(layout: KeyLayout[Any], *columns: NDArray[Any]) -> list[bytes]:
    rows: list[bytes] = encode_many(
        layout, {f"part_{number}": column for number, column in enumerate(columns)}
    ).tolist()
    return rows


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0]))
@given(data=st.data())
def test_rows_of_every_codec_are_those_of_encode(
    case: tuple[Codec[Any], st.SearchStrategy[Any], Column], data: st.DataObject
) -> None:
    codec, values, column = case
    drawn = data.draw(st.lists(values, min_size=1, max_size=20))
    layout = KeyLayout(key_of(UInt8, codec, UInt16))
    numbers = list(range(len(drawn)))
    wanted = [layout.encode(layout.key_class(*key)) for key in zip(numbers, drawn, numbers, strict=True)]
    assert rows_of(layout, as_ints(numbers), column(drawn), np.array(numbers, np.int8)) == wanted


PREFIXES: tuple[Prefix, ...] = (
    Salt(of="part_0", buckets=16),
    Salt(of=("part_0", "part_1"), buckets=255),
    Modulo(of="part_1", by=7),
    TimeBucket(of="part_1", every_ms=900_000),
)


@pytest.mark.parametrize("prefix", PREFIXES, ids=str)
@pytest.mark.parametrize("codec", [Int64, Descending(Int64)], ids=str)
@given(keys=st.lists(st.tuples(ints(UInt24), st.integers(0, 2**41)), max_size=20))
def test_rows_with_prefixes_are_those_of_encode(prefix: Prefix, codec: Codec[int], keys: list[tuple[int, int]]) -> None:
    layout = KeyLayout(key_of(UInt24, codec), prefix)
    wanted = [layout.encode(layout.key_class(*key)) for key in keys]
    assert rows_of(layout, as_ints([one for one, _ in keys]), as_ints([other for _, other in keys])) == wanted


def test_bytes_may_be_in_arrays_of_text_if_none_is_shorter() -> None:
    layout = KeyLayout(key_of(FixedBytes(2)))
    assert rows_of(layout, np.array([b"ab", b"\0b"], "S2")) == [b"ab", b"\0b"]
    with pytest.raises(InvalidKey, match=r"Key.part_0: must be 2 bytes .got 1: 61., at index 1"):
        rows_of(layout, np.array([b"ab", b"a\0"], "S2"))


def test_every_second_value_of_an_array_is_a_column() -> None:
    layout = KeyLayout(key_of(Float64, FixedBytes(1), Int64))
    columns = np.arange(6.0)[::2], np.array([b"a", b"b", b"c", b"d", b"e"], "V1")[::2], np.arange(6)[::-2]
    keys = zip(*(column.tolist() for column in columns), strict=True)
    assert rows_of(layout, *columns) == [layout.encode(layout.key_class(*key)) for key in keys]


@pytest.mark.parametrize(
    ("codec", "column", "message"),
    [
        (UInt16, np.array([0, 65_536, -1]), r"must be 0..65535 .got 65536., at index 1"),
        (Int8, np.array([0, -129], np.int16), r"must be -128..127 .got -129., at index 1"),
        (UInt64, np.array([-1]), r"must be 0..18446744073709551615 .got -1., at index 0"),
        (
            Int64,
            np.array([2**63], np.uint64),
            r"must be -9223372036854775808..9223372036854775807 .got 9223372036854775808",
        ),
        (Descending(UInt8), np.array([1, 256]), r"must be 0..255 .got 256., at index 1"),
        (Slice(Int64, 10), np.array([20, 21]), r"must be a multiple of 10 .got 21., at index 1"),
        (Rest(UInt8, 10), np.array([9, 10]), r"must be 0..9 .got 10., at index 1"),
        (Float64, np.array([1.0, float("nan")]), r"must be a float other than NaN and -0.0 .got nan., at index 1"),
        (Float64, np.array([-0.0]), r"must be a float other than NaN and -0.0 .got -0.0., at index 0"),
        (Float64, np.array([1]), r"must be an array of float64 .got one of int64"),
        (UInt8, np.array([1.0]), r"must be an array of ints .got one of float64"),
        (UInt8, np.array([True]), r"must be an array of ints .got one of bool"),
        (UInt8, [1], r"must be an array of one dimension .got \[1\]"),
        (UInt8, np.array([[1]]), r"must be an array of one dimension .got 2 dimensions"),
        (FixedBytes(2), np.array([b"abc"], "V3"), r"must be an array of V2 or S2 .got one of \|V3"),
        (EscapedText, np.array(["a"]), r"needs a codec of fixed width: ints, Float64 or FixedBytes .got EscapedText"),
        (DecimalText(3), np.array([1]), r"needs a codec of fixed width: .* .got DecimalText.3"),
        (Code({"a": 1}), np.array(["a"]), r"needs a codec of fixed width: .* .got Code"),
    ],
)
def test_what_does_not_fit_is_refused(codec: Codec[Any], column: Any, message: str) -> None:
    with pytest.raises(InvalidKey, match=rf"Key.part_0: .*{message}"):
        rows_of(KeyLayout(key_of(codec)), column)


def test_columns_are_those_of_the_parts_and_of_one_length() -> None:
    layout = KeyLayout(key_of(UInt8, UInt8))
    with pytest.raises(InvalidKey, match=r"Key: needs the columns part_0 and part_1 .got part_0"):
        rows_of(layout, np.array([1]))
    with pytest.raises(InvalidKey, match=r"Key.part_1: all columns must be of one length .got 2, and 1 of part_0"):
        rows_of(layout, np.array([1]), np.array([1, 2]))
    with pytest.raises(InvalidKey, match=r"needs a Salt, Modulo or TimeBucket as prefix .got HashPrefix"):
        rows_of(KeyLayout(key_of(UInt8), HashPrefix(of="part_0", bytes=2)), np.array([1]))


def test_the_core_of_keys_does_without_numpy() -> None:
    code = "import sys, shared.keys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
