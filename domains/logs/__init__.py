"""Log events found by host, kind and time."""

from shared.records import Repeats
from shared.writes import NotAllStored

from .keys import LOGS
from .records import LogEvent
from .repository import LogRepository

__all__ = ["LOGS", "LogEvent", "LogRepository", "NotAllStored", "Repeats"]
