"""Processes that tests start and kill, and files in which they write what they were answered."""

import json
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

_CONTEXT = get_context("forkserver")
"""Its processes start in milliseconds, and inherit no connection and no lock of a thread."""
_PRELOADED = ["domains.orders.shown.design", "tests.shared.intents.changing"]


class Log:
    """A file of JSON lines; a line is whole in it as soon as `write` returns, even if the process is then killed."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, **entry: Any) -> None:
        """Appends one line."""
        os.write(self._descriptor, json.dumps(entry).encode() + b"\n")


def entries(folder: Path) -> list[dict[str, Any]]:
    """What all logs of a folder hold."""
    return [json.loads(line) for file in sorted(folder.glob("*.log")) for line in file.read_text().splitlines()]


@contextmanager
def running(target: Callable[..., object], *arguments: Any) -> Iterator[BaseProcess]:
    """A process that runs `target`; if it still runs when the block ends, it is killed."""
    _CONTEXT.set_forkserver_preload(_PRELOADED)
    process = _CONTEXT.Process(target=target, args=arguments)
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def wait_for(happened: Callable[[], object], process: BaseProcess, within_s: float = 60) -> None:
    """Returns as soon as something happened; fails if the process ends before."""
    latest_s = time.monotonic() + within_s
    while not happened():
        assert process.is_alive(), f"the process ended with {process.exitcode}"
        assert time.monotonic() < latest_s, "the process stands still"
        time.sleep(0.001)


def kill_at_random(process: BaseProcess, dice: random.Random, within_s: float, *, may_fail: bool = False) -> bool:
    """Kills a process at a moment of the next `within_s` seconds; returns whether it still ran.

    Fails if the process had failed, unless it may: because servers are killed, too.
    """
    process.join(dice.uniform(0, within_s))
    was_running = process.is_alive()
    assert was_running or may_fail or process.exitcode == 0, f"the process ended with {process.exitcode}"
    process.kill()  # SIGKILL
    process.join()
    return was_running
