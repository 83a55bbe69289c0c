"""Writes over several rows that survive a crash; `writer.py` says how, and why it holds.

May import `keys`, `records`, `tables`, `queries`, `writes`, `upkeep` and `events`.
"""

from .claiming import claim, forget
from .erasing import ErasedName, ErasedSource, Erasure, Erasures, ErasureTables, dated_in_future, erasures_tables
from .erasure_upkeep import PersonErasures
from .intent_rows import Pending
from .reading import Derived, SourceReader
from .slots import Intent, holds_intents, intents_table
from .sources import SourceCells, SourceRow
from .steps import FUTURE_MS, KEEP_TOMBSTONES_MS
from .unfinished import UnfinishedWork
from .verifying import WriterUpkeep
from .writer import IntentWriter, writers_of
from .writing import UnknownOutcome

__all__ = [
    "FUTURE_MS",
    "KEEP_TOMBSTONES_MS",
    "Derived",
    "ErasedName",
    "ErasedSource",
    "Erasure",
    "ErasureTables",
    "Erasures",
    "Intent",
    "IntentWriter",
    "Pending",
    "PersonErasures",
    "SourceCells",
    "SourceReader",
    "SourceRow",
    "UnfinishedWork",
    "UnknownOutcome",
    "WriterUpkeep",
    "claim",
    "dated_in_future",
    "erasures_tables",
    "forget",
    "holds_intents",
    "intents_table",
    "writers_of",
]
