"""The engines on which a design is tested: what the checks need of one, the embedded store, and any named store."""

import secrets
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any, ClassVar, Protocol, TypeAlias

import happybase

from ..stores import connect
from ..stores.embedded.connection import EmbeddedConnection
from ..tables import TableLayout, create_tables
from ..tables.recorded_layouts import check_layouts

EMBEDDED, HBASE = "embedded", "HBase"
"""The names of the engines."""
STORES_KEPT = 64
"""Stores of which `Embedded` makes copies."""

Tables: TypeAlias = tuple[TableLayout[Any, Any], ...]


class Engine(Protocol):
    """Makes stores: each is empty, separate from all others, and gone when its block ends."""

    name: str
    compacts: bool
    """Whether `paused` compacts: clients of HBase cannot."""
    is_slow: bool
    """Whether a store takes so long to make that checks visit only a sample of their points."""

    def store(self, *tables: TableLayout[Any, Any]) -> AbstractContextManager[happybase.Connection]:
        """A connection to a store of its own with these tables."""
        ...

    def shared_store(self, *tables: TableLayout[Any, Any]) -> AbstractContextManager[happybase.Connection]:
        """The same for checks that only use rows, none of the greatest length: on HBase it needs no new table."""
        ...

    def stocked_store(
        self, stock: Callable[[happybase.Connection], object], *tables: TableLayout[Any, Any]
    ) -> AbstractContextManager[happybase.Connection]:
        """The same after `stock` has stored something there. An engine may call it once, and copy what it stores."""
        ...

    def paused(
        self, connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]
    ) -> AbstractContextManager[None]:
        """A block in which a writer is paused and others work. At its end all files of the tables are compacted."""
        ...


class Embedded:
    """Stores in memory. A store of tables that were made before, and what was stored in it, is a copy."""

    name = EMBEDDED
    compacts = True
    is_slow = False

    _made: ClassVar[dict[tuple[object, ...], tuple[EmbeddedConnection, object]]] = {}

    @contextmanager
    def store(self, *tables: TableLayout[Any, Any]) -> Generator[happybase.Connection]:
        """A connection to a store of its own with these tables."""
        with closing(self._made_once(tables).copy()) as connection:
            check_layouts(connection, tables)  # here, so that no test counts its calls
            yield connection

    shared_store = store

    @contextmanager
    def stocked_store(
        self, stock: Callable[[happybase.Connection], object], *tables: TableLayout[Any, Any]
    ) -> Generator[happybase.Connection]:
        """A connection to a copy of a store in which `stock` has stored something."""
        with closing(self._made_once(tables, stock).copy()) as connection:
            yield connection

    def _made_once(
        self, tables: Tables, stock: Callable[[happybase.Connection], object] | None = None
    ) -> EmbeddedConnection:
        key = (stock, *map(id, tables))
        if key in self._made:
            self._made[key] = self._made.pop(key)  # the most recently used one is forgotten last
        else:
            connection = EmbeddedConnection(None)
            create_tables(connection, tables)
            if stock is not None:
                stock(connection)
            if len(self._made) == STORES_KEPT:
                self._made.pop(next(iter(self._made)))[0].close()
            self._made[key] = connection, tables  # as long as the tables are kept, nothing else has their ids
        return self._made[key][0]

    @contextmanager
    def paused(self, connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]) -> Generator[None]:
        """A block at whose end the tables are compacted."""
        yield
        assert isinstance(connection, EmbeddedConnection)
        for table in tables:
            connection.compact(table.name)


class NamedStore:
    """Stores within the store that a URL names: each is a table prefix, whose tables are dropped after its block."""

    name = HBASE
    compacts = False
    is_slow = True

    def __init__(self, url: str) -> None:
        self._url = url

    @contextmanager
    def store(self, *tables: TableLayout[Any, Any]) -> Generator[happybase.Connection]:
        """A connection to a prefix of its own with these tables."""
        with closing(connect(self._url, table_prefix=f"test{secrets.token_hex(4)}")) as connection:
            try:
                create_tables(connection, tables)
                yield connection
            finally:
                for name in connection.tables():
                    connection.delete_table(name, disable=True)

    shared_store = store

    @contextmanager
    def stocked_store(
        self, stock: Callable[[happybase.Connection], object], *tables: TableLayout[Any, Any]
    ) -> Generator[happybase.Connection]:
        """The same after `stock` has stored something there."""
        with self.store(*tables) as connection:
            stock(connection)
            yield connection

    def paused(
        self, connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]
    ) -> AbstractContextManager[None]:
        """Never used, because Thrift has no call that compacts."""
        raise NotImplementedError("Thrift has no call that compacts")
