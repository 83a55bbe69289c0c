"""The entries of the keys' page: what each codec and prefix is for, its values, what it refuses, and its Java."""

import struct
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import attrs

from shared.keys import (
    Bool,
    Code,
    Date,
    DateTime,
    DecimalText,
    Delimited,
    DelimitedText,
    Descending,
    EscapedBytes,
    EscapedText,
    FixedBytes,
    FixedText,
    Float64,
    HashPrefix,
    Int8,
    Int16,
    Int32,
    Int64,
    KeyLayout,
    LongMaxMinus,
    Modulo,
    Prefixed,
    Rest,
    Reversed,
    ReversedDigits,
    Salt,
    Slice,
    TimeBucket,
    TrailingBytes,
    TrailingText,
    UInt8,
    UInt16,
    UInt24,
    UInt32,
    UInt64,
    Uuid,
    part,
    row_key,
    starting_with,
)
from shared.keys.codecs import Codec
from shared.keys.prefixes import Prefix

# ---- entries -------------------------------------------------------------------------------------


@attrs.frozen
class Misuse:
    """A use that is refused whatever the value: in words, and a call that raises the error."""

    words: str
    call: Callable[[], object]


@attrs.frozen
class CodecEntry:
    """A codec, some values, and a value or use that it refuses.

    The page shows the first of its values. `java` is an expression of such a value, `v`, as `java_value` declares it:
    a long, double, boolean, String, byte[], Instant, LocalDate or UUID. A test compares its result for each value with
    the codec's bytes.
    """

    codec: Codec[Any]
    values: tuple[Any, ...]
    refused: Any
    java: str

    def __str__(self) -> str:
        return str(self.codec)

    def encode(self, value: Any) -> bytes:
        """The bytes of a value."""
        return self.codec.encode(value)


@attrs.frozen
class PrefixEntry:
    """A prefix before a key of one part; the values are those of that part, otherwise as `CodecEntry`."""

    key: type[Any]
    prefix: Prefix
    use: str
    values: tuple[Any, ...]
    refused: Any
    java: str

    def __str__(self) -> str:
        return str(self.prefix)

    def encode(self, value: Any) -> bytes:
        """The prefix of the key that has this value."""
        return KeyLayout(self.key, self.prefix).encode(self.key(value))[: self.prefix.width_bytes]


Entry = CodecEntry | PrefixEntry


@attrs.frozen
class Trap:
    """Two values that must sort in the order given, and a format under which they may not."""

    form: str
    encode: Callable[[Any], bytes]
    first: Any
    second: Any


def _codec_trap(codec: Codec[Any], first: Any, second: Any) -> Trap:
    return Trap(f"`{codec}`", codec.encode, first, second)


# ---- Java ----------------------------------------------------------------------------------------

JAVA_IMPORTS = """\
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.*;
import java.util.*;
import java.util.zip.CRC32;
import static java.nio.charset.StandardCharsets.*;"""
"""The imports of these expressions; all of them are in the JDK, `HexFormat` from Java 17 on."""


def _big_endian(width_bytes: int, number: str) -> str:
    kind = {2: "Short", 4: "Int", 8: "Long"}[width_bytes]
    return f"ByteBuffer.allocate({width_bytes}).put{kind}({number}).array()"


def _ascii(form: str, number: str) -> str:
    """A number as ASCII digits, those of Locale.ROOT: the default locale may have others."""
    return f'String.format(Locale.ROOT, "{form}", {number}).getBytes(US_ASCII)'


def _escaped(data: str) -> str:
    """Escaped bytes as a text with one character for each byte."""
    return rf'(new String({data}, ISO_8859_1).replace("\0", "\0\377") + "\0\1")'


_UTF8 = "v.getBytes(UTF_8)"
_REVERSED_UTF8 = "new StringBuilder(v).reverse().toString().getBytes(UTF_8)"
_MICROSECONDS = "(v.getEpochSecond() * 1_000_000 + v.getNano() / 1_000)"
_MD5 = f'MessageDigest.getInstance("MD5").digest({_UTF8})'


# ---- codecs --------------------------------------------------------------------------------------

HOUR_MS = 3_600_000
QUARTER_MS = 900_000
AT_MS = 1_580_976_517_000
AT = datetime(2020, 2, 6, 8, 8, 37, 123_456, tzinfo=UTC)
TIMES = (AT, *(datetime(*day, tzinfo=UTC) for day in ((1969, 12, 31), (1, 1, 1), (9999, 12, 31))))
DIGITS = DecimalText(4)


