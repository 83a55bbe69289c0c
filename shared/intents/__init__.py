"""Writes over several rows that survive a crash; `writer.py` says how, and why it holds.

May import `keys`, `records`, `tables`, `queries`, `writes`, `upkeep` and `events`.
"""

from .claiming import claim, forget
from .erasing import Erasures, dated_in_future
from .erasures_table import ErasedName, ErasedSource, Erasure, ErasuresTable
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
    "Erasures",
    "ErasuresTable",
    "Intent",
    "IntentWriter",
    "Pending",
    "SourceCells",
    "SourceReader",
    "SourceRow",
    "UnfinishedWork",
    "UnknownOutcome",
    "WriterUpkeep",
    "claim",
    "dated_in_future",
    "forget",
    "holds_intents",
    "intents_table",
    "writers_of",
]
