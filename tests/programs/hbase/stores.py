"""Stores on a real HBase: each is a table prefix whose tables are created ahead, and dropped in the background.

Making a table takes HBase 0.7 s and dropping it 0.5 s, but of many at once 0.05 s each. So worker threads make the next
stores while a test uses its own; what they will hold is guessed to be what the last ones held. A store is used once:
rows that are deleted leave tombstones, and what is put below one with an older timestamp stays hidden.
"""

import secrets
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count, islice
from typing import Any

import happybase
import pytest
from attrs import define, field
from Hbase_thrift import IOError

from shared.stores import connect
from shared.tables import TableLayout, create_tables
from shared.tables.recorded_layouts import check_layouts, marked_ms, remove_mark
from tests.programs.hbase.below import Below
from tests.programs.hbase.named import NamedHBase, named_hbase

AHEAD = 12
"""Stores that wait to be used."""
WORKERS = 16

Tables = tuple[TableLayout[Any, Any], ...]


@define
class Stores:
    """Stores on one HBase, for one thread; a context manager that leaves no table behind."""

    named: NamedHBase
    _prefix: str = field(factory=lambda: f"test{secrets.token_hex(4)}")
    _numbers: Iterator[int] = field(factory=count)
    _workers: ThreadPoolExecutor = field(factory=lambda: ThreadPoolExecutor(WORKERS))
    _taken: deque[Tables] = field(factory=lambda: deque(maxlen=AHEAD))
    _waiting: "list[tuple[Tables, Future[str]]]" = field(factory=list)
    """The tables and the prefixes of stores that are made, or soon will be."""
    _shared: list[dict[str, Tables]] = field(factory=list[dict[str, Tables]])
    """The layouts of each shared table by its name: one mapping for each prefix, as two tables may have one name."""
    _row_prefixes: Iterator[bytes] = field(factory=lambda: (number.to_bytes(4, "big") for number in count()))

    @contextmanager
    def connection(self, *tables: TableLayout[Any, Any]) -> Iterator[happybase.Connection]:
        """To a store of its own with these tables; what is there after the block is dropped."""
        with self.prefix(*tables) as prefix, closing(connect(self.named.store_url(prefix))) as connection:
            check_layouts(connection, tables)  # here, so that no test counts its calls
            yield connection

    @contextmanager
    def shared(self, *tables: TableLayout[Any, Any]) -> Iterator[happybase.Connection]:
        """To these tables, which others use too, each below a row prefix of its own."""
        wanted = {table.name: tuple(other for other in tables if other.name == table.name) for table in tables}
        fitting = (there for there in self._shared if all(there.get(name, of) == of for name, of in wanted.items()))
        if (shared := next(fitting, None)) is None:
            self._shared.append(shared := {})
        url = self.named.store_url(f"{self._prefix}_shared{self._shared.index(shared)}")
        if new := [table for table in tables if table.name not in shared]:
            with closing(connect(url)) as connection:
                create_tables(connection, new)
                for name, at_ms in marked_ms(connection, new).items():  # as sources of other tests are older than lists
                    remove_mark(connection, name, at_ms)
        shared |= wanted
        with closing(connect(url)) as connection:
            check_layouts(connection, tables)  # here, because the records are not below the row prefix
            connection.client = Below(connection.client, next(self._row_prefixes))
            yield connection

    @contextmanager
    def prefix(self, *tables: TableLayout[Any, Any]) -> Iterator[str]:
        """A prefix below which these tables are, empty, and no others; what is there after the block is dropped."""
        prefix = self._take(tables) if tables else self._new_prefix()
        try:
            yield prefix
        finally:
            self._workers.submit(self._drop, prefix)

    def _take(self, tables: Tables) -> str:
        prefix = self._prepared(tables, self._waiting)
        self._taken.append(tables)
        self._make_ahead()
        return prefix.result()

    def _make_ahead(self) -> None:
        """A store waits for each of those that were taken lately, but for the first of its kind."""
        passed, self._waiting = self._waiting, []
        for number, tables in enumerate(self._taken):
            if tables in islice(self._taken, number):
                self._waiting.append((tables, self._prepared(tables, passed)))
        for _, prefix in passed:
            self._workers.submit(lambda prefix=prefix: self._drop(prefix.result()))

    def _prepared(self, tables: Tables, waiting: "list[tuple[Tables, Future[str]]]") -> "Future[str]":
        """The prefix of a waiting store with these tables, which then waits no more, or of one that is made now."""
        for number, (of_store, prefix) in enumerate(waiting):
            if of_store == tables:
                del waiting[number]
                return prefix
        return self._workers.submit(self._create, self._new_prefix(), tables)

    def _create(self, prefix: str, tables: Tables) -> str:
        with closing(connect(self.named.store_url(prefix))) as connection:
            create_tables(connection, tables)
        return prefix

    def _drop(self, prefix: str) -> None:
        drop_store(self.named.store_url(prefix))

    def _new_prefix(self) -> str:
        return f"{self._prefix}_{next(self._numbers)}"

    def __enter__(self) -> "Stores":
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.shutdown(cancel_futures=True)
        with closing(connect(self.named.store_url(self._prefix))) as connection:
            prefixes = {name.decode().partition("_")[0] for name in connection.tables()}
        with ThreadPoolExecutor(WORKERS) as workers:
            list(workers.map(self._drop, (f"{self._prefix}_{prefix}" for prefix in prefixes)))


@contextmanager
def with_thrift2() -> Iterator[happybase.Connection]:
    """To an empty store on the named HBase, through Thrift2 as well; skips the test where that was not named."""
    named = named_with("thrift2_port")
    with closing(connect(named.url, table_prefix=f"test{secrets.token_hex(4)}_thrift2")) as connection:
        try:
            yield connection
        finally:
            drop_all(connection)


def named_with(*parts: str) -> NamedHBase:
    """The HBase that was named; skips the test if it was named without one of these: thrift2_port, info_url."""
    named = named_hbase()
    assert named
    for part in parts:
        if getattr(named, part) is None:
            pytest.skip(f"the HBase that was named has no {part}")
    return named


def drop_store(url: str) -> None:
    """Drops every table of the store with this URL."""
    with closing(connect(url)) as connection:
        drop_all(connection)


def drop_all(connection: happybase.Connection) -> None:
    """Drops every table of a store."""
    for name in connection.tables():
        connection.delete_table(name, disable=True)


def drop_table(client: Any, name: bytes) -> None:
    """Drops a table by its whole name, whatever its state, if it is there."""
    try:
        if client.isTableEnabled(name):
            client.disableTable(name)
        client.deleteTable(name)
    except IOError as error:
        if b"TableNotFoundException" not in error.message:
            raise
