"""A process of a test: its own connection to a store, which pauses or dies before any of its calls."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from shared.testing import WatchedConnection, WriterDied


class Process(WatchedConnection):
    """A connection whose calls of tables are watched, too: listing, creating and deleting them."""

    def tables(self) -> list[bytes]:
        self._step()
        names: list[bytes] = self._connection.tables()
        return names

    def delete_table(self, name: str | bytes, disable: bool = False) -> None:
        self._step()
        self._connection.delete_table(name, disable)

    @contextmanager
    def beyond_thrift1(self) -> Generator[Any]:
        any_connection: Any = self._connection
        with any_connection.beyond_thrift1() as beyond:
            yield _Beyond(beyond, self._step)

    def _step(self) -> None:
        self.number_of_calls += 1
        self._before_call(self.number_of_calls - 1)


class _Beyond:
    def __init__(self, beyond: Any, step: Callable[[], None]) -> None:
        self._beyond = beyond
        self._step = step

    def __getattr__(self, name: str) -> Any:
        self._step()
        return getattr(self._beyond, name)


def dying_before(call: int) -> Callable[[int], object]:
    """For `before_call`: the process dies before this one of its calls."""

    def die(number: int) -> None:
        if number >= call:
            raise WriterDied

    return die
