"""Prefixes: published and computed rows from `fixtures/keys/prefixes.json`, and refusals."""

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

import shared.keys as suite
from shared.keys import (
    Code,
    DecimalText,
    Descending,
    EscapedText,
    Float64,
    Int64,
    InvalidKey,
    KeyLayout,
    LongMaxMinus,
    Modulo,
    Salt,
    TimeBucket,
    TrailingText,
    UInt8,
    UInt16,
)
from tests.shared.specimens import key_class, made

FILE = Path(__file__).parents[3] / "fixtures/keys/prefixes.json"
GOLDEN: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
CODECS = {
    str(codec): codec
    for codec in (EscapedText, TrailingText, UInt16, Int64, Descending(Int64), LongMaxMinus, DecimalText(10))
}


@pytest.mark.parametrize("golden", GOLDEN, ids=[f"{row['prefix']} {row['source']}" for row in GOLDEN])
def test_a_prefix_comes_before_its_parts_byte_for_byte(golden):
    prefix = getattr(suite, golden["prefix"])(**golden["options"])
    layout = KeyLayout(
        key_class("Key", **{name: CODECS[codec] for name, (codec, _) in golden["parts"].items()}), prefix
    )
    key = layout.key_class(*(value for _, value in golden["parts"].values()))
    row = bytes.fromhex(golden["row"])
    assert row == layout.encode(key)
    assert key == layout.decode(row)
    assert golden["row"].split() == [field.data.hex() for field in layout.segments(row)]
    hashed = bytes.fromhex(golden.get("hashed", ""))
    if golden["prefix"] == "Salt":
        assert golden["crc32"] == zlib.crc32(hashed)
        assert int(golden["row"][:2], 16) == golden["crc32"] % golden["options"]["buckets"]
    if golden["prefix"] == "HashPrefix":
        assert golden["md5"] == hashlib.md5(hashed, usedforsecurity=False).hexdigest()


KEY = key_class("Key", host=EscapedText, kind=UInt8, at_ms=Descending(Int64), status=Code({"on": 1}), share=Float64)


def test_prefixes_come_in_the_order_given_and_slices_after_them():
    prefixes = (Modulo(of="kind", by=10), Salt(of="host", buckets=16), TimeBucket(of="at_ms", every_ms=900_000))
    layout = KeyLayout(KEY, *prefixes)
    row = layout.encode(KEY("web-1", 23, 1_580_976_517_123, "on", 0.5))
    assert row.startswith(bytes.fromhex("03 0d ffe5321f 7765622d310001 17"))
    assert (layout.spread_bytes, layout.prefix_bytes) == (2, 6)


def test_a_salt_of_one_of_two_adjacent_ints_hashes_that_one_alone():
    ints = key_class("Key", kind=UInt8, number=UInt8)
    for of, hashed in (("kind", b"\x17"), ("number", b"\x2a"), (("kind", "number"), b"\x17\x2a")):
        salted = KeyLayout(ints, Salt(of=of, buckets=256))
        assert bytes([zlib.crc32(hashed) % 256]) + b"\x17\x2a" == salted.encode(ints(23, 42))


def test_a_slice_number_beyond_its_codec_is_refused_by_name():
    layout = KeyLayout(key_class("Key", at_ms=Int64), TimeBucket(of="at_ms", every_ms=1000))
    for at_ms in (-1, 2**32 * 1000):
        with pytest.raises(InvalidKey, match=r"^Key: TimeBucket\(of='at_ms'.*: must be 0\.\.4294967295"):
            layout.encode(layout.key_class(at_ms))


WRONG_COUNTS = (0, -1, 257, True, 1.0, "'16'", None)
PARTS = "the parts are host, kind, at_ms, status and share"
SLICES = "TimeBucket(of='at_ms', every_ms=1000)"


@pytest.mark.parametrize(
    ("wanted", "prefixes"),
    {
        "Salt.buckets: must be 1..256": [f"Salt(of='host', buckets={n})" for n in WRONG_COUNTS],
        "Modulo.by: must be 1..256": [f"Modulo(of='kind', by={n})" for n in WRONG_COUNTS],
        "HashPrefix.bytes: must be 1..16": [f"HashPrefix(of='host', bytes={n})" for n in (0, -1, 17, True, 1.0)],
        "HashPrefix.bytes: must be 1..32": [
            f"HashPrefix(of='host', bytes={n}, hex=True)" for n in (0, -1, 33, True, 1.0)
        ],
        "HashPrefix.separator: must be '' or one ASCII character": [
            f"HashPrefix(of='host', bytes=2, separator={separator!r})" for separator in ("__", "é")
        ],
        "HashPrefix.take": ["HashPrefix(of='host', bytes=2, take='middle')"],
        "TimeBucket.every_ms: must be 1 or more": [f"TimeBucket(of='at_ms', every_ms={n})" for n in (0, -1, True, 1.0)],
        "TimeBucket.codec: must be ordered, ascending": [
            f"TimeBucket(of='at_ms', every_ms=1000, codec={codec})"
            for codec in ("Descending(UInt16)", "LongMaxMinus", "Code({'a': 1})", "EscapedText")
        ],
        "TimeBucket": [
            f"TimeBucket(of='at_ms', every_ms=1000, codec={codec})" for codec in ("Float64", "FixedText(4, '\\0')")
        ],
        **{
            f"needs a part {of}; {PARTS}": [
                *(f"Salt(of={name}, buckets=2)" for name in (repr(of), ("host", of))),
                *(f"HashPrefix(of={name}, bytes=2)" for name in (repr(of), ("host", of))),
                f"Modulo(of='{of}', by=2)",
                f"TimeBucket(of='{of}', every_ms=1000)",
            ]
            for of in ("hosts", "", "Host")
        },
        "": ["Salt(of=(), buckets=2)", "HashPrefix(of=(), bytes=2)", "Modulo(of=(), by=2)"],
        "Modulo": ["Modulo(of=('kind', 'at_ms'), by=10)"],
        **{
            f"Key.{of}: ": [f"Modulo(of='{of}', by=2)", f"TimeBucket(of='{of}', every_ms=1000)"]
            for of in ("host", "status", "share")
        },
        "must have at most one TimeBucket, after the spreading prefixes": [
            f"{SLICES}, Salt(of='host', buckets=2)",
            f"{SLICES}, TimeBucket(of='at_ms', every_ms=10)",
        ],
    }.items(),
)
def test_a_prefix_that_cannot_be_computed_or_does_not_fit_the_key_is_refused(wanted, prefixes):
    for prefix in prefixes:
        with pytest.raises(InvalidKey) as refused:
            KeyLayout(KEY, *made(f"({prefix},)"))
        assert wanted in str(refused.value), prefix
        if wanted.startswith("Key."):
            assert "needs an int part" in str(refused.value)
