"""Writers that another writer interrupts between two steps, for the tests of concurrent writes."""

from collections.abc import Callable
from typing import Any


class InterleavedConnection:
    """A happybase connection whose tables call `happen` once, before put number `before_put`, counted from 0.

    If that is the number of `puts` of the call under test, `happen` runs before the first read after them.
    """

    def __init__(self, connection: Any, before_put: int, happen: Callable[[], object], *, puts: int) -> None:
        self._connection = connection
        self._before_put = before_put
        self._happen: Callable[[], object] | None = happen
        self._puts = puts
        self._puts_so_far = 0

    def table(self, name: str) -> "_InterleavedTable":
        return _InterleavedTable(self._connection.table(name), self)

    def step(self, *, is_put: bool) -> None:
        if self._happen and self._puts_so_far == self._before_put and (is_put or self._puts_so_far == self._puts):
            happen, self._happen = self._happen, None
            happen()
        self._puts_so_far += is_put


class _InterleavedTable:
    def __init__(self, table: Any, connection: InterleavedConnection) -> None:
        self._table = table
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def put(self, *arguments: Any, **named: Any) -> None:
        self._connection.step(is_put=True)
        self._table.put(*arguments, **named)

    def row(self, *arguments: Any, **named: Any) -> Any:
        self._connection.step(is_put=False)
        return self._table.row(*arguments, **named)
