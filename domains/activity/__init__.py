"""What users did, found by user and by time, newest first."""

from shared.records import Repeats
from shared.writes import NotAllStored

from .keys import ACTIVITY, TABLES
from .records import Action
from .repository import ActivityRepository

__all__ = ["ACTIVITY", "TABLES", "Action", "ActivityRepository", "NotAllStored", "Repeats"]
