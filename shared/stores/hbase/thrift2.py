"""HBase's Thrift2 gateway, asked only for what Thrift1 cannot say of a table: its split points and its block sizes.

Rows go through Thrift1 and happybase all the same.
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

from ...keys.limits import FOREVER_S
from ..thrift1.descriptors import Options, descriptors, split_rows
from ..thrift1.errors import StoreError
from ..thrift1.idl import IOError
from .outcomes import OutcomeUnknown, Unreachable

_thriftpy2: Any = thriftpy2  # which, as the next one, has no types
_transport: Any = transport


@cache
def idl() -> Any:
    """The calls and structs of `thrift2.thrift`, read when they are first needed."""
    return _thriftpy2.load(Path(__file__).with_name("thrift2.thrift"), module_name="rowbook_thrift2_thrift")


class Thrift2Gateway:
    """The Thrift2 gateway on the host of a connection, with the timeout, transport, protocol and prefix of that.

    Raises StoreError where no Thrift2 gateway is. What HBase refuses raises the exceptions of Thrift1; where no answer
    comes, OutcomeUnknown or Unreachable.
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
        """Why this is no Thrift2 gateway, if it is none."""
        try:
            self._transport.open()
            is_thrift2 = self._client.getThriftServerType() == idl().TThriftServerType.TWO
        except Exception as error:  # of whatever else answers there
            return _said(error)
        return None if is_thrift2 else "it is one of Thrift1"

    def close(self) -> None:
        """Ends the connection to the gateway."""
        self._transport.close()

    def create_split_table(
        self, name: str | bytes, families: Options, split_points: Iterable[str | bytes] = ()
    ) -> None:
        """Creates a table as happybase's `create_table` does, with one region more than there are split points.

        Each split point is the first row of a region. Families take the option `block_size` besides, in bytes. Returns
        when every region can be read and written. Raises as `create_table` does, and ValueError for a split point that
        is not a valid row key or occurs twice.
        """
        found, block_sizes = descriptors(families)
        columns = [_column(each, block_sizes) for each in found]
        rows = split_rows(split_points)
        with self._raising_as_thrift1(OutcomeUnknown, f"createTable {_text(name)}: outcome unknown"):
            self._client.createTable(idl().TTableDescriptor(self._table(name), columns), rows)

    def block_sizes(self, name: str | bytes) -> dict[bytes, int]:
        """The block size of each family of a table, in bytes."""
        with self._raising_as_thrift1(Unreachable, f"getTableDescriptor {_text(name)}: no answer"):
            table = self._client.getTableDescriptor(self._table(name))
        return {each.name: each.blockSize for each in table.columns}

    def _table(self, name: str | bytes) -> Any:
        namespace, _, qualifier = self._connection.table(name).name.rpartition(b":")
        return idl().TTableName(namespace or None, qualifier)

    @contextmanager
    def _raising_as_thrift1(self, unanswered: type[ConnectionError], what: str) -> Generator[None]:
        try:
            yield
        except (TTransportException, OSError) as error:
            raise unanswered(f"{self._where}: {what}: {_said(error)}") from error
        except idl().TIOError as error:
            said = error.message or b""
            if said.startswith(b"org.apache.hadoop.hbase.TableExistsException"):
                raise AlreadyExists(message=b"table name already in use") from error
            raise IOError(said, error.canRetry) from error


def _column(family: ColumnDescriptor, block_sizes: dict[bytes, int]) -> Any:
    """A family of Thrift1 as Thrift2 has it; ValueError for a name that its lists do not have."""
    name = _text(family.name).removesuffix(":").encode()
    return idl().TColumnFamilyDescriptor(
        name=name,
        blockSize=block_sizes.get(name),
        bloomnFilterType=_number(idl().TBloomFilterType, "bloom_filter_type", family.bloomFilterType),
        compressionType=_number(idl().TCompressionAlgorithm, "compression", _text(family.compression).upper()),
        maxVersions=family.maxVersions,
        timeToLive=family.timeToLive if family.timeToLive > 0 else FOREVER_S,
        blockCacheEnabled=family.blockCacheEnabled,
        inMemory=family.inMemory,
    )


def _number(names: Any, option: str, name: bytes | str) -> int:
    number: int | None = names._NAMES_TO_VALUES.get(_text(name))
    if number is None:
        raise ValueError(f"{option}: must be one of {', '.join(names._NAMES_TO_VALUES)} (got {_text(name)!r})")
    return number


def _said(error: Exception) -> str:
    """What an error of Thrift or of the network says."""
    said = getattr(error, "message", None) or getattr(error, "strerror", None) or str(error)
    return said.decode() if isinstance(said, bytes) else str(said)


def _text(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name
