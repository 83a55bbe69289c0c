"""Wire formats of published keys: text that is padded, delimited, decimal or reversed. The laws are in `codecs.py`.

They are here because tables with such keys exist; each says which values it refuses and whether it is ordered.
For a new table choose `EscapedText` and big-endian integers: any text, fewer bytes, always ordered.
"""

from typing import Any, TypeVar

from .codecs import (
    Codec,
    EscapedText,
    FixedBytes,
    Integer,
    TrailingText,
    check_codec,
    check_type,
    checked_width,
    split_at,
    text_of,
    utf8,
)
from .errors import InvalidKey, shown, shown_bytes

V = TypeVar("V")

_INVERT_DIGITS = bytes.maketrans(b"0123456789", b"9876543210")
_LONG_MAX = (1 << 63) - 1
_MAX_DIGITS = 640  # Python may refuse to read more digits as an int


def _number(data: bytes) -> int:
    if not data.isdigit():  # for bytes: ASCII digits only, so no sign, blank or 1_0
        raise InvalidKey(f"must be ASCII digits (got {shown(data)})")
    return int(data)


def _ascii_character(name: str, character: str) -> bytes:
    if type(character) is not str or len(character) != 1 or not character.isascii():
        raise InvalidKey(f"{name} must be one ASCII character (got {shown(character)})")
    return character.encode()


class FixedText(Codec[str]):
    """UTF-8 filled up to `width_bytes` with the one-byte character `pad` (S0.10, remedy 1: `rpad(column1,'x',20)`).

    FixedText(4, "x"): "ab" -> "abxx", "" -> "xxxx"
    Ordered only with pad NUL: every other pad sorts after some character ("ab" = "abxx" comes after "ab!" = "ab!x").
    """

    def __init__(self, width_bytes: int, pad: str) -> None:
        self.width = checked_width(width_bytes)
        self.pad = _ascii_character("pad", pad)
        super().__init__(
            f"FixedText({width_bytes}, {pad!r})", width_bytes=width_bytes, ordered=pad == "\0", legible=True
        )

    def encode(self, value: str) -> bytes:
        return self.encode_prefix(value).ljust(self.width, self.pad)

    def decode_first(self, data: bytes) -> tuple[str, bytes]:
        own, rest = split_at(self.width, data)
        value = text_of(own.rstrip(self.pad))
        self.encode_prefix(value)  # refuses a pad inside
        return value, rest

    def encode_prefix(self, start: str) -> bytes:
        data = utf8(start)
        if self.pad in data:
            raise InvalidKey(f"must not contain the pad {self.pad.decode()!r} (got {shown(start)})")
        if len(data) > self.width:
            raise InvalidKey(f"must be at most {self.width} bytes of UTF-8 (got {len(data)}: {shown(start)})")
        return data


class DecimalText(Codec[int]):
    """ASCII digits, zero-padded to `width_bytes`; 0 .. 10**width_bytes - 1.

    DecimalText(4): 17 -> "0017", 9999 -> "9999"
    Descending(DecimalText(4)): 17 -> "9982"
    """

    def __init__(self, width_bytes: int) -> None:
        self.width = checked_width(width_bytes, _MAX_DIGITS)
        super().__init__(f"DecimalText({width_bytes})", width_bytes=width_bytes, legible=True)
        self.past_last = 10**width_bytes

    def encode(self, value: int) -> bytes:
        check_type(int, value)
        if not 0 <= value < 10**self.width:
            raise InvalidKey(f"must be 0..{'9' * self.width} (got {shown(value)})")
        return b"%0*d" % (self.width, value)

    def decode_first(self, data: bytes) -> tuple[int, bytes]:
        own, rest = split_at(self.width, data)
        return _number(own), rest

    def invert_order(self, data: bytes) -> bytes:
        return data.translate(_INVERT_DIGITS)


class _LongMaxMinus(Codec[int]):
    """Java's `Long.MAX_VALUE - value` as 19 ASCII digits, as published in text keys (S1.7, S3.8); 0 .. 2**63 - 1.

    LongMaxMinus: 0 -> "9223372036854775807", 1580976517000 -> "9223370455878258807"
    """

    past_last = _LONG_MAX + 1

    def encode(self, value: int) -> bytes:
        check_type(int, value)
        if not 0 <= value <= _LONG_MAX:
            raise InvalidKey(f"must be 0..{_LONG_MAX} (got {shown(value)})")
        return b"%019d" % (_LONG_MAX - value)

    def decode_first(self, data: bytes) -> tuple[int, bytes]:
        own, rest = split_at(19, data)
        value = _LONG_MAX - _number(own)
        self.encode(value)  # refuses digits above Long.MAX_VALUE
        return value, rest


