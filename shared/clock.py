"""The writer's clock: cell timestamps for rows that change."""

import threading
import time


class WriterClock:
    """Milliseconds since 1970, each reading later than the one before.

    HBase keeps the cell with the larger timestamp, whatever came last, and two puts of one millisecond overwrite each
    other. So a writer's changes carry timestamps that never stand still and never go back, even where the system's
    clock does.
    """

    def __init__(self) -> None:
        self._last_ms = 0
        self._lock = threading.Lock()

    def now_ms(self, above_ms: int = 0) -> int:
        """The time, later than every reading before, and than `above_ms`: the timestamp of what is overwritten."""
        with self._lock:
            self._last_ms = max(time.time_ns() // 1_000_000, self._last_ms + 1)
            return max(self._last_ms, above_ms + 1)
