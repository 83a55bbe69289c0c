"""Where tests make their stores: the embedded engine, and with `--hbase` a real HBase besides.

What touches a store takes it from the fixture `engine`, `new_store` or one that stands on them, and then runs on both.
A test of the embedded store itself says `connect("embedded:...")`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cache
from typing import Any, Protocol, TypeAlias

import happybase
from attrs import frozen

from shared.keys import KeyLayout, TrailingText, part, row_key
from shared.stores import connect
from shared.tables import CellLayout, TableLayout, create_tables
from tests.hbase.named import named_hbase
from tests.hbase.stores import Stores

EMBEDDED, HBASE = "embedded", "HBase"


@row_key
class AnyRow:
    row: str = part(TrailingText, "any")


@cache
def plain_table(name: str, family: str = "f") -> TableLayout[Any, Any]:
    """A table for tests that make rows and cells of their own."""
    return TableLayout(name, "any row", KeyLayout(AnyRow), CellLayout(AnyRow, family, {}))


@frozen
class UsersStore:
    """A store of a user who runs the demo in it."""

    url: str
    demo_prefix: str
    """Of the tables of the demo."""
    other_url: str
    """By which the user's other tables are seen, and only they."""


class Engine(Protocol):
    """Makes stores, each empty and apart from all others, and gone with the block."""

    name: str

    def rows_read(self, count: int) -> int | None:
        """What is known where a store has stepped over so many rows: HBase does not say."""

    def store(self, *tables: TableLayout[Any, Any]) -> AbstractContextManager[happybase.Connection]:
        """A connection to a store of its own with these tables."""

    def shared_store(self, *tables: TableLayout[Any, Any]) -> AbstractContextManager[happybase.Connection]:
        """The same for what only reads and writes rows, and none of the longest: on HBase it takes no new table."""

    def url(self, file: str = "", *tables: TableLayout[Any, Any]) -> AbstractContextManager[str]:
        """The URL of a store, the embedded one in this file, or in the memory of who opens it.

        There are no tables in it; but on HBase, which takes seconds to make them, these, empty.
        """

    def users_store(self, file: str, demo_prefix: str) -> AbstractContextManager[UsersStore]:
        """The embedded one lies in this file; on HBase, where others may run the demo, it has a prefix of its own."""


NewStore: TypeAlias = Callable[..., happybase.Connection]
"""What the fixture `new_store` makes stores with, of given tables; they are gone when the test ends."""


@frozen
class Embedded:
    """Stores in memory, or in files."""

    name = EMBEDDED

    def rows_read(self, count: int) -> int | None:
        return count

    @contextmanager
    def store(self, *tables: TableLayout[Any, Any]) -> Iterator[happybase.Connection]:
        with closing(connect("embedded:")) as connection:
            create_tables(connection, tables)
            yield connection

    shared_store = store

    @contextmanager
    def url(self, file: str = "", *tables: TableLayout[Any, Any]) -> Iterator[str]:
        yield f"embedded:{file}"

    @contextmanager
    def users_store(self, file: str, demo_prefix: str) -> Iterator[UsersStore]:
        yield UsersStore(f"embedded:{file}", demo_prefix, f"embedded:{file}")


class RealHBase:
    """Stores on the named HBase."""

    name = HBASE

    def __init__(self, stores: Stores) -> None:
        self.store = stores.connection
        self.shared_store = stores.shared
        self._stores = stores

    def rows_read(self, count: int) -> int | None:
        return None

    @contextmanager
    def url(self, file: str = "", *tables: TableLayout[Any, Any]) -> Iterator[str]:
        with self._stores.prefix(*tables) as prefix:
            yield self._stores.url(prefix)

    @contextmanager
    def users_store(self, file: str, demo_prefix: str) -> Iterator[UsersStore]:
        with self._stores.prefix() as own, self._stores.prefix() as other:
            yield UsersStore(self._stores.url(), own, self._stores.url(other))


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
    """The connection, after HBase's gateway has learnt where the rows of the tables lie, as by reading all of them.

    What it does not know yet it looks up by the table's name, the row and 16 bytes more, which together must be a row
    key again: at most 32,767 bytes. So the longest rows can only be read and written where they need no look-up.
    """
    for table in tables:
        assert list(connection.table(table.name).scan()) == []
    return connection


def examples(count: int) -> int:
    """How many examples Hypothesis tries: fewer where each takes tables of a real HBase."""
    return max(3, count // 10) if named_hbase() else count
