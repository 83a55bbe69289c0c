"""The cells of OpenTSDB's data table: the points of one series in one hour.

    cell        qualifier                                              value
    a point     in seconds, 2 bytes: offset << 4 | flags               the number
                in ms, 4 bytes: f0 00 00 00 | offset << 6 | flags
    compacted   the qualifiers of its points, by time                  the numbers, then 00, or 01 if s and ms are mixed
    appended    05 00 00                                               qualifier, number, qualifier, number ...
    other       an odd number of bytes; 01: an annotation              not points: ignored

    flags: 8 for a float, and the length of the number - 1
    00 31       second 3, an int of 2 bytes
    f0 00 02 0b millisecond 8, a float of 4 bytes

Numbers are big-endian: ints of 1, 2, 4 or 8 bytes in two's complement, floats of 4 or 8 bytes. A row may hold cells of
all kinds at once, and a time in several of them. Then the number of the newest cell counts, or they must be equal.
"""

import math
import struct
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

from shared.keys import shown
from shared.tables import InvalidRecord

from ..records import Number

FAMILY = "t"
COLUMN_START = FAMILY.encode() + b":"
HOUR_MS = 3_600_000
APPENDED = bytes.fromhex("05 00 00")
"""The qualifier of the cell to which OpenTSDB appends points, if it is configured so."""

IS_FLOAT = 0x8
FLAGS = {0x0: "i1", 0x1: ">i2", 0x3: ">i4", 0x7: ">i8", 0xB: ">f4", 0xF: ">f8"}
"""The flags that numbers have, and the type of their bytes."""
_STRUCTS = {flags: struct.Struct(code) for flags, code in zip(FLAGS, (">b", ">h", ">i", ">q", ">f", ">d"), strict=True)}
_INT_FLAGS = bytes([0x0] * 8 + [0x1] * 8 + [0x3] * 16 + [0x7] * 32)
"""The flags of an int, by its number of bits without the sign."""
FIRST_IN_MS = 0xF0
"""Seconds end at 3,599, so the first byte of a qualifier in seconds is less."""
MIXED, NOT_MIXED = b"\x01", b"\x00"
"""The last byte of a compacted cell: whether it has points in seconds and in milliseconds."""

Cells: TypeAlias = Mapping[bytes, tuple[bytes, int]]
"""The cells of a row: value and timestamp by qualifier, without the family."""
Duplicates: TypeAlias = Literal["newest", "strict"]
"""What counts if cells hold different numbers for one time: the newest cell's number, or the row is refused."""


def pack_number(value: Number) -> tuple[int, bytes]:
    """The flags and the bytes of a number: as few bytes as hold it exactly; a float has 4 or 8.

    42 -> 0, 2a    257 -> 1, 01 01    42.5 -> b, 42 2a 00 00    0.1 -> f, 3f b9 99 99 99 99 99 9a
    """
    if type(value) is int:
        bits = (value if value >= 0 else ~value).bit_length()
        if bits < len(_INT_FLAGS):
            flags = _INT_FLAGS[bits]
            return flags, _STRUCTS[flags].pack(value)
    elif type(value) is float and math.isfinite(value):
        with suppress(OverflowError):  # too large for 4 bytes
            number = _STRUCTS[0xB].pack(value)
            if _STRUCTS[0xB].unpack(number)[0] == value:
                return 0xB, number
        return 0xF, _STRUCTS[0xF].pack(value)
    raise InvalidRecord(f"must be an int of 64 bits, or a float that is not NaN or infinite (got {shown(value)})")


def qualifier_of(offset_ms: int, flags: int, *, in_ms: bool | None = None) -> bytes:
    """The qualifier of a point; in seconds if its time is a whole second, unless `in_ms` says otherwise.

    3000, 1 -> 00 31    8, b -> f0 00 02 0b
    """
    if type(offset_ms) is not int or not 0 <= offset_ms < HOUR_MS:
        raise InvalidRecord(f"offset_ms: must be 0..{HOUR_MS - 1} (got {shown(offset_ms)})")
    if type(flags) is not int or not 0 <= flags <= 0xF:
        raise InvalidRecord(f"flags: must be 0..15 (got {shown(flags)})")
    seconds, rest_ms = divmod(offset_ms, 1000)
    if in_ms if in_ms is not None else rest_ms:
        return (0xF0000000 | offset_ms << 6 | flags).to_bytes(4, "big")
    if rest_ms:
        raise InvalidRecord(f"offset_ms: must be whole seconds (got {offset_ms})")
    return (seconds << 4 | flags).to_bytes(2, "big")


def offset_of(qualifier: bytes) -> int | None:
    """The offset in ms of a qualifier of one point; None for any other qualifier.

    00 31 -> 3000    f0 00 02 0b -> 8    00 31 00 41 -> None
    """
    number = int.from_bytes(qualifier, "big")
    if len(qualifier) == 2:
        return (number >> 4) * 1000
    return (number & 0x0FFFFFC0) >> 6 if len(qualifier) == 4 and qualifier[0] >= FIRST_IN_MS else None


def pack_appended(points: Iterable[tuple[int, Number]]) -> bytes:
    """The bytes that HBase appends to the cell `APPENDED`: points as offset in ms and number, in order of arrival.

    (0, 42), (60000, 1) -> 00 00 2a 03 c0 01
    """
    packed = ((offset_ms, *pack_number(value)) for offset_ms, value in points)
    return b"".join(qualifier_of(offset_ms, flags) + number for offset_ms, flags, number in packed)


def is_of_points(qualifier: bytes) -> bool:
    """Whether a cell holds a point or a compacted row: any even number of bytes."""
    return len(qualifier) % 2 == 0


def column_of(qualifier: bytes) -> bytes:
    """The column of a qualifier, in the one family of the data table."""
    return COLUMN_START + qualifier


def cell_of(time_ms: int, value: Number) -> tuple[bytes, bytes]:
    """The column of a point and its number, as bytes."""
    flags, number = pack_number(value)
    return column_of(qualifier_of(time_ms % HOUR_MS, flags)), number


def cells_by_qualifier(cells: Mapping[bytes, tuple[bytes, int]]) -> Cells:
    """The cells of a row that was read with timestamps, by qualifier and in its order."""
    start = len(COLUMN_START)
    return {column[start:]: cells[column] for column in sorted(cells)}
