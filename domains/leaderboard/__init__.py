"""A leaderboard: the best result of each player in a season, and the top of the season, as scores change."""

from .leaderboard import TABLES, Entry, Leaderboard

__all__ = ["TABLES", "Entry", "Leaderboard"]
