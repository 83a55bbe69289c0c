"""A scheduler of writers in threads: one thread at a time goes on, from one call of the store to the next.

Which one goes on, and what happens to its call, is drawn from a seed: the writer dies before or after it, its reply is
lost, it arrives only later, or once more later. Time passes between calls, at times more than the window of a write.
The clock and the random ids come from the schedule too (`patch`), so the same seed gives the same run.
"""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from random import Random
from typing import Any

import happybase
import pytest

from domains.orders.keys import BY_STATUS
from shared.stores import OutcomeUnknown
from shared.stores.embedded.connection import EmbeddedConnection
from shared.tables import create_tables
from shared.writes import WriterClock, intents
from shared.writes.intents import WINDOW_MS
from shared.writes.server_clock import MAX_SKEW_MS
from shared.writes.slots import Slot, Slots
from tests.shared.writes.changing import DERIVED, TABLES, Changer, numbered

NUMBERS = range(3)
ACTORS = 4
START_NS = 1_700_000_000_000_000_000
TICK_NS = 100_000
"""The time between two looks at the clock."""
PERMITTED_SKEW_MS = MAX_SKEW_MS - 5_000
"""Seconds below the limit, because a comparison of clocks takes a while."""

_FATES = {"dies": 1, "dies after": 1, "reply lost": 2, "late": 1, "again": 2, "": 40}
_LATE = {"mutateRow", "mutateRowTs", "mutateRows", "mutateRowsTs", "checkAndPut"}


class Died(BaseException):
    """The writer is dead. No `except Exception` catches this."""


class SkewedClock(WriterClock):
    """The clock of a machine whose time is wrong."""

    def __init__(self, skew_ms: int) -> None:
        super().__init__()
        self._skew_ms = skew_ms

    def read_ms(self) -> int:
        return super().read_ms() + self._skew_ms


class SlotsOfActors:
    """Slots for `shared.writes.intents`: each thread uses those of its actor, as if it were a process of its own."""

    def __init__(self) -> None:
        self.here = threading.local()

    @property
    def process(self) -> bytes:
        """The id of the actor in this thread."""
        return self._slots.process

    def taken(self, last_at_most_ms: int) -> AbstractContextManager[Slot]:
        """A slot of the actor in this thread."""
        return self._slots.taken(last_at_most_ms)

    @property
    def _slots(self) -> Slots:
        if not hasattr(self.here, "slots"):
            self.here.slots = Slots()
        slots: Slots = self.here.slots
        return slots


class MemoryLog:
    """What writers were answered."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def write(self, **entry: Any) -> None:
        self.entries.append(entry)


class Gate:
    """The client of an actor: each call waits until the scheduler lets the actor go on."""

    def __init__(self, actor: "Actor") -> None:
        self._actor = actor

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *arguments: self._actor.call(name, arguments)


class Actor:
    """A writer with a clock and a connection of its own. It does one operation after another, until it dies."""

    def __init__(self, schedule: "Schedule") -> None:
        self.schedule = schedule
        self.fate = ""
        self.error: BaseException | None = None
        self.is_dead = False
        self._slots = Slots()
        self._goes_on = threading.Semaphore(0)
        self._thread: threading.Thread | None = None
        connection = EmbeddedConnection(None)
        connection.client = Gate(self)
        dice = schedule.dice
        self._changer = Changer(connection, schedule.log, dice, NUMBERS)
        skew_ms = dice.randint(-PERMITTED_SKEW_MS, PERMITTED_SKEW_MS)
        self._changer.orders.writer._clock = SkewedClock(skew_ms)

    @property
    def is_busy(self) -> bool:
        """Whether it waits at a call."""
        return self._thread is not None

    def go_on(self, fate: str = "") -> None:
        """Lets it make the call at which it waits; returns when it waits at the next, or has ended."""
        self.fate = fate
        if self._thread is None:
            recovers = self.schedule.dice.random() < 0.2
            work = self._recover if recovers else self._changer.change
            self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
            self._thread.start()
        else:
            self._goes_on.release()
        self.schedule.stands.acquire()
        if self.error is not None:
            raise self.error

    def _recover(self) -> None:
        self._changer.orders.writer.recover(older_than_ms=self.schedule.dice.choice([0, WINDOW_MS]))

    def _run(self, work: Callable[[], None]) -> None:
        self.schedule.slots.here.slots = self._slots
        try:
            work()
        except Died:
            self.is_dead = True
        except OutcomeUnknown:
            self.schedule.counts["outcomes unknown"] += 1
        except BaseException as error:
            self.error = error
        self._thread = None
        self.schedule.stands.release()

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """A call of this actor's client, in its thread."""
        self.schedule.stands.release()
        self._goes_on.acquire()
        fate = self.fate if name in _LATE or self.fate in ("", "dies", "dies after") else ""
        self.schedule.counts[fate or "calls"] += 1
        call = getattr(self.schedule.store.client, name)
        if fate == "dies":
            raise Died
        if fate in ("late", "again"):
            self.schedule.late.append(lambda: call(*arguments))
        if fate == "late":
            raise OutcomeUnknown(f"{name}: no reply")
        answer = call(*arguments)
        if fate == "dies after":
            raise Died
        if fate == "reply lost":
            raise OutcomeUnknown(f"{name}: no reply")
        return answer


