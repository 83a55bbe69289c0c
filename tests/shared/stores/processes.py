"""Processes for tests: forked, since Python takes half a second to start."""

import contextlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any


class Process:
    """A fork that runs `work`, which may report results; what it reported before it died can be read."""

    def __init__(self, work: Callable[[Callable[[Any], None]], None]) -> None:
        self._reports, reports = os.pipe()
        sys.stdout.flush()
        self.id = os.fork()
        if self.id == 0:
            status = 1
            with contextlib.suppress(BaseException):
                try:
                    work(lambda result: _write(reports, result))
                    status = 0
                except BaseException:
                    traceback.print_exc()
            os._exit(status)  # the parent's connections stay as they are
        os.close(reports)

    def kill(self) -> None:
        """Ends it at once, as `kill -9` does."""
        os.kill(self.id, signal.SIGKILL)

    def reports(self) -> Iterator[Any]:
        """What it reports, until it ends."""
        with open(self._reports, "rb") as lines:
            yield from (json.loads(line) for line in lines if line.endswith(b"\n"))

    def wait(self) -> int:
        """The exit code, or the negative number of the signal that ended it."""
        return os.waitstatus_to_exitcode(os.waitpid(self.id, 0)[1])


def _write(descriptor: int, result: Any) -> None:
    os.write(descriptor, json.dumps(result).encode() + b"\n")


def run(work: Callable[[Callable[[Any], None]], None]) -> list[Any]:
    """What a process reports that must end well."""
    process = Process(work)
    reports = list(process.reports())
    assert process.wait() == 0
    return reports
