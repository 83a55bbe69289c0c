"""The key of S2.9 byte for byte as published: text with commas."""

from shared.exhibit import PublishedKey

from ..keys import BY_RECORD, ChangeOfRecord
from .variants import published

QUOTED = "03,9223370455878258,17870"
KEY, SECONDS, POSITION = b"03,", b"9223370455878258,", b"17870"

ADDED = "added: the tables of several databases are in one table; as published, each has a table of its own"

PUBLISHED = (
    PublishedKey(
        "S2.9",
        QUOTED,
        published.TABLE.layout,
        published.PublishedRow("30", (published.LONG_MAX - 1_580_976_517_000) // 1000, "17870"),
        {"key": KEY, "seconds_left": SECONDS, "position": POSITION},
        {},
    ),
    PublishedKey(
        "S2.9",
        QUOTED,
        BY_RECORD.layout,
        ChangeOfRecord("shop", "users", "30", 17870),
        {"key": KEY, "position": SECONDS + POSITION},
        {
            "source": ADDED,
            "table": ADDED,
            "key": "not reversed, with the terminator `00 01`: keys that count up are spread by `salted`",
            "position": "inverted, in eight bytes, and without a time: clocks go back, positions do not",
        },
    ),
)
