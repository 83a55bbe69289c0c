"""HBase's Thrift2 gateway, used only for what Thrift1 cannot express about tables.

These are namespaces, a table's split points, and the block size and the time for keeping tombstones of each family.

Rows still go through Thrift1 and happybase.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import happybase
import thriftpy2
from Hbase_thrift import AlreadyExists, ColumnDescriptor
from thriftpy2 import transport
from thriftpy2.thrift import TClient
from thriftpy2.transport import TTransportException

from ...keys.limits import FOREVER_S, PURGE_DELETES
from ..thrift1.connection_errors import OutcomeUnknown, StoreError, Unreachable
from ..thrift1.descriptors import FamilyOptions, descriptors, split_rows
from ..thrift1.idl import IOError

_thriftpy2: Any = thriftpy2  # has no types, nor has the next one
_transport: Any = transport


@cache
def idl() -> Any:
    """The calls and structs of `thrift2.thrift`, loaded at first use."""
    return _thriftpy2.load(Path(__file__).with_name("thrift2.thrift"), module_name="rowbook_thrift2_thrift")


class Thrift2Gateway:
    """The Thrift2 gateway on a connection's host, with the connection's timeout, transport, protocol and prefix.

    Raises StoreError if no Thrift2 gateway answers there. Calls that HBase refuses raise the exceptions of Thrift1;
    calls without an answer raise OutcomeUnknown or Unreachable.
    """

    def __init__(self, connection: happybase.Connection, port: int) -> None:
        self._connection = connection
        self._where = f"{connection.host}:{port}"
        socket = _transport.TSocket(connection.host, port, socket_timeout=connection.timeout)
        self._transport = connection._transport_class(socket)
        protocol = connection._protocol_class(self._transport, decode_response=False)
        self._client: Any = TClient(idl().THBaseService, protocol)
        if why := self._why_not():
            self.close()
            raise StoreError(f"thrift2_port: must be the port of a Thrift2 gateway (got {port}; {self._where}: {why})")

    def _why_not(self) -> str | None:
        """Why this is not a Thrift2 gateway; None if it is."""
        try:
            self._transport.open()
            is_thrift2 = self._client.getThriftServerType() == idl().TThriftServerType.TWO
        except Exception as error:  # another program may answer there
            return _error_text(error)
        return None if is_thrift2 else "it is a Thrift1 gateway"

    def close(self) -> None:
        """Ends the connection to the gateway."""
        self._transport.close()

    def create_split_table(
        self, name: str | bytes, families: FamilyOptions, split_points: Iterable[str | bytes] = ()
    ) -> None:
        """Creates a table as happybase's `create_table` does, with one region more than there are split points.

        Each split point is the first row of a region. Families also take the options `block_size`, in bytes, and
        `keep_tombstones_ms`; if that is omitted or 0, the setting of the region servers applies, by default 0. Returns
        when every region can be read and written. Raises as `create_table` does, and ValueError for a split point that
        is not a valid row key or occurs twice.
        """
        thrift1_families, beyond = descriptors(families)
        columns = [_family_descriptor(family, beyond) for family in thrift1_families]
        rows = split_rows(split_points)
        with self._raising_as_thrift1(OutcomeUnknown, f"createTable {_decoded(name)}: outcome unknown"):
            self._client.createTable(idl().TTableDescriptor(self._table(name), columns), rows)

    def create_namespace(self, name: str | bytes) -> None:
        """Creates a namespace, unless it exists; tables named `NAME:...` need it."""
        with self._raising_as_thrift1(OutcomeUnknown, f"createNamespace {_decoded(name)}: outcome unknown"):
            try:
                self._client.createNamespace(idl().TNamespaceDescriptor(_decoded(name)))
            except idl().TIOError as error:
                if b"NamespaceExistException" not in (error.message or b""):
                    raise

    def block_sizes(self, name: str | bytes) -> dict[bytes, int]:
        """The block size of each family of a table, in bytes."""
        return {family.name: family.blockSize for family in self._families(name)}

    def keep_tombstones_ms(self, name: str | bytes) -> dict[bytes, int]:
        """How long a compaction of all files keeps the tombstones of each family of a table, in milliseconds.

        It is the family's own setting; Thrift2 has no call for the setting of the region servers.
        """
        return {family.name: _keep_tombstones_ms(family) for family in self._families(name)}

    def _families(self, name: str | bytes) -> list[Any]:
        """Thrift2's descriptors of a table's families."""
        with self._raising_as_thrift1(Unreachable, f"getTableDescriptor {_decoded(name)}: no answer"):
            families: list[Any] = self._client.getTableDescriptor(self._table(name)).columns
        return families

    def _table(self, name: str | bytes) -> Any:
        namespace, _, qualifier = self._connection.table(name).name.rpartition(b":")
        return idl().TTableName(namespace or None, qualifier)

    @contextmanager
    def _raising_as_thrift1(self, unanswered: type[ConnectionError], what: str) -> Generator[None]:
        try:
            yield
        except (TTransportException, OSError) as error:
            raise unanswered(f"{self._where}: {what}: {_error_text(error)}") from error
        except idl().TIOError as error:
            message = error.message or b""
            if message.startswith(b"org.apache.hadoop.hbase.TableExistsException"):
                raise AlreadyExists(message=b"table name already in use") from error
            raise IOError(message, error.canRetry) from error


def _family_descriptor(family: ColumnDescriptor, beyond: dict[bytes, dict[str, int]]) -> Any:
    """Thrift2's descriptor of a Thrift1 family; ValueError for a compression or bloom filter that it does not have."""
    name = _decoded(family.name).removesuffix(":").encode()
    keep_ms = beyond[name].get("keep_tombstones_ms", 0)
    return idl().TColumnFamilyDescriptor(
        name=name,
        configuration={PURGE_DELETES.encode(): b"%d" % keep_ms} if keep_ms else None,
        blockSize=beyond[name].get("block_size"),
        bloomnFilterType=_enum_value(idl().TBloomFilterType, "bloom_filter_type", family.bloomFilterType),
        compressionType=_enum_value(idl().TCompressionAlgorithm, "compression", _decoded(family.compression).upper()),
        maxVersions=family.maxVersions,
        timeToLive=family.timeToLive if family.timeToLive > 0 else FOREVER_S,
        blockCacheEnabled=family.blockCacheEnabled,
        inMemory=family.inMemory,
    )


def _keep_tombstones_ms(family: Any) -> int:
    configuration: dict[bytes, bytes] = family.configuration or {}
    return int(configuration.get(PURGE_DELETES.encode(), 0))


def _enum_value(names: Any, option: str, name: bytes | str) -> int:
    number: int | None = names._NAMES_TO_VALUES.get(_decoded(name))
    if number is None:
        raise ValueError(f"{option}: must be one of {', '.join(names._NAMES_TO_VALUES)} (got {_decoded(name)!r})")
    return number


def _error_text(error: Exception) -> str:
    """The message of an error of Thrift or of the network."""
    message = getattr(error, "message", None) or getattr(error, "strerror", None) or str(error)
    return message.decode() if isinstance(message, bytes) else str(message)


def _decoded(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name
