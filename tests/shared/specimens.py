"""Key classes of tests, one a line: a name, and the codec of each part in the order of the key.

Cases that are written as text, as those of `keys/questions.toml`, call the classes and codecs by their names here.
"""

import enum
import math
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import shared.keys
from shared.keys import (
    Bool,
    Code,
    Date,
    DateTime,
    Descending,
    EscapedBytes,
    EscapedText,
    FixedText,
    Float64,
    Int64,
    KeyLayout,
    Prefixed,
    Rest,
    ReversedDigits,
    Slice,
    TrailingBytes,
    TrailingText,
    UInt8,
    UInt16,
    UInt24,
    UInt64,
    Uuid,
    part,
    row_key,
)
from shared.keys.codecs import Codec


class Level(enum.Enum):
    """Members without an order, of an Enum with another one that no key knows."""

    LOW = "low"
    HIGH = "high"
    NEW = "new"


_TYPES: dict[str, type[Any]] = {"Level": Level, "DateTime": datetime, "Date": date, "Uuid": UUID, "Bool": bool}
_TYPES |= {"DecimalText": int, "Text": str, "Code": str, "Bytes": bytes, "Float64": float}


def key_class(name: str, /, **codecs: Codec[Any]) -> type[Any]:
    """A class of keys with these parts, as if written by hand in the module that calls, where pickle finds it."""
    types = {part: next((type_ for word, type_ in _TYPES.items() if word in str(codecs[part])), int) for part in codecs}
    module = sys._getframe(1).f_globals["__name__"]
    parts = {part_name: part(codec, "a specimen") for part_name, codec in codecs.items()}
    return row_key(type(name, (), {"__module__": module, "__annotations__": types, **parts}))


HOUR_MS = 3_600_000
NOON = datetime(2020, 2, 6, 12, tzinfo=UTC)
LETTER = FixedText(1, "\0")
KIND = Code({"cpu": 1, "disk": 2})
LEVEL = Code({Level.LOW: 1, Level.HIGH: 0})
STATUS = Code({"placed": 1, "paid": 2, "lost": 255})

# Times: at_s 5 = 05; at_ms 5 = 80 00 00 00 00 00 00 05, descending 7f ff ff ff ff ff ff fa. The text "a" is 61, escaped
# 61 00 01. The crc32 of "a" and "c" is 3 modulo 4, of "b" 1, of "d" 0; the md5 of "a" is 0cc1.., of "b" 92eb...
Log = key_class("Log", at_s=UInt8, host=LETTER, kind=KIND)
Coded = key_class("Coded", at_s=UInt8, kind=KIND, host=LETTER)
Reading = key_class("Reading", host=LETTER, at_ms=Int64, kind=KIND)
Probe = key_class("Probe", kind=Code({"cpu": 2, "disk": 1, "net": 255}), host=LETTER, at_ms=UInt8)
Visit = key_class("Visit", host=LETTER, at_ms=Int64)
Event = key_class("Event", user_id=EscapedText, at_ms=Descending(Int64), event_id=EscapedText)
Post = key_class("Post", author=EscapedText, at_ms=Descending(Int64))
Meter = key_class("Meter", meter_id=ReversedDigits(4), slot=UInt8, ratio=Float64, note=TrailingText)
Pair = key_class("Pair", left=UInt8, right=UInt16)
Down = key_class("Down", left=Descending(UInt8), right=UInt8)
Backwards = key_class("Backwards", name=Descending(EscapedText), data=Descending(EscapedBytes))
Named = key_class("Named", name=TrailingText)
Note = key_class("Note", slot=UInt8, text=TrailingText)
Blob = key_class("Blob", group=UInt8, data=TrailingBytes)
Item = key_class("Item", number=UInt16)
LastItem = key_class("LastItem", number=Descending(UInt16))
ByLastDigit = key_class("ByLastDigit", number=ReversedDigits(5))

Rising = key_class("Rising", at_s=UInt8, host=EscapedText)
Falling = key_class("Falling", at_s=Descending(UInt8), host=EscapedText)
ByHost = key_class("ByHost", host=EscapedText, at_s=UInt8)
ByHostNewestFirst = key_class("ByHostNewestFirst", host=EscapedText, at_s=Descending(UInt8))
ByHostOnly = key_class("ByHostOnly", host=EscapedText)
ByTimeOnly = key_class("ByTimeOnly", at_s=UInt8)
OfKind = key_class("OfKind", host=EscapedText, kind=EscapedText, at_s=UInt8, tie=UInt8)

# Python's own values: low 01, high 00; noon 80 05 9d e7 03 2f 70 00, descending 7f fa 62 18 fc d0 8f ff.
Reminder = key_class("Reminder", level=LEVEL, due=DateTime, id=Uuid)
Urgent = key_class("Urgent", at_s=UInt8, level=LEVEL)
Latest = key_class("Latest", is_paid=Bool, day=Descending(Date), at=Descending(DateTime))

# Slices of time: the hour -1 starts at 7f ff ff ff ff c9 11 80, 0 at 80 00 .., 1 at 80 00 00 00 00 36 ee 80.
HourOfMetric = key_class("HourOfMetric", metric=EscapedText, time_ms=Slice(Int64, HOUR_MS))
HourOnly = key_class("HourOnly", time_ms=Slice(Int64, HOUR_MS))
NewestHour = key_class("NewestHour", time_ms=Descending(Slice(Int64, HOUR_MS)), metric=EscapedText)
WithinHour = key_class("WithinHour", time_ms=Rest(shared.keys.UInt32, HOUR_MS))

OrderBySeller = key_class("OrderBySeller", seller_id=EscapedText, placed_ms=Descending(Int64), order_number=EscapedText)
Mixed = key_class(
    "Mixed",
    kind=UInt8,
    delta=Descending(UInt16),
    name=FixedText(4, "\0"),
    share=Descending(Float64),
    number=UInt24,
    status=Code({"on": 1, "off": 0}),
    rest=TrailingBytes,
)
Line = key_class(
    "Line", owner=EscapedText, status=Code({"on": 1, "off": 2}), tag=Prefixed("t", Code({"a": 1})), number=UInt16
)
ReaderOfAuthor = key_class("ReaderOfAuthor", author=EscapedText, reader=EscapedText)
LineOfTimeline = key_class(
    "LineOfTimeline", owner=EscapedText, posted_ms=Descending(Int64), author=EscapedText, post_id=UInt64
)

_NAMES = {
    **{name: getattr(shared.keys, name) for name in shared.keys.__all__},
    **globals(),
    **vars(math),
    "timedelta": timedelta,
    "timezone": timezone,
}


def made(text: str) -> Any:
    """What an expression makes, written with the names of `shared.keys` and of this module."""
    return eval(text, _NAMES)


def layout_of(text: str) -> KeyLayout[Any]:
    """The layout of a key class and its prefixes, such as `Log, Salt(of="host", buckets=4)`."""
    return KeyLayout(*made(f"({text},)"))


def question_of(text: str) -> dict[str, Any]:
    """A question, such as `at_s=between(5, 7), host="a"`."""
    return made(f"dict({text})")
