"""Thrift messages from a client: received whole, and checked before any part of them is decoded.

thriftpy2's decoders trust the lengths in a message. They allocate a length before its bytes have arrived, and a list of
2,147,483,647 values without bytes keeps Cython in a loop that never lets another thread run. So each message is walked
first: over its types and lengths only, as its bytes arrive, and never beyond the limits below.
"""

from collections.abc import Callable
from string import ascii_letters
from struct import Struct
from typing import Protocol

from thriftpy2.thrift import TMessageType, TType

# HBase does not limit messages of the buffered transport. 256 MiB are 25 of its largest cells in one batch.
MAX_MESSAGE_BYTES = 256 * 1024 * 1024

# A decoded value needs 100 bytes and more, even if it was shorter in the message. This is enough for 300,000 rows of
# two cells in one batch, which thriftpy2 decodes in about a second during which no other thread runs.
MAX_MESSAGE_VALUES = 4 * 1024 * 1024

# HBase: hbase.regionserver.thrift.framed.max_frame_size_in_mb; above it the server closes the connection.
MAX_FRAME_BYTES = 2 * 1024 * 1024

MAX_NESTED_VALUES = 64  # thriftpy2's own limit
MAX_NAME_BYTES = 1024  # of a call; the reply to an unknown call repeats its name

_CALLS = (TMessageType.CALL, TMessageType.ONEWAY)
_STRICT_VERSIONS = tuple(0x80010000 | call for call in _CALLS)

_RECEIVED_BYTES = 64 * 1024
_AT_MOST_BYTES = 1024 * 1024

_UINT32 = Struct(">I")
_LIST = Struct(">BI")
_MAP = Struct(">BBI")


class BrokenMessage(Exception):
    """Bytes that are not a message of the protocol, or a message beyond the limits; one line says which."""


class ClientGone(Exception):
    """The client closed its connection, or was silent for too long."""


def _hold_any(size: int) -> None:
    """Accepts any number of bytes."""


class Stream:
    """The bytes received from a client, from the start of the current message.

    `receive` returns up to the given number of bytes of the connection, and none at its end. `hold` is called with the
    number of bytes received so far, and may raise to refuse them.
    """

    def __init__(self, receive: Callable[[int], bytes], framed: bool, hold: Callable[[int], None] = _hold_any) -> None:
        self.data = bytearray()
        self._receive = receive
        self._framed = framed
        self._hold = hold

    def need(self, end: int) -> int:
        """Waits until the first `end` bytes have arrived; returns how many have."""
        if end > MAX_MESSAGE_BYTES:
            raise BrokenMessage(f"message: must be at most {MAX_MESSAGE_BYTES} bytes (got {end} or more)")
        data = self.data
        while len(data) < end:
            missing = end - len(data)
            data += self._frame(len(data)) if self._framed else self._piece(missing)
            self._hold(len(data))
        return len(data)

    def take(self, end: int) -> bytes:
        """Removes and returns the first `end` bytes."""
        with memoryview(self.data) as view:
            message = bytes(view[:end])
        del self.data[:end]
        return message

    def _piece(self, missing: int) -> bytes:
        piece = self._receive(min(max(missing, _RECEIVED_BYTES), _AT_MOST_BYTES))
        if not piece:
            raise ClientGone
        return piece

    def _frame(self, received: int) -> bytes:
        (size,) = _UINT32.unpack(self._exactly(4))
        if not 1 <= size <= MAX_FRAME_BYTES:
            raise BrokenMessage(f"frame: must be 1..{MAX_FRAME_BYTES} bytes (got {size}); is the client not framed?")
        self._hold(received + size)
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        pieces: list[bytes] = []
        while size:
            piece = self._receive(min(size, _AT_MOST_BYTES))
            if not piece:
                raise ClientGone
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


class Walk(Protocol):
    """How a protocol finds the end of the message that a stream begins with."""

    @property
    def values(self) -> int:
        """How many values it has counted so far."""
        ...

    def message(self) -> int:
        """Where the message ends; waits for it."""
        ...


class _Counted:
    """A walk that counts values, so that a large count is refused before its values are read."""

    def __init__(self, stream: Stream) -> None:
        self._data = stream.data
        self._need = stream.need
        self._left = MAX_MESSAGE_VALUES

    @property
    def values(self) -> int:
        """How many values it has counted so far."""
        return MAX_MESSAGE_VALUES - self._left

    def _count(self, values: int) -> None:
        self._left -= values
        if self._left < 0:
            raise BrokenMessage(f"message: must hold at most {MAX_MESSAGE_VALUES} values; send it in smaller batches")


