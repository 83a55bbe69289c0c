"""What code that writes rows needs: a clock, batches, writes over several rows that survive a crash, dictionaries.

May import `keys`, `tables` and `queries`.
"""

from .batches import NotAllStored, put_all, put_in_rows, store_all
from .clock import CLOCK, Moment, WriterClock
from .dictionaries import Dictionary, NameTaken, NoFreeId, UnknownName
from .erasing import ErasedName, ErasedSource, Erasure, Erasures, ErasureTables, erasures_tables
from .findings import Finding, Instructions
from .intents import KEEP_TOMBSTONES_MS, Derived, IntentWriter, Pending, Recovery, UnknownOutcome
from .server_clock import ClockSkew
from .slots import Intent, holds_intents, intents_table
from .sources import Source, SourceCells
from .verifying import Verifier

__all__ = [
    "CLOCK",
    "KEEP_TOMBSTONES_MS",
    "ClockSkew",
    "Derived",
    "Dictionary",
    "ErasedName",
    "ErasedSource",
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
    "Recovery",
    "Source",
    "SourceCells",
    "UnknownName",
    "UnknownOutcome",
    "Verifier",
    "WriterClock",
    "erasures_tables",
    "holds_intents",
    "intents_table",
    "put_all",
    "put_in_rows",
    "store_all",
]
