"""The records that the suite loads into `counters`: logins, from files of several formats."""

from pathlib import Path

from shared.designs import Load

from .formats import FORMATS
from .records import DAY_MS, Login, Repeats
from .repository import LoginRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "counters" / "logins.csv"
LAST_DAY_MS = DAY_MS
"""The last day of the samples, in milliseconds; its logins show where new cells go."""

LOGINS_LOAD = Load("logins", Login, LoginRepository.store, SAMPLES, FORMATS, Repeats)
