"""The keys of S0.5, S0.6, S1.7, S2.7, S3.1 and S3.2 byte for byte as published: all as text, times as digits."""

from shared.exhibit import LONG_MAX, PublishedKey, added_tie, any_text

from ..keys import ACTIVITY, ActionOfUser
from .variants import hash_prefix, legible_hash, reversed, user_and_time

TIME_MS = 1_768_205_250_123  # 2026-01-12T08:07:30.123Z
TIE = bytes.fromhex("0011223344556677")
PHONE = "13800000017"

TERMINATOR = any_text("user_1", "user_12")
DELIMITER = "any text, with the terminator `00 01`; a user may contain a `_`"
WIDTH = "filled with NUL to 20 bytes; without a fixed width, rows of two users may be equal"
TIME_ADDED = "added: an order has one row, but a user has many actions; the newest comes first"
EIGHT_BYTES = "the same number in eight bytes, not as nineteen digits"
ASCENDING = "eight bytes, with the sign bit flipped; digits sort right only if all times have thirteen"
NEWEST_FIRST = "`Long.MAX_VALUE` minus the time, in eight bytes, so that the newest comes first"
TIE_ADDED = added_tie("actions of one user")
TIE_OF_ORDER = "instead of the order's id: eight bytes that are computed from the whole action"

BY_ORDER = {"tie": b"o-42"}
DEVIATIONS = {"time_ms": TIME_ADDED, "tie": TIE_OF_ORDER}

PUBLISHED = (
    PublishedKey(
        "S0.5",
        "[md5(userid).subStr(0,4)][userId][orderid]",
        hash_prefix.TABLE.layout,
        ActionOfUser("user_1", TIME_MS, TIE),
        {"HashPrefix": b"3f49", "user": b"user_1", **BY_ORDER},
        {"user": TERMINATOR, **DEVIATIONS},
    ),
    PublishedKey(
        "S3.1",
        'MD5(userId).substring(0, 8) + "_" + userId',
        legible_hash.TABLE.layout,
        ActionOfUser("user_1", TIME_MS, TIE),
        {"HashPrefix": b"3f49044c_", "user": b"user_1"},
        {"user": TERMINATOR, "time_ms": "added: published as the key of a user, who has one row", "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S0.6",
        "[reverse(userid)][orderid]",
        reversed.TABLE.layout,
        reversed.ActionOfReversedUser(PHONE, TIME_MS, TIE),
        {"user": b"71000000831", **BY_ORDER},
        {"user": WIDTH, **DEVIATIONS},
    ),
    *(
        PublishedKey(
            source,
            quoted,
            reversed.TABLE.layout,
            reversed.ActionOfReversedUser(user, TIME_MS, TIE),
            {"user": reversed_user, "time_ms": b"%d" % (LONG_MAX - TIME_MS)},
            {"user": WIDTH, "time_ms": EIGHT_BYTES, "tie": TIE_ADDED},
        )
        for source, quoted, user, reversed_user in (
            ("S1.7", "[userId reversal] [Long. Max_Value - timestamp]", PHONE, b"71000000831"),
            ("S2.7", "转置(id) + (Long.MAX_VALUE - 时间戳)", "123", b"321"),
        )
    ),
    PublishedKey(
        "S3.2",
        "userId_timestamp",
        ACTIVITY.layout,
        ActionOfUser("user_1", TIME_MS, TIE),
        {"user": b"user_1_", "time_ms": b"%d" % TIME_MS},
        {"user": DELIMITER, "time_ms": NEWEST_FIRST, "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S3.2",
        "userId_timestamp",
        user_and_time.TABLE.layout,
        user_and_time.LastActionOfMillisecond("user_1", TIME_MS),
        {"user": b"user_1_", "time_ms": b"%d" % TIME_MS},
        {"user": DELIMITER, "time_ms": ASCENDING},
    ),
)
