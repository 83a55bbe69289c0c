"""Time in front, behind a bucket computed from the host, which a reader knows (S1.3, S1.5).

Spreads as far as the hosts do: one host is one bucket. A question that names its host reads that bucket only.
"""

from shared.keys import KeyLayout, Salt
from shared.tables import TableLayout

from ..keys import LOG_CELLS, LogTimeFirst

BUCKETS = 8

TABLE = TableLayout("logs_salted", "one event", KeyLayout(LogTimeFirst, Salt(of="host", buckets=BUCKETS)), LOG_CELLS)
TABLES = (TABLE,)
