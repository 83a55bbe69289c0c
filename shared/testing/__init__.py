"""Tools for tests: contracts to inherit, what they need of a design, a connection that is stopped.

May import all other rooms; no other room and no design imports it. Contracts need pytest; all else does not.
"""

from typing import TYPE_CHECKING

from .contents import Contents, sources, sources_and_lines
from .erased_person import ErasedPerson
from .stopped_writes import StoppedWrites, Store, View, Write, store_at_once
from .watched_connection import (
    Call,
    ReplyLost,
    Stop,
    WatchedConnection,
    WriterDied,
    dying_at,
    paused_at,
    paused_at_call,
    stopped_at,
)

if TYPE_CHECKING:
    from .contracts import CrashContract, DesignContract, ErasureContract, PlainList, PlainListContract

__all__ = [
    "Call",
    "Contents",
    "CrashContract",
    "DesignContract",
    "ErasedPerson",
    "ErasureContract",
    "PlainList",
    "PlainListContract",
    "ReplyLost",
    "Stop",
    "StoppedWrites",
    "Store",
    "View",
    "WatchedConnection",
    "Write",
    "WriterDied",
    "dying_at",
    "paused_at",
    "paused_at_call",
    "sources",
    "sources_and_lines",
    "stopped_at",
    "store_at_once",
]

if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name):
        from importlib import import_module

        if name in __all__:
            return getattr(import_module(f"{__name__}.contracts"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
