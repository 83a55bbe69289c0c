"""Packings: how one value becomes the bytes of a cell, and back."""

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import msgpack


@attrs.frozen
class Packing:
    """How one value becomes the bytes of a cell, and back."""

    name: str
    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes], Any]
    unpack_fast: Callable[[bytes], Any] | None = None
    """A faster `unpack`, if there is one: returns the same value, or raises where `unpack` might not."""
    holds: tuple[Any, ...] | None = None
    """The types whose values it holds; None if it does not say, so that declarations are not checked."""
    of_item: Callable[[Any], Any] | None = None
    """What makes a value of an item of a msgpack array; None if the item is the value."""


# `packb` makes a new packer for every value. One packer for all values is faster. Threads may share it only if a call
# cannot be interrupted: in C, and for values that contain no other values.
_shared_packer = msgpack.Packer(strict_types=True)
_SHARED_TYPES = {str, int, bytes, bool, float} if type(_shared_packer).__module__ == "msgpack._cmsgpack" else ()


def _pack(value: Any) -> bytes:
    return _shared_packer.pack(value) if type(value) in _SHARED_TYPES else msgpack.packb(value, strict_types=True)


def _unpack(data: bytes) -> Any:
    return msgpack.unpackb(data, strict_map_key=False)


MSGPACK = Packing("msgpack", _pack, _unpack, msgpack.unpackb)
"""Msgpack: text, bytes, floats, bools, lists, maps, and ints of up to 64 bits.

An attribute declared as a time, an Enum, a UUID, a Decimal, a tuple or an attrs class has what `declared_packing.py`
makes of it."""


def msgpack_of(to_plain: Callable[[Any], Any], from_plain: Callable[[Any], Any]) -> Packing:
    """Msgpack of values that are made plain before, and made of plain ones after."""
    return Packing(
        MSGPACK.name,
        lambda value: _pack(to_plain(value)),
        lambda data: from_plain(_unpack(data)),
        of_item=from_plain,
    )


MAX_ARRAY = 15
"""The most values of a msgpack array whose header is one byte."""


def array_of(cells: Sequence[bytes]) -> bytes:
    """The msgpack array of up to `MAX_ARRAY` values that are packed already."""
    return bytes([0x90 + len(cells)]) + b"".join(cells)


def unpack_array(data: bytes) -> list[Any] | None:
    """The values of a msgpack array; None for any other value."""
    values: list[Any] = _unpack(data)
    return values if values.__class__ is list else None


def _pack_big(value: int) -> bytes:
    if type(value) is not int:
        raise TypeError("must be an int")
    return _pack(value.to_bytes(_width_bytes(value), "big", signed=True))


def _unpack_big(data: bytes) -> int:
    if len(data) > 2 and data[0] == 0xC4 and data[1] == len(data) - 2:  # the usual cell: c4, number of bytes, bytes
        value = int.from_bytes(data[2:], "big", signed=True)
        if _width_bytes(value) == data[1]:
            return value
    packed = _unpack(data)
    value = int.from_bytes(packed, "big", signed=True) if isinstance(packed, bytes) else 0
    if _pack_big(value) != data:
        raise ValueError("must be msgpack bytes of an int's shortest two's complement")
    return value


def _width_bytes(value: int) -> int:
    """The bytes of an int's shortest two's complement."""
    return (value + (value < 0)).bit_length() // 8 + 1


BIG_INT = Packing("big int", _pack_big, _unpack_big, holds=(int,))
"""An int of any size: msgpack bytes of its two's complement, big-endian, as Java's `BigInteger.toByteArray()`."""


def _pack_texts(value: Any) -> bytes:
    texts: tuple[Any, ...] = value
    if type(texts) is not tuple or not all(type(text) is str for text in texts):
        raise TypeError("must be a tuple of texts")
    packed: bytes = msgpack.packb(list(texts), strict_types=True)
    return packed


def _unpack_texts(data: bytes) -> tuple[str, ...]:
    values = unpack_array(data)
    if values is None or not all(type(value) is str for value in values):
        raise ValueError("must be a msgpack array of texts")
    return tuple(values)


TEXTS = Packing("texts", _pack_texts, _unpack_texts, holds=(tuple[str, ...],))
"""A tuple of texts: a msgpack array."""


def _pack_text(value: Any) -> bytes:
    if not isinstance(value, str):
        raise TypeError("must be text")
    return value.encode()


def _unpack_text(data: bytes) -> str:
    return data.decode()


TEXT = Packing("text", _pack_text, _unpack_text, holds=(str,))
"""UTF-8 without anything around it, legible in the HBase shell and comparable by its filters."""


def _pack_raw(value: bytes) -> bytes:
    if type(value) is not bytes:
        raise TypeError("must be bytes")
    return value


RAW = Packing("raw", _pack_raw, bytes, holds=(bytes,))
"""Bytes as they are."""


def _pack_counter(value: int) -> bytes:
    if type(value) is not int:
        raise TypeError("must be an int")
    return value.to_bytes(8, "big", signed=True)


def _unpack_counter(data: bytes) -> int:
    if len(data) != 8:
        raise ValueError(f"must be the eight bytes of a counter (got {len(data)})")
    return int.from_bytes(data, "big", signed=True)


COUNTER = Packing("counter", _pack_counter, _unpack_counter, holds=(int,))
"""HBase's counter: a signed int of eight bytes, big-endian. Only read: `counter_inc` is a write of its own."""
