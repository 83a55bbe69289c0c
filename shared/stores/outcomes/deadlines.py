"""The time until which a block of code wants its answers."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_MS = 24 * 60 * 60 * 1000
"""The longest time that a deadline or a URL accepts, a day."""

_end_s: ContextVar[float | None] = ContextVar("end_s", default=None)


@contextmanager
def deadline(within_ms: int) -> Generator[None]:
    """A block, such as a request, whose calls to a store must all be answered within `within_ms`.

        with deadline(800):
            page = orders.of_seller("s-17").page(20)

    A call that is not answered by then raises DeadlineExceeded, and so does every later call in the block; a write that
    was sent by then raises OutcomeUnknown, as after any lost reply. In a block within another one, the earlier deadline
    holds. It holds for this thread, or for this task of asyncio and what it runs with `asyncio.to_thread`; on
    `hbase://` it limits every wait for the gateway but the look-up of the host's name, on an embedded store it refuses
    calls that begin too late. Raises ValueError for a time that is not 1..86,400,000.
    """
    if type(within_ms) is not int or not 1 <= within_ms <= MAX_MS:
        raise ValueError(f"deadline: must be 1..{MAX_MS} ms (got {within_ms!r})")
    end_s = time.monotonic() + within_ms / 1000
    outer_s = _end_s.get()
    token = _end_s.set(end_s if outer_s is None else min(outer_s, end_s))
    try:
        yield
    finally:
        _end_s.reset(token)


def end_s() -> float | None:
    """The deadline of the block, by `time.monotonic`; None without one."""
    return _end_s.get()


def left_s() -> float | None:
    """The seconds until the deadline of the block, at least 0; None without one."""
    end_s = _end_s.get()
    return None if end_s is None else max(0.0, end_s - time.monotonic())


def has_passed() -> bool:
    """Whether the deadline of the block has passed."""
    end_s = _end_s.get()
    return end_s is not None and time.monotonic() >= end_s
