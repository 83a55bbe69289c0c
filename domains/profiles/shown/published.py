"""The row and the columns of S3.7 byte for byte as published: all as text."""

from shared.exhibit import PublishedColumn, PublishedKey

from ..keys import NEWEST, PROFILES, NewestFirst, RowOfUser
from .variants import slots

TIME_MS = 1_768_205_250_123  # 2026-01-12T08:07:30.123Z

CONSTANT = "without the constant `user_`, which costs five bytes in every cell and distinguishes nothing"
TIME = "the time, newest first, so that no order moves when a new one comes; as text, order_10 sorts before order_2"
ORDER_ADDED = "added: it distinguishes orders of one millisecond; published in the value"
FIELD = "one letter each for family and field, because HBase stores both with every cell"

_QUOTED = '"user_" + userId'

PUBLISHED = (
    PublishedKey(
        "S3.7", _QUOTED, PROFILES.layout, RowOfUser("12345"), {"user_id": b"user_12345"}, {"user_id": CONSTANT}
    ),
    PublishedKey("S3.7", _QUOTED, slots.PROFILES.layout, slots.PublishedRow("12345"), {"user_id": b"user_12345"}, {}),
    *(
        key
        for slot in (0, 9)
        for key in (
            PublishedKey(
                "S3.7",
                f"user:order_{slot}",
                NEWEST.layout,
                NewestFirst(TIME_MS, "order_001"),
                {"time_ms": b"order_%d" % slot},
                {"time_ms": TIME, "order_id": ORDER_ADDED},
            ),
            PublishedKey(
                "S3.7", f"user:order_{slot}", slots.SLOTS.layout, slots.Slot(slot), {"slot": b"order_%d" % slot}, {}
            ),
        )
    ),
)

COLUMNS = tuple(
    PublishedColumn("S3.7", quoted, table, attribute, quoted.encode(), deviation)
    for quoted, attribute in (("user:info:name", "name"), ("user:info:email", "email"))
    for table, deviation in ((PROFILES.layout, FIELD), (slots.PROFILES.layout, ""))
)
