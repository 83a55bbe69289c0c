"""The two keys of S3.10 byte for byte as published, for the author and the reader u-17.

The page names `outboxRowKey(userId, timestamp)` and `feedRowKey(friendId, timestamp)` and does not show how they are
made. They are read here as its `inboxRowKey`, which it shows: text, joined by `_`, with `Long.MAX_VALUE - timestamp` in
digits.
"""

from shared.exhibit import LONG_MAX, PublishedKey

from ..keys import POSTS, TIMELINES, LineOfTimeline, PostOfAuthor

POSTED_MS = 1_580_976_517_000  # 2020-02-06T08:08:37Z

NAME, TIME = b"u-17_", str(LONG_MAX - POSTED_MS).encode()
TERMINATOR = "any text, with the terminator `00 01`; the scan ends before the next name begins"
DESCENDING = "8 bytes instead of 19 digits"
ID = "not in the published key, so a second post of this millisecond replaces the first"

PUBLISHED = (
    PublishedKey(
        "S3.10",
        "outboxRowKey(userId, timestamp)",
        POSTS.layout,
        PostOfAuthor("u-17", POSTED_MS, 7),
        {"author": NAME, "posted_ms": TIME},
        {"author": TERMINATOR, "posted_ms": DESCENDING, "post_id": ID},
    ),
    PublishedKey(
        "S3.10",
        "feedRowKey(friendId, timestamp)",
        TIMELINES.layout,
        LineOfTimeline("u-17", POSTED_MS, "ann", 7),
        {"owner": NAME, "posted_ms": TIME},
        {
            "owner": TERMINATOR,
            "posted_ms": DESCENDING,
            "author": "not in the published key, so posts of two authors in one millisecond share a row",
            "post_id": ID,
        },
    ),
)