class Schedule:
    """Actors, their store, the messages that are late, and the time."""

    def __init__(self, seed: int, *, compacts: bool) -> None:
        self.dice = Random(seed)
        self._ids = Random(seed + 1)
        self.store = EmbeddedConnection(None)
        create_tables(self.store, TABLES)
        self.log = MemoryLog()
        self.direct = Changer(self.store, self.log, self.dice, NUMBERS)
        self.direct.orders.writer._clock = SkewedClock(0)  # not that of this process, which would stay ahead
        self.slots = SlotsOfActors()
        self.stands = threading.Semaphore(0)
        self.late: list[Callable[[], Any]] = []
        self.counts: Counter[str] = Counter()
        self._now_ns = START_NS
        self._compacts = compacts
        self._actors = [Actor(self) for _ in range(ACTORS)]

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        """Gives all code the clock, the random ids and the slots of this schedule."""
        patch.setattr(time, "time_ns", self._time_ns)
        patch.setattr(os, "urandom", self._ids.randbytes)
        patch.setattr(intents, "SLOTS", self.slots)

    def _time_ns(self) -> int:
        self._now_ns += TICK_NS
        return self._now_ns

    def step(self) -> None:
        """One call of one actor, or something that happens to all of them."""
        chance = self.dice.random()
        if chance < 0.03 and self.late:
            self.late.pop(self.dice.randrange(len(self.late)))()
        elif chance < 0.04 and self._compacts:
            self.counts["compactions"] += 1
            self.store.compact(self.dice.choice(DERIVED).name)
        elif chance < 0.05:
            self.counts["pauses"] += 1
            self._now_ns += self.dice.choice([100, 10_000, WINDOW_MS + 1]) * 1_000_000
        else:
            number = self.dice.randrange(ACTORS)
            (fate,) = self.dice.choices(list(_FATES), list(_FATES.values()))
            self._actors[number].go_on(fate if self._actors[number].is_busy else "")
            if self._actors[number].is_dead:
                self._actors[number] = Actor(self)

    def lines_missing(self) -> list[str]:
        """The orders that the list of their status lacks."""
        missing: list[str] = []
        for number in NUMBERS:
            order = self.direct.orders.order(numbered(number).order_number)
            if order is not None and not self.store.table(BY_STATUS.name).row(BY_STATUS.row(order)):
                missing.append(f"{order.order_number} is {order.status}")
        return missing

    def settle(self) -> None:
        """Lets every actor finish, every late message arrive, and a recoverer settle what is left."""
        for actor in self._actors:
            while actor.is_busy:
                actor.go_on()
        while self.late:
            self.late.pop()()
        recovery = self.direct.orders.writer.recover(older_than_ms=-MAX_SKEW_MS)  # some clocks are ahead
        self.counts["settled"] += recovery.settled
        if recovery.failed:
            raise AssertionError(recovery.failed)

    @property
    def connection(self) -> happybase.Connection:
        """The store, past the scheduler."""
        return self.store
