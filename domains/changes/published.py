"""The key of S2.9 byte for byte as published: text with commas."""

from shared.designs import PublishedKey

from .keys import BY_RECORD, ChangeOfRecord
from .variants import published

POSITION = 17870

ADDED = "added: one store holds the changes of several databases and tables; as published, each had a table of its own"

PUBLISHED = (
    PublishedKey(
        "S2.9",
        "03,9223370455878258,17870",
        published.TABLE,
        published.PublishedRow("30", 9_223_370_455_878_258, "17870"),
        {"key": b"03,", "seconds_left": b"9223370455878258,", "position": b"17870"},
        {},
    ),
)
