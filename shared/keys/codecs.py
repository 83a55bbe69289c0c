"""Order-preserving wire formats of single values.

The law, for every ordered codec and all its values a, b:

    decode(encode(a)) == a                                round trip
    encode(decode(k)) == k     if decode(k) succeeds      canonical form
    a < b  <=>  encode(a) < encode(b)                     order, as unsigned bytes (> if `descending`)
    decode_first(encode(a) + rest) == (a, rest)           concatenation: no value is a prefix of another

Unordered codecs keep all laws but the third, trailing codecs all but the fourth. Nothing is padded,
truncated, wrapped or clamped in silence: a value that does not fit raises `InvalidKey`.
Types are exact: bool, IntEnum and numpy integers are not ints.
"""

import struct
import sys
from collections.abc import Mapping
from enum import Enum
from typing import Any, Generic, SupportsIndex, TypeVar

from .errors import InvalidKey, UnknownCode, shown, shown_bytes
from .limits import MAX_ROW_BYTES

V = TypeVar("V")
N = TypeVar("N", bound=str | Enum)


INVERT_BITS = bytes(255 - byte for byte in range(256))


class Codec(Generic[V]):
    """A wire format; each class below defines `encode` and its mirror image, `decode_first`.

    `width_bytes` is the width of every value (None: it varies). `ordered`: the bytes sort as the values do, so an
    interval of values is one range of keys; `descending`: larger values have smaller bytes. `trailing`: there is no
    terminator, so nothing can follow. `legible`: the bytes are text that a person can read in the HBase shell.
    """

    past_last: int | None = None
    """One past the last value of a codec of ints: an interval may end there, because it does not include its end."""

    def __init__(
        self,
        name: str,
        *,
        width_bytes: int | None = None,
        ordered: bool = True,
        descending: bool = False,
        trailing: bool = False,
        legible: bool = False,
    ) -> None:
        self.name = name
        self.width_bytes = width_bytes
        self.ordered = ordered
        self.descending = descending
        self.trailing = trailing
        self.legible = legible

    def encode(self, value: V) -> bytes:
        """The bytes of `value`; `InvalidKey` if it does not fit."""
        raise NotImplementedError

    def decode_first(self, data: bytes) -> tuple[V, bytes]:
        """The value at the start of `data`, and the bytes after it."""
        raise NotImplementedError

    def decode(self, data: bytes) -> V:
        """The value of exactly these bytes."""
        value, rest = self.decode_first(data)
        if rest:
            raise InvalidKey(f"{len(rest)} bytes too many: {shown_bytes(rest)}")
        return value

    def encode_prefix(self, start: V) -> bytes:
        """The first bytes of all values that start with `start`, and of no others."""
        alternative = "a value or between(...)" if self.ordered else "a single value"
        raise InvalidKey(f"{self} does not support starting_with(): give {alternative}")

    def invert_order(self, data: bytes) -> bytes:
        """Bytes of the same length that sort in the opposite order; its own inverse."""
        return data.translate(INVERT_BITS)

    def __repr__(self) -> str:
        return self.name

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Pickle and copy store a ready instance such as `Int64` as its name, so it stays that instance."""
        is_ready = getattr(sys.modules[type(self).__module__], self.name, None) is self
        return self.name if is_ready else super().__reduce_ex__(protocol)


def split_at(width: int, data: bytes) -> tuple[bytes, bytes]:
    """The first `width` bytes, and the bytes after them."""
    if len(data) < width:
        raise InvalidKey(f"needs {width} bytes, {len(data)} left")
    return data[:width], data[width:]


def check_type(wanted: type, value: object) -> None:
    """Refuses a value of any other type, subclasses too."""
    if type(value) is not wanted:
        name = {int: "an int", float: "a float", str: "text", bytes: "bytes"}[wanted]
        raise InvalidKey(f"must be {name} (got {shown(value)}, {type(value).__name__})")


def utf8(value: str) -> bytes:
    """The UTF-8 bytes of text; lone surrogates are refused."""
    check_type(str, value)
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InvalidKey(f"must be Unicode text without lone surrogates (got {shown(value)})") from None


def text_of(data: bytes) -> str:
    """The text of UTF-8 bytes; Python's decoder refuses overlong forms, so each text has one encoding."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidKey(f"must be UTF-8: {error.reason} in {shown_bytes(data)}") from None


def holds(codec: Codec[V], value: V) -> bool:
    """Whether a value fits a codec."""
    try:
        codec.encode(value)
    except InvalidKey:
        return False
    return True


def check_codec(name: str, codec: object, wanted: str = "a codec") -> None:
    """Refuses an inner codec that is not a codec."""
    if not isinstance(codec, Codec):
        raise InvalidKey(f"{name}.codec: must be {wanted} (got {shown(codec)})")


