"""Servers as processes of their own: started with a log, waited for, killed together, kept until Ctrl-C."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

from attrs import define, field

from tests.programs.hbase.java import NotStarted, java_command

Answer = TypeVar("Answer")


@define
class Servers:
    """Servers of one kind, each a process of Java with a log of its own in one folder."""

    kind: str
    folder: Path
    running: "dict[str, subprocess.Popen[bytes]]" = field(factory=dict)

    def log(self, name: str) -> Path:
        """Where a server writes what goes wrong."""
        return self.folder / f"{name}.log"

    def start(self, name: str, heap_mb: int, class_path: list[Path | str], *arguments: str) -> None:
        """Starts a server in a session of its own: Ctrl-C reaches this process, which ends the others in order."""
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        with self.log(name).open("wb") as output:
            self.running[name] = subprocess.Popen(
                [*java_command(heap_mb, class_path), f"-Djava.io.tmpdir={temporary}", *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait(self, name: str, ready: Callable[[str], Answer], within_s: float) -> Answer:
        """What `ready` returns of the server's log, once that is true; NotStarted if the server ends before."""
        latest_s = time.monotonic() + within_s
        while not (answer := ready(text := self.log(name).read_text(errors="replace"))):
            ended = self.running[name].poll()
            if ended is not None:
                in_use = "Address already in use" in text
                reason = ", a port that was free is in use now: start it again" if in_use else ""
                raise NotStarted(f"{self.kind}: {name} ended with {ended}{reason}; log: {self.log(name)}")
            if time.monotonic() > latest_s:
                hint = f"is the machine busy? log: {self.log(name)}"
                raise NotStarted(f"{self.kind}: {name} must be ready in {within_s} s: {hint}")
            time.sleep(0.1)
        return answer

    def kill(self, *names: str) -> None:
        """Ends these at once, as `kill -9` does; all of them if none is named."""
        ended = [process for name in names or [*self.running] if (process := self.running.pop(name, None))]
        for process in ended:
            process.kill()
        for process in ended:
            process.wait()


@contextmanager
def new_folder(prefix: str) -> Generator[Path]:
    """A folder that is deleted in the end, unless a server did not start: then the error names its log."""
    folder = Path(mkdtemp(prefix=prefix))
    is_kept = False
    try:
        yield folder
    except NotStarted:
        is_kept = bool([*folder.glob("*.log")])
        raise
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)


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
