"""What code that writes rows needs: a clock that never goes back, and writes over several rows that survive a crash.

May import `keys`, `tables` and `queries`.
"""

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
    "Pending",
    "Recovery",
    "Source",
    "SourceCells",
    "UnknownOutcome",
    "WriterClock",
    "intents_table",
]
