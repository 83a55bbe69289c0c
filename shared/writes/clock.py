"""The writer's clock: cell timestamps for rows that change."""

import threading
import time


class WriterClock:
    """A clock in milliseconds since 1970-01-01 UTC that never goes back.

    HBase shows the cell with the largest timestamp, whichever was written last, and of two puts with the same
    timestamp the later one replaces the other. So every change must carry a later timestamp than the change before,
    even if the system's clock is set back: every reading of `now_ms` is later than any reading before. With more than
    1,000 such readings a second the clock runs ahead of the system's; a writer that may need more takes `read_ms`.
    """

    def __init__(self) -> None:
        self._last_ms = 0
        self._lock = threading.Lock()

    def now_ms(self, above_ms: int = 0) -> int:
        """The time now, later than any reading before; or `above_ms` + 1, if that is later still.

        `above_ms` is the timestamp of the cell to overwrite. If it is in the future, the clock itself does not move.
        """
        with self._lock:
            self._last_ms = max(time.time_ns() // 1_000_000, self._last_ms + 1)
            return max(self._last_ms, above_ms + 1)

    def read_ms(self) -> int:
        """The time now, which may equal the last reading but is never before it."""
        with self._lock:
            self._last_ms = max(time.time_ns() // 1_000_000, self._last_ms)
            return self._last_ms


CLOCK = WriterClock()
"""The clock of this process. All its writers share it, so that no two changes have the same timestamp."""
