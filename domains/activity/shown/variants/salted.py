"""A salt, which is a bucket computed from the user, then the time (S1.3).

The time comes directly after the bucket, so eight scans, one for each bucket, find the latest actions of all users. All
actions of a user are in one bucket: a question that names the user reads that bucket, and drops the rows of the other
users in it. Choose it to ask for all users; if you also ask for one user, store each action in `activity`, too.
"""

from functools import partial

from shared.keys import KeyLayout, Salt

from ...keys import ACTIVITY
from ...repository import ActivityRepository
from .time_first import ActionByTime

BUCKETS = 8

TABLE = ACTIVITY.like("activity_salted", KeyLayout(ActionByTime, Salt(of="user", buckets=BUCKETS)))
TABLES = TABLE.tables
Repository = partial(ActivityRepository, activity=TABLE)