# The bytes of a value by its type: 0 for types of variable length, no entry for types that are never sent.
_BINARY_BYTES = {
    TType.BOOL: 1,
    TType.BYTE: 1,
    TType.DOUBLE: 8,
    TType.I16: 2,
    TType.I32: 4,
    TType.I64: 8,
    TType.STRING: 0,
    TType.STRUCT: 0,
    TType.MAP: 0,
    TType.SET: 0,
    TType.LIST: 0,
}


class BinaryWalk(_Counted):
    """The walk over a message of the binary protocol, numbers big-endian.

    ```text
    message  80 01 00 type   length of the name (4)   name   sequence id (4)   struct
             length of the name (4)   name   type   sequence id (4)   struct; HBase accepts this older form too
    struct   fields, then 00
    field    type (1)   id (2)   value
    string   length (4)   bytes
    list     type (1)   count (4)   values
    map      type of keys (1)   type of values (1)   count (4)   key, value, key, ...
    ```
    """

    def message(self) -> int:
        """Where the message ends; waits for it."""
        # No more bytes than the shortest message has, so that a client of another protocol gets its error at once.
        self._need(5)
        version, name_bytes = _UINT32.unpack_from(self._data)[0], 0
        if version in _STRICT_VERSIONS:
            self._need(8)
            name_bytes = _UINT32.unpack_from(self._data, 4)[0]
            at = 8 + name_bytes
        elif version <= MAX_NAME_BYTES and chr(self._data[4]) in ascii_letters:
            name_bytes = version
            at = 4 + name_bytes + 1
            self._need(at)
            if self._data[at - 1] not in _CALLS:
                raise BrokenMessage(_other_protocol("binary", self._data))
        else:
            raise BrokenMessage(_other_protocol("binary", self._data))
        _check_name(name_bytes)
        return self._struct(at + 4, MAX_NESTED_VALUES)

    def _struct(self, at: int, depth: int) -> int:
        _check_depth(depth)
        data, have, need = self._data, len(self._data), self._need
        while True:
            if at >= have:
                have = need(at + 1)
            kind = data[at]
            if kind == TType.STOP:
                return at + 1
            self._left -= 1  # `_count` in place, for speed
            if self._left < 0:
                self._count(0)
            at += 3
            size = _BINARY_BYTES.get(kind)
            if size:
                at += size
            elif kind == TType.STRING:
                if at + 4 > have:
                    have = need(at + 4)
                at += 4 + _UINT32.unpack_from(data, at)[0]
            else:
                at = self._value(kind, at, depth - 1)
                have = len(data)

    def _value(self, kind: int, at: int, depth: int) -> int:
        """Where a value of variable length ends."""
        if kind == TType.STRING:
            self._need(at + 4)
            return at + 4 + int(_UINT32.unpack_from(self._data, at)[0])
        if kind == TType.STRUCT:
            return self._struct(at, depth)
        _check_depth(depth)
        if kind in (TType.LIST, TType.SET):
            self._need(at + 5)
            item, count = _LIST.unpack_from(self._data, at)
            return self._values((item,), count, at + 5, depth - 1)
        if kind == TType.MAP:
            self._need(at + 6)
            key, value, count = _MAP.unpack_from(self._data, at)
            return self._values((key, value), count, at + 6, depth - 1)
        raise BrokenMessage(f"type: wants one of {sorted(_BINARY_BYTES)} (got {kind})")

    def _values(self, kinds: tuple[int, ...], count: int, at: int, depth: int) -> int:
        """Where `count` groups of values of these types end."""
        self._count(count * len(kinds))
        if count == 0:
            return at  # an empty one may have any types
        if kinds == (TType.STRING,):
            return self._strings(count, at)
        sizes = [_BINARY_BYTES.get(kind) for kind in kinds]
        if all(sizes):
            return at + count * sum(size or 0 for size in sizes)
        for _ in range(count):
            for kind, size in zip(kinds, sizes, strict=True):
                at = at + size if size else self._value(kind, at, depth)
        return at

    def _strings(self, count: int, at: int) -> int:
        data, have = self._data, len(self._data)
        for _ in range(count):
            if at + 4 > have:
                have = self._need(at + 4)
            at += 4 + _UINT32.unpack_from(data, at)[0]
        return at


