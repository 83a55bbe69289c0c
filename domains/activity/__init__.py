"""What users did, newest first, under seven row keys that are measured side by side."""

from shared.records import Repeats
from shared.writes import NotAllStored

from .keys import ACTIVITY, TABLES
from .records import Action
from .repository import ActivityRepository

__all__ = ["ACTIVITY", "TABLES", "Action", "ActivityRepository", "NotAllStored", "Repeats"]
