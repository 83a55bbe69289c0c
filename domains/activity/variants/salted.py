"""A salt, which is a bucket computed from the user, then the time (S1.3).

The time comes directly after the bucket, so eight scans, side by side, find the latest actions of all users. A bucket
holds whole users: a question that names its user reads one bucket, and drops the rows of the other users in it.
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
