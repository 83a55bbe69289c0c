"""Metrics of hosts: a row for each hour of a metric, and a cell for each point."""

from .keys import TABLES
from .records import Average, Point
from .repository import PointRepository

__all__ = ["TABLES", "Average", "Point", "PointRepository"]
