"""Records that are stored in memory again make the same bytes: the same dates, write ids and random numbers."""

import os
import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from typing import Any

from ..designs.design import same_random_numbers
from ..intents.slots import SLOTS
from ..writes import clock as clocks

BEGIN_MS = 1_800_000_000_000
"""The first date that a clock shows in a block, milliseconds since 1970: in January 2027."""


@contextmanager
def same_bytes_each_time() -> Generator[None]:
    """In the block, what is stored has the same bytes each time; for stores in memory, in one thread.

    Each time they are read, the clocks of the machine show the next millisecond. Random bytes and numbers come from a
    fixed seed. After the block, all of them go on as if there had been no block.
    """
    _ = SLOTS.process  # drawn before the block, because no two processes may have the same id
    milliseconds = count(BEGIN_MS)

    def next_ns() -> int:
        return next(milliseconds) * 1_000_000

    replaced: list[tuple[Any, str, Any]] = [
        (time, "time_ns", next_ns),
        (clocks, "_NEVER_SET", list[Callable[[], int]]()),
        (clocks.CLOCK, "_last_ms", 0),
        (os, "urandom", random.Random(BEGIN_MS).randbytes),
    ]
    before = [getattr(owner, name) for owner, name, _ in replaced]
    try:
        for owner, name, value in replaced:
            setattr(owner, name, value)
        with same_random_numbers():
            yield
    finally:
        for (owner, name, _), value in zip(replaced, before, strict=True):
            setattr(owner, name, value)
