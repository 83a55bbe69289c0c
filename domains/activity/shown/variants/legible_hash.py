"""Eight hex digits of the user's md5 and a `_` first, as published (S3.1). Bytes of a hash need five bytes less.

Choose it for an existing table. Both prefixes are text in the HBase shell, but only here do people see where the prefix
ends. Eight digits spread no better than four, because a table has far fewer than 65,536 regions.
"""

from functools import partial

from shared.keys import HashPrefix, KeyLayout

from ...keys import ACTIVITY, ActionOfUser
from ...repository import ActivityRepository

TABLE = ACTIVITY.like(
    "activity_legible_hash", KeyLayout(ActionOfUser, HashPrefix(of="user", bytes=8, hex=True, separator="_"))
)
TABLES = TABLE.tables
Repository = partial(ActivityRepository, activity=TABLE)
