"""Logins of each user and day, counted from one cell for each login, so that a retry never counts twice."""

from shared.records import Repeats
from shared.writes import NotAllStored

from .keys import TABLES
from .records import DAY_MS, DayCount, DayState, Login
from .repository import DayClosed, LoginRepository

__all__ = [
    "DAY_MS",
    "TABLES",
    "DayClosed",
    "DayCount",
    "DayState",
    "Login",
    "LoginRepository",
    "NotAllStored",
    "Repeats",
]
