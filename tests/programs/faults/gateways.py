"""Gateways behind the proxy, and direct access to their store, without faults."""

import secrets
from typing import Any, TypeAlias

import happybase

from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.embedded.service import ThriftService
from shared.stores.server.thrift_server import ThriftServer

FAMILIES: dict[str, dict[str, Any]] = {"d": {}, "e": {}}
SPLITS = (b"s-040", b"s-080", b"t")

_DIRECT_TIMEOUT_MS = 120_000


class EmbeddedGateway:
    """The project's own server on an embedded store in memory, and the table of a run, which has four regions."""

    def __init__(self) -> None:
        self.table = "faults"
        self._store = EmbeddedConnection(None)
        self._store.create_split_table(self.table, FAMILIES, SPLITS)
        self._server = self._started()

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        return self._server.host, self._server.port

    def direct(self) -> happybase.Connection:
        """A connection past the proxy: what it says is true."""
        return self._store

    def restart(self) -> None:
        """Ends what runs and forgets every scanner."""
        self._server.stop()
        self._server = self._started()

    def close(self) -> None:
        """Leaves nothing behind."""
        self._server.stop()
        self._store.close()

    def _started(self) -> ThriftServer:
        service = ThriftService(self._store.service.engine)  # with no scanner, and ids from 0 again
        server = ThriftServer(service)
        server.start()
        return server


class RemoteGateway:
    """Any Thrift1 gateway, with a table of its own that is dropped in the end. To it a restart is cut connections."""

    def __init__(self, host: str, port: int) -> None:
        self.address = host, port
        self.table = f"faults_{secrets.token_hex(4)}"
        self._opened: list[happybase.Connection] = []
        self.direct().create_table(self.table, FAMILIES)

    def direct(self) -> happybase.Connection:
        host, port = self.address
        self._opened.append(happybase.Connection(host, port, timeout=_DIRECT_TIMEOUT_MS))
        return self._opened[-1]

    def restart(self) -> None:
        pass

    def close(self) -> None:
        self.direct().delete_table(self.table, disable=True)
        for server in self._opened:
            server.close()


Gateway: TypeAlias = EmbeddedGateway | RemoteGateway
"""A Thrift1 server behind the proxy, and the table of a run."""
