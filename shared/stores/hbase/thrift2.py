"""HBase's Thrift2 gateway: puts whose cells have timestamps of their own, and what Thrift1 lacks for tables.

The latter are namespaces, a table's split points, and the block size and the time for keeping tombstones of each
family. All other calls go through Thrift1 and happybase.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import happybase
from Hbase_thrift import AlreadyExists
from thriftpy2.thrift import TApplicationException

from ..outcomes.connection_errors import DeadlineExceeded, StoreError, Unreachable
from ..outcomes.deadlines import has_passed
from ..thrift1.descriptors import FamilyOptions, split_rows
from ..thrift1.idl import IOError
from ..thrift2.dated import DatedRow, thrift2_puts
from ..thrift2.descriptors import decoded, family_descriptors, keep_tombstones_ms
from ..thrift2.idl import idl
from .calls import Call, call_of
from .pool import CLOSED, Pool
from .retries import AttemptFailed


class Thrift2Client:
    """Thrift2's calls on a pool of sockets of its own, which opens at the first call; retried as those of Thrift1 are.

    Calls that HBase refuses raise Thrift1's IOError. The first call raises StoreError if no Thrift2 gateway answers.
    """

    def __init__(self, pool: Pool, client_with: Callable[[Mapping[str, Call]], Any], thrift1: Pool) -> None:
        self._pool = pool
        self._client_with = client_with
        self._client: Any = None
        self._thrift1 = thrift1

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _names():
            raise AttributeError(f"{type(self).__name__} has no call {name!r}")
        self.check()
        call: Callable[..., Any] = getattr(self._client, name)
        return call

    def check(self) -> None:
        """Opens the pool, unless it is open. Raises StoreError if no Thrift2 gateway answers."""
        if not self._thrift1.is_open():
            raise Unreachable(f"{self._pool.url}: {CLOSED}")
        if self._pool.is_open():
            return
        self._client = self._client_with({name: call_of(idl().THBaseService, name) for name in _names()})
        if why := self._why_not():
            self.close()
            if has_passed():
                raise DeadlineExceeded(f"{self._pool.url}: the deadline has passed: {why}")
            raise StoreError(f"thrift2_port: must be the port of a Thrift2 gateway (got {self._pool.url}: {why})")

    def _why_not(self) -> str | None:
        """Why this is not a Thrift2 gateway; None if it is."""
        try:
            self._pool.open()
            gateway_socket = self._pool.take()
            call = call_of(idl().THBaseService, "getThriftServerType")
            is_thrift2 = gateway_socket.call(call, call.arguments()) == idl().TThriftServerType.TWO
        except (AttemptFailed, Unreachable, TApplicationException) as error:  # another program may answer there
            return str(error).removeprefix(f"{self._pool.url}: ")
        self._pool.give(gateway_socket)
        return None if is_thrift2 else "it is a Thrift1 gateway"

    def put_dated(self, name: bytes, rows: Iterable[DatedRow]) -> None:
        """Puts cells that each have a timestamp of their own, into the table with this full name."""
        self.putMultiple(name, thrift2_puts(rows))

    def close(self) -> None:
        """Closes the sockets; the next call opens new ones."""
        self._pool.close()


def _names() -> list[str]:
    names: list[str] = idl().THBaseService.thrift_services
    return names


class Thrift2Gateway:
    """What a connection can do to tables through Thrift2. Raises the exceptions of Thrift1."""

    def __init__(self, connection: happybase.Connection, client: Thrift2Client) -> None:
        self._connection = connection
        self._client = client

    def create_split_table(
        self, name: str | bytes, families: FamilyOptions, split_points: Iterable[str | bytes] = ()
    ) -> None:
        """Creates a table as happybase's `create_table` does, with one region more than there are split points.

        Each split point is the first row of a region. Families also take the options `block_size`, in bytes, and
        `keep_tombstones_ms`; if that is omitted or 0, the setting of the region servers applies, by default 0. Returns
        when every region can be read and written. Raises as `create_table` does, and ValueError for a split point that
        is not a valid row key or occurs twice.
        """
        columns, rows = family_descriptors(families), split_rows(split_points)
        try:
            self._client.createTable(idl().TTableDescriptor(self._table(name), columns), rows)
        except IOError as error:
            if not (error.message or b"").startswith(b"org.apache.hadoop.hbase.TableExistsException"):
                raise
            raise AlreadyExists(message=b"table name already in use") from error

    def create_namespace(self, name: str | bytes) -> None:
        """Creates a namespace, unless it exists; tables named `NAME:...` need it."""
        try:
            self._client.createNamespace(idl().TNamespaceDescriptor(decoded(name)))
        except IOError as error:
            if b"NamespaceExistException" not in (error.message or b""):
                raise

    def block_sizes(self, name: str | bytes) -> dict[bytes, int]:
        """The block size of each family of a table, in bytes."""
        return {family.name: family.blockSize for family in self._families(name)}

    def keep_tombstones_ms(self, name: str | bytes) -> dict[bytes, int]:
        """How long a compaction of all files keeps the tombstones of each family of a table, in milliseconds.

        It is the family's own setting; Thrift2 has no call for the setting of the region servers.
        """
        return {family.name: keep_tombstones_ms(family) for family in self._families(name)}

    def _families(self, name: str | bytes) -> list[Any]:
        """Thrift2's descriptors of a table's families."""
        families: list[Any] = self._client.getTableDescriptor(self._table(name)).columns
        return families

    def _table(self, name: str | bytes) -> Any:
        namespace, _, qualifier = self._connection.table(name).name.rpartition(b":")
        return idl().TTableName(namespace or None, qualifier)
