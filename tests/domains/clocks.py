"""A writer's clock that a test sets."""

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
