"""A service of a package that `rowbook new` makes, run as its owner would: on a port, in processes of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from urllib.error import URLError
from urllib.request import urlopen

from attrs import define, field

import domains.suite  # noqa: F401 - hands the designs to the command line
from shared.command_line.new_package.folders import write_folder
from shared.command_line.new_package.making import made_files

ROOT = Path(__file__).parents[3]
PACKAGE = "mine"
START_S = 60
UVICORN = ("uvicorn", "--no-access-log", "--log-level", "warning")
GUNICORN = ("gunicorn", "--log-level", "warning")
APP = f"{PACKAGE}.service.web:app"


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


@define
class Service:
    """A running service, which may be killed and started again on the same port."""

    folder: Path
    command: tuple[str, ...]
    """The program that serves, with its options."""
    environment: dict[str, str]
    app: str = APP
    port: int = field(factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What it has printed."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def _log(self) -> Path:
        return Path(gettempdir(), f"rowbook-service-{self.port}.log")

    def start(self) -> None:
        """Starts it, and returns when it answers."""
        program, *options = self.command
        if program == "gunicorn":
            options += ["--bind", f"127.0.0.1:{self.port}"]
        else:
            options += ["--port", str(self.port)]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", program, *options, self.app],
                cwd=self.folder,
                env=os.environ | {"PYTHONPATH": str(self.folder)} | self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        latest_s = time.monotonic() + START_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > latest_s:
                raise RuntimeError(f"the service does not answer:\n{self.log[-2000:]}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        with suppress(URLError, OSError), urlopen(f"{self.url}/live", timeout=5) as answer:
            return bool(answer.status == 200)
        return False

    def workers(self) -> list[int]:
        """The process ids of its workers; its own, if it has none."""
        assert self.process is not None
        children = (
            Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii").split()
        )
        return [int(child) for child in children] or [self.process.pid]

    def kill(self) -> None:
        """Ends all of it as `kill -9` does."""
        self._end(signal.SIGKILL)

    def end(self) -> int:
        """Ends it as a supervisor does, with SIGTERM; returns the exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, number: int) -> int:
        process, self.process = self.process, None
        if process is None:
            return 0
        self._log.unlink(missing_ok=True)
        with suppress(ProcessLookupError):
            if number == signal.SIGKILL:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
        return process.wait(timeout=30)

    @contextmanager
    def running(self) -> "Generator[Service]":
        """Starts it, and kills it in the end."""
        self.start()
        try:
            yield self
        finally:
            self.kill()


@contextmanager
def service(framework: str, design: str, command: tuple[str, ...], **environment: str) -> Generator[Service]:
    """A service of a new package of a design, which is killed in the end; the environment is that of its processes."""
    with TemporaryDirectory(prefix="rowbook-service-") as folder:
        files, _left = made_files(PACKAGE, design, service=framework)
        write_folder(Path(folder, "package"), files)
        with Service(Path(folder, "package"), command, environment).running() as running:
            yield running
