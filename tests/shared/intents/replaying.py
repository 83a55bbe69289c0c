"""Code that is stopped at each of its calls of a store, and goes on from any of them with any answer.

A program is run from its start with the answers that its calls got so far; its next call ends the run. So it stands at
a `Node`, which follows from those answers alone, and two orders of steps that gave it the same answers share the node:
each is run once. The clock and the random bytes come from the explorer, so a program has no other memory.
"""

import os
import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

import attrs

from shared.intents import write_steps
from shared.intents.slots import Slots
from shared.stores import OutcomeUnknown
from shared.writes import CLOCK
from shared.writes import clock as clocks
from tests.shared.intents.small_store import Call, SmallConnection, touched

LOST = "lost"
"""The answer of a call whose reply is lost."""
Heard: TypeAlias = tuple[Any, int]
"""What a call was answered, or LOST, and the time in milliseconds when the program goes on."""
BOOTED_MS = 1_600_000_000_000


class Stopped(BaseException):
    """The program stands at its next call. No `except Exception` catches this."""


class HandClock:
    """The time that a process sees, in milliseconds."""

    def __init__(self, now_ms: int, skew_ms: int = 0) -> None:
        self.now_ms = now_ms
        self._skew_ms = skew_ms

    def time_ns(self) -> int:
        return (self.now_ms + self._skew_ms) * 1_000_000

    def elapsed_ns(self) -> int:
        return (self.now_ms - BOOTED_MS) * 1_000_000


@contextmanager
def own_process(clock: HandClock, seed: str) -> Generator[None]:
    """Gives the code in a block the clock, the random bytes, and the slots of a process of its own."""
    dice = random.Random(seed)
    own: list[tuple[Any, str, Any]] = [
        (time, "time_ns", clock.time_ns),
        (os, "urandom", dice.randbytes),
        (random, "randbytes", dice.randbytes),
        (clocks, "_NEVER_SET", [clock.elapsed_ns]),
        (write_steps, "SLOTS", Slots()),
        (CLOCK, "__dict__", {}),
    ]
    others = [getattr(place, name) for place, name, _ in own]
    try:  # by hand, because `unittest.mock` needs longer for this than most programs for a call
        for place, name, value in own:
            setattr(place, name, value)
        CLOCK.__init__()  # type: ignore[misc]
        yield
    finally:
        for (place, name, _), value in zip(own, others, strict=True):
            setattr(place, name, value)


@attrs.frozen(eq=False)
class Program:
    """A write, or a recovery, of a process of its own."""

    name: str
    run: Callable[[Any], object]
    """The write, on a repository."""
    open: Callable[[Any], Any]
    refusals: tuple[type[Exception], ...] = ()
    """The exceptions with which the write is refused, having stored nothing."""
    doubts: tuple[type[Exception], ...] = ()
    """The exceptions after which the write may be stored or not, as after a lost reply."""
    skew_ms: int = 0
    """How far the process's clock is ahead."""
    _starts: dict[int, "Node"] = attrs.field(factory=dict, init=False)

    def at_start(self, now_ms: int) -> "Node":
        """Where the program stands before its first call, if it begins now."""
        if now_ms not in self._starts:
            self._starts[now_ms] = Node(self, ((None, now_ms),), None)
        return self._starts[now_ms]

    def stands(self, heard: tuple[Heard, ...]) -> tuple[Call | None, Any]:
        """The next call of the program, or None and its answer, after its calls heard this."""
        clock = HandClock(heard[0][1], self.skew_ms)
        unheard = iter(heard[1:])
        stopped_at: list[Call] = []

        def perform(call: Call) -> Any:
            if not stopped_at:
                for answer, clock.now_ms in unheard:
                    if answer is LOST:
                        raise OutcomeUnknown("no reply")
                    return answer
                stopped_at.append(call)
            raise Stopped  # also at the calls with which `finally` cleans up

        answer: Any = None
        with own_process(clock, self.name), suppress(Stopped):
            answer = self.answer(SmallConnection(perform))
        return (stopped_at[0], None) if stopped_at else (None, answer)

    def answer(self, connection: SmallConnection) -> Any:
        """Runs the program to its end; None if it may be stored or not."""
        try:
            return "answered", self.run(self.open(connection))
        except self.refusals as refusal:
            return "refused", type(refusal).__name__
        except (OutcomeUnknown, *self.doubts):
            return None


class Node:
    """Where a program stands: at a call, or at its end."""

    __slots__ = ("_following", "_heard", "_parent", "answer", "call", "is_relied_on", "program", "touches")

    def __init__(self, program: Program, heard: tuple[Heard, ...], parent: "Node | None") -> None:
        self.program = program
        self._heard = heard
        self._parent = parent
        self._following: dict[Heard, Node] = {}
        self.call, self.answer = program.stands(heard)
        self.touches: set[tuple[str, bytes, bytes | None]] = set()
        """The rows that the program reads or changes from here on, as far as is known."""
        self.is_relied_on = False
        """Whether somebody relied on `touches` being all."""

    def after(self, answer: Any, now_ms: int) -> "Node":
        """Where the program stands after its call was answered."""
        heard = answer, now_ms
        if heard not in self._following:
            self._following[heard] = Node(self.program, (*self._heard, heard), self)
        return self._following[heard]

    def learn(self) -> bool:
        """Adds the rows of this node's call to those of all nodes before it; whether somebody relied on one of them."""
        is_news = False
        node: Node | None = self
        rows = touched(self.call) if self.call is not None else set[Any]()
        while node is not None and not rows <= node.touches:
            node.touches |= rows
            is_news |= node.is_relied_on
            node = node._parent
        return is_news
