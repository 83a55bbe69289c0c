"""The time first: the published starting point, and a hot spot, because every write goes to the last region."""

from functools import partial

from ...keys import LOGS, LogTimeFirst
from ...repository import LogRepository

TABLE = LOGS.like("logs_time_first", LogTimeFirst)
TABLES = TABLE.tables
Repository = partial(LogRepository, logs=TABLE)
