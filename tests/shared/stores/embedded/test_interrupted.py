"""Ctrl-C at every line of a call: the next call works, and others in this process and in another one do too."""

import linecache
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import happybase
import pytest

from shared.stores.embedded import turns
from shared.stores.embedded.connection import EmbeddedConnection

CALLS: dict[str, Callable[[happybase.Table], Any]] = {
    "increment": lambda table: table.counter_inc(b"c", b"d:n"),
    "delete and put": lambda table: (table.delete(b"r"), table.put(b"r", {b"d:a": b"1"})),
    "get of some columns": lambda table: table.row(b"r", [b"d:a", b"d:b"]),
    "scan in turns": lambda table: list(table.scan()),
}


class Interrupting:
    """Raises KeyboardInterrupt at the given one of the lines that the store and contextlib run."""

    def __init__(self, at: int) -> None:
        self._left = at

    @property
    def is_raised(self) -> bool:
        return self._left < 0

    def trace(self, frame: FrameType, event: str, _: object) -> Any:
        path = Path(frame.f_code.co_filename)
        if "stores" not in path.parts and path.name != "contextlib.py":
            return None
        # A `with` line comes again at the end of its block, where Python looks for no signal.
        is_with = linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip().startswith("with ")
        if event == "line" and not is_with and self._left >= 0:
            self._left -= 1
            if self.is_raised:
                raise KeyboardInterrupt
        return self.trace


def interrupted(call: Callable[[], object], at: int) -> KeyboardInterrupt | None:
    """Runs a call that is interrupted at one of its lines; None if it had fewer."""
    interrupting = Interrupting(at)
    before = sys.gettrace()
    sys.settrace(interrupting.trace)
    try:
        call()
    except KeyboardInterrupt as error:
        return error  # with its traceback, as a console keeps it
    finally:
        sys.settrace(before)
    assert not interrupting.is_raised
    return None


# Every twentieth line, from a random one on; the long tests interrupt every line.
@pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:a put without a timestamp")
def test_a_call_that_is_interrupted_leaves_nothing_behind(name, every, tmp_path, monkeypatch):
    if name == "scan in turns":
        monkeypatch.setattr(turns, "TURN_S", 0)  # every turn ends after its first row
    path = tmp_path / "store.db"
    table = EmbeddedConnection(str(path), wait_s=0.5).table("t")
    table.connection.create_table("t", {"d": {}})
    other = EmbeddedConnection(str(path), wait_s=0.5).table("t")
    with ThreadPoolExecutor(1) as pool:
        for at in count(random.randrange(every), every):
            error = interrupted(lambda: CALLS[name](table), at)
            if error is None:
                break
            assert pool.submit(other.put, b"other", {b"d:a": b"%d" % at}).result(5) is None
            assert pool.submit(table.row, b"other").result(5) == {b"d:a": b"%d" % at}
            pool.submit(table.put, b"same", {b"d:a": b"1"}).result(5)
        assert at > 20
    assert table.row(b"same") == {b"d:a": b"1"}