# Types of the compact protocol, which are not those of the binary one.
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST_, _SET, _MAP_, _STRUCT = range(13)

MAX_VARINT_BYTES = 10  # of 64 bits, 7 in each byte


class CompactWalk(_Counted):
    """The walk over a message of the compact protocol.

    ```text
    message  82   type (3 bits) 00001   sequence id (varint)   string   struct
    struct   fields, then 00
    field    id - id before (4 bits)   type (4 bits)   value; 0000 type   id (varint)   value
    bool     in a field its type, 1 or 2, and no byte more; in a list one byte
    string   length (varint)   bytes
    list     count (4 bits)   type (4 bits)   values; 1111 type   count (varint)   values
    map      count (varint)   type of keys (4 bits)   type of values (4 bits)   key, value, ...; empty: 00
    varint   7 bits in each byte, the lowest first; the top bit says that another byte follows
    ```
    """

    def message(self) -> int:
        """Where the message ends; waits for it."""
        self._need(2)
        protocol, version = self._data[:2]
        if protocol != 0x82 or version & 0x1F != 1 or version >> 5 not in _CALLS:
            raise BrokenMessage(_other_protocol("compact", self._data))
        _, at = self._varint(2)
        name_bytes, at = self._varint(at)
        _check_name(name_bytes)
        return self._struct(at + name_bytes, MAX_NESTED_VALUES)

    def _varint(self, at: int) -> tuple[int, int]:
        """A number, and where it ends."""
        data = self._data
        number = 0
        for place in range(MAX_VARINT_BYTES):
            if at + place >= len(data):
                self._need(at + place + 1)
            byte = data[at + place]
            number |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return number, at + place + 1
        raise BrokenMessage(f"number: must end after {MAX_VARINT_BYTES} bytes")

    def _struct(self, at: int, depth: int) -> int:
        _check_depth(depth)
        data = self._data
        while True:
            if at >= len(data):
                self._need(at + 1)
            kind = data[at]
            if kind == _STOP:
                return at + 1
            self._count(1)
            at += 1
            if kind < 0x10:
                _, at = self._varint(at)
            kind &= 0x0F
            if kind not in (_TRUE, _FALSE):
                at = self._value(kind, at, depth - 1)

    def _value(self, kind: int, at: int, depth: int) -> int:
        """Where a value ends; a bool here is an item of a list, set or map."""
        if kind == _BINARY:
            size, at = self._varint(at)
            return at + size
        if kind in (_I16, _I32, _I64):
            return self._varint(at)[1]
        if kind in (_TRUE, _FALSE, _BYTE):
            return at + 1
        if kind == _DOUBLE:
            return at + 8
        if kind == _STRUCT:
            return self._struct(at, depth)
        _check_depth(depth)
        if kind in (_LIST_, _SET):
            self._need(at + 1)
            head = self._data[at]
            count, at = (head >> 4, at + 1) if head < 0xF0 else self._varint(at + 1)
            return self._values((head & 0x0F,), count, at, depth - 1)
        if kind == _MAP_:
            count, at = self._varint(at)
            if count == 0:
                return at
            self._need(at + 1)
            head = self._data[at]
            return self._values((head >> 4, head & 0x0F), count, at + 1, depth - 1)
        raise BrokenMessage(f"type: wants 1..{_STRUCT} (got {kind})")

    def _values(self, kinds: tuple[int, ...], count: int, at: int, depth: int) -> int:
        """Where `count` groups of values of these types end."""
        self._count(count * len(kinds))
        for _ in range(count):
            for kind in kinds:
                at = self._value(kind, at, depth)
        return at


def _check_depth(depth: int) -> None:
    if depth <= 0:
        raise BrokenMessage(f"message: must nest at most {MAX_NESTED_VALUES} values in each other")


def _check_name(name_bytes: int) -> None:
    if not 1 <= name_bytes <= MAX_NAME_BYTES:
        raise BrokenMessage(f"name of a call: must be 1..{MAX_NAME_BYTES} bytes (got {name_bytes})")


def _other_protocol(protocol: str, received: bytearray) -> str:
    start = received[:8].hex(" ")
    return f"message: must be a call in the {protocol} protocol, of a client with the same transport (starts {start})"
