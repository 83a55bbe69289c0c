"""Rows of other projects: the formats that our codecs claim to share come out byte for byte.

`fixtures/keys/vectors.json` holds the rows and `fixtures/keys/make_vectors.py` says which formats are claimed, and why
the others are not. Where the collection they were taken from is at hand, the rows are compared with it.
"""

import json
import runpy
import struct
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from shared.keys import HashPrefix, InvalidKey, KeyLayout, TrailingBytes, UInt24, UInt32, successor
from shared.keys.ranges import RowRange
from tests.shared.specimens import Level, key_class, made

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures/keys"
COLLECTION = ROOT.parent / "shared/facts/encoding_vectors.json"
LAYOUTS = {
    "UInt24 UInt32": KeyLayout(key_class("Key", metric=UInt24, base_s=UInt32)),
    "HashPrefix(of='id', bytes=4) TrailingBytes": KeyLayout(
        key_class("Key", id=TrailingBytes), HashPrefix(of="id", bytes=4)
    ),
}
VECTORS: list[dict[str, Any]] = json.loads((FIXTURES / "vectors.json").read_text(encoding="utf-8"))


def value_of(wrapped: dict[str, Any]) -> Any:
    """The value of {"int": 1}, {"str": "a"}, {"bytes": "00ff"}, {"bits": "3ff0000000000000"} or a list of {"parts"}."""
    if "parts" in wrapped:
        return [value_of(part) for part in wrapped["parts"]]
    ((kind, value),) = wrapped.items()
    if kind == "bits":
        return struct.unpack(">d", bytes.fromhex(value))[0]
    return bytes.fromhex(value) if kind == "bytes" else value


@pytest.mark.parametrize("row", VECTORS, ids=[f"{row['id']} {row['codec']}" for row in VECTORS])
def test_a_value_has_the_bytes_that_its_source_gives_it(row):
    if row["codec"] == "successor":
        prefix = bytes.fromhex(row["value"]["prefix"])
        with_prefix = RowRange(prefix, successor(prefix))
        assert row["selected"] == [text for text in row["value"]["rows"] if bytes.fromhex(text) in with_prefix]
        return
    value, data = value_of(row["value"]), bytes.fromhex(row["hex"])
    if (layout := LAYOUTS.get(row["codec"])) is not None:
        codec, value = layout, layout.key_class(*(value if isinstance(value, list) else [value]))
    else:
        codec = made(row["codec"])
    if "refused" in row:  # NaN and -0.0, which their source writes
        for convert, refused in ((codec.encode, value), (codec.decode, data)):
            with pytest.raises(InvalidKey, match="NaN"):
                convert(refused)
        return
    assert data == codec.encode(value)
    assert value == codec.decode(data)


# ---- Python's own values, by hand --------------------------------------------------------------------

VALUES: list[dict[str, str]] = json.loads((FIXTURES / "values.json").read_text(encoding="utf-8"))
READ: dict[str, Callable[[str], Any]] = {
    "DateTime": datetime.fromisoformat,
    "Date": date.fromisoformat,
    "Uuid": UUID,
    "Bool": json.loads,
    "LEVEL": Level.__getitem__,
}


@pytest.mark.parametrize("row", VALUES, ids=[f"{row['codec']} {row['value']}" for row in VALUES])
def test_a_value_of_python_has_these_bytes(row):
    codec, data = made(row["codec"]), bytes.fromhex(row["hex"])
    value = READ[row["codec"].removeprefix("Descending(").removesuffix(")")](row["value"])
    assert codec.encode(value) == data
    assert (codec.decode(data), type(codec.decode(data))) == (value, type(value))


def test_a_time_is_decoded_in_utc():
    codec = made("DateTime")
    for row in VALUES:
        if row["codec"] == "DateTime":
            assert codec.decode(bytes.fromhex(row["hex"])).isoformat().endswith("+00:00")


@pytest.mark.skipif(not COLLECTION.exists(), reason="the collection that vectors.json is taken from is not here")
def test_the_rows_kept_are_those_that_the_generator_makes():
    collection = json.loads(COLLECTION.read_text(encoding="utf-8"))
    generator = runpy.run_path(str(FIXTURES / "make_vectors.py"))
    assert generator["text"](collection) == (FIXTURES / "vectors.json").read_text(encoding="utf-8")
