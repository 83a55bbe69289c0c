"""Tools for code that puts rows: a clock, records in batches, records that would expire, names with ids.

May import `keys`, `tables`, `queries` and `events`.
"""

from .batches import NotAllStored, delete_all, delete_rows, put_all, remove_row, store_all
from .clock import CLOCK, Moment, WriterClock
from .dated_cells import put_rows
from .dictionaries import (
    CACHED_NAMES,
    COUNTER_ROW,
    ID_FAMILY,
    NAME_FAMILY,
    Dictionary,
    IdTaken,
    NameTaken,
    NoFreeId,
    UnknownName,
)
from .expiring import Expired, ExpiredRecord, allow_expired, expired, refuse_expired
from .server_clock import MAX_SKEW_MS, ClockSkew, checked_moment

__all__ = [
    "CACHED_NAMES",
    "CLOCK",
    "COUNTER_ROW",
    "ID_FAMILY",
    "MAX_SKEW_MS",
    "NAME_FAMILY",
    "ClockSkew",
    "Dictionary",
    "Expired",
    "ExpiredRecord",
    "IdTaken",
    "Moment",
    "NameTaken",
    "NoFreeId",
    "NotAllStored",
    "UnknownName",
    "WriterClock",
    "allow_expired",
    "checked_moment",
    "delete_all",
    "delete_rows",
    "expired",
    "put_all",
    "put_rows",
    "refuse_expired",
    "remove_row",
    "store_all",
]
