"""The upkeep of a design: findings, what to do about them, and what recovers interrupted work.

A part of an upkeep is a class that extends `Upkeep` and writes one method, `found`. It yields each finding as a
`Mendable`: with what mends it, and with what discards it if `repair` is told to. `verify` and `repair` follow from it.
`CombinedUpkeep` makes one upkeep of several parts.

May import `keys`, `tables`, `queries`, `writes` and `events`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .findings import Finding as Finding
    from .findings import Instructions as Instructions
    from .findings import Mendable as Mendable
    from .parts import CombinedUpkeep as CombinedUpkeep
    from .parts import Upkeep as Upkeep
    from .unreadable import UnreadableRows as UnreadableRows
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        parts="CombinedUpkeep Upkeep",
        findings="Finding Instructions Mendable",
        unreadable="UnreadableRows",
    )