def checked_width(width_bytes: int, last: int = MAX_ROW_BYTES) -> int:
    """The declared width of a codec's values, if it is 1..`last`."""
    if type(width_bytes) is not int or not 1 <= width_bytes <= last:
        raise InvalidKey(f"width_bytes must be 1..{last} (got {shown(width_bytes)})")
    return width_bytes


# ---- numbers -------------------------------------------------------------------------------------


class Integer(Codec[int]):
    """Big-endian int of a fixed width; signed ones with the sign bit flipped.

    UInt16: 0 -> 00 00, 1 -> 00 01, 65535 -> ff ff
    Int16: -32768 -> 00 00, -1 -> 7f ff, 0 -> 80 00, 32767 -> ff ff
    The signed bytes are those of HBase's `OrderedBytes` without its header byte.
    """

    def __init__(self, name: str, *, width_bytes: int, signed: bool) -> None:
        super().__init__(name, width_bytes=width_bytes)
        self.width = width_bytes
        self.first = -(1 << width_bytes * 8 - 1) if signed else 0
        self.past_last = self.first + (1 << width_bytes * 8)
        self.last = self.past_last - 1

    def encode(self, value: int) -> bytes:
        check_type(int, value)
        if not self.first <= value <= self.last:
            raise InvalidKey(f"must be {self.first}..{self.last} (got {shown(value)})")
        return (value - self.first).to_bytes(self.width, "big")

    def decode_first(self, data: bytes) -> tuple[int, bytes]:
        own, rest = split_at(self.width, data)
        return int.from_bytes(own, "big") + self.first, rest


UInt8 = Integer("UInt8", width_bytes=1, signed=False)
UInt16 = Integer("UInt16", width_bytes=2, signed=False)
UInt24 = Integer("UInt24", width_bytes=3, signed=False)
UInt32 = Integer("UInt32", width_bytes=4, signed=False)
UInt64 = Integer("UInt64", width_bytes=8, signed=False)
Int8 = Integer("Int8", width_bytes=1, signed=True)
Int16 = Integer("Int16", width_bytes=2, signed=True)
Int32 = Integer("Int32", width_bytes=4, signed=True)
Int64 = Integer("Int64", width_bytes=8, signed=True)

_DOUBLE = struct.Struct(">d")
_SIGN_BIT = 1 << 63
_ALL_BITS = (1 << 64) - 1


class _Float64(Codec[float]):
    """IEEE double: sign bit flipped if positive, all bits inverted if negative.

    Float64: -1.0 -> 40 0f ff ff ff ff ff ff, 0.0 -> 80 00 00 00 00 00 00 00, 1.0 -> bf f0 00 00 00 00 00 00
    NaN has no place in the order, and -0.0 equals 0.0 but has other bytes: both are refused.
    """

    def encode(self, value: float) -> bytes:
        check_type(float, value)
        bits = int.from_bytes(_DOUBLE.pack(value), "big")
        if value != value or bits == _SIGN_BIT:
            raise InvalidKey(f"must be a float other than NaN and -0.0 (got {value!r})")
        return (bits ^ (_ALL_BITS if bits & _SIGN_BIT else _SIGN_BIT)).to_bytes(8, "big")

    def decode_first(self, data: bytes) -> tuple[float, bytes]:
        own, rest = split_at(8, data)
        bits = int.from_bytes(own, "big")
        value: float = _DOUBLE.unpack((bits ^ (_SIGN_BIT if bits & _SIGN_BIT else _ALL_BITS)).to_bytes(8, "big"))[0]
        self.encode(value)  # refuses the bytes of NaN and -0.0 in the same words
        return value, rest


Float64 = _Float64("Float64", width_bytes=8)


# ---- text and bytes ------------------------------------------------------------------------------


def _escape(data: bytes) -> bytes:
    return data.replace(b"\x00", b"\x00\xff")


def unescape(body: bytes) -> bytes:
    """The value of escaped bytes without their terminator."""
    plain = body.replace(b"\x00\xff", b"\x00")
    if _escape(plain) != body:
        raise InvalidKey(f"unknown escape in {shown_bytes(body)}: 00 must be followed by ff, or by 01 at the end")
    return plain


def _decode_escaped(data: bytes) -> tuple[bytes, bytes]:
    # A NUL of the value is always followed by FF, so the first 00 01 is the terminator.
    body, terminator, rest = data.partition(b"\x00\x01")
    if not terminator:
        raise InvalidKey(f"no terminator 00 01 in {shown_bytes(body) or 'no bytes'}")
    return (unescape(body) if 0 in body else body), rest


