"""The records that the suite loads into `logs`: events, from files of several formats."""

from pathlib import Path

from shared.designs import Load

from .formats import FORMATS
from .records import LogEvent, Repeats
from .repository import LogRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "logs" / "logs.jsonl"
LAST_MINUTE_MS = 60_000
"""The busy last minute of the samples, in milliseconds; its writes show where new rows go."""

EVENTS = Load("events", LogEvent, LogRepository.store, SAMPLES, FORMATS, Repeats)
