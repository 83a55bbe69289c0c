"""Four hex digits of the user's md5 first, as published (S0.5, S1.5).

They spread users whose ids count up, or start alike, over the whole table. A question that names its user computes the
digits again, so it costs the same as without them. Any other question would have to try 65,536 prefixes, so it is
refused. Choose it if ids count up or start alike, and their users write more than one region can absorb; ids that start
differently, as names do, need no hash.
"""

from functools import partial

from shared.keys import HashPrefix, KeyLayout

from ...keys import ACTIVITY, ActionOfUser
from ...repository import ActivityRepository

TABLE = ACTIVITY.like("activity_hash_prefix", KeyLayout(ActionOfUser, HashPrefix(of="user", bytes=4, hex=True)))
TABLES = TABLE.tables
Repository = partial(ActivityRepository, activity=TABLE)
