"""Packings: how one value becomes the bytes of a cell, and back."""

from collections.abc import Callable
from typing import Any

import attrs
import msgpack


@attrs.frozen
class Packing:
    """How one value becomes the bytes of a cell."""

    name: str
    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes], Any]
    unpack_usual: Callable[[bytes], Any] | None = None
    """A faster `unpack`, if there is one: it gives the same, or fails where that need not."""


def _pack_big(value: int) -> bytes:
    if type(value) is not int:
        raise TypeError("must be an int")
    return _pack(value.to_bytes(_width_bytes(value), "big", signed=True))


def _width_bytes(value: int) -> int:
    return (value + (value < 0)).bit_length() // 8 + 1


def _unpack_big(data: bytes) -> int:
    if len(data) > 2 and data[0] == 0xC4 and data[1] == len(data) - 2:  # the usual: c4, the number of bytes, the bytes
        value = int.from_bytes(data[2:], "big", signed=True)
        if _width_bytes(value) == data[1]:
            return value
    packed = _unpack(data)
    value = int.from_bytes(packed, "big", signed=True) if isinstance(packed, bytes) else 0
    if _pack_big(value) != data:
        raise ValueError("must be msgpack bytes of an int's shortest two's complement")
    return value


# `packb` makes a packer for each value. One for all is faster, but threads may only share it where nothing can come
# between: in C, and for values that hold no others.
_shared_packer = msgpack.Packer(strict_types=True)


_SHARED = {str, int, bytes, bool, float} if type(_shared_packer).__module__ == "msgpack._cmsgpack" else ()


def _pack(value: Any) -> bytes:
    return _shared_packer.pack(value) if type(value) in _SHARED else msgpack.packb(value, strict_types=True)


def _unpack(data: bytes) -> Any:
    return msgpack.unpackb(data, strict_map_key=False)


MSGPACK = Packing("msgpack", _pack, _unpack, msgpack.unpackb)
"""msgpack as it is: text, bytes, floats, bools, lists, maps, and ints of up to 64 bits."""


BIG_INT = Packing("big int", _pack_big, _unpack_big)
"""An int of any size: msgpack bytes of its two's complement, big-endian, as Java's `BigInteger.toByteArray()`."""
