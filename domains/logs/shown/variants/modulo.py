"""The published bucket, then the time; the bucket is the time modulo the number of buckets (S0.7, T3).

Clocks that tick in whole seconds write to one bucket only. No question knows its bucket, so each reads all buckets.
"""

from functools import partial

from shared.keys import KeyLayout, Modulo

from ...keys import LOGS, LogTimeFirst
from ...repository import LogRepository

BUCKETS = 8

TABLE = LOGS.like("logs_modulo", KeyLayout(LogTimeFirst, Modulo(of="time_ms", by=BUCKETS)))
TABLES = TABLE.tables
Repository = partial(LogRepository, logs=TABLE)
