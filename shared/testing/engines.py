"""The engines on which a design is tested: what the checks need of one, and the embedded store."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any, Protocol

import happybase

from ..stores import connect
from ..tables import TableLayout, create_tables

EMBEDDED, HBASE = "embedded", "HBase"


class Engine(Protocol):
    """Makes stores: each is empty, separate from all others, and gone when its block ends."""

    name: str
    compacts: bool
    """Whether `paused` compacts: no client of HBase can."""
    is_slow: bool
    """Whether a store takes so long that checks visit a sample of what they visit on others."""

    def store(self, *tables: TableLayout[Any, Any]) -> AbstractContextManager[happybase.Connection]:
        """A connection to a store of its own with these tables."""

    def shared_store(self, *tables: TableLayout[Any, Any]) -> AbstractContextManager[happybase.Connection]:
        """The same for checks that only read and write rows, none of the longest: on HBase it needs no new table."""

    def paused(
        self, connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]
    ) -> AbstractContextManager[None]:
        """A block in which a writer is paused and others work. At its end all files of the tables are compacted."""


class Embedded:
    """Stores in memory."""

    name = EMBEDDED
    compacts = True
    is_slow = False

    @contextmanager
    def store(self, *tables: TableLayout[Any, Any]) -> Iterator[happybase.Connection]:
        """A connection to a store of its own with these tables."""
        with closing(connect("embedded:")) as connection:
            create_tables(connection, tables)
            yield connection

    shared_store = store

    @contextmanager
    def paused(self, connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]) -> Iterator[None]:
        """A block at whose end the tables are compacted."""
        yield
        embedded: Any = connection
        for table in tables:
            embedded.compact(table.name)
