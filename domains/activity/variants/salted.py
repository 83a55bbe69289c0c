"""A salt, which is a bucket computed from the user, then the time (S1.3).

The time comes directly after the bucket, so eight scans, one for each bucket, find the latest actions of all users. A
bucket has all actions of its users: a question that names its user reads one bucket, and drops the rows of its other
users.
"""

from shared.keys import KeyLayout, Salt
from shared.tables import TableLayout

from ..keys import ACTION_CELLS, ActivityTables
from .time_first import ActionByTime

BUCKETS = 8

TABLE = TableLayout(
    "activity_salted", "one action", KeyLayout(ActionByTime, Salt(of="user", buckets=BUCKETS)), ACTION_CELLS
)
TABLES = ActivityTables(TABLE)
