"""Where sequences run: tables of a real HBase, or of an embedded store."""

import secrets
import threading
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from itertools import count
from typing import Any, TypeAlias

import happybase
from attrs import field, frozen

from shared.stores import connect
from shared.stores.embedded.connection import EmbeddedConnection
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import VARIABLE, NamedHBase
from tests.programs.hbase.stores import drop_table
from tests.thrift1 import WholeConnection

_TIMEOUT_MS = 120_000
SPLITS = (b"c", b"m")

_ONE = {"d": {"max_versions": 3}}
_TWO = {"d": {"max_versions": 1}, "e": {"max_versions": 3}}
# Names of which one starts another, and a time to live of three years, in which only the clock's times live.
_THREE = {"a": {"max_versions": 2}, "a1": {"max_versions": 5}, "t": {"max_versions": 3, "time_to_live": 100_000_000}}


@frozen
class Kind:
    """A kind of tables: their families as happybase declares them, and the first rows of their regions but the first.

    The sequences that share a table have a row prefix each.
    """

    name: str
    families: Mapping[str, Mapping[str, int]] = field(hash=False)
    splits: tuple[bytes, ...] = ()
    sequences: int = 1000
    """How many share a table."""

    @property
    def is_whole(self) -> bool:
        """Whether each sequence has a table to itself."""
        return self.sequences == 1


KINDS = {
    kind.name: kind
    for kind in (
        Kind("one family", _ONE),
        Kind("two families", _TWO),
        Kind("three families", _THREE),
        Kind("three regions", _TWO, SPLITS, sequences=10),
        Kind("whole table", _TWO, SPLITS, sequences=1),
    )
}


@frozen
class Place:
    """A table, and the prefix of the rows that a sequence has there to itself."""

    kind: Kind
    table: bytes
    row_prefix: bytes = b""

    @property
    def splits(self) -> list[bytes]:
        """The first rows of the regions among the sequence's own rows."""
        return [self.row_prefix + split for split in self.kind.splits]


class Embedded:
    """A new embedded store in memory for each sequence."""

    @contextmanager
    def place(self, kind: Kind) -> Generator[Place]:
        """A place where no sequence ran before."""
        yield Place(kind, b"t", b"" if kind.is_whole else b"p/")

    @contextmanager
    def client(self, place: Place) -> Generator[Any]:
        """Thrift1's calls, of one thread, on a store that has the place."""
        with closing(EmbeddedConnection(None)) as connection:
            connection.create_split_table(place.table, _options(place.kind), place.splits)
            yield connection.client


class RealHBase:
    """A real HBase behind its Thrift gateways.

    A table costs more than a second, so that sequences share tables as far as they can, below row prefixes of their
    own. Threads may share this, and each has a connection of its own. Raises NotStarted if Thrift2 was not named.
    """

    def __init__(self, named: NamedHBase) -> None:
        if named.thrift2_port is None:
            raise NotStarted(f"{VARIABLE}: must have a thrift2_port, for tables of several regions (got {named.url})")
        self._named = named
        self._prefix = f"compare{secrets.token_hex(4)}_"
        self._numbers = count()
        self._lock = threading.Lock()
        self._free: dict[Kind, list[Place]] = {}
        self._used: Counter[bytes] = Counter()
        self._created: set[bytes] = set()
        self._threads = threading.local()
        self._connections: list[happybase.Connection] = []

    @contextmanager
    def place(self, kind: Kind) -> Generator[Place]:
        with self._lock:
            places = self._free.get(kind) or self._new_places(kind)
            self._free[kind] = places
            place = places.pop()
        yield place
        with self._lock:
            self._used[place.table] += 1
            is_used_up = self._used[place.table] == kind.sequences
        if is_used_up:
            self._drop(place.table)

    @contextmanager
    def client(self, place: Place) -> Generator[Any]:
        yield self._connection().client

    def close(self) -> None:
        self._threads = threading.local()  # the connections of before may be closed for being idle
        for table in sorted(self._created):
            self._drop(table)
        for connection in self._connections:
            connection.close()

    def _connection(self) -> happybase.Connection:
        connection: happybase.Connection | None = getattr(self._threads, "connection", None)
        if connection is None:
            connection = WholeConnection(self._named.host, self._named.port, timeout=_TIMEOUT_MS)
            self._threads.connection = connection
            self._connections.append(connection)
        return connection

    def _new_places(self, kind: Kind) -> list[Place]:
        """The places of a new table."""
        name = f"{self._prefix}{next(self._numbers)}".encode()
        self._created.add(name)
        prefixes = [b""] if kind.is_whole else [b"%d/" % next(self._numbers) for _ in range(kind.sequences)]
        places = [Place(kind, name, prefix) for prefix in prefixes]
        with closing(connect(self._named.url)) as connection, connection.beyond_thrift1() as beyond:
            assert beyond
            beyond.create_split_table(name, _options(kind), [row for place in places for row in place.splits])
        return places

    def _drop(self, name: bytes) -> None:
        drop_table(self._connection().client, name)
        self._created.discard(name)


Store: TypeAlias = Embedded | RealHBase
"""Where sequences run; the one that is the reference says at which place."""


def _options(kind: Kind) -> dict[str, dict[str, int]]:
    return {name: dict(options) for name, options in kind.families.items()}
