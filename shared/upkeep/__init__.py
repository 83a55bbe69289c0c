"""The upkeep of a design: findings, what to do about them, and what recovers interrupted work.

May import `keys`, `tables`, `queries`, `writes` and `events`.
"""

from .checkpoints import Checkpoint
from .combined import CombinedUpkeep, Erases, Upkeep, no_progress
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
from .recovery import Recovery, settle_each
from .unreadable import UnreadableRows

__all__ = [
    "NOTHING_TOLD",
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
    "no_progress",
    "reason_told",
    "settle_each",
    "too_new_to_delete",
]
