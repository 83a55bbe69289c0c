"""One table of actions: user, newest first."""

from shared.keys import Descending, EscapedText, FixedBytes, Int64, part, row_key
from shared.records import TIE_BYTES
from shared.sources import Table

from .records import Action


@row_key
class ActionOfUser:
    """One action in the list of its user.

    Order:  by user, newest first.
    Serves: a user's actions in a period; a user's latest N actions; one action whose key is known; the actions of users
            whose ids start alike, of which it reads all times.
    Costs:  one scan, which reads one row more than the page: it tells whether there is a next page; one get for one
            action; one put for a write. All users in a period, and the latest actions of all users, are refused.
    Fixed:  the sequence of the parts and the direction of time; changing them means a new table.
    Source: S3.2, userId_timestamp, which mixes users and loses actions of one millisecond; newest first as in S1.7.
    """

    user: str = part(EscapedText, "who did it; any text, and u-1 never matches u-12")
    time_ms: int = part(Descending(Int64), "when, milliseconds since 1970 UTC, newest first")
    tie: bytes = part(
        Descending(FixedBytes(TIE_BYTES)), "distinguishes actions of one millisecond; descending, like the time"
    )


ACTIVITY = Table(
    "activity",
    ActionOfUser,
    Action,
    {"verb": "a:v", "object": "a:o", "source": "a:s", "detail": "a:d"},
    dated_by="time_ms",
    holds="one action",
)
TABLES = ACTIVITY.tables
