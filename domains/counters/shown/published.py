"""The two keys of S3.6 byte for byte as published: the one that its text writes, and the one that its code makes."""

from shared.exhibit import PublishedKey
from shared.records import parse_time

from ..keys import LOGINS, DayOfUser
from .variants import increment

DAY_MS = parse_time("2024-03-15")
USER = "user_12345"

TERMINATOR = "any text, with the terminator `00 01`; with `_` instead, a scan of user_1 would also match user_1_b"
NO_METRIC = f"{TERMINATOR}. `loginCount` is the table's name here, not 10 bytes of every row"
DATE = "the start of the UTC day as `Int64`; eight digits do not say in which time zone"

PUBLISHED = tuple(
    PublishedKey("S3.6", quoted, table, key, {"user": user, day: b"20240315"}, {"user": why, day: DATE})
    for quoted, user, why in (
        ("userId_loginCount_20240315", f"{USER}_loginCount_".encode(), NO_METRIC),
        ('userId + "_" + date', f"{USER}_".encode(), TERMINATOR),
    )
    for table, key, day in (
        (LOGINS.layout, DayOfUser(USER, DAY_MS), "time_ms"),
        (increment.COUNTS.layout, increment.CountOfUser(USER, DAY_MS), "day_ms"),
    )
)
