"""The writer's clock: cell timestamps for rows that change."""

import threading
import time


class WriterClock:
    """Milliseconds since 1970 that never stand still and never go back.

    HBase keeps the cell with the larger timestamp, whatever came last, and two puts of one millisecond overwrite each
    other. So each of a writer's changes carries a later timestamp than the one before, even where the system's clock
    was set back.
    """

    def __init__(self) -> None:
        self._last_ms = 0
        self._lock = threading.Lock()

    def now_ms(self, above_ms: int = 0) -> int:
        """The time, and never one that was read before; or the first one above `above_ms`, where that is later.

        `above_ms` is the timestamp of the cell to overwrite. One in the future moves this cell only, not the clock.
        """
        with self._lock:
            self._last_ms = max(time.time_ns() // 1_000_000, self._last_ms + 1)
            return max(self._last_ms, above_ms + 1)


CLOCK = WriterClock()
"""The clock of this process: all its writers share one, so that no two of their changes carry one timestamp."""
