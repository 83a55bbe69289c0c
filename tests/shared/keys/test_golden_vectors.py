"""Rows of other projects: the formats that our codecs claim to share come out byte for byte.

`fixtures/keys/vectors.json` holds the rows and `fixtures/keys/make_vectors.py` says which formats are claimed, and why
the others are not. Where the collection they were taken from is at hand, that table is compared with all of it.
"""

import json
import runpy
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shared.keys import (
    Codec,
    DelimitedText,
    Descending,
    EscapedBytes,
    FixedBytes,
    Float64,
    HashPrefix,
    Int8,
    Int16,
    Int32,
    Int64,
    InvalidKey,
    KeyLayout,
    RowRange,
    TrailingBytes,
    UInt16,
    UInt24,
    UInt32,
    UInt64,
    successor,
)
from tests.shared.specimens import key_class

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures/keys"
COLLECTION = ROOT.parent / "shared/facts/encoding_vectors.json"

ASCENDING = (Int8, Int16, Int32, Int64, UInt16, UInt32, UInt64, Float64, EscapedBytes)
ONE_WAY = (DelimitedText("\0"), FixedBytes(16), TrailingBytes)
CODECS: dict[str, Codec[Any]] = {
    str(codec): codec for codec in (*ASCENDING, *ONE_WAY, *(Descending(codec) for codec in ASCENDING))
}
LAYOUTS = {
    "UInt24 UInt32": KeyLayout(key_class("Key", metric=UInt24, base_s=UInt32)),
    "HashPrefix(of='id', bytes=4) TrailingBytes": KeyLayout(
        key_class("Key", id=TrailingBytes), HashPrefix(of="id", bytes=4)
    ),
}

KEPT: list[dict[str, Any]] = json.loads((FIXTURES / "vectors.json").read_text(encoding="utf-8"))
collected = pytest.mark.skipif(
    not COLLECTION.exists(), reason="the collection that vectors.json is taken from is not here"
)


def rows_of(wanted: Callable[[dict[str, Any]], bool]) -> pytest.MarkDecorator:
    rows = [row for row in KEPT if wanted(row)]
    assert rows
    return pytest.mark.parametrize("row", rows, ids=[f"{row['id']} {row['codec']}" for row in rows])


def value_of(wrapped: dict[str, Any]) -> Any:
    """The value of {"int": 1}, {"str": "a"}, {"bytes": "00ff"}, {"bits": "3ff0000000000000"} or a list of {"parts"}."""
    if "parts" in wrapped:
        return [value_of(part) for part in wrapped["parts"]]
    ((kind, value),) = wrapped.items()
    if kind == "bits":
        return struct.unpack(">d", bytes.fromhex(value))[0]
    return bytes.fromhex(value) if kind == "bytes" else value


@rows_of(lambda row: row["codec"] in CODECS and "refused" not in row)
def test_a_value_has_the_bytes_that_its_source_gives_it(row):
    codec, value, data = CODECS[row["codec"]], value_of(row["value"]), bytes.fromhex(row["hex"])
    assert data == codec.encode(value)
    assert value == codec.decode(data)


@rows_of(lambda row: "refused" in row)
def test_nan_and_negative_zero_are_refused_though_their_source_writes_them(row):
    codec = CODECS[row["codec"]]
    with pytest.raises(InvalidKey, match="NaN"):
        codec.encode(value_of(row["value"]))
    with pytest.raises(InvalidKey, match="NaN"):
        codec.decode(bytes.fromhex(row["hex"]))


@rows_of(lambda row: row["codec"] in LAYOUTS)
def test_a_key_has_the_row_that_its_source_gives_it(row):
    layout, values, data = LAYOUTS[row["codec"]], value_of(row["value"]), bytes.fromhex(row["hex"])
    key = layout.key_class(*values) if isinstance(values, list) else layout.key_class(values)
    assert data == layout.encode(key)
    assert key == layout.decode(data)


@rows_of(lambda row: row["codec"] == "successor")
def test_a_prefix_selects_the_rows_that_its_source_selects(row):
    prefix = bytes.fromhex(row["value"]["prefix"])
    with_prefix = RowRange(prefix, successor(prefix))
    assert row["selected"] == [text for text in row["value"]["rows"] if bytes.fromhex(text) in with_prefix]


def test_every_codec_claimed_is_tried():
    untried = {"Descending(UInt16)"}  # its source has no such row
    assert {*CODECS, *LAYOUTS, "successor"} - untried == {row["codec"] for row in KEPT}


@collected
def test_the_rows_kept_are_those_that_the_generator_makes_and_others_are_left_out_for_a_stated_reason_only():
    collection = json.loads(COLLECTION.read_text(encoding="utf-8"))
    generator = runpy.run_path(str(FIXTURES / "make_vectors.py"))
    assert generator["text"](collection) == (FIXTURES / "vectors.json").read_text(encoding="utf-8")
    table = generator["TABLE"]
    assert {(row["anchor"], row["type"], row["order"]) for row in collection["vectors"]} == set(table)
    assert all(claim if isinstance(claim, str) else claim.codec for claim in table.values())
    kept = {row["id"] for row in KEPT}
    for row in collection["vectors"]:
        claim = table[row["anchor"], row["type"], row["order"]]
        assert isinstance(claim, str) or row["id"] in kept or claim.otherwise, row["id"]
    for row in collection["documented_wrong_do_not_match"]["vectors"]:
        assert bytes.fromhex(row["hex"]) != b"\x2c" + Int64.encode(row["value"]["int"])