class _EscapedText(Codec[str]):
    r"""UTF-8 with NUL written as 00 FF, then the terminator 00 01: any text, ordered by code point.

    EscapedText: "" -> 00 01, "a" -> 61 00 01, "a\0b" -> 61 00 ff 62 00 01
    """

    def encode(self, value: str) -> bytes:
        return _escape(utf8(value)) + b"\x00\x01"

    def decode_first(self, data: bytes) -> tuple[str, bytes]:
        body, rest = _decode_escaped(data)
        return text_of(body), rest

    def encode_prefix(self, start: str) -> bytes:
        return _escape(utf8(start))


class _EscapedBytes(Codec[bytes]):
    r"""Any bytes with 00 written as 00 FF, then the terminator 00 01 (CockroachDB's form without its marker byte).

    EscapedBytes: b"" -> 00 01, b"\0" -> 00 ff 00 01, b"a\xff" -> 61 ff 00 01
    """

    def encode(self, value: bytes) -> bytes:
        return self.encode_prefix(value) + b"\x00\x01"

    def decode_first(self, data: bytes) -> tuple[bytes, bytes]:
        return _decode_escaped(data)

    def encode_prefix(self, start: bytes) -> bytes:
        check_type(bytes, start)
        return _escape(start)


class _TrailingText(Codec[str]):
    """UTF-8 as it is, up to the end of the key: the last part only, and never descending.

    TrailingText: "a" -> 61, "ab" -> 61 62
    """

    def encode(self, value: str) -> bytes:
        return utf8(value)

    def decode_first(self, data: bytes) -> tuple[str, bytes]:
        return text_of(data), b""

    def encode_prefix(self, start: str) -> bytes:
        return self.encode(start)


class _TrailingBytes(Codec[bytes]):
    r"""Bytes as they are, up to the end of the key: the last part only, and never descending.

    TrailingBytes: b"a\0" -> 61 00
    """

    def encode(self, value: bytes) -> bytes:
        check_type(bytes, value)
        return value

    def decode_first(self, data: bytes) -> tuple[bytes, bytes]:
        return data, b""

    def encode_prefix(self, start: bytes) -> bytes:
        return self.encode(start)


EscapedText = _EscapedText("EscapedText")
EscapedBytes = _EscapedBytes("EscapedBytes")
TrailingText = _TrailingText("TrailingText", trailing=True, legible=True)
TrailingBytes = _TrailingBytes("TrailingBytes", trailing=True)


class FixedBytes(Codec[bytes]):
    r"""Exactly `width_bytes` bytes, as they are; a UUID is 16.

    FixedBytes(2): b"\0a" -> 00 61
    """

    def __init__(self, width_bytes: int) -> None:
        self.width = checked_width(width_bytes)
        super().__init__(f"FixedBytes({width_bytes})", width_bytes=width_bytes)

    def encode(self, value: bytes) -> bytes:
        check_type(bytes, value)
        if len(value) != self.width:
            raise InvalidKey(f"must be {self.width} bytes (got {len(value)}: {shown_bytes(value)})")
        return value

    def decode_first(self, data: bytes) -> tuple[bytes, bytes]:
        return split_at(self.width, data)

    def encode_prefix(self, start: bytes) -> bytes:
        check_type(bytes, start)
        if len(start) > self.width:
            raise InvalidKey(f"must be at most {self.width} bytes (got {len(start)}: {shown_bytes(start)})")
        return start


# ---- choices and directions ----------------------------------------------------------------------


class Code(Codec[N]):
    """One byte for each of a closed list of names; the dictionary is part of the key's format.

    Code({"placed": 1, "paid": 2}): "placed" -> 01, "paid" -> 02
    Rows sort by byte, not by name: ask for single names, never `between`.
    The names may be members of an Enum, `Code({Status.PLACED: 1, Status.PAID: 2})`; the format has the names of these.
    """

    def __init__(self, byte_of: Mapping[N, int]) -> None:
        self._type: type[Any] = type(next(iter(byte_of), ""))
        is_enum = issubclass(self._type, Enum)
        for name, byte in byte_of.items():
            is_name = type(name) is self._type and (is_enum or self._type is str)
            if not is_name or type(byte) is not int or not 0 <= byte <= 255:
                wanted = "must be names, or members of one Enum, with bytes 0..255"
                raise InvalidKey(f"Code: {wanted} (got {shown(name)}: {shown(byte)})")
        self._byte_of = dict(byte_of)
        self._value_of = {byte: value for value, byte in byte_of.items()}
        self.name_of: dict[int, str] = {byte: _name_of(value) for value, byte in byte_of.items()}
        """The name of each byte."""
        if not byte_of or len(self.name_of) != len(self._byte_of):
            raise InvalidKey(f"Code: must be at least one name, each with a byte of its own (got {self._byte_of})")
        members = ", ".join(f"{self._type.__name__}.{name}: {byte}" for byte, name in self.name_of.items())
        super().__init__(f"Code({f'{{{members}}}' if is_enum else self._byte_of})", width_bytes=1, ordered=False)

    @property
    def values(self) -> tuple[N, ...]:
        """The names, or the members of the Enum, as they were declared."""
        return tuple(self._byte_of)

    def encode(self, value: N) -> bytes:
        if type(value) is not self._type:
            wanted = "text" if self._type is str else f"a {self._type.__name__}"
            raise InvalidKey(f"must be {wanted} (got {shown(value)}, {type(value).__name__})")
        if value not in self._byte_of:
            raise InvalidKey(f"must be one of {', '.join(self.name_of.values())} (got {shown(value)})")
        return bytes([self._byte_of[value]])

    def decode_first(self, data: bytes) -> tuple[N, bytes]:
        own, rest = split_at(1, data)
        if own[0] not in self.name_of:
            known = ", ".join(f"{byte:02x} {name}" for byte, name in sorted(self.name_of.items()))
            raise UnknownCode(f"must be one of {known} (got {own.hex()})")
        return self._value_of[own[0]], rest


