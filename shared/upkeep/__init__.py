"""The upkeep of a design: findings, what to do about them, and what recovers interrupted work.

May import `keys`, `tables`, `queries`, `writes` and `events`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checkpoints import Checkpoint as Checkpoint
    from .combined import CombinedUpkeep as CombinedUpkeep
    from .combined import Erases as Erases
    from .combined import Upkeep as Upkeep
    from .combined import no_progress as no_progress
    from .findings import NOTHING_TOLD as NOTHING_TOLD
    from .findings import TIMES_READ_AGAIN as TIMES_READ_AGAIN
    from .findings import Finding as Finding
    from .findings import Instructions as Instructions
    from .findings import Mendable as Mendable
    from .findings import confirmed as confirmed
    from .findings import reason_told as reason_told
    from .findings import too_new_to_delete as too_new_to_delete
    from .recovery import Recovery as Recovery
    from .recovery import settle_each as settle_each
    from .unreadable import UnreadableRows as UnreadableRows
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        checkpoints="Checkpoint",
        combined="CombinedUpkeep Erases Upkeep no_progress",
        findings="NOTHING_TOLD TIMES_READ_AGAIN Finding Instructions Mendable confirmed reason_told too_new_to_delete",
        recovery="Recovery settle_each",
        unreadable="UnreadableRows",
    )
