"""Clocks of tests: those of a machine, which pass as a test says, and a writer's clock that somebody sets."""

import time

from shared.writes import WriterClock


def now_ms() -> int:
    """The time now, in milliseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1_000_000


class Machine:
    """The clocks of a machine, and of its embedded store: they pass together."""

    def __init__(self) -> None:
        self._passed_ms = 0
        self._system_ns = time.time_ns
        self._monotonic_ns = time.monotonic_ns

    def passes(self, milliseconds: int) -> None:
        """Lets time pass for everyone."""
        self._passed_ms += milliseconds

    @property
    def now_ms(self) -> int:
        """The time now, in milliseconds since 1970-01-01 UTC."""
        return self.time_ns() // 1_000_000

    def time_ns(self) -> int:
        return self._system_ns() + self._passed_ms * 1_000_000

    def monotonic_ns(self) -> int:
        return self._monotonic_ns() + self._passed_ms * 1_000_000


class SetClock(WriterClock):
    """The writer's clock of a host that is ahead of all others."""

    def __init__(self, ahead_ms: int = 0) -> None:
        super().__init__()
        self.ahead_ms = ahead_ms

    def read_ms(self) -> int:
        return super().read_ms() + self.ahead_ms
