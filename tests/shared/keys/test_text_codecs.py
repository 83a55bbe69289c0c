"""The wire formats of published text keys: golden rows, which of them are ordered, and their refusals."""

from typing import Any

import pytest

from shared.keys import (
    Code,
    Codec,
    DecimalText,
    Delimited,
    DelimitedText,
    Descending,
    EscapedBytes,
    EscapedText,
    FixedBytes,
    FixedText,
    Float64,
    InvalidKey,
    LongMaxMinus,
    ReversedDigits,
    TrailingBytes,
    TrailingText,
    UInt8,
)

ROWS: list[tuple[Codec[Any], Any, bytes]] = [
    (FixedText(4, "x"), "", b"xxxx"),
    (FixedText(4, "x"), "ab", b"abxx"),
    (FixedText(4, "x"), "abcd", b"abcd"),
    (FixedText(4, "x"), "é", b"\xc3\xa9xx"),
    (FixedText(4, "\0"), "", b"\0\0\0\0"),
    (FixedText(4, "\0"), "ab", b"ab\0\0"),
    (FixedText(4, "\0"), "\U0010ffff", b"\xf4\x8f\xbf\xbf"),
    (Descending(FixedText(4, "\0")), "ab", b"\x9e\x9d\xff\xff"),
    (DelimitedText("_"), "", b"_"),
    (DelimitedText("_"), "A", b"A_"),
    (DelimitedText("_"), "A\0é", b"A\0\xc3\xa9_"),
    (DelimitedText("\0"), "", b"\0"),
    (DelimitedText("\0"), "A", b"A\0"),
    (DecimalText(4), 0, b"0000"),
    (DecimalText(4), 17, b"0017"),
    (DecimalText(4), 9999, b"9999"),
    (DecimalText(20), 2**64 - 1, b"18446744073709551615"),
    (Descending(DecimalText(4)), 0, b"9999"),
    (Descending(DecimalText(4)), 17, b"9982"),
    (Descending(DecimalText(4)), 9999, b"0000"),
    (ReversedDigits(4), 0, b"0000"),
    (ReversedDigits(4), 12, b"2100"),
    (ReversedDigits(4), 120, b"0210"),
    (ReversedDigits(4), 9999, b"9999"),
    (LongMaxMinus, 0, b"9223372036854775807"),
    (LongMaxMinus, 1, b"9223372036854775806"),
    (LongMaxMinus, 1_580_976_517_000, b"9223370455878258807"),
    (LongMaxMinus, 9_223_372_036_854_775_807, b"0000000000000000000"),
    (Delimited(DecimalText(4), "_"), 17, b"0017_"),
    (Delimited(Descending(DecimalText(4)), "|"), 17, b"9982|"),
    (Delimited(LongMaxMinus, "_"), 0, b"9223372036854775807_"),
    (Delimited(FixedText(4, "x"), "_"), "ab", b"abxx_"),
]


@pytest.mark.parametrize(("codec", "value", "row"), ROWS, ids=[f"{codec} {value!r}" for codec, value, _ in ROWS])
def test_a_value_has_these_bytes_and_no_others(codec: Codec[Any], value: Any, row: bytes) -> None:
    assert row == codec.encode(value)
    assert value == codec.decode(row)


def test_a_pad_other_than_nul_sorts_an_id_after_longer_ones() -> None:
    padded = FixedText(20, "x")
    assert not padded.ordered
    assert padded.encode("ab!") < padded.encode("ab")


def test_a_delimiter_other_than_nul_sorts_an_id_after_longer_ones() -> None:
    for delimiter in "_|":
        assert not DelimitedText(delimiter).ordered
        assert DelimitedText(delimiter).encode("A1") < DelimitedText(delimiter).encode("A")


def test_nul_as_pad_or_delimiter_keeps_the_order() -> None:
    for codec in (FixedText(4, "\0"), DelimitedText("\0")):
        rows = [codec.encode(text) for text in ("", "A", "A\x01", "A!", "A1", "B")]
        assert codec.ordered
        assert sorted(rows) == rows


def test_a_delimiter_after_a_fixed_width_keeps_the_order() -> None:
    assert Delimited(DecimalText(4), "_").ordered
    assert Delimited(FixedText(4, "\0"), "_").ordered
    assert Delimited(LongMaxMinus, "_").descending
    assert not Delimited(FixedText(4, "x"), "_").ordered
    assert not Delimited(ReversedDigits(4), "_").ordered


def test_newer_times_sort_first_as_digits() -> None:
    for codec in (LongMaxMinus, Descending(DecimalText(13))):
        assert codec.descending
        assert codec.encode(1_580_976_517_001) < codec.encode(1_580_976_517_000)


def test_numbers_that_count_up_are_spread_by_their_last_digit() -> None:
    first_digits = b"".join(ReversedDigits(8).encode(number)[:1] for number in (17, 18, 19, 20))
    assert first_digits == b"7890"


