"""The published `userId_timestamp` (S3.2), with a terminator after the user. Do not copy it: it has no tie.

Of a user's actions in one millisecond only the last one remains.
"""

from functools import partial

from shared.keys import EscapedText, Int64, part, row_key

from ...keys import ACTIVITY
from ...repository import ActivityRepository


@row_key
class LastActionOfMillisecond:
    """The last action that was stored for a user and millisecond; it has replaced all others.

    Order:  by user, oldest first.
    Serves: a user's actions, if no two of them share a millisecond.
    Costs:  of all actions of a user in one millisecond, only one remains; in a log of whole seconds, in one second.
    Fixed:  the sequence of the parts.
    Source: S3.2, userId_timestamp
    """

    user: str = part(EscapedText, "who did it; any text")
    time_ms: int = part(Int64, "when, milliseconds since 1970 UTC")


TABLE = ACTIVITY.like(
    "activity_user_and_time",
    LastActionOfMillisecond,
    {"verb": "a:v", "object": "a:o", "source": "a:s", "detail": "a:d", "tie": "a:t"},
    holds="the last action of a millisecond",
)
TABLES = TABLE.tables
Repository = partial(ActivityRepository, activity=TABLE)
