"""What code that writes rows needs: a clock, many records in few calls, writes over several rows that survive a crash.

May import `keys`, `tables` and `queries`.
"""

from .batches import NotAllStored, put_all, store_all
from .clock import CLOCK, WriterClock
from .intents import KEEP_TOMBSTONES_MS, IntentWriter, Pending, Recovery, UnknownOutcome
from .server_clock import ClockSkew
from .slots import Intent, intents_table
from .sources import Source, SourceCells

__all__ = [
    "CLOCK",
    "KEEP_TOMBSTONES_MS",
    "ClockSkew",
    "Intent",
    "IntentWriter",
    "NotAllStored",
    "Pending",
    "Recovery",
    "Source",
    "SourceCells",
    "UnknownOutcome",
    "WriterClock",
    "intents_table",
    "put_all",
    "store_all",
]
