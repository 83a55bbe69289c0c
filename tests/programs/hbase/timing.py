"""How long a call takes."""

import time
from collections.abc import Callable


def milliseconds(call: Callable[[], object]) -> float:
    """The time that a call takes."""
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000
