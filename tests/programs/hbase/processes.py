"""Servers as processes of their own: started with a log, killed together, kept until Ctrl-C."""

import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from tests.programs.hbase.java import NotStarted


def in_background(command: Sequence[str | Path], log: Path, folder: Path | None = None) -> "subprocess.Popen[bytes]":
    """Starts a server in a session of its own: Ctrl-C reaches this process, which ends the others in order."""
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def kill_all(processes: "Iterable[subprocess.Popen[bytes]]") -> None:
    """Ends them at once, as `kill -9` does."""
    processes = list(processes)
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()


def until_ctrl_c(started: AbstractContextManager[Iterable[str]]) -> int:
    """Keeps what runs in a block, which gives the lines to print, until Ctrl-C; the exit code."""
    # A command that a shell runs in the background ignores the first.
    for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signal_number, signal.default_int_handler)
    try:
        with started as lines:
            print(*lines, sep="\n", flush=True)
            signal.pause()
    except KeyboardInterrupt:
        return 130
    except NotStarted as error:
        print(error, file=sys.stderr)
        return 1
    return 0
