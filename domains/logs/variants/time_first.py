"""The time first: the published starting point, and a hot spot, because every write goes to the last region."""

from shared.tables import TableLayout

from ..keys import BY_TIME, LOG_CELLS, LogTables

TABLE = TableLayout("logs_time_first", "one event", BY_TIME, LOG_CELLS)
TABLES = LogTables(TABLE)
