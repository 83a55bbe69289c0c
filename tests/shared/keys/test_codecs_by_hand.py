"""The wire formats of codecs: the values, bytes, orders and refusals of `codecs.toml`, and what docstrings show."""

import ast
import inspect
import re
import tomllib
from pathlib import Path

import pytest

from shared.keys import (
    DecimalText,
    Descending,
    InvalidKey,
    Prefixed,
    ReversedDigits,
    UInt8,
    codecs,
    slice_codecs,
    text_codecs,
    value_codecs,
)
from tests.shared.specimens import made

BY_HAND = tomllib.loads((Path(__file__).parent / "codecs.toml").read_text(encoding="utf-8"))
ROWS = [
    pytest.param(made(codec), *(text.strip() for text in pair.split("->")), id=f"{codec} {pair}")
    for codec, pairs in BY_HAND["rows"].items()
    for pair in re.split(r",\s+(?=\S+ -> )", pairs.strip())
]


def refused(kind):
    """Each codec with the values or bytes that it refuses, and its message."""
    return [
        pytest.param(made(codec), inputs, message, id=f"{codec} {message}")
        for codec, inputs_by_message in BY_HAND["refused"][kind].items()
        for message, inputs in inputs_by_message.items()
    ]


@pytest.mark.parametrize(("codec", "value", "row"), ROWS)
def test_a_value_has_these_bytes_and_no_others(codec, value, row):
    assert codec.encode(made(value)) == bytes.fromhex(row)
    assert codec.decode(bytes.fromhex(row)) == made(value)


@pytest.mark.parametrize(("codec", "values"), BY_HAND["order"].items())
def test_the_bytes_of_values_ascend_in_this_order(codec, values):
    for after in (b"\0", b"\xff"):
        rows = [made(codec).encode(value) + after for value in made(f"[{values}]")]
        assert sorted(rows) == rows
        assert len({*rows}) == len(rows)


@pytest.mark.parametrize(("codec", "said"), BY_HAND["properties"].items())
def test_a_codec_says_so_of_itself(codec, said):
    names = {name: getattr(made(codec), name) for name in dir(made(codec)) if not name.startswith("_")}
    assert eval(said.strip(), {"HOUR_MS": made("HOUR_MS"), **names})


@pytest.mark.parametrize(("codec", "values", "wanted"), refused("values"))
def test_a_value_that_does_not_fit_is_refused(codec, values, wanted):
    for value in made(f"[{values}]"):
        with pytest.raises(InvalidKey) as error:
            codec.encode(value)
        assert str(error.value).startswith(wanted.replace("{value}", str(value) if "{value}" in wanted else ""))


@pytest.mark.parametrize(("codec", "rows", "wanted"), refused("bytes"))
def test_bytes_that_no_value_has_are_refused(codec, rows, wanted):
    for row in rows.split(","):
        with pytest.raises(InvalidKey) as error:
            codec.decode(bytes.fromhex(row))
        assert wanted in str(error.value)


@pytest.mark.parametrize(("wanted", "codecs"), BY_HAND["refused"]["codecs"].items())
def test_a_codec_that_cannot_work_is_refused(wanted, codecs):
    for codec in codecs.strip().split(";"):
        with pytest.raises(InvalidKey) as error:
            made(codec.strip())
        assert wanted in str(error.value), codec


@pytest.mark.parametrize("codec", [DecimalText(4), ReversedDigits(4), Descending(DecimalText(4))], ids=str)
def test_only_ascii_digits_are_digits(codec):
    for row in [*b"+017|-017| 017|017 |1_00|0x17|017|00017||017\n".split(b"|"), "\u0661\u0662".encode()]:
        with pytest.raises(InvalidKey):
            codec.decode(row)


def test_digits_by_the_thousands_come_back_or_are_refused_when_the_codec_is_made():
    try:
        codec = DecimalText(5000)
    except InvalidKey:
        return
    assert codec.decode(codec.encode(17)) == 17


def test_a_codec_of_ints_after_a_label_has_no_beginnings():
    with pytest.raises(InvalidKey, match=r"^Prefixed\('order_', UInt8\) does not|^UInt8 does not support"):
        Prefixed("order_", UInt8).encode_prefix(2)


# ---- what the docstrings of codecs show -------------------------------------------------------------

EXAMPLES = [
    pytest.param(codec, example, id=f"{codec}: {example}")
    for module in (codecs, text_codecs, slice_codecs, value_codecs)
    for _name, documented in inspect.getmembers(module, inspect.isclass)
    if documented.__module__ == module.__name__
    for codec, examples in re.findall(r"^ *(\S.*?): (\S+ -> .*)$", inspect.getdoc(documented), re.MULTILINE)
    for example in re.split(r", (?=\S+ -> )", examples)
]


@pytest.mark.parametrize(("codec", "example"), EXAMPLES)
def test_a_docstring_shows_the_bytes_that_come_out(codec, example):
    value, row = example.split(" -> ")
    value = ast.literal_eval(value)
    data = ast.literal_eval(row).encode() if row.startswith('"') else bytes.fromhex(row)
    assert made(codec).encode(value) == data
    assert made(codec).decode(data) == value
