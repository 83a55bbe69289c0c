"""Writes over several rows that survive a crash; `writer.py` says how, and why it holds.

May import `keys`, `records`, `tables`, `queries`, `writes`, `upkeep` and `events`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .claiming import claim as claim
    from .claiming import forget as forget
    from .erasing import ErasedName as ErasedName
    from .erasing import ErasedSource as ErasedSource
    from .erasing import Erasure as Erasure
    from .erasing import Erasures as Erasures
    from .erasing import ErasureTables as ErasureTables
    from .erasing import erasures_tables as erasures_tables
    from .erasure_upkeep import PersonErasures as PersonErasures
    from .intent_rows import Pending as Pending
    from .intent_rows import dated_in_future as dated_in_future
    from .reading import Derived as Derived
    from .reading import SourceReader as SourceReader
    from .slots import Intent as Intent
    from .slots import holds_intents as holds_intents
    from .slots import intents_table as intents_table
    from .sources import SourceCells as SourceCells
    from .sources import SourceRow as SourceRow
    from .times import FUTURE_MS as FUTURE_MS
    from .times import KEEP_TOMBSTONES_MS as KEEP_TOMBSTONES_MS
    from .unfinished import UnfinishedWork as UnfinishedWork
    from .verifying import WriterUpkeep as WriterUpkeep
    from .writer import IntentWriter as IntentWriter
    from .writer import writers_of as writers_of
    from .writing import UnknownOutcome as UnknownOutcome
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        claiming="claim forget",
        erasing="ErasedName ErasedSource Erasure Erasures ErasureTables erasures_tables",
        erasure_upkeep="PersonErasures",
        intent_rows="Pending dated_in_future",
        reading="Derived SourceReader",
        slots="Intent holds_intents intents_table",
        sources="SourceCells SourceRow",
        times="FUTURE_MS KEEP_TOMBSTONES_MS",
        unfinished="UnfinishedWork",
        verifying="WriterUpkeep",
        writer="IntentWriter writers_of",
        writing="UnknownOutcome",
    )
