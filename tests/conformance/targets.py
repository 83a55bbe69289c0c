"""Where cases run: in process, over TCP on the project's own server, on a real HBase."""

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from itertools import count, groupby
from typing import Any, Protocol

import happybase
import pytest
from attrs import define, field, frozen
from Hbase_thrift import BatchMutation, ColumnDescriptor
from thriftpy2.rpc import make_client

from shared.stores import connect
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.embedded.thrift2_service import Thrift2Service
from shared.stores.server.thrift_server import ThriftServer
from shared.stores.thrift2.idl import idl
from tests.conformance.cases import Case, read_cases
from tests.conformance.notation import as_bytes, mutation
from tests.programs.hbase.named import VARIABLE, NamedHBase, named_hbase
from tests.programs.hbase.stores import drop_table
from tests.thrift1 import WholeConnection

_TIMEOUT_MS = 120_000
_COMPACTION_S = 60
_AHEAD = 4


@define
class Store:
    """What a case runs on: a client, a table, and what keeps the case apart from others in the same store."""

    client: Any
    thrift2: Any
    """Thrift2's calls, for the step `putMultiple`."""
    table: bytes
    compact: Callable[[], None]
    name_prefix: bytes = b""
    row_prefix: bytes = b""
    created: list[bytes] = field(factory=list[bytes])

    def table_named(self, name: bytes) -> bytes:
        """The name in the store of another table of the case, after its namespace, if it has one."""
        namespace, colon, rest = name.rpartition(b":")
        return namespace + colon + self.name_prefix + rest

    def own_tables(self, names: Iterable[bytes]) -> list[bytes]:
        """The case's tables among those of the store, as the case calls them."""
        split = [(namespace + colon, rest) for namespace, colon, rest in (name.rpartition(b":") for name in names)]
        prefix = self.name_prefix
        return [place + rest.removeprefix(prefix) for place, rest in split if rest.startswith(prefix)]

    def own_states(self, tables: Mapping[bytes, bool]) -> dict[bytes, bool]:
        """The same with whether each is enabled."""
        return {name: tables[self.table_named(name)] for name in self.own_tables(tables)}


class Target(Protocol):
    """A place where cases run."""

    def store(self, case: Case) -> Any:
        """A context manager: a table as the case wants it, gone afterwards."""

    def close(self) -> None:
        """Leaves nothing behind."""


class InProcess:
    """A new embedded store for each case."""

    @contextmanager
    def store(self, case: Case) -> Iterator[Store]:
        with closing(EmbeddedConnection(None)) as connection:
            create_embedded(connection, "t", case)
            fill(connection.client, b"t", case)
            thrift2 = Thrift2Service(connection.service)
            yield Store(connection.client, thrift2, b"t", lambda: connection.compact("t"))

    def close(self) -> None:
        pass


class OverTCP:
    """The project's own Thrift servers on one embedded store; a table and a connection for each case."""

    def __init__(self) -> None:
        self._connection = EmbeddedConnection(None)
        self._server = ThriftServer(self._connection.service)
        self._thrift2_server = ThriftServer(self._connection.service, version="Thrift2", beside=self._server)
        for server in (self._server, self._thrift2_server):
            server.start()
        self._numbers = count()

    @contextmanager
    def store(self, case: Case) -> Iterator[Store]:
        prefix = f"c{next(self._numbers)}_"
        table = f"{prefix}t"
        create_embedded(self._connection, table, case)
        with (
            closing(WholeConnection("127.0.0.1", self._server.port, timeout=_TIMEOUT_MS)) as connection,
            thrift2_client("127.0.0.1", self._thrift2_server.port) as thrift2,
        ):
            fill(connection.client, table.encode(), case)
            compact, name = (lambda: self._connection.compact(table)), table.encode()
            yield Store(connection.client, thrift2, name, compact, prefix.encode())

    def close(self) -> None:
        self._thrift2_server.stop()
        self._server.stop()
        self._connection.close()


