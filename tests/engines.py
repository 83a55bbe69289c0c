"""The engines on which tests make their stores: the embedded one and, with `--hbase`, also a real HBase.

A test that touches a store gets it from the fixture `engine`, `new_store` or one built on them, and then runs on both.
A test of the embedded store itself calls `connect("embedded:...")`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, Protocol, TypeAlias

import happybase
from attrs import frozen

from shared.keys import KeyLayout, TrailingText, part, row_key
from shared.tables import RecordCells, TableLayout
from shared.testing import engines
from shared.testing.engines import EMBEDDED, HBASE
from tests.programs.hbase.named import named_hbase
from tests.programs.hbase.stores import Stores


@row_key
class AnyRow:
    row: str = part(TrailingText, "any")


@cache
def plain_table(name: str, family: str = "f") -> TableLayout[Any, Any]:
    """A table for tests that make their own rows and cells, in one family; the cell v marks a row as a record.

    Its layout is not recorded, so a test can read its rows by any other one that is not.
    """
    cells = RecordCells(AnyRow, {}, marker=f"{family}:v")
    return TableLayout(name, "any row", KeyLayout(AnyRow), cells, is_recorded=False)


@frozen
class UsersStore:
    """The store of a user who runs the demo in it."""

    url: str
    demo_prefix: str
    """Prefix of the demo's tables."""
    other_url: str
    """A URL that shows the user's other tables, and only those."""


class Engine(engines.Engine, Protocol):
    """An engine that also tells what it counts and where its stores are."""

    def rows_read(self, count: int) -> int | None:
        """What a cost says if the store read `count` rows: that number, or None on HBase, which does not count them."""

    def url(self, file: str = "", *tables: TableLayout[Any, Any]) -> AbstractContextManager[str]:
        """The URL of a store: the embedded one is in this file, or in the memory of the process that opens it.

        It has no tables; on HBase, which needs seconds to make them, it has `tables`, all empty.
        """

    def users_store(self, file: str, demo_prefix: str) -> AbstractContextManager[UsersStore]:
        """The embedded one is in this file; on HBase, where others may run the demo, it has a prefix of its own."""


NewStore: TypeAlias = Callable[..., happybase.Connection]
"""The type of the fixture `new_store`, which makes stores with the given tables; they are gone when the test ends."""


class Embedded(engines.Embedded):
    """Stores in memory, or in files."""

    def rows_read(self, count: int) -> int | None:
        return count

    @contextmanager
    def url(self, file: str = "", *tables: TableLayout[Any, Any]) -> Iterator[str]:
        yield f"embedded:{file}"

    @contextmanager
    def users_store(self, file: str, demo_prefix: str) -> Iterator[UsersStore]:
        yield UsersStore(f"embedded:{file}", demo_prefix, f"embedded:{file}")


class RealHBase:
    """Stores on the named HBase."""

    name = HBASE
    compacts = False
    is_slow = True

    def __init__(self, stores: Stores) -> None:
        self.store = stores.connection
        self.shared_store = stores.shared
        self._stores = stores

    @contextmanager
    def stocked_store(
        self, stock: Callable[[happybase.Connection], object], *tables: TableLayout[Any, Any]
    ) -> Iterator[happybase.Connection]:
        with self.shared_store(*tables) as connection:
            stock(connection)
            yield connection

    def rows_read(self, count: int) -> int | None:
        return None

    def paused(
        self, connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]
    ) -> AbstractContextManager[None]:
        raise NotImplementedError("Thrift has no call that compacts")

    @contextmanager
    def url(self, file: str = "", *tables: TableLayout[Any, Any]) -> Iterator[str]:
        with self._stores.prefix(*tables) as prefix:
            yield self._stores.named.store_url(prefix)

    @contextmanager
    def users_store(self, file: str, demo_prefix: str) -> Iterator[UsersStore]:
        with self._stores.prefix() as own, self._stores.prefix() as other:
            yield UsersStore(self._stores.named.store_url(), own, self._stores.named.store_url(other))


@contextmanager
def engine_named(name: str) -> Iterator[Engine]:
    """The engine, which leaves no table behind after the block."""
    if name == EMBEDDED:
        yield Embedded()
        return
    named = named_hbase()
    assert named
    with Stores(named) as stores:
        yield RealHBase(stores)


def located(connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]) -> happybase.Connection:
    """The connection, after a read of all rows, so that HBase's gateway knows the regions of the tables.

    The gateway looks up an unknown region by the table's name, the row and 16 more bytes, which together must be a row
    key again: at most 32,767 bytes. So the longest rows can be read and written only if they need no look-up.
    """
    for table in tables:
        assert list(connection.table(table.name).scan()) == []
    return connection


def examples(count: int) -> int:
    """Number of examples that Hypothesis tries: fewer if each needs tables of a real HBase."""
    return max(3, count // 10) if named_hbase() else count
