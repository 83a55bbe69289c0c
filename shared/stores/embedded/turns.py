"""Turns with the engine: calls use it one at a time, under its lock, and a long call releases it between turns."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from Hbase_thrift import TCell, TRowResult

# About the time to read or write some thousand cells.
TURN_S = 0.004

_LET_IN_S = 0.00005

Watch: TypeAlias = Callable[[Sequence[TRowResult | TCell]], None]
"""Called in each turn with the results that a call adds to its reply, and may raise to end the call."""


def turn_end_s() -> float:
    """The monotonic time when a turn that begins now has to end."""
    return time.monotonic() + TURN_S


def let_others_in() -> None:
    """Pauses between two turns: without a pause the same thread would mostly get the lock again."""
    if threading.active_count() > 1:
        time.sleep(_LET_IN_S)
