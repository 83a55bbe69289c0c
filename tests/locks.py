"""A lock for work that the processes of a parallel test run must do one after another."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK_FILE = Path(__file__).parents[1] / "pyproject.toml"
"""A file that always exists; a lock does not change it."""


@contextmanager
def one_process_at_a_time() -> Iterator[None]:
    """Waits until no other process is in such a block, for downloads into a folder that all of them share."""
    with LOCK_FILE.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
