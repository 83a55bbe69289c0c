"""Writers' clocks that a test sets."""

from shared.writes import WriterClock


class SetClock(WriterClock):
    """A clock that each reading sets `step_ms` ahead, and that otherwise stands still until it is set."""

    def __init__(self, now_ms, step_ms=0):
        super().__init__()
        self.set_ms = now_ms
        self._step_ms = step_ms

    def read_ms(self):
        self.set_ms += self._step_ms
        return self.set_ms

    def other(self, ahead_ms=0):
        """The clock of another process, which is so much ahead."""
        return _ClockAhead(self, ahead_ms)


class _ClockAhead(WriterClock):
    def __init__(self, clock, ahead_ms):
        super().__init__()
        self._clock = clock
        self._ahead_ms = ahead_ms

    def read_ms(self):
        return self._clock.read_ms() + self._ahead_ms
