"""Releases of orders in processes of their own: of a commit, of this tree, and later ones made from this tree."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from attrs import frozen

from tests.wheels import LIBRARIES, clean_environment

ROOT = Path(__file__).parents[2]
EARLIER = "7b5714b0"
"""The commit of the earlier release. A commit that changes what releases promise each other takes its place."""
ACTOR = Path(__file__).with_name("actor.py")

Edit: TypeAlias = tuple[str, str, str]
"""A file of the design, a text in it, and the text in its place."""

LATER: tuple[Edit, ...] = (
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
        '        "status": "o:st",\n',
        '        "status": "o:st",\n        "priority": "o:p",\n',
    ),
)
"""What the later release changes in files of the design, besides `later.py`: a status, and a column with a default."""
WITHOUT_LIST: tuple[Edit, ...] = (
    *LATER,
    ("keys.py", 'cell="o:order",', 'cell="o:order", dropped_lists=["orders_by_priority"],'),
    ("later.py", 'BY_PRIORITY = LATER.moving_list("orders_by_priority", OrderByPriority)\n', ""),
)
"""The later release without its list by priority."""
WITHOUT_COLUMN: tuple[Edit, ...] = (("keys.py", 'cell="o:order",', 'cell="o:order", dropped=["o:p"],'),)
"""This tree, which knows no priority, and drops that of the later release."""
COLUMN_IN_LIST: tuple[Edit, ...] = (
    (
        "records.py",
        "    status: Status\n\n\n@attrs.frozen\nclass BuyerLine:\n",
        "    status: Status\n    buyer_id: str | None = None\n\n\n@attrs.frozen\nclass BuyerLine:\n",
    ),
)
"""This tree, with the buyer in the lines of a seller's list."""
RENAMED: tuple[Edit, ...] = (
    ("keys.py", "item", "title"),
    ("records.py", "item", "title"),
    ("keys.py", "seller_id", "shop_id"),
    ("records.py", "seller_id", "shop_id"),
    ("repository.py", "seller_id=seller_id", "shop_id=seller_id"),
)
"""This tree, with other names of a field and of a part of the keys."""


def keys_of_sellers(part: str = "Descending(Int64)", prefix: str = "") -> tuple[Edit, ...]:
    """This tree, with another codec of the time, or with a prefix, in the keys of a seller's list."""
    time = '    placed_ms: int = part({}, "when placed, milliseconds since 1970 UTC, newest first")\n'
    start = '    seller_id: str = part(EscapedText, "who sold; any text, and s-1 never matches s-12")\n'
    return (
        ("keys.py", start + time.format("Descending(Int64)"), start + time.format(part)),
        ("keys.py", "OrderBySeller, SellerLine", f"KeyLayout(OrderBySeller{prefix}), SellerLine"),
        ("keys.py", "import Code,", "import KeyLayout, Salt, Code,"),
    )


def salted(buckets: int) -> tuple[Edit, ...]:
    """This tree, with the list of a seller in so many buckets."""
    return keys_of_sellers(prefix=f', Salt(of="order_number", buckets={buckets})')


@frozen
class Release:
    """What a process needs to run one release."""

    path: Path
    """The folder that PYTHONPATH names."""
    module: str
    """The module of the design."""


def changed_release(folder: Path, edits: Iterable[Edit] = (), module: str = "") -> Release:
    """A copy of the design as this tree has it, with these edits, and maybe with a module of this folder."""
    for room in ("shared", "domains/orders"):
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "domains" / "__init__.py", folder / "domains")
    design = folder / "domains" / "orders"
    if module:
        shutil.copy(Path(__file__).with_name(f"{module}.py"), design)
    for name, old, new in edits:
        text = (design / name).read_text(encoding="utf-8")
        assert old in text, f"{name}: has no {old!r}"
        (design / name).write_text(text.replace(old, new), encoding="utf-8")
    return Release(folder, f"domains.orders.{module}" if module else "domains.orders")


def earlier_release(folder: Path) -> Release | None:
    """The design as the earlier commit has it; None if the history does not have that commit."""
    archive = ("git", "archive", "--format=tar", EARLIER, "shared", "domains/__init__.py", "domains/orders")
    packed = subprocess.run(archive, cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        return None
    subprocess.run(("tar", "-x"), cwd=folder, input=packed.stdout, check=True)
    return Release(folder, "domains.orders")


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
