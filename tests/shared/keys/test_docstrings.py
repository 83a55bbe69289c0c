"""The bytes in the docstring of each codec are the bytes that it makes."""

import ast
import inspect
import re

import pytest

import shared.keys
from shared.keys import codecs, slice_codecs, text_codecs

EXAMPLES = [
    pytest.param(codec, example, id=f"{codec}: {example}")
    for module in (codecs, text_codecs, slice_codecs)
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
    made = eval(codec, vars(shared.keys))
    assert made.encode(value) == data
    assert made.decode(data) == value


def test_every_codec_shows_an_example():
    public = {name for name, value in vars(shared.keys).items() if isinstance(value, codecs.Codec)}
    public |= {
        name
        for name, value in vars(shared.keys).items()
        if inspect.isclass(value) and issubclass(value, codecs.Codec) and value is not codecs.Codec
    }
    shown = {re.match(r"\w+", param.values[0])[0] for param in EXAMPLES}
    assert sorted(public - shown) == ["Int32", "Int64", "Int8", "UInt24", "UInt32", "UInt64", "UInt8"]
