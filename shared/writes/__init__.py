"""Tools for code that puts rows: a clock, records in batches, records that would expire, names with ids.

May import `keys`, `tables`, `queries` and `events`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .batches import NotAllStored as NotAllStored
    from .batches import delete_all as delete_all
    from .batches import delete_rows as delete_rows
    from .batches import put_all as put_all
    from .batches import put_in_rows as put_in_rows
    from .batches import remove_row as remove_row
    from .batches import store_all as store_all
    from .clock import CLOCK as CLOCK
    from .clock import Moment as Moment
    from .clock import WriterClock as WriterClock
    from .dictionaries import CACHED_NAMES as CACHED_NAMES
    from .dictionaries import COUNTER_ROW as COUNTER_ROW
    from .dictionaries import ID_FAMILY as ID_FAMILY
    from .dictionaries import NAME_FAMILY as NAME_FAMILY
    from .dictionaries import Dictionary as Dictionary
    from .dictionaries import IdTaken as IdTaken
    from .dictionaries import NameTaken as NameTaken
    from .dictionaries import NoFreeId as NoFreeId
    from .dictionaries import UnknownName as UnknownName
    from .expiring import Expired as Expired
    from .expiring import ExpiredRecord as ExpiredRecord
    from .expiring import allow_expired as allow_expired
    from .expiring import expired as expired
    from .expiring import refuse_expired as refuse_expired
    from .server_clock import MAX_SKEW_MS as MAX_SKEW_MS
    from .server_clock import ClockSkew as ClockSkew
    from .server_clock import checked_moment as checked_moment
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        batches="NotAllStored delete_all delete_rows put_all put_in_rows remove_row store_all",
        clock="CLOCK Moment WriterClock",
        dictionaries="CACHED_NAMES COUNTER_ROW ID_FAMILY NAME_FAMILY Dictionary IdTaken NameTaken NoFreeId UnknownName",
        expiring="Expired ExpiredRecord allow_expired expired refuse_expired",
        server_clock="MAX_SKEW_MS ClockSkew checked_moment",
    )
