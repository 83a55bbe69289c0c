"""A writer that stops before one of its calls that change the store, whichever of happybase's ways sends it."""

from typing import Any

from tests.dying import WriterDied

CHANGES = ("mutate", "checkAndPut", "delete")
"""The calls of Thrift1 that change rows begin with one of these."""


class StoppingConnection:
    """A happybase connection that sends `mutations` calls that change rows, and dies at the next one."""

    def __init__(self, connection: Any, mutations: int) -> None:
        self._connection = connection
        self.client = StoppingClient(connection.client, mutations)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def table(self, name: str) -> Any:
        table = self._connection.table(name)
        table.connection = self
        return table


class StoppingClient:
    """The Thrift client of a `StoppingConnection`."""

    def __init__(self, client: Any, remaining: int) -> None:
        self._client = client
        self.remaining = remaining

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if not name.startswith(CHANGES):
            return call

        def counted(*arguments: Any) -> Any:
            if self.remaining <= 0:
                raise WriterDied
            self.remaining -= 1
            return call(*arguments)

        return counted
