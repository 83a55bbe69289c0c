"""Metrics of hosts: a row for each hour of a metric, and a cell for each point."""

from shared.writes import NotAllStored

from .keys import TABLES
from .records import Average, Point
from .repository import PointRepository

__all__ = ["TABLES", "Average", "NotAllStored", "Point", "PointRepository"]
