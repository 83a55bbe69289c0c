"""The keys of S0.7 and S0.10 to S0.12 byte for byte as published: text as UTF-8, numbers as `Bytes.toBytes(long)`."""

import struct

from shared.exhibit import LONG_MAX, SIGN, PublishedKey, added_tie, any_text

from ..keys import LOGS, LogNewestFirst, LogTimeFirst
from .variants import modulo, oldest_first, padded

TIME_MS = 1_768_205_250_123  # 2026-01-12T08:07:30.123Z
TIE = bytes.fromhex("0011223344556677")

TERMINATOR = any_text("host1", "host12")
SAME_TERMINATOR = "with the same terminator as the host"
TIE_ADDED = added_tie("events of one host and kind")

PUBLISHED = (
    PublishedKey(
        "S0.12",
        "timestamp = Long.MAX_VALUE - timestamp; [hostname][log-event][timestamp]",
        LOGS.layout,
        LogNewestFirst("web-1", "GET", TIME_MS, TIE),
        {"host": b"web-1", "event": b"GET", "time_ms": struct.pack(">q", LONG_MAX - TIME_MS)},
        {"host": TERMINATOR, "event": SAME_TERMINATOR, "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S0.11",
        "[hostname][log-event][timestamp]",
        oldest_first.TABLE.layout,
        oldest_first.LogOldestFirst("web-1", "GET", TIME_MS, TIE),
        {"host": b"web-1", "event": b"GET", "time_ms": struct.pack(">q", TIME_MS)},
        {"host": TERMINATOR, "event": SAME_TERMINATOR, "time_ms": SIGN, "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S0.10 with S0.12's time",
        "[rpad(column1,'x',20)][column2]",
        padded.TABLE.layout,
        padded.LogPadded("web-1", "GET", TIME_MS, TIE),
        {"host": b"web-1".ljust(20, b"x"), "event": b"GET", "time_ms": struct.pack(">q", LONG_MAX - TIME_MS)},
        {"event": "any text, with the terminator `00 01`", "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S0.7",
        "long bucket = timestamp % numBuckets; [bucket][timestamp][hostname][log-event]",
        modulo.TABLE.layout,
        LogTimeFirst(TIME_MS, "web-1", "GET", TIE),
        {
            "Modulo": struct.pack(">q", TIME_MS % modulo.BUCKETS),
            "time_ms": struct.pack(">q", TIME_MS),
            "host": b"web-1",
            "event": b"GET",
        },
        {
            "Modulo": "one byte, because there are at most 256 buckets; the published bucket is a long",
            "time_ms": SIGN,
            "host": TERMINATOR,
            "event": SAME_TERMINATOR,
            "tie": TIE_ADDED,
        },
    ),
)
