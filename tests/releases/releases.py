"""Releases of orders in processes of their own: of this tree, and a later one made from this tree."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.wheels import LIBRARIES, clean_environment

ROOT = Path(__file__).parents[2]
ACTOR = Path(__file__).with_name("actor.py")
LATER = Path(__file__).with_name("later.py")

EDITS = (
    ("records.py", '"shipped", "cancelled"]', '"shipped", "cancelled", "refunded"]'),
    ("records.py", '    "shipped": (),\n', '    "shipped": ("refunded",),\n    "refunded": (),\n'),
    (
        "records.py",
        '    status: Status = attrs.field(default="placed", validator=one_of(*STATUSES))\n',
        '    status: Status = attrs.field(default="placed", validator=one_of(*STATUSES))\n'
        "    priority: int = attrs.field(default=1, validator=integer())\n",
    ),
    ("keys.py", '"cancelled": 4}', '"cancelled": 4, "refunded": 5}'),
    (
        "keys.py",
        '        "status": Column("o:st"),\n',
        '        "status": Column("o:st"),\n        "priority": Column("o:p"),\n',
    ),
)
"""What the later release changes in files of the design, besides `later.py`: a status, and a column with a default."""


@frozen
class Release:
    """What a process needs to run one release."""

    path: Path
    """The folder that PYTHONPATH names."""
    module: str
    """The module of the design."""


def present_release(folder: Path) -> Release:
    """A copy of the design, as this tree has it."""
    for room in ("shared", "domains/orders"):
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "domains" / "__init__.py", folder / "domains")
    return Release(folder, "domains.orders")


def later_release(folder: Path) -> Release:
    """The same with a new status, a new column and a new list."""
    present_release(folder)
    design = folder / "domains" / "orders"
    for name, old, new in EDITS:
        text = (design / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name}: {old!r} must occur once"
        (design / name).write_text(text.replace(old, new), encoding="utf-8")
    shutil.copy(LATER, design)
    return Release(folder, "domains.orders.later")


class Actor:
    """A process with a release, which does what it is told, and can be killed."""

    def __init__(self, release: Release, url: str) -> None:
        command = [sys.executable, "-S", str(ACTOR), release.module, url]  # -S: without the checkout
        environment = clean_environment([release.path, LIBRARIES])
        self._process = subprocess.Popen(
            command, cwd=release.path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.answer() == "ready"

    def begin(self, method: str, *arguments: object) -> None:
        """Sends a command, and does not wait for its answer."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps([method, *arguments]) + "\n")
        self._process.stdin.flush()

    def reply(self) -> dict[str, Any]:
        """The next answer or refusal."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, f"the process ended with {self._process.wait()}"
        reply: dict[str, Any] = json.loads(line)
        return reply

    def answer(self) -> Any:
        """The next answer; fails if it is a refusal."""
        reply = self.reply()
        assert "refused" not in reply, reply
        return reply["answer"]

    def do(self, method: str, *arguments: object) -> Any:
        """The answer to a command."""
        self.begin(method, *arguments)
        return self.answer()

    def refusal(self, method: str, *arguments: object) -> str:
        """How the command is refused: the class of the error and its message."""
        self.begin(method, *arguments)
        reply = self.reply()
        assert "refused" in reply, reply
        return ": ".join(reply["refused"])

    def kill(self) -> None:
        """Kills the process, whatever it is doing."""
        self._process.kill()
        self._process.communicate()


@contextmanager
def acting(release: Release, url: str) -> Iterator[Actor]:
    """A process with a release, which is killed at the end."""
    actor = Actor(release, url)
    try:
        yield actor
    finally:
        actor.kill()
