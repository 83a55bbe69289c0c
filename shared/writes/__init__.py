"""What code that writes rows needs: a clock, batches, writes over several rows that survive a crash, dictionaries.

May import `keys`, `tables` and `queries`.
"""

from .batches import NotAllStored, put_all, put_in_rows, store_all
from .claiming import claim, forget
from .clock import CLOCK, Moment, WriterClock
from .dictionaries import Dictionary, NameTaken, NoFreeId, UnknownName
from .erasing import ErasedName, ErasedSource, Erasure, Erasures, ErasureTables, erasures_tables
from .erasure_upkeep import PersonErasures
from .findings import Finding, Instructions
from .intents import KEEP_TOMBSTONES_MS, IntentWriter, Pending, UnknownOutcome
from .reading import Derived, SourceReader
from .recovery import Recovery, settle_each
from .server_clock import ClockSkew
from .slots import Intent, holds_intents, intents_table
from .sources import Source, SourceCells
from .unfinished import UnfinishedWork
from .upkeep import CombinedUpkeep, Erases, Upkeep
from .verifying import WriterUpkeep

__all__ = [
    "CLOCK",
    "KEEP_TOMBSTONES_MS",
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
    "Finding",
    "Instructions",
    "Intent",
    "IntentWriter",
    "Moment",
    "NameTaken",
    "NoFreeId",
    "NotAllStored",
    "Pending",
    "PersonErasures",
    "Recovery",
    "Source",
    "SourceCells",
    "SourceReader",
    "UnfinishedWork",
    "UnknownName",
    "UnknownOutcome",
    "Upkeep",
    "WriterClock",
    "WriterUpkeep",
    "claim",
    "erasures_tables",
    "forget",
    "holds_intents",
    "intents_table",
    "put_all",
    "put_in_rows",
    "settle_each",
    "store_all",
]
