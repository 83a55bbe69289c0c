"""Parking sessions, charging sessions, calls: at most one is open for each car, whatever crashes and whoever writes."""

from .sessions import (
    TABLES,
    AlreadySettled,
    CarIsParked,
    EndedSession,
    NumberTaken,
    Session,
    Sessions,
    UnknownSession,
)

__all__ = [
    "TABLES",
    "AlreadySettled",
    "CarIsParked",
    "EndedSession",
    "NumberTaken",
    "Session",
    "Sessions",
    "UnknownSession",
]
