"""What a design declares so that its erasures can be tested: a person, stored records, and what readers see."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from typing import Any

import attrs
import happybase

from ..intents import Erasure
from ..intents.times import FORGET_MS
from ..upkeep import CombinedUpkeep, Upkeep
from ..writes import WriterClock
from .engines import Engine
from .stopped_writes import Opened
from .watched_connection import Call, Script, WatchedConnection, WriterDied


class MovedTime:
    """A clock for `time.time_ns` that a test moves, for all writers and for an embedded store."""

    def __init__(self) -> None:
        self._now_ns = time.time_ns
        self._passed_ms = 0

    def time_ns(self) -> int:
        """The time now, in nanoseconds since 1970-01-01 UTC."""
        return self._now_ns() + self._passed_ms * 1_000_000

    def __call__(self, milliseconds: int) -> None:
        """Lets that many milliseconds pass."""
        self._passed_ms += milliseconds

    def reset(self) -> None:
        """Shows the system's time again."""
        self._passed_ms = 0


@attrs.frozen
class ErasedPerson:
    """A person whom a design erases: what is stored before, and what readers see of the person and of all others."""

    name: str
    variants: Sequence[Opened]
    """The variants that erase."""
    before: Callable[[Callable[..., Any]], object]
    """Stores what names the person, and what others have, in repositories that the given function opens."""
    seen: Callable[[Any], Sequence[object]]
    """What readers see of the person, from a repository."""
    others: Callable[[Any], Sequence[object]]
    """What readers see of all others."""
    kept: Sequence[object]
    """What `others` returns once the person is erased."""
    comes_back: Callable[[Any, int], Sequence[object]]
    """Stores something of the person at a time in milliseconds; returns what `seen` then returns if all else is
    erased."""
    rivals: tuple[Callable[[Any], object], ...] = ()
    """Calls on a repository that name the person, or repair, in the middle of an erasure; they leave `kept` as it is,
    and may be refused with a ValueError."""
    texts: tuple[str, ...] = ()
    """Texts of others that contain the name: they stay."""
    remaining: int = 0
    """How many rows `erase` leaves for `recover`, because they are too young."""
    ends_dead: bool = True
    """Whether `recover` completes an erasure whose process died. Otherwise only repeating the call does."""
    has_upkeep: bool = True
    """Whether the repository has an `upkeep`, and a clock. It has none if each record is one row."""


@attrs.frozen
class ErasureTests:
    """The erasures of a person in a variant, and how the time passes."""

    engine: Engine
    person: ErasedPerson
    variant: Opened
    moved_time: MovedTime = attrs.field(factory=MovedTime)
    """If it is patched in; if not, only `check_the_same_call_again` can be called."""

    def open(self, connection: Any, **options: Any) -> Any:
        """A repository, with a clock of its own if it has one, because a test may move the time."""
        opened: Any = self.variant.open
        if self.person.has_upkeep:
            options["clock"] = WriterClock()
        return opened(connection, **options)

    def upkeep_of(self, repository: Any) -> Upkeep:
        """The upkeep of a repository; one without any part if each record is one row, so that nothing is left to do."""
        return repository.upkeep if self.person.has_upkeep else CombinedUpkeep()

    @property
    def erasures(self) -> str | None:
        """The name of the variant's table of erasures, if there is one."""
        return next((table.name for table in self.variant.tables if table.cells.record is Erasure), None)

    @cached_property
    def _stock(self) -> Callable[[happybase.Connection], object]:
        return lambda connection: self.person.before(partial(self.open, connection))

    @contextmanager
    def store(self) -> Generator[happybase.Connection]:
        """A store of its own, in which the person has something."""
        self.moved_time.reset()  # copied rows are stored at the system's time
        with self.engine.stocked_store(self._stock, *self.variant.tables) as connection:
            yield connection

    def naming(self, connection: happybase.Connection, name: str | None = None) -> list[tuple[str, bytes]]:
        """Table and row of all rows whose key, columns or values name a person."""

        def own(data: bytes) -> bytes:
            for text in self.person.texts:
                data = data.replace(text.encode(), b"")
            return data

        return [
            (table.name, row)
            for table in {table.name: table for table in self.variant.tables}.values()
            for row, cells in connection.table(table.name).scan()
            if (name or self.person.name).encode() in own(b"".join([row, *cells, *cells.values()]))
        ]

    def after_begin(self) -> Callable[[Call], bool]:
        """A function that is true for the calls of an eraser after the one that records the erasure in its table."""
        before = list[str]()

        def is_after(call: Call) -> bool:
            before.append(call.table)
            return self.erasures in before[:-1]

        return is_after

    def erase(self, connection: Any) -> int:
        """Erases the person, by a process of its own."""
        remaining: int = self.open(connection).erase(self.person.name)
        return remaining

    def check_agrees(self, connection: happybase.Connection) -> Any:
        """Asserts that nothing disagrees, and that others have all their data; returns the repository."""
        repository = self.open(connection)
        upkeep = self.upkeep_of(repository)
        assert [str(finding) for finding in upkeep.verify() if not finding.is_harmless] == []
        assert {*self.person.kept} <= {*self.person.others(repository)}
        return repository

    def check_is_over(self, connection: happybase.Connection) -> None:
        """Asserts that an erasure ends once its rows are old enough, and that then nothing names the person."""
        self.moved_time(FORGET_MS + 1_000)
        assert self.upkeep_of(self.open(connection)).recover().failed == ()
        assert self.naming(connection) == []
        self.check_agrees(connection)

    def calls(self) -> list[Call]:
        """The calls of an erasure that change the store."""
        with self.store() as connection:
            watched = WatchedConnection(connection)
            self.erase(watched)
            return watched.calls

    def die(self, connection: happybase.Connection, script: Script) -> None:
        """Lets an eraser die."""
        with suppress(WriterDied):
            self.erase(WatchedConnection(connection, script))
