"""The two clients that are compared: the suite's own, and plain happybase in careless hands."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from unittest.mock import patch

import happybase
from Hbase_thrift import AlreadyExists, IllegalArgument, IOError
from thriftpy2.thrift import TApplicationException

from shared.stores import connect
from shared.stores.hbase import retries

RETRY_MS = 20_000  # much longer than any fault lasts, also on a busy machine

_FAILURES_UNTIL_REOPENED = 2
_SAID_BY_GATEWAY = (AlreadyExists, IllegalArgument, IOError, TApplicationException)


class Client:
    """The suite's client, which a worker calls and tells how it went: one connection, which is never reopened."""

    def __init__(self, connection: happybase.Connection) -> None:
        self.connection = connection

    def succeeded(self) -> None:
        """A call has returned."""

    def failed(self, error: Exception) -> None:
        """A call has raised."""

    def close(self) -> None:
        """Leaves for good."""
        self.connection.close()


class Careless(Client):
    """Plain happybase, a connection for each thread: an exception is caught and the same connection used again.

    The second failure in a row makes its user open a new one; what the gateway says is no failure.
    """

    def __init__(self, host: str, port: int, timeout_ms: int) -> None:
        self._open: Callable[[], happybase.Connection] = lambda: happybase.Connection(host, port, timeout=timeout_ms)
        self._failures_in_a_row = 0
        super().__init__(self._open())

    def succeeded(self) -> None:
        self._failures_in_a_row = 0

    def failed(self, error: Exception) -> None:
        self._failures_in_a_row += not isinstance(error, _SAID_BY_GATEWAY)
        if self._failures_in_a_row >= _FAILURES_UNTIL_REOPENED:
            self.connection.close()
            with suppress(Exception):  # no server listens: the next call fails, and then this is tried again
                self.connection = self._open()


def ours(host: str, port: int, timeout_ms: int, threads: int) -> list[Client]:
    """One for all threads."""
    options = f"timeout_ms={timeout_ms}&retry_ms={RETRY_MS}"
    return [Client(connect(f"hbase://{host}:{port}?{options}"))] * threads


def plain(host: str, port: int, timeout_ms: int, threads: int) -> list[Client]:
    """One for each thread."""
    return [Careless(host, port, timeout_ms) for _ in range(threads)]


short_pauses = partial(patch.object, retries, "SHORTEST_PAUSE_S", 0.005)
"""Lets the suite's client pause for milliseconds between attempts, since thousands of them would take hours."""

CLIENTS = {"ours": ours, "happybase": plain}
