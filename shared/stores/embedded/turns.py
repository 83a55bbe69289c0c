"""How long calls leave the engine to others: all use it one at a time, under its lock, and a long one in turns."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from Hbase_thrift import TCell, TRowResult

# Reading or writing some thousand cells takes as long.
TURN_S = 0.004

_LET_IN_S = 0.00005

Watch: TypeAlias = Callable[[Sequence[TRowResult | TCell]], None]
"""Is told what a call adds to its reply in each turn, and may raise to end the call."""


def turn_end_s() -> float:
    """The monotonic time when a turn that begins now has to end."""
    return time.monotonic() + TURN_S


def let_others_in() -> None:
    """Pauses between two turns: a thread that takes a lock again at once mostly gets it before those that wait."""
    if threading.active_count() > 1:
        time.sleep(_LET_IN_S)
