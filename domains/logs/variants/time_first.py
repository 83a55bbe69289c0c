"""The time first: the starting point, and the hot spot that the other variants avoid."""

from shared.tables import TableLayout

from ..keys import BY_TIME, LOG_CELLS

TABLE = TableLayout("logs_time_first", "one event", BY_TIME, LOG_CELLS)
TABLES = (TABLE,)
