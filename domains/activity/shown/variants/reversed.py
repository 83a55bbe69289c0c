"""The user's id with its last character first, as published for phone numbers, filled to a fixed width.

It spreads users whose ids differ in their last characters. Users whose ids start alike are no longer adjacent, so a
question for them is refused. Choose it for phone numbers; an id longer than the width is refused.
"""

from functools import partial

from shared.keys import Descending, FixedBytes, FixedText, Int64, Reversed, part, row_key
from shared.records import TIE_BYTES

from ...keys import ACTIVITY
from ...repository import ActivityRepository

USER_BYTES = 20
"""The widest id. A phone number has at most 15 digits."""


@row_key
class ActionOfReversedUser:
    """One action in the list of its user, whose id is stored last character first.

    Order:  by the last character of the user, then the one before it, and so on; newest first.
    Serves: what `ActionOfUser` serves, but not users whose ids start alike: they are no longer adjacent.
    Costs:  as `ActionOfUser`. A user of more than 20 bytes, or with a NUL in it, cannot be stored.
    Fixed:  the width of a user.
    Source: S0.6, [reverse(userid)][orderid]; S1.6, phone numbers; S1.7 and S2.7, reversed id and time
    """

    user: str = part(Reversed(FixedText(USER_BYTES, "\0")), "who did it; at most 20 bytes, without a NUL")
    time_ms: int = part(Descending(Int64), "when, milliseconds since 1970 UTC, newest first")
    tie: bytes = part(Descending(FixedBytes(TIE_BYTES)), "distinguishes actions of one millisecond")


TABLE = ACTIVITY.like("activity_reversed", ActionOfReversedUser)
TABLES = TABLE.tables
Repository = partial(ActivityRepository, activity=TABLE)
