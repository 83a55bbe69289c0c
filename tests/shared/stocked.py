"""Tables with rows in them: what the tests of scanning and pages stand on."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import happybase

from shared.keys import KeyLayout, Plan
from shared.queries import Query, ServerFilter
from shared.tables import BoundTable, TableLayout
from tests.engines import Engine, plain_table

CELLS = {b"f:v": b"1"}


class Stocked(Protocol):
    """What the fixture `stocked` makes tables with; they are gone when the test ends."""

    def __call__(self, rows: Iterable[bytes], name: str = "t") -> happybase.Table: ...


@contextmanager
def stocked_table(engine: Engine, rows: Iterable[bytes], name: str = "t") -> Iterator[happybase.Table]:
    """A table that holds these rows, each with the one cell f:v, in a store of its own."""
    with engine.store(plain_table(name)) as connection:
        table = connection.table(name)
        put(table, rows)
        yield table


def put(table: happybase.Table, rows: Iterable[bytes]) -> None:
    with table.batch(batch_size=10_000) as batch:
        for row in rows:
            batch.put(row, CELLS)


def hexes(*rows: str) -> list[bytes]:
    """Rows written as hex with spaces at field borders."""
    return [bytes.fromhex(row) for row in rows]


def query_of(rows: happybase.Table, layout: TableLayout[Any, Any], plan: Plan, **options: Any) -> Query[Any]:
    """A question to the rows of a table, bound on their connection."""
    return asked(Query(BoundTable(rows.connection, layout), plan), **options)


def asked(
    query: Query[Any],
    *,
    where: Mapping[str, Any] | None = None,
    server: ServerFilter | None = None,
    order: KeyLayout[Any] | None = None,
    newest_first: bool | None = None,
    as_of_ms: int | None = None,
) -> Query[Any]:
    """A question of a table of cases: the methods of a query by name, those left out that are None."""
    query = query.where(**(where or {})).filtered(server).as_of(as_of_ms)
    query = query if order is None else query.in_order_of(order)
    return query if newest_first is None else query.newest_first(newest_first)


class Watched:
    """A Thrift client that counts calls, knows which scanners are open, and may fail at a fetch."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.open: set[int] = set()
        self.calls: Counter[str] = Counter()
        self.fails_at: int | None = None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.calls[name] += 1
            if name == "scannerGetList" and self.calls[name] == self.fails_at:
                raise OSError("the region server is gone")
            answer = getattr(self._client, name)(*arguments)
            if name == "scannerOpenWithScan":
                self.open.add(answer)
            elif name == "scannerClose":
                self.open.remove(arguments[0])
            return answer

        return call


def watched(table: happybase.Table) -> Watched:
    """The client that the table's connection calls from now on."""
    table.connection.client = client = Watched(table.connection.client)
    return client