LongMaxMinus = _LongMaxMinus("LongMaxMinus", width_bytes=19, descending=True, legible=True)


class Delimited(Codec[V]):
    """Any text or digit codec, then one ASCII character that its bytes must not contain (S0.10, remedy 2).

    Delimited(DecimalText(4), "_"): 17 -> "0017_"
    A codec of fixed width stays ordered with any delimiter, one of varying width only with NUL: with "_" the key of
    "A1" sorts before that of "A", because "1" < "_".
    """

    def __init__(self, codec: Codec[V], delimiter: str, name: str | None = None) -> None:
        if not codec.legible:
            raise InvalidKey(f"Delimited: needs a text or digit codec (got {codec}, which may hold any delimiter)")
        self._codec = codec
        self._delimiter = _ascii_character("delimiter", delimiter)
        fixed = codec.width_bytes
        super().__init__(
            name or f"Delimited({codec}, {delimiter!r})",
            width_bytes=None if fixed is None else fixed + 1,
            ordered=codec.ordered and (fixed is not None or delimiter == "\0"),
            descending=codec.descending,
            legible=True,
        )
        self.past_last = codec.past_last

    def encode(self, value: V) -> bytes:
        return self._checked(value, self._codec.encode(value)) + self._delimiter

    def decode_first(self, data: bytes) -> tuple[V, bytes]:
        own, delimiter, rest = data.partition(self._delimiter)
        if not delimiter:
            raise InvalidKey(f"no delimiter {self._delimiter.decode()!r} in {shown_bytes(own) or 'no bytes'}")
        return self._codec.decode(own), rest

    def encode_prefix(self, start: V) -> bytes:
        return self._checked(start, self._codec.encode_prefix(start))

    def invert_order(self, data: bytes) -> bytes:
        raise InvalidKey(f"{self} cannot be descending: use EscapedText, or Delimited(Descending(DecimalText(n)), ...)")

    def _checked(self, value: V, data: bytes) -> bytes:
        if self._delimiter in data:
            text = shown(value if isinstance(value, str) else data.decode())
            raise InvalidKey(f"must not contain the delimiter {self._delimiter.decode()!r} (got {text})")
        return data


class DelimitedText(Delimited[str]):
    """UTF-8, then one ASCII character that the text must not contain; ordered only with NUL.

    DelimitedText("_"): "A" -> "A_"
    """

    def __init__(self, delimiter: str) -> None:
        super().__init__(TrailingText, delimiter, name=f"DelimitedText({delimiter!r})")


class Reversed(Codec[V]):
    r"""A text with its last character first, or a number with its last byte first, which spreads values that count up.

    The text or number has the format of another codec (S0.6, S1.6, S4.3). Not ordered, whatever that codec is.

    Reversed(EscapedText): "ab" -> 62 61 00 01
    Reversed(FixedText(4, "\0")): "ab" -> 62 61 00 00
    Reversed(UInt32): 1 -> 01 00 00 00
    Two texts that are reversed and joined without a terminator or a fixed width may be one key, as any others.
    """

    def __init__(self, codec: Codec[V], name: str | None = None) -> None:
        check_codec("Reversed", codec)
        self.is_text = codec in (EscapedText, TrailingText) or isinstance(codec, FixedText | DelimitedText)
        if not (self.is_text or isinstance(codec, Integer | FixedBytes | DecimalText)):
            raise InvalidKey(f"Reversed: needs a codec of text, ints or FixedBytes (got {codec})")
        self.codec: Codec[Any] = codec
        super().__init__(
            name or f"Reversed({codec})",
            width_bytes=codec.width_bytes,
            ordered=False,
            trailing=codec.trailing,
            legible=codec.legible,
        )

    def encode(self, value: V) -> bytes:
        if not self.is_text:
            return self.codec.encode(value)[::-1]
        check_type(str, value)
        return self.codec.encode(str(value)[::-1])

    def decode_first(self, data: bytes) -> tuple[V, bytes]:
        if self.is_text:
            value, rest = self.codec.decode_first(data)
            return value[::-1], rest
        own, rest = split_at(self.codec.width_bytes or 0, data)  # never 0: such a codec has a fixed width
        return self.codec.decode(own[::-1]), rest


class ReversedDigits(Reversed[int]):
    """`DecimalText` written last digit first, which spreads numbers that count up (S1.6); not ordered.

    ReversedDigits(4): 17 -> "7100", 12 -> "2100", 120 -> "0210"
    Zeros are kept, so that 12 and 120 differ.
    """

    def __init__(self, width_bytes: int) -> None:
        super().__init__(DecimalText(width_bytes), name=f"ReversedDigits({width_bytes})")
