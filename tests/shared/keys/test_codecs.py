"""The wire formats of numbers, text and bytes: golden rows, their order, and their refusals."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from shared.keys import (
    Code,
    Codec,
    Descending,
    EscapedBytes,
    EscapedText,
    FixedBytes,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    InvalidKey,
    Prefixed,
    TrailingBytes,
    TrailingText,
    UInt8,
    UInt16,
    UInt24,
    UInt32,
    UInt64,
)

STATUS = Code({"placed": 1, "paid": 2, "lost": 255})

ROWS: list[tuple[Codec[Any], Any, str]] = [
    (UInt8, 0, "00"),
    (UInt8, 1, "01"),
    (UInt8, 255, "ff"),
    (UInt16, 0, "0000"),
    (UInt16, 256, "0100"),
    (UInt16, 65_535, "ffff"),
    (UInt24, 0, "000000"),
    (UInt24, 66_051, "010203"),
    (UInt24, 16_777_215, "ffffff"),
    (UInt32, 0, "00000000"),
    (UInt32, 4_294_967_295, "ffffffff"),
    (UInt64, 0, "0000000000000000"),
    (UInt64, 18_446_744_073_709_551_615, "ffffffffffffffff"),
    (Int8, -128, "00"),
    (Int8, -1, "7f"),
    (Int8, 0, "80"),
    (Int8, 127, "ff"),
    (Int16, -32_768, "0000"),
    (Int16, -1, "7fff"),
    (Int16, 0, "8000"),
    (Int16, 32_767, "ffff"),
    (Int32, -2_147_483_648, "00000000"),
    (Int32, 0, "80000000"),
    (Int64, -9_223_372_036_854_775_808, "0000000000000000"),
    (Int64, -1, "7fffffffffffffff"),
    (Int64, 0, "8000000000000000"),
    (Int64, 1_580_976_517_123, "80000170198b3003"),
    (Int64, 9_223_372_036_854_775_807, "ffffffffffffffff"),
    (Descending(UInt8), 0, "ff"),
    (Descending(UInt8), 255, "00"),
    (Descending(UInt24), 66_051, "fefdfc"),
    (Descending(Int64), -9_223_372_036_854_775_808, "ffffffffffffffff"),
    (Descending(Int64), -1, "8000000000000000"),
    (Descending(Int64), 0, "7fffffffffffffff"),
    (Descending(Int64), 1_356_998_400_123, "7ffffec40c97a784"),  # published: Long.MAX_VALUE - timestamp
    (Descending(Int64), 9_223_372_036_854_775_807, "0000000000000000"),
    (Float64, -math.inf, "000fffffffffffff"),
    (Float64, -1.0, "400fffffffffffff"),
    (Float64, -5e-324, "7ffffffffffffffe"),
    (Float64, 0.0, "8000000000000000"),
    (Float64, 5e-324, "8000000000000001"),
    (Float64, 1.0, "bff0000000000000"),
    (Float64, math.inf, "fff0000000000000"),
    (Descending(Float64), -math.inf, "fff0000000000000"),
    (Descending(Float64), 0.0, "7fffffffffffffff"),
    (Descending(Float64), 1.0, "400fffffffffffff"),
    (FixedBytes(2), b"\0\0", "0000"),
    (FixedBytes(2), b"\xff\0", "ff00"),
    (Descending(FixedBytes(2)), b"\xff\0", "00ff"),
    (EscapedText, "", "0001"),
    (EscapedText, "\0", "00ff 0001"),
    (EscapedText, "\0\x01", "00ff 01 0001"),
    (EscapedText, "a", "61 0001"),
    (EscapedText, "a\0b", "61 00ff 62 0001"),
    (EscapedText, "é", "c3a9 0001"),
    (EscapedText, "\uffff", "efbfbf 0001"),
    (EscapedText, "\U00010000", "f0908080 0001"),
    (Descending(EscapedText), "", "fffe"),
    (Descending(EscapedText), "a", "9e fffe"),
    (Descending(EscapedText), "a\0", "9e ff00 fffe"),
    (EscapedBytes, b"", "0001"),
    (EscapedBytes, b"\0", "00ff 0001"),
    (EscapedBytes, b"\0\xff", "00ff ff 0001"),
    (EscapedBytes, b"\xff", "ff 0001"),
    (Descending(EscapedBytes), b"\0\xff", "ff00 00 fffe"),
    (TrailingText, "", ""),
    (TrailingText, "a\0é", "61 00 c3a9"),
    (TrailingBytes, b"", ""),
    (TrailingBytes, b"\0\xff", "00ff"),
    (STATUS, "placed", "01"),
    (STATUS, "lost", "ff"),
    (Prefixed("order_", UInt8), 0, "6f726465725f 00"),
    (Prefixed("order_", UInt8), 255, "6f726465725f ff"),
    (Prefixed("t", Int64), -1, "74 7fffffffffffffff"),
    (Prefixed("é\0", EscapedText), "", "c3a9 00 0001"),
    (Prefixed("t", Descending(Int16)), -1, "74 8000"),
    (Prefixed("user_", TrailingText), "", "757365725f"),
    (Prefixed("a", Prefixed("b", STATUS)), "lost", "61 62 ff"),
]


@pytest.mark.parametrize(("codec", "value", "row"), ROWS, ids=[f"{codec} {value!r}" for codec, value, _ in ROWS])
def test_a_value_has_these_bytes_and_no_others(codec: Codec[Any], value: Any, row: str) -> None:
    assert bytes.fromhex(row) == codec.encode(value)
    assert value == codec.decode(bytes.fromhex(row))


def test_negative_numbers_sort_before_zero() -> None:
    assert Int64.encode(-12) < Int64.encode(-1) < Int64.encode(0) < Int64.encode(1)
    assert Float64.encode(-1.5) < Float64.encode(-1.0) < Float64.encode(0.0) < Float64.encode(1.0)


def test_newer_times_sort_first_when_descending() -> None:
    newest_first = Descending(Int64)
    assert newest_first.encode(1_767_225_600_001) < newest_first.encode(1_767_225_600_000) < newest_first.encode(-1)


def test_an_id_sorts_right_before_the_ids_that_start_with_it() -> None:
    rows = [EscapedText.encode(host) + UInt8.encode(255) for host in ("host1", "host1\0", "host1!", "host12", "host2")]
    assert sorted(rows) == rows


def test_a_descending_id_sorts_right_after_the_ids_that_start_with_it() -> None:
    rows = [Descending(EscapedText).encode(host) + UInt8.encode(0) for host in ("host2", "host12", "host1\0", "host1")]
    assert sorted(rows) == rows


def test_text_sorts_by_code_point_not_as_java_sorts_it() -> None:
    assert EscapedText.encode("\uffff") < EscapedText.encode("\U00010000")


@pytest.mark.parametrize(
    ("codec", "first", "last"),
    [
        (UInt8, 0, 255),
        (UInt16, 0, 65_535),
        (UInt24, 0, 16_777_215),
        (UInt32, 0, 2**32 - 1),
        (UInt64, 0, 2**64 - 1),
        (Int8, -128, 127),
        (Int16, -32_768, 32_767),
        (Int32, -(2**31), 2**31 - 1),
        (Int64, -(2**63), 2**63 - 1),
    ],
    ids=str,
)
def test_a_number_beyond_its_width_is_refused(codec: Codec[int], first: int, last: int) -> None:
    for value in (first - 1, last + 1, 10**30, -(10**30)):
        with pytest.raises(InvalidKey, match=rf"^must be {first}\.\.{last} \(got {value}\)$"):
            codec.encode(value)


@pytest.mark.parametrize(
    "codec", [UInt8, Descending(Int64), Float64, FixedBytes(2), EscapedText, TrailingBytes], ids=str
)
def test_a_number_of_thousands_of_digits_is_refused_like_any_other(codec: Codec[Any]) -> None:
    with pytest.raises(InvalidKey):
        codec.encode(10**5000)


@pytest.mark.parametrize("value", [math.nan, -math.nan, -0.0], ids=str)
def test_nan_and_negative_zero_have_no_place_in_an_order(value: float) -> None:
    with pytest.raises(InvalidKey, match=r"NaN and -0\.0"):
        Float64.encode(value)


@pytest.mark.parametrize("row", ["7fffffffffffffff", "fff8000000000000", "fff0000000000001", "0000000000000000"])
def test_the_bytes_of_nan_and_negative_zero_are_not_a_float(row: str) -> None:
    with pytest.raises(InvalidKey, match=r"NaN and -0\.0"):
        Float64.decode(bytes.fromhex(row))


@pytest.mark.parametrize("row", ["61", "", "00", "6100", "61 00ff", "61 0002 0001", "61 00 0001", "61 0000 0001"])
def test_a_nul_must_be_followed_by_ff_or_end_the_text(row: str) -> None:
    with pytest.raises(InvalidKey, match=r"no terminator 00 01|unknown escape|too many"):
        EscapedText.decode(bytes.fromhex(row))


@pytest.mark.parametrize("row", ["80", "c080", "c3", "eda080", "f4908080"], ids=lambda row: f"utf8-{row}")
def test_bytes_that_are_not_utf8_are_not_text(row: str) -> None:
    for codec, end in ((EscapedText, b"\0\1"), (TrailingText, b"")):
        with pytest.raises(InvalidKey, match="must be UTF-8"):
            codec.decode(bytes.fromhex(row) + end)


def test_a_lone_surrogate_is_not_text() -> None:
    for codec in (EscapedText, TrailingText, Descending(EscapedText)):
        with pytest.raises(InvalidKey, match="lone surrogates"):
            codec.encode("\ud800")


def test_fixed_bytes_are_neither_padded_nor_truncated() -> None:
    for value in (b"", b"a", b"abc"):
        with pytest.raises(InvalidKey, match="must be 2 bytes"):
            FixedBytes(2).encode(value)


@pytest.mark.parametrize("width_bytes", [0, -1, True, 1.0, None])
def test_a_width_is_at_least_one_byte(width_bytes: Any) -> None:
    with pytest.raises(InvalidKey, match=r"width_bytes must be 1\.\."):
        FixedBytes(width_bytes)


def test_a_code_refuses_names_and_bytes_that_are_not_listed() -> None:
    with pytest.raises(InvalidKey, match=r"must be one of placed, paid, lost \(got 'sold'\)"):
        STATUS.encode("sold")
    with pytest.raises(InvalidKey, match=r"must be one of 01 placed, 02 paid, ff lost \(got 03\)"):
        STATUS.decode(b"\x03")


@pytest.mark.parametrize("byte_of", [{"a": 1, "b": 1}, {"a": 256}, {"a": -1}, {"a": True}, {"a": "1"}], ids=str)
def test_a_code_gives_every_name_a_byte_of_its_own(byte_of: Any) -> None:
    with pytest.raises(InvalidKey, match="Code:"):
        Code(byte_of)


def test_descending_refuses_codecs_without_order_or_terminator() -> None:
    for codec in (STATUS, Descending(Int64), TrailingText, TrailingBytes):
        with pytest.raises(InvalidKey, match="Descending:"):
            Descending(codec)


def test_a_label_is_the_same_for_all_values_so_their_order_stays() -> None:
    newest_first = Prefixed("t", Descending(Int64))
    assert (newest_first.ordered, newest_first.descending, newest_first.width_bytes) == (True, True, 9)
    assert newest_first.encode(1) < newest_first.encode(0) < newest_first.encode(-1)
    assert (Prefixed("s", STATUS).ordered, Prefixed("s", TrailingText).trailing) == (False, True)
    assert Prefixed("user_", TrailingText).encode_prefix("an") == b"user_an"
    assert (Prefixed("s", TrailingText).legible, Prefixed("\0", TrailingText).legible) == (True, False)


ANY: Any = 5


@pytest.mark.parametrize(
    ("declare", "wanted"),
    [
        (lambda: Prefixed("", UInt8), "Prefixed.label: must be text, not empty (got '')"),
        (lambda: Prefixed(b"a", UInt8), "Prefixed.label: must be text, not empty (got b'a')"),  # type: ignore[arg-type]
        (
            lambda: Prefixed("\ud800", UInt8),
            "Prefixed.label: must be Unicode text without lone surrogates (got '\\ud800')",
        ),
        (lambda: Prefixed("a", ANY), "Prefixed.codec: must be a codec (got 5)"),
        (
            lambda: Descending(Prefixed("a", UInt8)),
            "Descending: Prefixed('a', UInt8) has a label, which stays first: put Descending after it",
        ),
    ],
)
def test_a_label_that_cannot_be_one_is_refused(declare: Callable[[], object], wanted: str) -> None:
    with pytest.raises(InvalidKey) as refused:
        declare()
    assert wanted == str(refused.value)


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("6f72646572", "must start with b'order_' (got 6f 72 64 65 72)"),
        ("6f726465722d 07", "must start with b'order_' (got 6f 72 64 65 72 2d)"),
        ("", "must start with b'order_' (got no bytes)"),
        ("6f726465725f", "needs 1 bytes, 0 left"),
        ("6f726465725f 07 08", "1 bytes too many: 08"),
    ],
)
def test_bytes_without_the_label_are_refused(row: str, wanted: str) -> None:
    with pytest.raises(InvalidKey) as refused:
        Prefixed("order_", UInt8).decode(bytes.fromhex(row))
    assert wanted == str(refused.value)


def test_a_value_after_a_label_is_refused_as_without_it() -> None:
    with pytest.raises(InvalidKey, match=r"^must be 0\.\.255 \(got 256\)$"):
        Prefixed("order_", UInt8).encode(256)
    with pytest.raises(InvalidKey, match=r"^Prefixed\('order_', UInt8\) does not|^UInt8 does not support"):
        Prefixed("order_", UInt8).encode_prefix(2)
