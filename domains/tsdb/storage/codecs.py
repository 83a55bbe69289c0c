"""Codecs that only OpenTSDB's row keys need: pairs of UIDs, hours in four bytes of seconds, its salt."""

from collections.abc import Sequence
from operator import ge
from typing import Any

import attrs

from shared.keys import InvalidKey, Salt, UInt32, shown
from shared.keys.codecs import Codec, check_type
from shared.keys.errors import shown_bytes

from ..records import MAX_TAGS


class _Seconds(Codec[int]):
    """Milliseconds that are whole seconds, as four bytes of seconds.

    Seconds: 0 -> 00 00 00 00, 1356998400000 -> 50 e2 27 00
    """

    def encode(self, value: int) -> bytes:
        check_type(int, value)
        if value % 1000:
            raise InvalidKey(f"must be whole seconds in milliseconds (got {value})")
        try:
            return UInt32.encode(value // 1000)
        except InvalidKey:
            raise InvalidKey(f"must be 0..{UInt32.last * 1000} (got {value})") from None

    def decode_first(self, data: bytes) -> tuple[int, bytes]:
        seconds, rest = UInt32.decode_first(data)
        return seconds * 1000, rest


Seconds = _Seconds("Seconds", width_bytes=4)


class _LatinText(Codec[str]):
    """Text of ISO 8859-1 up to the end: one byte for each character, all below 256.

    LatinText: "a" -> 61, "\u00e9" -> e9
    """

    def encode(self, value: str) -> bytes:
        check_type(str, value)
        try:
            return value.encode("latin-1")
        except UnicodeEncodeError:
            raise InvalidKey(f"must be text of ISO 8859-1 (got {shown(value)})") from None

    def decode_first(self, data: bytes) -> tuple[str, bytes]:
        return data.decode("latin-1"), b""

    def encode_prefix(self, start: str) -> bytes:
        return self.encode(start)


LatinText = _LatinText("LatinText", trailing=True, legible=True)


class TagPairs(Codec[bytes]):
    """The tags of a series up to the end of the key: the UID of a tag name, the UID of its value, then the next pair.

    TagPairs(3, 3): 1 to 8 pairs, in the order of their bytes, which is not that of their names; no tag name twice.
    """

    def __init__(self, name_bytes: int, value_bytes: int) -> None:
        self.name_bytes = name_bytes
        self.pair_bytes = name_bytes + value_bytes
        super().__init__(f"TagPairs({name_bytes}, {value_bytes})", ordered=False, trailing=True)

    def join(self, tags: dict[bytes, bytes]) -> bytes:
        """The value of a part: these UIDs of tag values by those of tag names."""
        return b"".join(sorted(name + value for name, value in tags.items()))

    def split(self, pairs: bytes) -> dict[bytes, bytes]:
        """The UIDs of tag values by those of tag names."""
        starts = range(0, len(pairs), self.pair_bytes)
        return {pairs[at : at + self.name_bytes]: pairs[at + self.name_bytes : at + self.pair_bytes] for at in starts}

    def encode(self, value: bytes) -> bytes:
        """The pairs as they are; InvalidKey if they are not pairs in their order."""
        check_type(bytes, value)
        count, odd = divmod(len(value), self.pair_bytes)
        if odd or not 1 <= count <= MAX_TAGS:
            wanted = f"must be 1..{MAX_TAGS} pairs of {self.pair_bytes} bytes"
            raise InvalidKey(f"{wanted} (got {len(value)} bytes: {shown_bytes(value)})")
        names = [value[at : at + self.name_bytes] for at in range(0, len(value), self.pair_bytes)]
        if any(map(ge, names, names[1:])):
            raise InvalidKey(f"must be pairs in the order of their bytes, no tag twice (got {shown_bytes(value)})")
        return value

    def decode_first(self, data: bytes) -> tuple[bytes, bytes]:
        """All bytes, if they are pairs in their order."""
        return self.encode(data), b""


def _width(_salt: Any, _field: "attrs.Attribute[int]", value: Any) -> None:
    if type(value) is not int or not 1 <= value <= 8:
        raise InvalidKey(f"SeriesSalt.width: must be 1..8 bytes (got {shown(value)})")


def _buckets(_salt: Any, _field: "attrs.Attribute[int]", value: Any) -> None:
    if type(value) is not int or not 1 <= value <= 256:
        raise InvalidKey(f"SeriesSalt.buckets: must be 1..256 (got {shown(value)})")


@attrs.frozen
class SeriesSalt(Salt):
    """OpenTSDB's salt: Java's `Arrays.hashCode` of metric and tags, its magnitude modulo the number of buckets.

    SeriesSalt(width=1, buckets=20): metric 00 00 01, tags 00 00 01 00 00 01 -> 08

    The hour is not in it, so a series stays in one bucket, and the series of a busy metric are in all of them.
    """

    width: int = attrs.field(default=1, validator=_width)
    """Bytes of the salt; big-endian."""
    buckets: int = attrs.field(default=20, validator=_buckets)
    of: tuple[str, ...] = attrs.field(  # pyright: ignore[reportIncompatibleVariableOverride]  # fixed, so not converted
        default=("metric_uid", "tag_uids"), init=False
    )

    @property
    def width_bytes(self) -> int:
        """Bytes of the salt."""
        return self.width

    def encode(self, values: Sequence[Any], encoded: Sequence[bytes]) -> bytes:
        """The salt of a key whose metric and tags have these bytes."""
        return (abs(java_hash(b"".join(encoded))) % self.buckets).to_bytes(self.width, "big")

    def every_value(self) -> list[bytes]:
        """The salts of all buckets, in byte order."""
        return [bucket.to_bytes(self.width, "big") for bucket in range(self.buckets)]


def java_hash(data: bytes) -> int:
    """Java's `Arrays.hashCode(byte[])`: bytes are signed, and the sum wraps at 32 bits."""
    total = 1
    for byte in data:
        total = 31 * total + (byte - 256 if byte > 127 else byte)
    return (total + 2**31) % 2**32 - 2**31
