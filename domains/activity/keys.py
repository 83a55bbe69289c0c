"""One table of actions: user, newest first.

The variants store the same actions under other keys. The cost of a period under each key, for one user, for all users,
and for users whose ids start alike:

    variant        row key                                          one user      all users  users alike
    activity       [user][time][tie]                                1 range       refused    filtered
    hash-prefix    [4 hex digits of md5(user)][user][time][tie]     1 range       refused    refused
    legible-hash   [8 hex digits of md5(user)][_][user][time][tie]  1 range       refused    refused
    reversed       [user, last character first][time][tie]          1 range       refused    refused
    salted         [1 of 8 buckets of user][time][user][tie]        filtered      8 ranges   filtered
    time-first     [time][user][tie]                                filtered      1 range    filtered
    user-and-time  [user][time]                                     wrong answer  refused    wrong answer

- Filtered: the scan also reads rows of other users or times, and the client drops them. For users whose ids start
  alike, `activity` reads their rows of all times; for one user, `salted` reads all users of the bucket.
- Refused: only a full table scan could answer.
- No key holds the verb: a question about one verb is filtered under every key.

Under each key a write is one put. Storing an action again changes nothing, because its tie is computed from it.

All new rows of `time-first` go to one region. Under the other keys they go to the regions of their users, but in
`activity` and `user-and-time` users with adjacent ids share a region: if ids count up, new users are a hot spot. No key
spreads the actions of one user.

If you ask for one user and for all users, store each action under two keys, `activity` and `salted`: two puts.
"""

from typing import Any, NamedTuple

from shared.keys import Descending, EscapedText, FixedBytes, Int64, KeyLayout, part, row_key
from shared.records import TIE_BYTES
from shared.tables import Column, RecordCells, TableLayout

from .records import Action


@row_key
class ActionOfUser:
    """One action in the list of its user.

    Order:  by user, newest first.
    Serves: a user's actions in a period; a user's latest N actions; one action whose key is known; the actions of users
            whose ids start alike, of which it reads all times.
    Costs:  one scan of the page's rows and one more row, which tells whether there is a next page; one get for one
            action; one put for a write. All users in a period, and the latest actions of all users, are refused.
    Fixed:  the sequence of the parts and the direction of time; changing them means a new table.
    Source: S3.2, userId_timestamp, which mixes users and loses actions of one millisecond; newest first as in S1.7.
    """

    user: str = part(EscapedText, "who did it; any text, and u-1 never matches u-12")
    time_ms: int = part(Descending(Int64), "when, milliseconds since 1970 UTC, newest first")
    tie: bytes = part(
        Descending(FixedBytes(TIE_BYTES)), "distinguishes actions of one millisecond; descending, like the time"
    )


ACTION_CELLS = RecordCells(
    Action, {"verb": Column("a:v"), "object": Column("a:o"), "source": Column("a:s"), "detail": Column("a:d")}
)

ACTIVITY = TableLayout("activity", "one action", KeyLayout(ActionOfUser), ACTION_CELLS)


class ActivityTables(NamedTuple):
    """The table of actions."""

    activity: TableLayout[Any, Action]


TABLES = ActivityTables(ACTIVITY)
