"""Whose turn it is to use an engine: one call at a time, and a long one lets the others in between."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Self, TypeAlias

from Hbase_thrift import TRowResult

# Reading or writing some thousand cells takes as long.
TURN_S = 0.01

Watch: TypeAlias = Callable[[Sequence[TRowResult]], None]
"""Is told what a call adds to its reply in each turn, and may raise to end the call."""


class Turns:
    """A lock that waiting threads get before the one which has just released it; not reentrant.

    A thread that released a plain lock and takes it again at once nearly always gets it, however long others waited.
    """

    def __init__(self) -> None:
        self._next = threading.Lock()  # held by the one thread that waits for the engine; all others wait behind it
        self._engine = threading.Lock()
        self.ends_s = 0.0
        """The monotonic time after which the thread whose turn it is should let others in."""

    def __enter__(self) -> Self:
        with self._next:
            self._engine.acquire()
        self.ends_s = time.monotonic() + TURN_S
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.release()
