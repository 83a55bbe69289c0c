"""Something that happens before a Thrift call of a connection, whichever method of happybase sends it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import happybase

from tests.dying import WriterDied


class _SteppedClient:
    def __init__(self, connection: happybase.Connection, before: Callable[[str], object]) -> None:
        self._connection = connection
        self._client = connection.client
        self._before = before

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if not callable(call):
            return call

        def stepped(*arguments: Any) -> Any:
            self._connection.client = self._client  # what happens now is not stepped itself
            try:
                self._before(name)
            finally:
                self._connection.client = self
            return call(*arguments)

        return stepped


@contextmanager
def stepped(connection: happybase.Connection, before: Callable[[str], object]) -> Iterator[None]:
    """Calls `before` with the name of each Thrift call, before it is sent."""
    client = connection.client
    connection.client = _SteppedClient(connection, before)
    try:
        yield
    finally:
        connection.client = client


@contextmanager
def at_call(connection: happybase.Connection, number: int, happen: Callable[[], object]) -> Iterator[None]:
    """Calls `happen` before call `number`, counted from 0."""
    calls = iter(range(2**31))
    with stepped(connection, lambda _name: happen() if next(calls) == number else None):
        yield


@contextmanager
def dies_at(connection: happybase.Connection, is_last: Callable[[str], bool]) -> Iterator[None]:
    """A client that dies before the first call for which `is_last` is true: no call after it is sent either."""
    is_dead = False

    def die(name: str) -> None:
        nonlocal is_dead
        is_dead = is_dead or is_last(name)
        if is_dead:
            raise WriterDied

    with stepped(connection, die):
        yield


def numbered(number: int, of: str = "") -> Callable[[str], bool]:
    """Whether a call has this number, counted from 0, among all calls or those of one name."""
    calls = iter(range(2**31))
    return lambda name: name.startswith(of) and next(calls) == number


def calls_of(connection: happybase.Connection, act: Callable[[], object]) -> list[str]:
    """The names of the calls that `act` makes."""
    names: list[str] = []
    with stepped(connection, names.append):
        act()
    return names
