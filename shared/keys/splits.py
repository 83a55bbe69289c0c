"""Where to cut a table before its first row. The points come from the layout, never from a guess about its data.

N split points make N + 1 regions; a point is where a region starts. Keys that begin with these are cut without being
asked, in the bytes of the points:

    Salt(of="id", buckets=4) -> 01, 02, 03
    Modulo(of="id", by=3) -> 01, 02
    HashPrefix(of="id", bytes=4) -> 10, 20, 30, 40, 50, 60, 70, 80, 90, a0, b0, c0, d0, e0, f0
    HashPrefix(of="id", bytes=4, hex=True) -> 31, 32, 33, 34, 35, 36, 37, 38, 39, 61, 62, 63, 64, 65, 66
    ReversedDigits(4) -> 31, 32, 33, 34, 35, 36, 37, 38, 39
    Code({"placed": 1, "paid": 2, "shipped": 9}) -> 02, 09

Numbers and `FixedBytes` may be spread over all that they can hold, or count up; the layout cannot know. They are cut
where a number of points is asked for, which says that they are spread. Time is never cut, nor is other text.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import attrs

from .codecs import Code, Codec, Descending, FixedBytes, Integer
from .errors import InvalidKey, InvalidQuestion, shown
from .prefixes import MAX_BUCKETS, HashPrefix, Prefix, Salt, TimeBucket
from .text_codecs import DecimalText, ReversedDigits

if TYPE_CHECKING:
    from .layout import KeyLayout, Part

_BYTES = bytes(range(256))
_DIGITS = b"0123456789"
_HEX_DIGITS = b"0123456789abcdef"
# Hex is cut between digits, not between bytes: of the bytes from '0' to 'f' only 16 are hex digits, and
# `Bytes.split` of HBase's reference guide leaves 7 of 10 regions without a row.

_FINE = 64
"""Regions differ by one part in this many at most, where keys begin with digits enough."""


@attrs.frozen
class Splits:
    """The points to split a table at, in key order, and why it is these, or none."""

    points: tuple[bytes, ...]
    reason: str


@attrs.frozen
class _Lead:
    """What keys begin with: all texts of `width` of these digits, as often one as the other."""

    what: str
    digits: bytes
    width: int
    regions: int
    """How many where no number is asked for; 1 where nobody but the caller knows that the values are spread."""
    presumed: str = ""
    """What must be true of the values, which the layout does not say."""

    @property
    def values(self) -> int:
        number: int = len(self.digits) ** self.width
        return number


def split_points(layout: "KeyLayout[Any]", count: int | None = None) -> Splits:
    """The points at which a table with keys of this layout is cut into even regions.

    Without `count`: as many as the layout gives a reason for, maybe none, and `reason` says why. A `count` that the
    layout cannot serve is an `InvalidQuestion`. Two spreading prefixes: the first decides.
    """
    lead = _lead(layout)
    if isinstance(lead, str):
        if count is not None:
            raise InvalidQuestion(f"{layout.name}: has no split points to give (asked for {shown(count)}): {lead}")
        return Splits((), lead)
    most = min(lead.values, MAX_BUCKETS) - 1
    if count is not None and (type(count) is not int or not 1 <= count <= most):
        raise InvalidQuestion(f"{layout.name}: must be 1..{most} split points (got {shown(count)})")
    regions = lead.regions if count is None else count + 1
    if regions == 1:
        return Splits((), f"{lead.what}: not cut unless a number of points is asked for, {lead.presumed}")
    cut = "one region each" if regions == lead.values else f"{regions} regions, as even as can be"
    presumed = f", {lead.presumed}" if lead.presumed else ""
    return Splits(_points(lead, regions), f"{lead.what}: {cut}{presumed}")


def _points(lead: _Lead, regions: int) -> tuple[bytes, ...]:
    base, places = len(lead.digits), 1
    while places < lead.width and base**places < _FINE * regions:
        places += 1
    return tuple(_written(region * base**places // regions, lead.digits, places) for region in range(1, regions))


def _written(number: int, digits: bytes, places: int) -> bytes:
    """A number in these digits, without the zeros at its end, which no key needs to sort after it.

    80 in three of "0123456789" -> 30 38
    """
    text = b""
    for _ in range(places):
        number, digit = divmod(number, len(digits))
        text = digits[digit : digit + 1] + text
    return text.rstrip(digits[:1])


def _lead(layout: "KeyLayout[Any]") -> _Lead | str:
    """What keys of this layout begin with; or why it says nothing about where to cut."""
    if layout.prefixes:
        return _of_prefix(layout, layout.prefixes[0])
    return _of_part(layout.parts[0])


def _of_prefix(layout: "KeyLayout[Any]", prefix: Prefix) -> _Lead | str:
    if isinstance(prefix, TimeBucket):
        return _time(layout.part_named[prefix.of])
    if isinstance(prefix, HashPrefix):
        digits, name = (_HEX_DIGITS, "hex digits") if prefix.hex else (_BYTES, "bytes")
        return _Lead(f"{name} of {prefix}", digits, prefix.count, 16)
    buckets = prefix.buckets if isinstance(prefix, Salt) else prefix.by
    return _listed(f"buckets of {prefix}", _BYTES[:buckets])


def _of_part(part: "Part") -> _Lead | str:
    codec: Codec[Any] = part.codec
    width = codec.width_bytes or 0
    if isinstance(codec, Code):
        return _listed(f"codes of {part.name}", _codes(codec))
    if isinstance(codec, ReversedDigits):
        return _Lead(f"digits of {part.name}, last digit first", _DIGITS, width, 10)
    if part.name.endswith("_ms"):
        return _time(part)
    ascending: Codec[Any] = codec.codec if isinstance(codec, Descending) else codec
    if isinstance(ascending, DecimalText | Integer | FixedBytes):
        digits = _DIGITS if isinstance(ascending, DecimalText) else _BYTES
        presumed = f"right only if {part.name} is spread over all that {codec} holds and does not count up"
        return _Lead(f"rows begin with {part.name}", digits, width, 1, presumed)
    return (
        f"rows begin with {part.name} ({codec}): where its values lie is not in the layout; "
        "a Salt or HashPrefix in front can be split, or values of your own"
    )


def _listed(what: str, digits: bytes) -> _Lead | str:
    if len(digits) == 1:
        return f"{what}: only one, so one region"
    return _Lead(f"{len(digits)} {what}", digits, 1, len(digits))


def _codes(codec: Code[Any]) -> bytes:
    """The bytes of all names, in key order."""
    found = b""
    for byte in _BYTES:
        with suppress(InvalidKey):
            codec.take(bytes([byte]))
            found += bytes([byte])
    return found


def _time(part: "Part") -> str:
    there = "before the first" if part.codec.descending else "after the last"
    return (
        f"rows begin with {part.name}: new rows always come {there} split point, so none spreads them; "
        "a Salt or HashPrefix in front would"
    )
