"""A salt, which is a bucket computed from the host, then the time (S1.3, S1.5).

All rows of a host are in one bucket, so writes spread only if there are many hosts. A question that names its host
reads that bucket only.
"""

from functools import partial

from shared.keys import KeyLayout, Salt

from ...keys import LOGS, LogTimeFirst
from ...repository import LogRepository

BUCKETS = 8

TABLE = LOGS.like("logs_salted", KeyLayout(LogTimeFirst, Salt(of="host", buckets=BUCKETS)))
TABLES = TABLE.tables
Repository = partial(LogRepository, logs=TABLE)
