"""The upkeep of a design: findings, what to do about them, and what recovers interrupted work.

A part of an upkeep is a class that extends `Upkeep` and writes one method, `found`. It yields each finding as a
`Mendable`: with what mends it, and with what discards it if `repair` is told to. `verify` and `repair` follow from it.
`CombinedUpkeep` makes one upkeep of several parts.

May import `keys`, `tables`, `queries`, `writes` and `events`.
"""

from .checkpoints import Checkpoint
from .combined import CombinedUpkeep, Erases, Upkeep
from .findings import (
    TIMES_READ_AGAIN,
    Finding,
    Instructions,
    Mendable,
    confirmed,
    mended_together,
    reason_told,
    too_new_to_delete,
)
from .recovery import Recovery, settle_each
from .unreadable import UnreadableRows

__all__ = [
    "TIMES_READ_AGAIN",
    "Checkpoint",
    "CombinedUpkeep",
    "Erases",
    "Finding",
    "Instructions",
    "Mendable",
    "Recovery",
    "UnreadableRows",
    "Upkeep",
    "confirmed",
    "mended_together",
    "reason_told",
    "settle_each",
    "too_new_to_delete",
]