@row_key
class ByUser:
    """A key of one text."""

    user_id: str = part(EscapedText, "who")


@row_key
class ByTime:
    """A key of one time."""

    at_ms: int = part(Int64, "milliseconds since 1970-01-01 UTC")


@row_key
class TextBeforeTime:
    """A key whose text cannot be told from its time; no layout accepts it."""

    name: str = part(TrailingText, "without a terminator")
    at_ms: int = part(Int64, "milliseconds since 1970-01-01 UTC")


CODECS = (
    CodecEntry(UInt8, (200, 0, 255), 256, "new byte[] {(byte) v}"),
    CodecEntry(UInt16, (40_000, 0, 65_535), 65_536, _big_endian(2, "(short) v")),
    CodecEntry(
        UInt24,
        (70_000, 0, 2**24 - 1),
        2**24,
        "Arrays.copyOfRange(ByteBuffer.allocate(4).putInt((int) v).array(), 1, 4)",
    ),
    CodecEntry(UInt32, (1_580_976_517, 0, 2**32 - 1), 2**32, _big_endian(4, "(int) v")),
    CodecEntry(UInt64, (2**63, 0, 2**64 - 1), 2**64, _big_endian(8, "v")),
    CodecEntry(Int8, (-1, -128, 127), 128, "new byte[] {(byte) (v ^ Byte.MIN_VALUE)}"),
    CodecEntry(
        Int16,
        (-1, -(2**15), 2**15 - 1),
        2**15,
        _big_endian(2, "(short) (v ^ Short.MIN_VALUE)"),
    ),
    CodecEntry(
        Int32,
        (-1, -(2**31), 2**31 - 1),
        2**31,
        _big_endian(4, "(int) (v ^ Integer.MIN_VALUE)"),
    ),
    CodecEntry(
        Int64,
        (AT_MS, -1, -(2**63), 2**63 - 1),
        2**63,
        _big_endian(8, "v ^ Long.MIN_VALUE"),
    ),
    CodecEntry(
        DateTime,
        TIMES,
        AT.replace(tzinfo=None),
        _big_endian(8, f"{_MICROSECONDS} ^ Long.MIN_VALUE"),
    ),
    CodecEntry(
        Date,
        (AT.date(), date(1969, 12, 31), date.min, date.max),
        AT,
        _big_endian(4, "(int) v.toEpochDay() ^ Integer.MIN_VALUE"),
    ),
    CodecEntry(
        Float64,
        (-1.5, 0.0, 1.5),
        -0.0,
        _big_endian(8, "Double.doubleToLongBits(v) ^ (Double.doubleToLongBits(v) >> 63 | Long.MIN_VALUE)"),
    ),
    CodecEntry(FixedBytes(4), (b"\x0a\x00\x00\x01",), b"\x0a", "v"),
    CodecEntry(
        Uuid,
        (UUID("3f49c2a1-0b7e-4c55-9a10-6f1e2d3c4b5a"), UUID(int=0), UUID(int=2**128 - 1)),
        "3f49c2a1-0b7e-4c55-9a10-6f1e2d3c4b5a",
        "ByteBuffer.allocate(16).putLong(v.getMostSignificantBits()).putLong(v.getLeastSignificantBits()).array()",
    ),
    CodecEntry(Bool, (True, False), 1, "new byte[] {(byte) (v ? 1 : 0)}"),
    CodecEntry(
        FixedText(4, "\0"),
        ("ab", "", "abcd", "\u00e9"),
        "abcde",
        f"Arrays.copyOf({_UTF8}, 4)",
    ),
    CodecEntry(
        EscapedText,
        ("a\0\u00e9", "", "\U0010ffff"),
        "\ud800",
        f"{_escaped(_UTF8)}.getBytes(ISO_8859_1)",
    ),
    CodecEntry(
        EscapedBytes,
        (b"a\x00\xff", b""),
        "a",
        f"{_escaped('v')}.getBytes(ISO_8859_1)",
    ),
    CodecEntry(
        TrailingText,
        ("a\0\u00e9",),
        Misuse("a part after it", lambda: KeyLayout(TextBeforeTime)),
        _UTF8,
    ),
    CodecEntry(
        TrailingBytes,
        (b"a\x00\xff",),
        Misuse("`Descending`", lambda: Descending(TrailingBytes)),
        "v",
    ),
    CodecEntry(
        Code({"placed": 1, "paid": 2}),
        ("paid", "placed"),
        "lost",
        'new byte[] {Map.of("placed", (byte) 1, "paid", (byte) 2).get(v)}',
    ),
    CodecEntry(
        Descending(Int64),
        (AT_MS, -1, -(2**63), 2**63 - 1),
        2**63,
        _big_endian(8, "Long.MAX_VALUE - v"),
    ),
    CodecEntry(
        Descending(DateTime),
        TIMES,
        AT.replace(tzinfo=None),
        _big_endian(8, f"Long.MAX_VALUE - {_MICROSECONDS}"),
    ),
    CodecEntry(
        Descending(EscapedText),
        ("a\0\u00e9", ""),
        Misuse("an unordered codec, such as `DelimitedText('_')`", lambda: Descending(DelimitedText("_"))),
        f"{_escaped(_UTF8)}.chars().map(c -> 255 - c)\n"
        "    .collect(ByteArrayOutputStream::new, ByteArrayOutputStream::write, (a, b) -> {}).toByteArray()",
    ),
    CodecEntry(
        Reversed(FixedText(12, "\0")),
        ("ab", "", "a\u00e9", "\U0010ffff1"),
        Misuse("`Descending`", lambda: Descending(Reversed(FixedText(12, "\0")))),
        f"Arrays.copyOf({_REVERSED_UTF8}, 12)",
    ),
    CodecEntry(
        Reversed(EscapedText),
        ("a\0\u00e9", "", "\U0010ffff1"),
        "\ud800",
        f"{_escaped(_REVERSED_UTF8)}.getBytes(ISO_8859_1)",
    ),
    CodecEntry(
        Reversed(UInt32),
        (70_000, 0, 2**32 - 1),
        2**32,
        _big_endian(4, "Integer.reverseBytes((int) v)"),
    ),
    CodecEntry(
        Slice(Int64, HOUR_MS),
        (439_160 * HOUR_MS, 0, -HOUR_MS),
        AT_MS,
        _big_endian(8, f"(v - Math.floorMod(v, {HOUR_MS})) ^ Long.MIN_VALUE"),
    ),
    CodecEntry(
        Rest(UInt32, HOUR_MS),
        (AT_MS % HOUR_MS, 0),
        HOUR_MS,
        _big_endian(4, f"Math.floorMod(v, {HOUR_MS})"),
    ),
    CodecEntry(
        Prefixed("order_", UInt8),
        (7,),
        256,
        'ByteBuffer.allocate(7).put("order_".getBytes(UTF_8)).put((byte) v).array()',
    ),
    CodecEntry(DIGITS, (17, 0, 9999), 10_000, _ascii("%04d", "v")),
    CodecEntry(Descending(DIGITS), (17, 0, 9999), -1, _ascii("%04d", "9999 - v")),
    CodecEntry(
        LongMaxMinus,
        (AT_MS, 0, 2**63 - 1),
        -1,
        _ascii("%019d", "Long.MAX_VALUE - v"),
    ),
    CodecEntry(
        ReversedDigits(4),
        (17, 120),
        10_000,
        'new StringBuilder(String.format(Locale.ROOT, "%04d", v)).reverse().toString().getBytes(US_ASCII)',
    ),
    CodecEntry(
        FixedText(4, "x"),
        ("ab", "", "abcd"),
        "axe",
        'Arrays.copyOf((v + "xxxx").getBytes(UTF_8), 4)',
    ),
    CodecEntry(
        DelimitedText("_"),
        ("A", ""),
        "A_",
        '(v + "_").getBytes(UTF_8)',
    ),
    CodecEntry(
        Delimited(DIGITS, "_"),
        (17,),
        Misuse("a codec without text, such as `Int64`", lambda: Delimited(Int64, "_")),
        _ascii("%04d_", "v"),
    ),
)

