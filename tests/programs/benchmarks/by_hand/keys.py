"""The key of `bench_keys.py` by hand: (host: escaped text, kind: two bytes, at_ms: eight bytes, newest first).

What a careful person writes with `struct` for this one key, with the checks that the generated functions make: the type
and range of each value, the length of the row, and every byte of it on the way back.

    web-1, 513, 0 -> 77 65 62 2d 31 00 01  02 01  7f ff ff ff ff ff ff ff
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

R = TypeVar("R")

MAX_ROW_BYTES = 32_767
LEAST_MS, LAST_MS = -(2**63), 2**63 - 1
TAIL = struct.Struct(">2sHQ")
"""The end of the host, the kind and the time."""


@dataclass(frozen=True, slots=True)
class Key:
    host: str
    kind: int
    at_ms: int


def encode(key: Key) -> bytes:
    host, kind, at_ms = key.host, key.kind, key.at_ms
    if type(host) is not str or type(kind) is not int or type(at_ms) is not int:
        raise TypeError(f"Key: must be text, an int and an int (got {key!r})")
    if not 0 <= kind <= 65_535:
        raise ValueError(f"Key.kind: must be 0..65535 (got {kind})")
    if not LEAST_MS <= at_ms <= LAST_MS:
        raise ValueError(f"Key.at_ms: must be {LEAST_MS}..{LAST_MS} (got {at_ms})")
    text = host.encode()
    if 0 in text:  # faster in Python than to ask for b"\0"
        text = text.replace(b"\0", b"\0\xff")
    row = text + TAIL.pack(b"\0\1", kind, LAST_MS - at_ms)
    if len(row) > MAX_ROW_BYTES:
        raise ValueError(f"Key: a row key has at most {MAX_ROW_BYTES} bytes (got {len(row)})")
    return row


def decode(row: bytes, record: Callable[[str, int, int], R]) -> R:
    """The values of a row, as a `record`: the same class on both sides of a comparison."""
    try:
        end, kind, from_the_end = TAIL.unpack_from(row, -12)
    except struct.error:
        end = b""
    if end != b"\0\1":
        raise ValueError(f"Key: must end its host with 00 01, ten bytes before the end (got {row.hex(' ')})")
    text = row[:-12]
    if 0 in text:  # faster in Python than to ask for b"\0"
        plain = text.replace(b"\0\xff", b"\0")
        if plain.replace(b"\0", b"\0\xff") != text:
            raise ValueError(f"Key.host: must have 00 as 00 ff only (got {row.hex(' ')})")
        text = plain
    return record(text.decode(), kind, LAST_MS - from_the_end)
