"""What a design declares so that its writes can be stopped: the writes, and what its readers see."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeAlias

import attrs
import happybase

from ..tables import TableLayout
from ..writes import NotAllStored
from .contents import Contents, sources_and_lines
from .crash_points import crash_points
from .watched_connection import Call, Script, Stop, WatchedConnection, WriterDied, dying_at, undisturbed


@attrs.define
class Store:
    """An empty store of one crash point."""

    connection: happybase.Connection
    open: Callable[[Any], Any]

    def repository(self, script: Script = undisturbed) -> Any:
        """A repository of a process of its own."""
        return self.open(WatchedConnection(self.connection, script))

    def die(self, run: Callable[[Any], object], *, before: Callable[[Call], bool]) -> None:
        """Lets a writer die before its first call for which `before` is true."""
        with suppress(WriterDied):
            run(self.repository(dying_at(before)))
            raise AssertionError("the writer made no such call")


def nothing(_store: Store) -> None:
    """Stores nothing."""


def store_at_once(store_all: Callable[[Any], object], records: Sequence[Any]) -> None:
    """Stores records by a method for many of them; raises what the store has raised, instead of NotAllStored."""
    try:
        store_all(records)
    except NotAllStored as error:
        raise error.__cause__ or error from None


@attrs.frozen
class Write:
    """A write over several rows."""

    name: str
    run: Callable[[Any], object]
    """The write, on a repository. Repeating the call must be harmless, and must complete it."""
    removes_lines: bool = attrs.field(default=False, kw_only=True)
    """Whether the write removes lines of lists that lag. Repeating the call does not remove them, only `recover`
    does."""
    is_recovered: bool = attrs.field(default=True, kw_only=True)
    """Whether `recover` completes the write; otherwise only repeating the call does."""
    before: Callable[[Store], object] = nothing
    """Stores what the write finds."""
    rivals: Mapping[str, Callable[[Any], object]] = attrs.field(factory=dict[str, Callable[[Any], object]])
    """Other writes of the same rows, which run in the middle of this one."""
    calls: int | Mapping[str, int] | None = attrs.field(default=None, kw_only=True)
    """How many of its calls change the store, if that is promised; by the name of the variant, if they differ."""
    one_by_one: tuple[Callable[[Any], object], ...] = attrs.field(default=(), kw_only=True)
    """For a write of several records, each of which is decided by itself: the writes of one record each, in their
    order. After a crash the first few of them may be decided, and the others not."""

    def promised_calls(self, variant: str) -> int | None:
        """How many calls of the write change the store in a variant of this name; None if nothing is promised."""
        return self.calls[variant] if isinstance(self.calls, Mapping) else self.calls


def itself(value: object) -> object:
    """The value as it is."""
    return value


@attrs.frozen
class View:
    """One way to read, with results that can be compared."""

    name: str
    see: Callable[[Any], Iterable[Any]]
    """The values, from a repository."""
    identity: Callable[[Any], object] = itself
    """The identity of a value, which no two values may share."""
    lags: bool = False
    """While a write is under way, values may be missing or old, never both old and new. Otherwise the view always shows
    what is decided, in step with all other such views."""
    not_in: tuple[str, ...] = ()
    """The names of variants without this view."""


class Opened(Protocol):
    """A variant of a design, as the crash tests need it."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def tables(self) -> tuple[TableLayout[Any, Any], ...]:
        """Its tables."""
        ...

    @property
    def open(self) -> Callable[[Any], Any]:
        """Returns the repository on a connection whose tables exist."""
        ...


@attrs.frozen
class StoppedWrites:
    """The writes of a design over several rows, and what its readers see."""

    writes: tuple[Write, ...]
    views: tuple[View, ...]
    variants: Sequence[Opened]
    """The variants whose writes survive a crash."""
    refusals: tuple[type[Exception], ...] = ()
    """The exceptions with which a write is refused, having stored nothing."""
    contents: Callable[[Any, Iterable[TableLayout[Any, Any]]], Contents] = sources_and_lines
    """The contents of the tables when nothing is under way, as a repository reads them."""
    often: tuple[Callable[[Any], object], ...] = ()
    """Writes, one after the other, for a store that fails often."""
    often_every: int = 3
    """Every third call fails, or every n-th. A write that makes as many calls before it decides would never succeed."""


Seen: TypeAlias = dict[str, tuple[Any, ...]]
"""What each view shows, by its name."""


@attrs.frozen
class State:
    """A store as a run without a crash leaves it."""

    seen: Seen
    contents: Contents


@attrs.frozen
class Clean:
    """A write without a crash."""

    calls: tuple[Call, ...]
    before: State
    after: State
    between: tuple[State, ...] = ()
    """The states between its decisions, if it makes several."""

    @property
    def points(self) -> list[Stop]:
        """Every crash point of the write."""
        return crash_points(self.calls)

    @property
    def deaths(self) -> list[Stop]:
        """The crash points at which a writer dies, without those after a whole call: the next call has the same one.

        The last call is the end of the write: a death after it leaves nothing to do.
        """
        return [stop for stop in self.points if stop.is_death and len(stop.stored) < len(self.calls[stop.call].rows)]


@attrs.frozen
class Outcome:
    """The answers that two writers got, and the contents that they left."""

    answers: tuple[object, object]
    state: State
