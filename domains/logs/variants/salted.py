"""A salt, which is a bucket computed from the host, then the time (S1.3, S1.5).

All rows of a host are in one bucket, so writes spread only if there are many hosts. A question that names its host
reads that bucket only.
"""

from shared.keys import KeyLayout, Salt
from shared.tables import TableLayout

from ..keys import LOG_CELLS, LogTables, LogTimeFirst

BUCKETS = 8

TABLE = TableLayout("logs_salted", "one event", KeyLayout(LogTimeFirst, Salt(of="host", buckets=BUCKETS)), LOG_CELLS)
TABLES = LogTables(TABLE)
