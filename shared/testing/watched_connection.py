"""A connection that stops or pauses its process at one of its calls: the writer dies, a reply is lost, others work."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs
import happybase
from Hbase_thrift import Mutation

READS = ("get", "scanner", "is", "fetch")
"""The calls that change nothing begin with one of these."""


class WriterDied(BaseException):
    """The writer is dead. It handles no error and sends no more calls, so this is not an `Exception`."""


class ReplyLost(Exception):
    """A call has no reply; the store may have executed it."""


@attrs.frozen
class Call:
    """A call that changes the store: its table, and the mutations of each row; an increment has none."""

    name: str
    table: str
    """Without the connection's prefix."""
    rows: tuple[tuple[bytes, tuple[Mutation, ...]], ...]

    @classmethod
    def of(cls, name: str, arguments: tuple[Any, ...], table_prefix: str) -> "Call":
        """A call of the Thrift client, by its name and arguments."""
        table = arguments[0].decode().removeprefix(table_prefix)
        if name in ("mutateRows", "mutateRowsTs"):
            return cls(name, table, tuple((batch.row, tuple(batch.mutations)) for batch in arguments[1]))
        if name == "put_dated":
            return cls(name, table, tuple((row, _mutations(cells)) for row, cells in arguments[1]))
        if name == "checkAndPut":
            return cls(name, table, ((arguments[1], (arguments[4],)),))
        if name == "atomicIncrement":
            return cls(name, table, ((arguments[1], ()),))
        raise NotImplementedError(f"{name}: the crash tests do not know which rows this call changes")


def _mutations(cells: Mapping[tuple[bytes, int], bytes]) -> tuple[Mutation, ...]:
    return tuple(Mutation(column=column, value=value) for (column, _), value in cells.items())


@attrs.frozen
class Stop:
    """The end of a call: the store executes it for some of its rows, and the client gets no reply."""

    call: int
    """Its number, counted from 0 over the calls of one writer that change the store."""
    stored: frozenset[int] = frozenset()
    """Which of its rows are stored, counted from 0."""
    is_death: bool = True
    """Whether the writer dies; otherwise only the reply is lost, and the writer continues as it can."""


Script: TypeAlias = Callable[[int, Call], Stop | None]
"""Called before each call that changes the store; may do something meanwhile, and returns how the call ends."""

Where: TypeAlias = int | Callable[[Call], bool]
"""A call that changes the store: its number, counted from 0, or a function that is true for it; the first such one."""


def undisturbed(_number: int, _call: Call) -> None:
    """The script of a writer that nothing stops."""
    return None


def stopped_at(stop: Stop) -> Script:
    """The script that ends one call like this."""
    return lambda number, _call: stop if number == stop.call else None


def dying_at(where: Where) -> Script:
    """The writer dies before this call that changes the store, and nothing of it is stored."""
    is_there = _is_at(where)
    return lambda number, call: Stop(number) if is_there(number, call) else None


def paused_at(where: Where, meanwhile: Callable[[], object], script: Script = undisturbed) -> Script:
    """The writer is paused once before this call that changes the store, and finds the store as `meanwhile` leaves it.

    Then the calls end as the other script says.
    """
    is_there, waiting = _is_at(where), [meanwhile]

    def run(number: int, call: Call) -> Stop | None:
        if waiting and is_there(number, call):
            waiting.pop()()
        return script(number, call)

    return run


def _is_at(where: Where) -> Callable[[int, Call], bool]:
    if isinstance(where, int):
        return lambda number, _call: number == where
    return lambda _number, call: where(call)


def paused_at_call(number: int, meanwhile: Callable[[], object]) -> Callable[[int], object]:
    """For `before_call`: the process is paused before this one of all its calls."""
    return lambda call: meanwhile() if call == number else None


if TYPE_CHECKING:
    from happybase import Connection as _Connection
else:  # it has few methods of its own, and passes on the others
    _Connection = object


class WatchedConnection(_Connection):
    """A happybase connection of one process, whose calls are recorded and end as a script says.

    Works below happybase, at the calls of the Thrift client, so that no mutation escapes it. `before_call` is called
    before each call, also before one that only reads, with its number among all calls, counted from 0.
    """

    def __init__(
        self,
        connection: happybase.Connection,
        script: Script = undisturbed,
        before_call: Callable[[int], object] = lambda _number: None,
    ) -> None:
        self._connection = connection
        self._table_prefix = connection.table("").name.decode()
        self._script = script
        self._before_call = before_call
        self._is_dead = False
        self.client = _WatchedClient(self)
        self.helpers = None
        """No calls are made side by side: they come in the same order each time."""
        self.number_of_calls = 0
        """The number of all calls; `calls` has only those that change the store."""
        self.calls: list[Call] = []
        self.is_stopped = False
        self._lost: list[Callable[[], object]] = []

    def table(self, name: str | bytes, use_prefix: bool = True) -> happybase.Table:
        """A table whose calls are watched too."""
        table: Any = self._connection.table(name, use_prefix)
        table.connection = self
        return cast(happybase.Table, table)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def send(self, name: str, *arguments: Any) -> Any:
        """Sends a call of the Thrift client; one that changes the store ends as the script says."""
        if self._is_dead:
            raise WriterDied
        self.number_of_calls += 1
        self._before_call(self.number_of_calls - 1)
        call = getattr(self._connection.client, name)
        if name.startswith(READS):
            return call(*arguments)
        number = len(self.calls)
        self.calls.append(Call.of(name, arguments, self._table_prefix))
        stop = self._script(number, self.calls[-1])
        if stop is None:
            return call(*arguments)
        self.is_stopped = True
        table, rows, *others = arguments
        stored = [row for row in range(len(self.calls[-1].rows)) if row in stop.stored]
        if len(stored) == len(self.calls[-1].rows):
            call(*arguments)
        elif stored:
            call(table, [rows[row] for row in stored], *others)
        else:
            self._lost.append(partial(call, *arguments))
        self._is_dead = stop.is_death
        raise WriterDied if stop.is_death else ReplyLost

    def has_call(self, name: str) -> bool:
        """Whether the connection has a call."""
        return hasattr(self._connection.client, name)

    def deliver(self) -> None:
        """Executes the calls that the store did not execute when they were sent: the gateway was late."""
        for call in self._lost:
            call()


class _WatchedClient:
    def __init__(self, connection: WatchedConnection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in ("put_dated", "fetch_cells") and not self._connection.has_call(name):
            raise AttributeError(name)
        return partial(self._connection.send, name)