def create_embedded(connection: EmbeddedConnection, table: str, case: Case) -> None:
    """The case's table, made as happybase makes one, or with what Thrift1 cannot say."""
    for namespace in case.namespaces:
        connection.create_namespace(namespace)
    if case.needs_thrift2:
        connection.create_split_table(table, options(case), [as_bytes(split) for split in case.splits])
    else:
        connection.client.createTable(table.encode(), descriptors(case))


def options(case: Case) -> dict[str, dict[str, Any]]:
    """The case's families as happybase takes them."""
    return {
        name: {_snake_case(key): value for key, value in options.items()} for name, options in case.families.items()
    }


def _snake_case(name: str) -> str:
    """A descriptor's field as happybase calls it: max_versions."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def descriptors(case: Case) -> list[ColumnDescriptor]:
    """The case's families, with the IDL's defaults."""
    return [ColumnDescriptor(name=f"{name}:".encode(), **options) for name, options in case.families.items()]


def fill(client: Any, table: bytes, case: Case, row_prefix: bytes = b"") -> None:
    """Puts the case's rows, versions of equal timestamp in one call, in the order in which they stand there."""
    puts = [(row, *_put(cell)) for row, *cells in case.rows for cell in cells]
    for timestamp, group in groupby(puts, key=lambda put: put[2]):
        batches = [BatchMutation(row_prefix + as_bytes(row), [mutation(text)]) for row, text, _ in group]
        if timestamp is None:
            client.mutateRows(table, batches, {})
        else:
            client.mutateRowsTs(table, batches, timestamp, {})


def _put(cell: str) -> tuple[str, int | None]:
    text, at, timestamp = cell.rpartition("@")
    return (text, int(timestamp)) if at else (cell, None)


@frozen
class _Shared:
    """A table of the real server that several cases use."""

    name: bytes
    rows: Iterator[int] = field(factory=count)


