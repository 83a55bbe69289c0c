"""Tools for code that writes rows: a clock, batches, writes over several rows that survive a crash, dictionaries.

May import `keys`, `records`, `tables`, `queries` and `events`.
"""

from .batches import NotAllStored, delete_all, delete_rows, put_all, put_in_rows, remove_row, store_all
from .checkpoints import Checkpoint
from .claiming import claim, forget
from .clock import CLOCK, Moment, WriterClock
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
from .erasing import ErasedName, ErasedSource, Erasure, Erasures, ErasureTables, dated_in_future, erasures_tables
from .erasure_upkeep import PersonErasures
from .expiring import Expired, ExpiredRecord, allow_expired, expired, refuse_expired
from .findings import (
    NOTHING_TOLD,
    TIMES_READ_AGAIN,
    Finding,
    Instructions,
    Mendable,
    confirmed,
    reason_told,
    too_new_to_delete,
)
from .intent_rows import Pending
from .intents import IntentWriter, writers_of
from .reading import Derived, SourceReader
from .recovery import Recovery, settle_each
from .server_clock import MAX_SKEW_MS, ClockSkew, checked_moment
from .slots import Intent, holds_intents, intents_table
from .sources import SourceCells, SourceRow
from .steps import FUTURE_MS, KEEP_TOMBSTONES_MS
from .unfinished import UnfinishedWork
from .unreadable import UnreadableRows
from .upkeep import CombinedUpkeep, Erases, Upkeep, no_progress
from .verifying import WriterUpkeep
from .writing import UnknownOutcome

__all__ = [
    "CACHED_NAMES",
    "CLOCK",
    "COUNTER_ROW",
    "FUTURE_MS",
    "ID_FAMILY",
    "KEEP_TOMBSTONES_MS",
    "MAX_SKEW_MS",
    "NAME_FAMILY",
    "NOTHING_TOLD",
    "TIMES_READ_AGAIN",
    "Checkpoint",
    "ClockSkew",
    "CombinedUpkeep",
    "Derived",
    "Dictionary",
    "ErasedName",
    "ErasedSource",
    "Erases",
    "Erasure",
    "ErasureTables",
    "Erasures",
    "Expired",
    "ExpiredRecord",
    "Finding",
    "IdTaken",
    "Instructions",
    "Intent",
    "IntentWriter",
    "Mendable",
    "Moment",
    "NameTaken",
    "NoFreeId",
    "NotAllStored",
    "Pending",
    "PersonErasures",
    "Recovery",
    "SourceCells",
    "SourceReader",
    "SourceRow",
    "UnfinishedWork",
    "UnknownName",
    "UnknownOutcome",
    "UnreadableRows",
    "Upkeep",
    "WriterClock",
    "WriterUpkeep",
    "allow_expired",
    "checked_moment",
    "claim",
    "confirmed",
    "dated_in_future",
    "delete_all",
    "delete_rows",
    "erasures_tables",
    "expired",
    "forget",
    "holds_intents",
    "intents_table",
    "no_progress",
    "put_all",
    "put_in_rows",
    "reason_told",
    "refuse_expired",
    "remove_row",
    "settle_each",
    "store_all",
    "too_new_to_delete",
    "writers_of",
]
