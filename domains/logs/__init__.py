"""Log events under rival row keys, measured side by side."""

from .keys import LOGS
from .records import LogEvent, Repeats
from .repository import LogRepository, NotAllStored

__all__ = ["LOGS", "LogEvent", "LogRepository", "NotAllStored", "Repeats"]
