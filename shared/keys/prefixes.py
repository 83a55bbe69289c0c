"""Prefixes before the parts of a key: computed from its parts, never stored in the record.

A prefix that *spreads* (`Salt`, `HashPrefix`, `Modulo`) sends neighbouring keys to different regions. A question that
binds the parts it is computed from reads one range. Every other question reads one range per bucket and merges them.
So `random()` cannot be a prefix (S2.6: the random part must be computable from the data).

`TimeBucket` *orders*: it comes after the spreading prefixes and divides time into slices, stored one after another.

Decoding computes every prefix again and compares it with the bytes of the row.
"""

import zlib
from collections.abc import Sequence
from typing import Any, Literal

import attrs

from .codecs import Codec, UInt32, holds, utf8
from .errors import InvalidKey, shown

MAX_BUCKETS = 1024
"""A question that would read more ranges than this is refused, unless `most_ranges` allows more."""

_BYTE = [bytes([number]) for number in range(256)]


def _names(of: str | Sequence[str]) -> tuple[str, ...]:
    names = (of,) if isinstance(of, str) else tuple(of)
    if not names or not all(type(name) is str for name in names):
        raise InvalidKey(f"of: must be the name of a part, or a tuple of names (got {shown(of)})")
    return names


def _one_name(of: str) -> tuple[str, ...]:
    if type(of) is not str:
        raise InvalidKey(f"Modulo.of: must be the name of one part (got {shown(of)})")
    return (of,)


def _show_names(of: tuple[str, ...]) -> str:
    return repr(of[0]) if len(of) == 1 else repr(of)


def _one_byte_count(instance: Any, attribute: "attrs.Attribute[int]", value: int) -> None:
    if type(value) is not int or not 1 <= value <= 256:
        raise InvalidKey(
            f"{type(instance).__name__}.{attribute.name}: must be 1..256, to fit one byte (got {shown(value)})"
        )


@attrs.frozen
class Salt:
    """One byte: crc32 of the encoded part(s), modulo the number of buckets.

    The part it is computed from decides which rows are spread, and what a question costs:
    Salt(of="host", buckets=16), a leading part: hosts are spread, one host is one bucket and one range.
    Salt(of="event_id", buckets=16), a part at the end: one busy host is spread, and every list of it reads 16 ranges.
    A salt spreads over the regions that exist: create the table split at the buckets. The number of buckets is fixed
    with the first row; another number is another layout, and another table.
    """

    of: tuple[str, ...] = attrs.field(converter=_names, repr=_show_names)
    buckets: int = attrs.field(validator=_one_byte_count)

    @property
    def width_bytes(self) -> int:
        return 1

    def encode(self, values: Sequence[Any], encoded: Sequence[bytes]) -> bytes:
        """The prefix of a key whose parts `of` have these values and these bytes."""
        return _BYTE[zlib.crc32(b"".join(encoded)) % self.buckets]

    def every_value(self) -> list[bytes] | None:
        """All values of the prefix, in byte order; None if there are more than `MAX_BUCKETS`."""
        return _BYTE[: self.buckets]


@attrs.frozen
class Modulo:
    """One byte: an int part modulo `by`, the published `timestamp % numBuckets` (S0.7); never negative.

    Does not spread a part whose values come in steps that share a divisor with `by`: whole seconds in milliseconds
    modulo 10 are all in bucket 0. A `Salt` of another part does spread them.
    """

    of: tuple[str, ...] = attrs.field(converter=_one_name, repr=_show_names)
    by: int = attrs.field(validator=_one_byte_count)

    @property
    def width_bytes(self) -> int:
        return 1

    def encode(self, values: Sequence[Any], encoded: Sequence[bytes]) -> bytes:
        value: int = values[0]
        return _BYTE[value % self.by]

    def every_value(self) -> list[bytes] | None:
        return _BYTE[: self.by]


