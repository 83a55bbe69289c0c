"""The calls of Thrift2 that the suite uses, on the embedded engine, by the names that HBase's IDL gives them.

The structs are those of `thrift2/hbase.thrift`; calls raise Thrift1's IOError, which is TIOError on the wire.
"""

# ruff: noqa: D102 - HBase's IDL says what each call does

from collections.abc import Sequence
from typing import Any

from Hbase_thrift import AlreadyExists, IllegalArgument

from ...keys.limits import LATEST_MS
from ..thrift1.errors import UncheckedError, io_error, name_text
from ..thrift1.idl import IOError
from ..thrift2.descriptors import described, thrift1_descriptors
from ..thrift2.idl import idl
from .engine import Put
from .mutations import put_dated
from .service import ThriftService, shared_call, thrift_call
from .table_calls import create_namespace, create_table, find_table

_FAILED = b"org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException: "


class Thrift2Service:
    """The calls, from any thread, on the engine of a Thrift1 service."""

    def __init__(self, service: ThriftService) -> None:
        self.engine = service.engine
        self._service = service

    @shared_call
    def putMultiple(self, table: bytes, tputs: Sequence[Any]) -> None:
        try:
            put_dated(self.engine, table, [_entry(put) for put in tputs], self._service.watch)
        except IOError as error:  # HBase: Thrift2 sends the message of the exception, not its class
            raise IOError((error.message or b"").removeprefix(_FAILED), error.canRetry) from error

    @thrift_call
    def getTableDescriptor(self, table: Any) -> Any:
        families = find_table(self.engine, _name(table)).families
        sizes = {name: family.block_bytes for name, family in families.items()}
        keep_ms = {name: family.keep_tombstones_ms for name, family in families.items()}
        return idl().TTableDescriptor(table, described(sizes, keep_ms))

    @thrift_call
    def createTable(self, desc: Any, splitKeys: Sequence[bytes] | None) -> None:
        plain, beyond = thrift1_descriptors(desc.columns or ())
        try:
            create_table(self.engine, _name(desc.tableName), plain, beyond, splitKeys or ())
        except AlreadyExists as error:
            raise io_error("TableExistsException", name_text(_name(desc.tableName))) from error
        except IllegalArgument as error:
            raise UncheckedError(name_text(error.message)) from error

    @thrift_call
    def createNamespace(self, namespaceDesc: Any) -> None:
        name: bytes = namespaceDesc.name
        if self.engine.has_namespace(name):
            raise io_error("NamespaceExistException", name_text(name))
        create_namespace(self.engine, name)

    @thrift_call
    def getThriftServerType(self) -> Any:
        return idl().TThriftServerType.TWO


def _entry(put: Any) -> list[Put]:
    """The cells of a put. A cell without a timestamp has that of the put, or else the server's."""
    time_ms = LATEST_MS if put.timestamp is None else put.timestamp
    return [
        (
            put.row,
            cell.family + b":" + cell.qualifier,
            time_ms if cell.timestamp is None else cell.timestamp,
            cell.value,
        )
        for cell in put.columnValues
    ]


def _name(table: Any) -> bytes:
    """The name of a table, after its namespace."""
    name: bytes = table.ns + b":" + table.qualifier if table.ns else table.qualifier
    return name