# ---- prefixes ------------------------------------------------------------------------------------

PREFIXES = (
    PrefixEntry(
        ByUser,
        Salt(of="user_id", buckets=16),
        "many writes to adjacent keys, still scanned",
        ("user_1", "", "a\0\u00e9"),
        Misuse("`buckets=257`", lambda: Salt(of="user_id", buckets=257)),
        f"new byte[] {{(byte) (new CRC32() {{{{\n    update({_escaped(_UTF8)}.getBytes(ISO_8859_1));\n"
        "}}.getValue() % 16)}",
    ),
    PrefixEntry(
        ByUser,
        HashPrefix(of="user_id", bytes=4),
        "many writes, if every question gives the part",
        ("user_1", "\u00e9"),
        Misuse(
            "a question without the part",
            lambda: KeyLayout(ByUser, HashPrefix(of="user_id", bytes=4)).plan(user_id=starting_with("user")),
        ),
        f"Arrays.copyOf({_MD5}, 4)",
    ),
    PrefixEntry(
        ByUser,
        HashPrefix(of="user_id", bytes=8, hex=True, separator="_"),
        "existing keys: the hash as text",
        ("user_1",),
        Misuse("`bytes=33`", lambda: HashPrefix(of="user_id", bytes=33, hex=True)),
        f'(HexFormat.of().formatHex({_MD5})\n    .substring(0, 8) + "_").getBytes(US_ASCII)',
    ),
    PrefixEntry(
        ByTime,
        Modulo(of="at_ms", by=10),
        "existing keys: `timestamp % buckets`",
        (AT_MS + 123, -7),
        Misuse("a part of text", lambda: KeyLayout(ByUser, Modulo(of="user_id", by=10))),
        "new byte[] {(byte) Math.floorMod(v, 10)}",
    ),
    PrefixEntry(
        ByTime,
        TimeBucket(of="at_ms", every_ms=QUARTER_MS),
        "slices of time, read or dropped whole",
        (AT_MS, 0, QUARTER_MS - 1),
        -1,
        _big_endian(4, f"(int) Math.floorDiv(v, {QUARTER_MS})"),
    ),
)

