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


REFUSED = """
Salt.buckets: must be 1..256 <- Salt('host', 0); Salt('host', 257); Salt('host', True); Salt('host', 10**5000)
Modulo.by: must be 1..256 <- Modulo('kind', 0); Modulo('kind', 257); Modulo('kind', '16'); Modulo('kind', None)
HashPrefix.bytes: must be 1..16 <- HashPrefix('host', 0); HashPrefix('host', 17); HashPrefix('host', True)
HashPrefix.bytes: must be 1..32 <- HashPrefix('host', 0, hex=True); HashPrefix('host', 33, hex=True)
HashPrefix.separator: must be '' or one ASCII character <- HashPrefix('host', 2, separator='__')
HashPrefix.separator: must be '' or one ASCII character <- HashPrefix('host', 2, separator='é')
HashPrefix.separator: must be '' or one ASCII character <- HashPrefix('host', 2, separator=10**5000)
HashPrefix.take: must be first or last <- HashPrefix('host', 2, take='middle'); HashPrefix('host', 2, take=10**5000)
TimeBucket.every_ms: must be 1 or more <- TimeBucket('at_ms', 0); TimeBucket('at_ms', -1); TimeBucket('at_ms', True)
TimeBucket.codec: must be ordered, ascending <- TimeBucket('at_ms', 10, Descending(UInt16))
TimeBucket.codec: must be ordered, ascending <- TimeBucket('at_ms', 10, Code({'a': 1}))
TimeBucket.codec: must be ordered, ascending and of fixed width <- TimeBucket('at_ms', 10, EscapedText)
TimeBucket.codec: must be a codec of ints <- TimeBucket('at_ms', 10, FixedText(4, '\\0'))
needs a part hosts; the parts are host, kind, at_ms, status and share <- Salt('hosts', 2); Salt(('host', 'hosts'), 2)
needs a part Host; the parts are host, kind, at_ms, status and share <- Modulo('Host', 2); TimeBucket('Host', 10)
needs a part ; the parts are host, kind, at_ms, status and share <- HashPrefix('', 2)
of: must be the name of a part, or a tuple of names (got ()) <- Salt((), 2); HashPrefix((), 2)
Modulo.of: must be the name of one part <- Modulo((), 2); Modulo(('kind', 'at_ms'), 10)
Key.host: Modulo(of='host', by=2) needs an int part <- Modulo('host', 2)
Key.status: TimeBucket(of='status', <- TimeBucket('status', 10)
needs an int part <- Modulo('status', 2); Modulo('share', 2); TimeBucket('host', 10); TimeBucket('share', 10)
must have at most one TimeBucket, after the spreading prefixes <- TimeBucket('at_ms', 10), Salt('host', 2)
must have at most one TimeBucket, after the spreading prefixes <- TimeBucket('at_ms', 10), TimeBucket('at_ms', 10)
"""


@pytest.mark.parametrize("refused", REFUSED.strip().splitlines())
def test_a_prefix_that_cannot_be_computed_or_does_not_fit_the_key_is_refused(refused):
    wanted, _, prefixes = refused.partition(" <- ")
    for prefix in prefixes.split("; "):
        with pytest.raises(InvalidKey) as error:
            KeyLayout(KEY, *made(f"({prefix},)"))
        assert wanted in str(error.value), prefix
