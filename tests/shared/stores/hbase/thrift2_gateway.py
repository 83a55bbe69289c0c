"""An embedded store behind both gateways of an HBase: our own Thrift1 server, and the part of Thrift2 that we use."""

import threading
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from types import SimpleNamespace

from happybase.connection import THRIFT_PROTOCOLS, THRIFT_TRANSPORTS
from Hbase_thrift import AlreadyExists, IOError
from thriftpy2.server import TThreadedServer
from thriftpy2.thrift import TProcessor
from thriftpy2.transport import TServerSocket

from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.hbase.connection import HBaseConnection
from shared.stores.hbase.thrift2 import idl
from shared.stores.server.thrift_server import Protocol, ThriftServer, Transport

IDL = idl()

BLOOMS = IDL.TBloomFilterType._VALUES_TO_NAMES
COMPRESSIONS = IDL.TCompressionAlgorithm._VALUES_TO_NAMES

PURGE = b"hbase.hstore.time.to.purge.deletes"


class Handler:
    """Thrift2's calls on an embedded store."""

    def __init__(self, connection: EmbeddedConnection) -> None:
        self.connection = connection

    def getThriftServerType(self):  # noqa: N802
        return IDL.TThriftServerType.TWO

    def createTable(self, desc, splitKeys):  # noqa: N802, N803
        families = {family.name.decode(): _options(family) for family in desc.columns}
        try:
            self.connection.create_split_table(_name(desc.tableName), families, splitKeys)
        except AlreadyExists as error:
            raise IDL.TIOError("org.apache.hadoop.hbase.TableExistsException: t\n\tat a line of Java") from error
        except IOError as error:
            raise IDL.TIOError(error.message.decode()) from error

    def createNamespace(self, namespaceDesc):  # noqa: N802, N803
        if self.connection.service.engine.has_namespace(namespaceDesc.name.encode()):
            raise IDL.TIOError("org.apache.hadoop.hbase.NamespaceExistException: " + namespaceDesc.name)
        self.connection.create_namespace(namespaceDesc.name)

    def getTableDescriptor(self, table):  # noqa: N802
        try:
            sizes = self.connection.block_sizes(_name(table))
            keep_ms = self.connection.keep_tombstones_ms(_name(table))
        except IOError as error:
            raise IDL.TIOError(error.message.decode()) from error
        families = [
            IDL.TColumnFamilyDescriptor(
                name=name, blockSize=size, configuration={PURGE: b"%d" % keep_ms[name]} if keep_ms[name] else {}
            )
            for name, size in sizes.items()
        ]
        return IDL.TTableDescriptor(table, families)


def _name(table):
    return table.ns + b":" + table.qualifier if table.ns else table.qualifier


def _options(family):
    return {
        "max_versions": family.maxVersions,
        "time_to_live": family.timeToLive,
        "bloom_filter_type": BLOOMS[family.bloomnFilterType],
        "compression": COMPRESSIONS[family.compressionType],
        "block_cache_enabled": family.blockCacheEnabled,
        "in_memory": family.inMemory,
        **({} if family.blockSize is None else {"block_size": family.blockSize}),
        "keep_tombstones_ms": int((family.configuration or {}).get(PURGE, 0)),
    }


@contextmanager
def thrift2_gateway(
    store: EmbeddedConnection, transport: Transport = "buffered", protocol: Protocol = "binary"
) -> Generator[int]:
    """The port of a Thrift2 gateway to a store."""
    listener = TServerSocket("127.0.0.1", 0)
    server = TThreadedServer(
        TProcessor(IDL.THBaseService, Handler(store)),
        listener,
        iprot_factory=SimpleNamespace(get_protocol=THRIFT_PROTOCOLS[protocol]),
        itrans_factory=SimpleNamespace(get_transport=THRIFT_TRANSPORTS[transport]),
    )
    listener.listen()
    threading.Thread(target=_accept, args=(listener, server), daemon=True).start()
    try:
        yield listener.sock.getsockname()[1]
    finally:
        listener.close()


def _accept(listener: TServerSocket, server: TThreadedServer) -> None:
    with suppress(OSError, AssertionError):  # it was closed, which thriftpy2 asserts that it is not
        while True:
            threading.Thread(target=server.handle, args=(listener.accept(),), daemon=True).start()


@contextmanager
def both_gateways(
    transport: Transport = "buffered", protocol: Protocol = "binary"
) -> Generator[tuple[HBaseConnection, EmbeddedConnection]]:
    """A connection that names a Thrift2 gateway, and the store behind both."""
    wire = {"transport": transport, "protocol": protocol}
    with (
        closing(EmbeddedConnection(None)) as store,
        ThriftServer(store.service, **wire) as thrift1,
        thrift2_gateway(store, **wire) as port,
        closing(HBaseConnection("127.0.0.1", thrift1.port, timeout_ms=10_000, thrift2_port=port, **wire)) as connection,
    ):
        yield connection, store
