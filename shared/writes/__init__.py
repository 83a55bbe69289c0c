"""Puts of rows: `dated_cells.py` and `batches.py` put them, `expiring.py` refuses some, `clock.py` is the clock.

The caller passes each put its date: a table without lists takes the clock's or that of the record
(`sources/table.py`), a source one that is later than its own last one (`intents/write_steps.py`).
`dictionaries.py` gives names numbers.

May import `keys`, `tables`, `queries` and `events`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .batches import NotAllStored as NotAllStored
    from .batches import delete_all as delete_all
    from .batches import delete_rows as delete_rows
    from .batches import put_all as put_all
    from .batches import store_all as store_all
    from .clock import CLOCK as CLOCK
    from .clock import WriterClock as WriterClock
    from .dictionaries import Dictionary as Dictionary
    from .dictionaries import IdTaken as IdTaken
    from .dictionaries import NameTaken as NameTaken
    from .dictionaries import UnknownName as UnknownName
    from .expiring import Expired as Expired
    from .expiring import allow_expired as allow_expired
    from .expiring import refuse_expired as refuse_expired
    from .server_clock import ClockSkew as ClockSkew
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        batches="NotAllStored delete_all delete_rows put_all store_all",
        clock="CLOCK WriterClock",
        dictionaries="Dictionary IdTaken NameTaken UnknownName",
        expiring="Expired allow_expired refuse_expired",
        server_clock="ClockSkew",
    )