ENTRIES: tuple[Entry, ...] = (*CODECS, *PREFIXES)

# ---- columns -------------------------------------------------------------------------------------


class Status(Enum):
    """The status of an order."""

    PAID = "paid"


@attrs.frozen
class Fee:
    """A record in a column of another one."""

    amount: Decimal


COLUMN_VALUES: tuple[tuple[Any, str, Any], ...] = (
    (datetime, "microseconds since 1970", AT),
    (date, "days since 1970", AT.date()),
    (Status, "the value of the member", Status.PAID),
    (UUID, "16 bytes", UUID("3f49c2a1-0b7e-4c55-9a10-6f1e2d3c4b5a")),
    (bool, "true or false", True),
    (Decimal, "text, each digit as it is", Decimal("1.50")),
    (tuple[date, ...], "an array", (AT.date(),)),
    (tuple[str, Decimal], "an array of these two", ("EUR", Decimal("1.50"))),
    (Fee, "a map by attribute", Fee(Decimal("9"))),
)
"""Types of columns beside those of msgpack itself, how they are packed, and a value."""

# ---- traps ---------------------------------------------------------------------------------------


def _joined(ids: tuple[str, str]) -> bytes:
    return "".join(ids).encode()


def _delimited(ids: tuple[str, str]) -> bytes:
    return "_".join(ids).encode()


def _escaped_ids(ids: tuple[str, str]) -> bytes:
    return b"".join(map(EscapedText.encode, ids))


TRAPS = (
    Trap("digits without zeros", lambda number: b"%d" % number, 9, 10),
    _codec_trap(DecimalText(2), 9, 10),
    _codec_trap(DelimitedText("_"), "A", "A1"),
    _codec_trap(FixedText(4, "x"), "ab", "ab!"),
    _codec_trap(EscapedText, "A", "A1"),
    Trap("two ids, joined", _joined, ("1", "12"), ("11", "2")),
    Trap("two ids, `_` between", _delimited, ("A", "_B"), ("A_", "B")),
    Trap("two `EscapedText`", _escaped_ids, ("1", "12"), ("11", "2")),
    Trap("signed, as Java writes it", struct.Struct(">h").pack, -1, 1),
    _codec_trap(Int16, -1, 1),
    Trap("little-endian", struct.Struct("<H").pack, 255, 256),
    _codec_trap(UInt16, 255, 256),
    Trap("a double as it is", struct.Struct(">d").pack, -1.5, 1.5),
    _codec_trap(Float64, -1.5, 1.5),
    Trap("inverted text, no terminator", lambda text: Descending(EscapedText).encode_prefix(text), "ab", "a"),
    _codec_trap(Descending(EscapedText), "ab", "a"),
)
"""Each wrong format before the right one for the same kind of values."""
