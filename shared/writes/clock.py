"""The writer's clock: cell timestamps for rows that change, and elapsed time."""

import os
import threading
import time
from functools import partial

import attrs

# One lock for all clocks, because a forked child must replace it: a thread that only the parent has may hold it.
_lock = threading.Lock()

_NEVER_SET = [time.monotonic_ns]
"""The clocks of the machine that cannot be set, in nanoseconds since any time."""
if hasattr(time, "CLOCK_BOOTTIME"):  # the only one that keeps running while the machine is suspended
    _NEVER_SET.append(partial(time.clock_gettime_ns, time.CLOCK_BOOTTIME))


def _replace_lock() -> None:
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_replace_lock)


@attrs.frozen
class Moment:
    """All clocks of the machine, read at once."""

    wall_ms: int
    """The writer's clock, in milliseconds since 1970-01-01 UTC."""
    others_ms: tuple[int, ...]
    """The clocks that cannot be set, in milliseconds since any time."""

    def elapsed_ms(self, since: "Moment") -> int:
        """The time since an earlier moment, by the clock that shows the most: one may have been set back or stopped."""
        return max(self._elapsed_ms(since))

    def drift_ms(self, since: "Moment") -> int:
        """By how much the clocks disagree about the time since an earlier moment."""
        elapsed_ms = self._elapsed_ms(since)
        return max(elapsed_ms) - min(elapsed_ms)

    def _elapsed_ms(self, since: "Moment") -> list[int]:
        others = zip(self.others_ms, since.others_ms, strict=True)
        return [self.wall_ms - since.wall_ms, *(now_ms - then_ms for now_ms, then_ms in others)]


class WriterClock:
    """A clock in milliseconds since 1970-01-01 UTC whose dates never go back.

    HBase shows the cell with the largest timestamp, whichever was written last, and of two puts with the same
    timestamp the later one replaces the other. So every change must carry a later timestamp than the change before,
    even if the system's clock is set back: every date that `now_ms` returns is later than all that it has returned.
    With more than 1,000 dates per second the clock runs ahead of the system's; a writer that may need more uses
    `read_ms`, and must make sure itself that its dates do not go back.
    """

    def __init__(self) -> None:
        self._last_ms = 0

    def now_ms(self, above_ms: int = 0) -> int:
        """A date for a change: the time now, later than any date before; or `above_ms` + 1, if that is later still.

        `above_ms` is the timestamp of the cell to overwrite. If it is in the future, the clock itself does not move.
        """
        with _lock:
            self._last_ms = max(self.read_ms(), self._last_ms + 1)
            return max(self._last_ms, above_ms + 1)

    def read_ms(self) -> int:
        """The time now. It goes back if the system's clock is set back."""
        return time.time_ns() // 1_000_000

    def moment(self) -> Moment:
        """The time now, by all clocks of the machine."""
        return Moment(self.read_ms(), tuple(now_ns() // 1_000_000 for now_ns in _NEVER_SET))

    def elapsed_ms(self, since: Moment) -> int:
        """The time since a moment; see `Moment.elapsed_ms`."""
        return self.moment().elapsed_ms(since)


CLOCK = WriterClock()
"""The clock of this process. All its writers share it, so that no two changes have the same timestamp."""
