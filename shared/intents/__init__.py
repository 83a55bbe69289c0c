"""Writes over several rows that survive a crash.

To read: `writer.py` says how, and why it holds; it also recovers the writes of dead writers. `attempts.py` runs one
attempt, from reading the source to ending the intent: it finds which lines of the lists change, sends the decision, a
`checkAndPut`, and puts and deletes the lines. `write_steps.py` has the calls of these steps, and chooses the dates.
`source_cells.py` is the cell of a source; `slots.py` declares an intent and its row, `intent_rows.py` puts, reads and
ends them. `comparing_lines.py` and `verifying.py` find what disagrees; `work_in_steps.py` continues work of many steps,
such as a fan-out.

May import `keys`, `records`, `tables`, `queries`, `writes`, `upkeep` and `events`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .attempts import UnknownOutcome as UnknownOutcome
    from .erasing import Erasures as Erasures
    from .erasures_table import Erasure as Erasure
    from .erasures_table import ErasuresTable as ErasuresTable
    from .source_cells import SourceRow as SourceRow
    from .times import KEEP_TOMBSTONES_MS as KEEP_TOMBSTONES_MS
    from .verifying import WriterUpkeep as WriterUpkeep
    from .without_intents import forget as forget
    from .writer import IntentWriter as IntentWriter
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        without_intents="forget",
        erasing="Erasures",
        erasures_table="Erasure ErasuresTable",
        source_cells="SourceRow",
        times="KEEP_TOMBSTONES_MS",
        verifying="WriterUpkeep",
        writer="IntentWriter",
        attempts="UnknownOutcome",
    )