def test_12_and_120_reversed_are_two_keys() -> None:
    assert ReversedDigits(3).encode(12) == b"210"
    assert ReversedDigits(3).encode(120) == b"021"


@pytest.mark.parametrize("text", ["x", "axb", "abx", "xab", "abcde", "éab€"])
def test_fixed_text_refuses_its_pad_and_what_is_longer(text: str) -> None:
    with pytest.raises(InvalidKey, match=r"must not contain the pad 'x'|must be at most 4 bytes"):
        FixedText(4, "x").encode(text)


@pytest.mark.parametrize("row", [b"axbx", b"xabx", b"xxxa", b"ab\xc3x", b"abx", b"abxxx"])
def test_fixed_text_is_text_and_then_pads_only(row: bytes) -> None:
    with pytest.raises(InvalidKey):
        FixedText(4, "x").decode(row)


@pytest.mark.parametrize("codec", [DecimalText(4), ReversedDigits(4), Delimited(DecimalText(4), "_")], ids=str)
@pytest.mark.parametrize("value", [-1, 10_000, 10**30])
def test_a_number_of_too_many_digits_is_refused(codec: Codec[int], value: int) -> None:
    with pytest.raises(InvalidKey, match=r"must be 0\.\.9999"):
        codec.encode(value)


def test_digits_by_the_thousands_come_back_or_are_refused_when_the_codec_is_made() -> None:
    try:
        codec = DecimalText(5000)
    except InvalidKey:
        return
    assert codec.decode(codec.encode(17)) == 17


NOT_DIGITS = [
    b"+017",
    b"-017",
    b" 017",
    b"017 ",
    b"1_00",
    b"0x17",
    b"017",
    b"00017",
    b"",
    "\u0661\u0662".encode(),
    b"017\n",
]


@pytest.mark.parametrize("codec", [DecimalText(4), ReversedDigits(4), Descending(DecimalText(4))], ids=str)
@pytest.mark.parametrize("row", NOT_DIGITS)
def test_only_ascii_digits_are_digits(codec: Codec[int], row: bytes) -> None:
    with pytest.raises(InvalidKey):
        codec.decode(row)


def test_long_max_minus_refuses_negative_numbers_and_digits_above_long_max() -> None:
    for value in (-1, 2**63):
        with pytest.raises(InvalidKey, match=r"must be 0\.\.9223372036854775807"):
            LongMaxMinus.encode(value)
    for row in (b"9223372036854775808", b"9999999999999999999", b"-000000000000000001"):
        with pytest.raises(InvalidKey):
            LongMaxMinus.decode(row)


def test_the_delimiter_inside_is_refused() -> None:
    for codec, value in (
        (DelimitedText("_"), "a_b"),
        (DelimitedText("\0"), "a\0"),
        (Delimited(DecimalText(4), "0"), 17),
        (Delimited(FixedText(4, "_"), "_"), "ab"),
    ):
        with pytest.raises(InvalidKey, match="must not contain the delimiter"):
            codec.encode(value)


def test_a_delimiter_that_is_missing_or_late_is_refused() -> None:
    with pytest.raises(InvalidKey, match=r"no delimiter '_' in 41"):
        DelimitedText("_").decode(b"A")
    for row in (b"00017_", b"017_", b"_", b"0017__"):
        with pytest.raises(InvalidKey):
            Delimited(DecimalText(4), "_").decode(row)


@pytest.mark.parametrize(
    "codec", [UInt8, Float64, FixedBytes(4), EscapedText, EscapedBytes, TrailingBytes, Code({"a": 1})], ids=str
)
def test_binary_codecs_cannot_be_delimited(codec: Codec[Any]) -> None:
    with pytest.raises(InvalidKey, match="Delimited: needs a text or digit codec"):
        Delimited(codec, "_")


@pytest.mark.parametrize(
    "codec",
    [
        FixedText(4, "x"),
        DelimitedText("_"),
        DelimitedText("\0"),
        ReversedDigits(4),
        LongMaxMinus,
        Delimited(DecimalText(4), "_"),
        Delimited(LongMaxMinus, "_"),
        TrailingText,
    ],
    ids=str,
)
def test_descending_refuses_unordered_delimited_and_descending_codecs(codec: Codec[Any]) -> None:
    with pytest.raises(InvalidKey):
        Descending(codec)


@pytest.mark.parametrize("character", ["", "__", "é"])
def test_a_pad_or_delimiter_is_one_ascii_character(character: str) -> None:
    for codec in (DelimitedText, lambda delimiter: Delimited(DecimalText(4), delimiter), lambda pad: FixedText(4, pad)):
        with pytest.raises(InvalidKey, match="must be one ASCII character"):
            codec(character)


@pytest.mark.parametrize("codec", [DecimalText, ReversedDigits, lambda width: FixedText(width, "x")])
def test_a_width_is_at_least_one_byte(codec: Any) -> None:
    for width_bytes in (0, -1, True, 1.0):
        with pytest.raises(InvalidKey, match=r"width_bytes must be 1\.\."):
            codec(width_bytes)
