"""The published bucket, then the time; the bucket is the time modulo the number of buckets (S0.7, T3).

Clocks that tick in whole seconds write to one bucket only. No question knows its bucket, so each reads all buckets.
"""

from shared.keys import KeyLayout, Modulo
from shared.tables import TableLayout

from ..keys import LOG_CELLS, LogTables, LogTimeFirst

BUCKETS = 8

TABLE = TableLayout("logs_modulo", "one event", KeyLayout(LogTimeFirst, Modulo(of="time_ms", by=BUCKETS)), LOG_CELLS)
TABLES = LogTables(TABLE)
