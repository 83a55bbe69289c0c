"""A change log as rows: the history of each record, the log of each source, and copies that lose no change."""

from shared.writes import NotAllStored

from .keys import TABLES
from .records import Change, State
from .repository import ChangeRepository
from .storing import AnotherWriter, RefusedChange

__all__ = ["TABLES", "AnotherWriter", "Change", "ChangeRepository", "NotAllStored", "RefusedChange", "State"]
