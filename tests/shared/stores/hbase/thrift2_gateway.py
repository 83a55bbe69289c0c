"""An embedded store behind both gateways of an HBase."""

from collections.abc import Generator
from contextlib import closing, contextmanager

from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.hbase.connection import HBaseConnection
from shared.stores.server.thrift_server import Protocol, ThriftServer, Transport


@contextmanager
def both_gateways(
    transport: Transport = "buffered", protocol: Protocol = "binary", **options: int
) -> Generator[tuple[HBaseConnection, EmbeddedConnection]]:
    """A connection that names a Thrift2 gateway, and the store behind both."""
    with closing(EmbeddedConnection(None)) as store, serving_both(store, transport, protocol) as (port, thrift2_port):
        wire = {"transport": transport, "protocol": protocol, "timeout_ms": 10_000}
        with closing(HBaseConnection("127.0.0.1", port, thrift2_port=thrift2_port, **(wire | options))) as connection:
            yield connection, store


@contextmanager
def serving_both(
    store: EmbeddedConnection, transport: Transport = "buffered", protocol: Protocol = "binary"
) -> Generator[tuple[int, int]]:
    """The ports at which a store is served through Thrift1 and Thrift2."""
    with (
        ThriftServer(store.service, transport=transport, protocol=protocol) as thrift1,
        ThriftServer(
            store.service, transport=transport, protocol=protocol, version="Thrift2", beside=thrift1
        ) as thrift2,
    ):
        yield thrift1.port, thrift2.port