def _name_of(value: str | Enum) -> str:
    """A name of a `Code` as its format has it; that of a member of an Enum is its own, even if the member is text."""
    return value.name if isinstance(value, Enum) else value


class Prefixed(Codec[V]):
    """Constant bytes, then the value: `user_` and an id, `order_` and a digit.

    Prefixed("order_", UInt8): 7 -> 6f 72 64 65 72 5f 07
    Ordered, descending or legible if the codec after the label is.
    """

    def __init__(self, label: str, codec: Codec[V]) -> None:
        if type(label) is not str or not label:
            raise InvalidKey(f"Prefixed.label: must be text, not empty (got {shown(label)})")
        check_codec("Prefixed", codec)
        try:
            self.label = utf8(label)
        except InvalidKey as error:
            raise InvalidKey(f"Prefixed.label: {error}") from None
        self.codec = codec
        super().__init__(
            f"Prefixed({label!r}, {codec})",
            width_bytes=None if codec.width_bytes is None else len(self.label) + codec.width_bytes,
            ordered=codec.ordered,
            descending=codec.descending,
            trailing=codec.trailing,
            legible=codec.legible and label.isprintable(),
        )
        self.past_last = codec.past_last

    def encode(self, value: V) -> bytes:
        return self.label + self.codec.encode(value)

    def decode_first(self, data: bytes) -> tuple[V, bytes]:
        if not data.startswith(self.label):
            raise InvalidKey(
                f"must start with {shown(self.label)} (got {shown_bytes(data[: len(self.label)]) or 'no bytes'})"
            )
        return self.codec.decode_first(data[len(self.label) :])

    def encode_prefix(self, start: V) -> bytes:
        return self.label + self.codec.encode_prefix(start)

    def invert_order(self, data: bytes) -> bytes:
        raise InvalidKey(f"Descending: {self} has a label, which stays first: put Descending after it")


class Descending(Codec[V]):
    """The same values in the opposite order: every bit inverted (digit text: 9 minus every digit).

    Descending(Int64): 0 -> 7f ff ff ff ff ff ff ff, 1 -> 7f ff ff ff ff ff ff fe, -1 -> 80 00 00 00 00 00 00 00
    Descending(EscapedText): "a" -> 9e ff fe
    Descending(Int64) is exactly the published `Long.MAX_VALUE - timestamp` on eight bytes, also right below zero.
    """

    def __init__(self, codec: Codec[V]) -> None:
        if not codec.ordered or codec.descending or codec.trailing:
            why = "is not ordered" if not codec.ordered else "is descending already" if codec.descending else ""
            raise InvalidKey(f"Descending: {codec} {why or 'has no terminator, so shorter text would sort wrong'}")
        codec.invert_order(b"")
        self.codec = codec
        super().__init__(
            f"Descending({codec})",
            width_bytes=codec.width_bytes,
            descending=True,
            legible=codec.legible and codec.invert_order(b"0") == b"9",
        )
        self.past_last = codec.past_last

    def encode(self, value: V) -> bytes:
        return self.codec.invert_order(self.codec.encode(value))

    def decode_first(self, data: bytes) -> tuple[V, bytes]:
        own = data if self.width_bytes is None else split_at(self.width_bytes, data)[0]
        try:
            value, rest = self.codec.decode_first(self.codec.invert_order(own))
        except InvalidKey as error:
            raise InvalidKey(f"{error} (bytes shown as ascending)") from None
        return value, data[len(own) - len(rest) :]

    def encode_prefix(self, start: V) -> bytes:
        return self.codec.invert_order(self.codec.encode_prefix(start))
