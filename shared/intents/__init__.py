"""Writes over several rows that survive a crash; `writer.py` says how, and why it holds.

May import `keys`, `records`, `tables`, `queries`, `writes`, `upkeep` and `events`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .claiming import forget as forget
    from .erasing import Erasures as Erasures
    from .erasures_table import Erasure as Erasure
    from .erasures_table import ErasuresTable as ErasuresTable
    from .sources import SourceRow as SourceRow
    from .times import KEEP_TOMBSTONES_MS as KEEP_TOMBSTONES_MS
    from .verifying import WriterUpkeep as WriterUpkeep
    from .writer import IntentWriter as IntentWriter
    from .writing import UnknownOutcome as UnknownOutcome
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        claiming="forget",
        erasing="Erasures",
        erasures_table="Erasure ErasuresTable",
        sources="SourceRow",
        times="KEEP_TOMBSTONES_MS",
        verifying="WriterUpkeep",
        writer="IntentWriter",
        writing="UnknownOutcome",
    )
