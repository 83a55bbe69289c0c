"""What a run counts: how its operations went, and every broken promise with an example."""

import threading
from collections import Counter
from enum import StrEnum

from attrs import define, field

_EXAMPLES = 10
_EXAMPLE_LETTERS = 600


class Broken(StrEnum):
    """A promise that was not kept."""

    WRONG_ANSWER = "wrong answer"
    """Rows of another call, rows missing, rows twice, the exception of another call."""
    FALSE_SUCCESS = "false success"
    """A write returned, and the store has nothing of it, nor will it; or its exception was swallowed."""
    EARLY_SUCCESS = "early success"
    """A write returned before the store had it."""
    WRONG_STATE = "wrong state"
    """The store has something that no call wrote, or a call's effect twice."""
    ERROR = "error"
    """An exception that was not promised."""
    UNKNOWN = "unknown without need"
    """OutcomeUnknown or ScanBroken for a call that can be repeated, or without any fault."""
    DROPPED = "dropped socket"
    """The client closed a connection on which all was well."""
    KEPT = "kept socket"
    """The client went on with a connection after an exception that no call declares."""


@define
class Tally:
    """The counts of a run, from any thread."""

    operations: int = 0
    unknown: int = 0
    """Writes that ended with OutcomeUnknown, as they may."""
    scans_broken: int = 0
    """Scans that ended with ScanBroken, as they may."""
    timeouts: int = 0
    """How often a client may have given up, be it that the machine was slow."""
    broken: Counter[Broken] = field(factory=Counter[Broken])
    examples: list[str] = field(factory=list[str])
    shared_least: int = 0
    """What the counter that all threads increment must have reached."""
    shared_most: int = 0
    """What it may have reached at most."""
    _guard: threading.Lock = field(factory=threading.Lock)

    def add(self, **counts: int) -> None:
        """Adds to the counts of these names."""
        with self._guard:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)

    def note(self, broken: Broken, example: str, count: int = 1) -> None:
        """Counts a broken promise."""
        with self._guard:
            self.broken[broken] += count
            if len(self.examples) < _EXAMPLES:
                self.examples.append(f"{broken}: {example}"[:_EXAMPLE_LETTERS])
