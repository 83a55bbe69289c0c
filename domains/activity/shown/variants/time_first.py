"""The time first, newest first. A period of all users is one range, but every write goes to the first region.

A question for one user reads the rows of all users. Choose it only if one region can absorb all writes.
"""

from functools import partial

from shared.keys import Descending, EscapedText, FixedBytes, Int64, part, row_key
from shared.records import TIE_BYTES

from ...keys import ACTIVITY
from ...repository import ActivityRepository


@row_key
class ActionByTime:
    """One action in the list of all users.

    Order:  newest first, then by user.
    Serves: all users in a period; the latest N actions of all users.
    Costs:  one scan. For one user the client drops the rows of all others. Writes go to the first region.
    Fixed:  the time comes first, so split points cannot be chosen beforehand.
    Source: none
    """

    time_ms: int = part(Descending(Int64), "when, milliseconds since 1970 UTC, newest first")
    user: str = part(EscapedText, "who did it; any text")
    tie: bytes = part(Descending(FixedBytes(TIE_BYTES)), "distinguishes actions of one millisecond")


TABLE = ACTIVITY.like("activity_time_first", ActionByTime)
TABLES = TABLE.tables
Repository = partial(ActivityRepository, activity=TABLE)
