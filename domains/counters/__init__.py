"""Logins of each user and day, counted from one cell for each login, so that a retry never counts twice."""

from .keys import TABLES
from .records import DAY_MS, DayCount, Login, Repeats
from .repository import LoginRepository

__all__ = ["DAY_MS", "TABLES", "DayCount", "Login", "LoginRepository", "Repeats"]