class RealHBase:
    """A real HBase behind a Thrift1 gateway.

    Making and dropping a table takes more than a second and hundreds of them exhaust a small server. So cases that
    only read share a table, those of single rows put them below a prefix of their own in one table per declaration of
    families, and only the others have a table each, which is made while the cases before it run, and dropped later.
    """

    def __init__(self, named: NamedHBase) -> None:
        self._named = named
        self._prefix = f"conformance{secrets.token_hex(4)}_"
        self._numbers = count()
        self._shared: dict[str, _Shared] = {}
        self._workers = ThreadPoolExecutor(_AHEAD)
        self._with_own_table = [case for case in read_cases() if not case.shares and not case.shared_table]
        self._made: dict[str, Future[bytes]] = {}

    @contextmanager
    def store(self, case: Case) -> Iterator[Store]:
        if (case.needs_thrift2 or case.puts_dated) and not self._named.thrift2_port:
            pytest.skip(f"Thrift1 cannot do it: name Thrift2 too, {VARIABLE}=hbase://HOST:PORT?thrift2_port=PORT")
        with closing(self._connect()) as connection, self._thrift2() as thrift2:
            client = connection.client
            if case.shared_table:
                table = self._table_for(client, f"{case.file}/{case.shared_table}", case, filled=True)
                yield Store(client, thrift2, table.name, _no_compaction)
            elif case.shares:
                table = self._table_for(client, repr(case.families), case, filled=False)
                row_prefix = b"%d/" % next(table.rows)
                fill(client, table.name, case, row_prefix)
                yield Store(client, thrift2, table.name, _no_compaction, row_prefix=row_prefix)
            else:
                name_prefix = self._own_table(case)
                name = name_prefix + b"t"
                store = Store(client, thrift2, name, lambda: _compact(client, name), name_prefix, created=[name])
                try:
                    fill(client, name, case)
                    yield store
                finally:
                    self._workers.submit(self._drop, store.created)

    def close(self) -> None:
        self._workers.shutdown()
        with closing(self._connect()) as connection:
            prefix = self._prefix.encode()
            leftover_tables = [name for name in connection.tables() if name.rpartition(b":")[2].startswith(prefix)]
        with ThreadPoolExecutor(_AHEAD) as workers:
            list(workers.map(lambda name: self._drop([name]), leftover_tables))

    def _own_table(self, case: Case) -> bytes:
        """The prefix of the case's tables, of which `t` is there; begins to make those of the next cases."""
        at = self._with_own_table.index(case)
        for upcoming in self._with_own_table[at : at + 1 + _AHEAD]:
            if upcoming.sentence not in self._made:
                self._made[upcoming.sentence] = self._workers.submit(self._make, upcoming)
        return self._made.pop(case.sentence).result()

    def _make(self, case: Case) -> bytes:
        name_prefix = f"{self._prefix}{next(self._numbers)}_".encode()
        with closing(self._connect()) as connection:
            self._create(connection.client, name_prefix + b"t", case)
        return name_prefix

    def _drop(self, names: list[bytes]) -> None:
        with closing(self._connect()) as connection:
            for name in names:
                drop_table(connection.client, name)

    def _connect(self) -> happybase.Connection:
        return WholeConnection(self._named.host, self._named.port, timeout=_TIMEOUT_MS)

    def _thrift2(self) -> AbstractContextManager[Any]:
        port = self._named.thrift2_port
        return thrift2_client(self._named.host, port) if port else nullcontext(None)

    def _table_for(self, client: Any, key: str, case: Case, *, filled: bool) -> _Shared:
        table = self._shared.get(key)
        if table is None:
            table = self._shared[key] = _Shared(f"{self._prefix}shared{len(self._shared)}".encode())
            self._create(client, table.name, case)
            if filled:
                fill(client, table.name, case)
        return table

    def _create(self, client: Any, name: bytes, case: Case) -> None:
        if not case.needs_thrift2:
            client.createTable(name, descriptors(case))
            return
        with closing(connect(self._named.store_url())) as connection, connection.beyond_thrift1() as gateway:
            for namespace in case.namespaces:
                gateway.create_namespace(namespace)
            gateway.create_split_table(name, options(case), [as_bytes(split) for split in case.splits])


@contextmanager
def thrift2_client(host: str, port: int) -> Iterator[Any]:
    """The calls of a Thrift2 gateway, on a plain client of thriftpy2."""
    client = make_client(idl().THBaseService, host, port, timeout=_TIMEOUT_MS)
    try:
        yield client
    finally:
        client.close()


def _no_compaction() -> None:
    raise NotImplementedError("a table that cases share is not compacted")


def _compact(client: Any, table: bytes) -> None:
    """Thrift1 has no major compaction, but three files of one store are compacted at once into one.

    Each round writes a file with tombstones for a row that is not there. Puts below them show when they are gone: the
    tombstones are dated 1970, so that no family keeps them for longer.
    """
    row = b"a row of the compaction's own"
    probes = [mutation(family.decode() + "probe=1") for family in client.getColumnDescriptors(table)]
    for _ in range(3):
        client.deleteAllRowTs(table, row, 1, {})
        client.disableTable(table)
        client.enableTable(table)
    client.mutateRowTs(table, row, probes, 1, {})
    latest_s = time.monotonic() + _COMPACTION_S
    while not (results := client.getRow(table, row, {})) or len(results[0].columns) < len(probes):
        if time.monotonic() > latest_s:
            raise TimeoutError(f"{table!r}: not compacted after {_COMPACTION_S} s")
        time.sleep(0.1)
    client.deleteAllRowTs(table, row, 1, {})


def targets() -> dict[str, Callable[[], Target]]:
    """The targets that can run here, by name."""
    targets: dict[str, Callable[[], Target]] = {"in process": InProcess, "over TCP": OverTCP}
    if named := named_hbase():
        targets["HBase"] = lambda: RealHBase(named)
    return targets
