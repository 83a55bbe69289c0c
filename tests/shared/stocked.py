"""Tables with rows in them: what the tests of scanning and pages stand on."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import happybase

from shared.keys import Plan
from shared.queries import Query
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
    return Query(BoundTable(rows.connection, layout), plan, **options)
