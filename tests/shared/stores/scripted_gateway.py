"""The gateways of an HBase with a script of what goes wrong: which call meets which fault, each once."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum, auto
from typing import Self

import happybase

from shared.stores import connect
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.embedded.service import ThriftService
from shared.stores.server.memory import ClientBuffers
from shared.stores.server.messages import ClientGone, Stream
from shared.stores.server.thrift_server import ThriftServer, Version


class Fault(Enum):
    LOST_CALL = auto()  # the connection ends, the store never hears of the call
    LOST_REPLY = auto()  # the store runs the call, the connection ends without a byte of the reply
    CUT_REPLY = auto()  # half of the reply, then the connection ends
    LATE_REPLY = auto()  # the reply comes LATE_S after it was ready
    NO_REPLY = auto()  # nothing comes, and the connection stays open
    STALLED_REPLY = auto()  # half of the reply, and the connection stays open
    HELD_CALL = auto()  # the store hears of the call after LATE_S, when its client has left
    WRONG_REPLY = auto()  # the reply to a call that was never sent
    GARBAGE = auto()  # what a web server says
    CLOSED_AFTER = auto()  # the whole reply, then the connection closes
    EXPIRED = auto()  # the store has forgotten every scanner


CUTS = [Fault.LOST_CALL, Fault.LOST_REPLY, Fault.CUT_REPLY, Fault.WRONG_REPLY, Fault.GARBAGE]
FAULTS = [*CUTS, Fault.NO_REPLY]
"""What may happen to any call."""
SILENCES = [Fault.LATE_REPLY, Fault.NO_REPLY]
SHORT_MS = 300
"""A timeout for clients of silent gateways; a busy machine must not come near it otherwise."""
LATE_S = 0.5


class ScriptedGateway:
    """Servers of Thrift1 and Thrift2 on a store in memory, with the framed transport and the binary protocol."""

    def __init__(self) -> None:
        self.store = EmbeddedConnection(None)
        self.store.create_table("t", {"d": {}})
        self.table = self.store.table("t")
        self.script: list[tuple[str, Fault]] = []
        self.answers_left: int | None = None
        self.calls: list[str] = []
        """Every call that came, in order."""
        self.sockets = 0
        """How many connections were ever accepted."""
        self.first_calls: list[str] = []
        """The first call on each of them."""
        self.under_way: list[str] = []
        """The calls that are not answered yet."""
        self.most_under_way = 0
        self.takes_s = 0.0
        """How long each call takes at least."""
        self.ended = threading.Event()
        self._opened: list[happybase.Connection] = []
        self._reserved = reserved_port(), reserved_port()
        port, self.thrift2_port = (reserved.getsockname()[1] for reserved in self._reserved)
        self.url = f"hbase://127.0.0.1:{port}"
        self.thrift2_url = f"hbase://127.0.0.1:{self.thrift2_port}"
        self.start()

    def connect(
        self, *, timeout_ms: int = 10_000, retry_ms: int = 10_000, in_flight: int = 8, prefix: str = ""
    ) -> happybase.Connection:
        waits = f"timeout_ms={timeout_ms}&retry_ms={retry_ms}&in_flight={in_flight}"
        options = f"transport=framed&{waits}&table_prefix={prefix}&thrift2_port={self.thrift2_port}"
        self._opened.append(connect(f"{self.url}?{options}"))
        return self._opened[-1]

    def opened(self, fault: Fault | None = None, **options: int) -> happybase.Table:
        """The table on a connection that has had an answer; it waits for a short time if the fault is silence."""
        connection = self.connect(**({"timeout_ms": SHORT_MS} if fault in SILENCES else {}), **options)
        connection.tables()
        return connection.table("t")

    def goes_wrong(self, call: str, *faults: Fault) -> None:
        """The next calls of this name meet these faults."""
        self.script += [(call, fault) for fault in faults]

    def hangs_after(self, calls: int) -> None:
        """The call after so many others is not answered, whatever it is."""
        self.answers_left = calls

    def count(self, call: str) -> int:
        return self.calls.count(call)

    @property
    def scanners(self) -> int:
        """How many scanners are open."""
        return len(self._thrift1_service._scanners._scanners)

    @property
    def _thrift1_service(self) -> ThriftService:
        return self._servers[0]._service

    @property
    def is_done(self) -> bool:
        """Whether every fault has happened."""
        return not self.script

    @property
    def links(self) -> list[socket.socket]:
        """The connections that are open."""
        return [link for server in self._servers for link in server._clients.values()]

    def start(self) -> None:
        """Listens, again at the same port and with no scanner."""
        ports = (reserved.getsockname()[1] for reserved in self._reserved)
        self._servers = [_ScriptedServer(self, *at) for at in zip(ports, ("Thrift1", "Thrift2"), strict=True)]
        for server in self._servers:
            server.start()

    def stop(self) -> None:
        """Ends every connection; from now on no client can connect."""
        for server in self._servers:
            server.stop()

    def restart(self) -> None:
        self.stop()
        self.start()

    def forget_scanners(self) -> None:
        """Closes every scanner, as the gateway does with those that were not used for two minutes."""
        for scanner_id in range(1000):
            with suppress(Exception):
                self._thrift1_service.scannerClose(scanner_id)

    def cut(self) -> None:
        """Ends every connection, as the gateway does after a minute; scanners stay."""
        for link in self.links:
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        for connection in self._opened:
            connection.close()
        self.stop()
        for reserved in self._reserved:
            reserved.close()
        self.store.close()


class _ScriptedServer(ThriftServer):
    """A server whose calls meet the faults of a gateway's script."""

    def __init__(self, gateway: ScriptedGateway, port: int, version: Version) -> None:
        service = ThriftService(gateway.store.service.engine)
        super().__init__(service, port=port, transport="framed", version=version)
        self._gateway = gateway
        self._has_called = threading.local()  # each client is served by a thread of its own

    def _serve_client(self, client: socket.socket, name: str) -> None:
        self._gateway.sockets += 1
        self._has_called.number = 0
        super()._serve_client(client, name)

    def _answer(self, client: socket.socket, stream: Stream, client_buffers: ClientBuffers) -> None:
        call = stream.take(self._walk(stream).message())
        name_end = 8 + int.from_bytes(call[4:8], "big")
        name = call[8:name_end].decode()
        self._gateway.calls.append(name)
        if not self._has_called.number:
            self._gateway.first_calls.append(name)
        self._has_called.number += 1
        self._gateway.under_way.append(name)
        self._gateway.most_under_way = max(self._gateway.most_under_way, len(self._gateway.under_way))
        try:
            time.sleep(self._gateway.takes_s)
            self._answer_call(client, call, name, name_end)
        finally:
            self._gateway.under_way.remove(name)

    def _answer_call(self, client: socket.socket, call: bytes, name: str, name_end: int) -> None:
        fault = next((fault for call, fault in self._gateway.script if call == name), None)
        if fault is not None:
            self._gateway.script.remove((name, fault))
        if self._gateway.answers_left is not None:
            self._gateway.answers_left -= 1
            if self._gateway.answers_left < 0:
                self._gateway.answers_left, fault = None, Fault.NO_REPLY
        if fault is Fault.HELD_CALL:
            self._gateway.ended.wait(LATE_S)
        if fault is Fault.LOST_CALL:
            raise ClientGone
        if fault is Fault.EXPIRED:
            self._gateway.forget_scanners()
        reply = b"".join(self._reply(call))
        if fault in SILENCES:
            self._gateway.ended.wait(LATE_S if fault is Fault.LATE_REPLY else None)
        if fault is Fault.WRONG_REPLY:  # to another sequence id, which stands in a reply as in the call
            reply = reply[:name_end] + b"\x7f\x00\x00\x00" + reply[name_end + 4 :]
        framed = len(reply).to_bytes(4, "big") + reply
        if fault in (Fault.CUT_REPLY, Fault.STALLED_REPLY):
            client.sendall(framed[: len(framed) // 2])
        if fault is Fault.STALLED_REPLY:
            self._gateway.ended.wait()
        elif fault is Fault.GARBAGE:
            client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        elif fault not in (Fault.LOST_REPLY, Fault.NO_REPLY, Fault.CUT_REPLY, Fault.STALLED_REPLY):
            client.sendall(framed)
        if fault not in (None, Fault.LATE_REPLY, Fault.EXPIRED):
            raise ClientGone


def reserved_port() -> socket.socket:
    """A socket that keeps a free port from other processes; a server that reuses addresses can listen there."""
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("127.0.0.1", 0))
    return reserved


def until(condition: Callable[[], bool]) -> bool:
    """Whether it comes true within five seconds."""
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.01)
    return False
