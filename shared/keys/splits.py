"""Where to split a table before its first row. The points come from the layout, never from a guess about its data.

N split points make N + 1 regions; a point is where a region starts. Tables whose keys start with one of these are split
by default, at these bytes:

    Salt(of="id", buckets=4) -> 01, 02, 03
    Modulo(of="id", by=3) -> 01, 02
    HashPrefix(of="id", bytes=4) -> 10, 20, 30, 40, 50, 60, 70, 80, 90, a0, b0, c0, d0, e0, f0
    HashPrefix(of="id", bytes=4, hex=True) -> 31, 32, 33, 34, 35, 36, 37, 38, 39, 61, 62, 63, 64, 65, 66
    ReversedDigits(4) -> 31, 32, 33, 34, 35, 36, 37, 38, 39
    Reversed(UInt32) -> 10, 20, 30, 40, 50, 60, 70, 80, 90, a0, b0, c0, d0, e0, f0
    Code({"placed": 1, "paid": 2, "shipped": 9}) -> 02, 09

Numbers, UUIDs and `FixedBytes` may be spread over all values of their codec, or count up; the layout cannot know. They
are split only if the caller gives a number of points, and so asserts that they are spread. Time and other text are
never split.
"""

from contextlib import suppress
from typing import Any

import attrs

from .codecs import Code, Codec, Descending, FixedBytes, Integer
from .errors import InvalidKey, InvalidQuestion, shown
from .parts import Part
from .prefixes import MAX_BUCKETS, HashPrefix, Prefix, Salt, TimeBucket
from .reference import ReferenceLayout

_BYTES = bytes(range(256))
_DIGITS = b"0123456789"
_HEX_DIGITS = b"0123456789abcdef"
# Hex is split between digits, not between bytes: of the bytes from '0' to 'f' only 16 are hex digits, and
# `Bytes.split` of HBase's reference guide leaves 7 of 10 regions without a row.

_PRECISION = 64
"""The sizes of regions differ by at most one part in this many, if keys start with enough digits."""


@attrs.frozen
class Splits:
    """The points to split a table at, in key order, and why; or why there are none."""

    points: tuple[bytes, ...]
    reason: str


@attrs.frozen(eq=False)
class _FirstDigits:
    """The start of all keys: every string of `width` such digits, all equally likely."""

    name: str
    digits: bytes
    width: int
    default_regions: int
    """The number of regions if the caller gives none; 1 if only the caller can know that the values are spread."""
    assumption: str = ""
    """An assumption about the values that the layout does not guarantee."""

    @property
    def values(self) -> int:
        number: int = len(self.digits) ** self.width
        return number


def split_points(layout: ReferenceLayout[Any], count: int | None = None) -> Splits:
    """The points at which a table with keys of this layout is split into even regions.

    Without `count`: as many points as the layout gives a reason for, maybe none; `reason` says why. `InvalidQuestion`
    if the layout cannot give `count` points. The first of two spreading prefixes decides.
    """
    first = _first_digits(layout)
    if isinstance(first, str):
        if count is not None:
            raise InvalidQuestion(f"{layout.name}: has no split points (wanted {shown(count)}): {first}")
        return Splits((), first)
    most = min(first.values, MAX_BUCKETS) - 1
    if count is not None and (type(count) is not int or not 1 <= count <= most):
        raise InvalidQuestion(f"{layout.name}: must be 1..{most} split points (got {shown(count)})")
    regions = first.default_regions if count is None else count + 1
    if regions == 1:
        return Splits((), f"{first.name}: not split by default; give a number of points {first.assumption}")
    sizes = "one region each" if regions == first.values else f"{regions} regions, as equal as possible"
    assumption = f", {first.assumption}" if first.assumption else ""
    return Splits(_points(first, regions), f"{first.name}: {sizes}{assumption}")


def _points(first: _FirstDigits, regions: int) -> tuple[bytes, ...]:
    base, places = len(first.digits), 1
    while places < first.width and base**places < _PRECISION * regions:
        places += 1
    return tuple(_in_digits(region * base**places // regions, first.digits, places) for region in range(1, regions))


def _in_digits(number: int, digits: bytes, places: int) -> bytes:
    """A number in these digits, without the zeros at its end: every key that starts with it sorts after it anyway.

    80 in three of "0123456789" -> 30 38
    """
    text = b""
    for _ in range(places):
        number, digit = divmod(number, len(digits))
        text = digits[digit : digit + 1] + text
    return text.rstrip(digits[:1])


def _first_digits(layout: ReferenceLayout[Any]) -> _FirstDigits | str:
    """The start of all keys of this layout; or the reason why it gives no split points."""
    if layout.prefixes:
        return _of_prefix(layout, layout.prefixes[0])
    return _of_part(layout.parts[0])


def _of_prefix(layout: ReferenceLayout[Any], prefix: Prefix) -> _FirstDigits | str:
    if isinstance(prefix, TimeBucket):
        return _time(layout.part_named[prefix.of])
    if isinstance(prefix, HashPrefix):
        digits, name = (_HEX_DIGITS, "hex digits") if prefix.hex else (_BYTES, "bytes")
        return _FirstDigits(f"{name} of {prefix}", digits, prefix.count, 16)
    buckets = prefix.buckets if isinstance(prefix, Salt) else prefix.by
    return _one_byte(f"buckets of {prefix}", _BYTES[:buckets])


def _of_part(part: Part) -> _FirstDigits | str:
    codec: Codec[Any] = part.codec
    width = codec.width_bytes or 0
    if isinstance(codec, Code):
        return _one_byte(f"codes of {part.name}", _bytes_of(codec))
    ascending: Codec[Any] = codec.codec if isinstance(codec, Descending) else codec
    digits = _BYTES if isinstance(ascending, Integer | FixedBytes) else b""
    if not digits and width:
        from .text_codecs import DecimalText, Reversed  # few keys start with one of these
        from .value_codecs import Date, DateTime, Uuid

        if isinstance(codec, Reversed) and not codec.is_text:
            if isinstance(codec.codec, DecimalText):
                return _FirstDigits(f"digits of {part.name}, last digit first", _DIGITS, width, 10)
            return _FirstDigits(f"bytes of {part.name}, last byte first", _BYTES, width, 16)
        if ascending in (DateTime, Date):
            return _time(part)
        digits = _DIGITS if isinstance(ascending, DecimalText) else _BYTES if ascending is Uuid else b""
    if part.name.endswith("_ms"):
        return _time(part)
    if digits:
        assumption = f"if {part.name} is spread over all values of {codec} and does not count up"
        return _FirstDigits(f"rows start with {part.name} ({part.meaning})", digits, width, 1, assumption)
    return (
        f"rows start with {part.name} ({codec}), and the layout does not say which values are frequent; "
        "put a Salt or HashPrefix before it, or choose the points yourself"
    )


def _one_byte(name: str, digits: bytes) -> _FirstDigits | str:
    if len(digits) == 1:
        return f"{name}: only one, so one region"
    return _FirstDigits(f"{len(digits)} {name}", digits, 1, len(digits))


def _bytes_of(codec: Code[Any]) -> bytes:
    """The bytes of all names, in key order."""
    known = b""
    for byte in _BYTES:
        with suppress(InvalidKey):
            codec.decode(bytes([byte]))
            known += bytes([byte])
    return known


def _time(part: Part) -> str:
    place = "before the first" if part.codec.descending else "after the last"
    return (
        f"rows start with {part.name}: new rows always come {place} split point, so splitting does not spread them; "
        "put a Salt or HashPrefix before it"
    )