@attrs.frozen(repr=False)
class HashPrefix:
    """`bytes` bytes of the md5 of the part(s): of the UTF-8 of a single text part, otherwise of the encoded parts.

    HashPrefix(of="user_id", bytes=4): user_1 = 3f 49 ..    the first four of the sixteen bytes
    hex=True: `bytes` of the 32 hex digits of the digest, so that keys are legible: `3f49...`
    separator="_": one ASCII character after it (S3.1, `MD5(user_id)[0:8] + "_" + user_id`)
    take="last": the last bytes instead of the first (S4.4, `ffe5` before 1364248490)
    Spreads evenly over regions split anywhere, but has too many values to read: a question must bind the parts.
    """

    of: tuple[str, ...] = attrs.field(converter=_names, repr=_show_names)
    count: int = attrs.field(alias="bytes")
    hex: bool = attrs.field(default=False, kw_only=True)
    separator: str = attrs.field(default="", kw_only=True)
    take: Literal["first", "last"] = attrs.field(default="first", kw_only=True)

    def __attrs_post_init__(self) -> None:
        most = 32 if self.hex else 16
        if type(self.count) is not int or not 1 <= self.count <= most:
            raise InvalidKey(f"HashPrefix.bytes: must be 1..{most} (got {shown(self.count)})")
        if type(self.separator) is not str or len(self.separator) > 1 or not self.separator.isascii():
            raise InvalidKey(f"HashPrefix.separator: must be '' or one ASCII character (got {shown(self.separator)})")
        if self.take not in ("first", "last"):
            raise InvalidKey(f"HashPrefix.take: must be first or last (got {shown(self.take)})")

    def __repr__(self) -> str:
        options = ", hex=True" * self.hex + f", separator={self.separator!r}" * bool(self.separator)
        last = ", take='last'" * (self.take == "last")
        return f"HashPrefix(of={_show_names(self.of)}, bytes={self.count}{options}{last})"

    @property
    def width_bytes(self) -> int:
        return self.count + len(self.separator)

    def encode(self, values: Sequence[Any], encoded: Sequence[bytes]) -> bytes:
        import hashlib  # brings OpenSSL, which takes as long to load as all codecs, and few keys need it

        hashed = utf8(values[0]) if len(self.of) == 1 and type(values[0]) is str else b"".join(encoded)
        digest = hashlib.md5(hashed, usedforsecurity=False).digest()
        if self.hex:
            digest = digest.hex().encode()
        return (digest[: self.count] if self.take == "first" else digest[-self.count :]) + self.separator.encode()

    def every_value(self) -> list[bytes] | None:
        digits = b"0123456789abcdef" if self.hex else range(256)
        if len(digits) ** self.count > MAX_BUCKETS:
            return None
        values = [b""]
        for _ in range(self.count):
            values = [value + b"%c" % digit for value in values for digit in digits]
        return [value + self.separator.encode() for value in values]


@attrs.frozen
class TimeBucket:
    """The number of a time slice: `of` // `every_ms`, in the direction of its part.

    TimeBucket(of="at_ms", every_ms=900_000, codec=UInt32): 15-minute slices counted from 1970 (S3.9).
    A slice can be dropped, or read whole, without touching the others. Writes of one moment go to one slice: put a
    spreading prefix before it if they are too many for one region.
    """

    of: str
    every_ms: int
    codec: Codec[int] = UInt32

    def __attrs_post_init__(self) -> None:
        if type(self.every_ms) is not int or self.every_ms < 1:
            raise InvalidKey(f"TimeBucket.every_ms: must be 1 or more (got {shown(self.every_ms)})")
        if not self.codec.ordered or self.codec.descending or self.codec.width_bytes is None:
            raise InvalidKey(f"TimeBucket.codec: must be ordered, ascending and of fixed width (got {self.codec})")
        if not holds(self.codec, 0):
            raise InvalidKey(f"TimeBucket.codec: must be a codec of ints (got {self.codec})")

    @property
    def width_bytes(self) -> int:
        return self.codec.width_bytes or 0  # never 0: checked above

    def number(self, at_ms: int) -> int:
        """The number of the slice that contains `at_ms`; rounded down, so negative for times before 1970."""
        return at_ms // self.every_ms


Spread = Salt | Modulo | HashPrefix
Prefix = Spread | TimeBucket
"""A prefix of a key: `Salt`, `HashPrefix`, `Modulo` or `TimeBucket`."""


def sources(prefix: Prefix) -> tuple[str, ...]:
    """The names of the parts that a prefix is computed from."""
    return (prefix.of,) if isinstance(prefix, TimeBucket) else prefix.of
