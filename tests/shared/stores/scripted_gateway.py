"""A Thrift1 gateway with a script of what goes wrong: which call meets which fault, each once."""

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
from shared.stores.server.thrift_server import ThriftServer

_HEAD_BYTES = 4
_NAME_AT = 8


class Fault(Enum):
    LOST_CALL = auto()  # the connection ends, the store never hears of the call
    LOST_REPLY = auto()  # the store runs the call, the connection ends without a byte of the reply
    CUT_REPLY = auto()  # half of the reply, then the connection ends
    LATE_REPLY = auto()  # the reply comes LATE_S after it was ready
    NO_REPLY = auto()  # nothing comes, and the connection stays open
    WRONG_REPLY = auto()  # the reply to a call that was never sent
    GARBAGE = auto()  # what a web server says
    CLOSED_AFTER = auto()  # the whole reply, then the connection closes
    EXPIRED = auto()  # the store has forgotten every scanner


SILENCES = [Fault.LATE_REPLY, Fault.NO_REPLY]
SHORT_MS = 300
"""A timeout for clients of silent gateways; a busy machine must not come near it otherwise."""
LATE_S = 0.5


class ScriptedGateway:
    """A server on a store in memory behind a proxy that knows the framed transport and the binary protocol."""

    def __init__(self) -> None:
        self.store = EmbeddedConnection(None)
        self.store.create_table("t", {"d": {}})
        self.table = self.store.table("t")
        self.script: list[tuple[str, Fault]] = []
        self.calls: list[str] = []
        """Every call that came, in order."""
        self.sockets = 0
        """How many connections were ever accepted."""
        self.links: list[socket.socket] = []
        """The connections that are open."""
        self._opened: list[happybase.Connection] = []
        self._ended = threading.Event()
        self._server = self._started()
        self._reserved = reserved_port()
        self.port = self._reserved.getsockname()[1]
        self._listener = self._listening()
        self.url = f"hbase://127.0.0.1:{self.port}"

    def connect(self, *, timeout_ms: int = 10_000, retry_ms: int = 10_000, prefix: str = "") -> happybase.Connection:
        options = f"transport=framed&timeout_ms={timeout_ms}&retry_ms={retry_ms}&table_prefix={prefix}"
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

    def count(self, call: str) -> int:
        return self.calls.count(call)

    @property
    def is_done(self) -> bool:
        """Whether every fault has happened."""
        return not self.script

    def stop(self) -> None:
        """Ends every connection; from now on no client can connect."""
        self._listener.shutdown(socket.SHUT_RDWR)  # or the thread that waits there would take one more client
        self._acceptor.join()
        self._listener.close()
        self.cut()
        self._server.stop()

    def start(self) -> None:
        """Listens again, at the same port and with no scanner."""
        self._server = self._started()
        self._listener = self._listening()

    def restart(self) -> None:
        self.stop()
        self.start()

    def cut(self) -> None:
        """Ends every connection, as the gateway does after a minute; scanners stay."""
        for link in [*self.links]:
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for resource in self._opened:
            resource.close()
        self.stop()
        self._reserved.close()
        self.store.close()

    def _started(self) -> ThriftServer:
        self._service = ThriftService(self.store.service.engine)
        server = ThriftServer(self._service, transport="framed")
        server.start()
        return server

    def _listening(self) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", self.port))
        self._acceptor = threading.Thread(target=self._accept, args=(listener,), daemon=True)
        self._acceptor.start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                self.sockets += 1
                self.links.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with (
            suppress(OSError, EOFError),
            client,
            socket.create_connection((self._server.host, self._server.port)) as server,
        ):
            while self._forward(client, server):
                pass
        self.links.remove(client)

    def _forward(self, client: socket.socket, server: socket.socket) -> bool:
        """Passes one call on and its reply back; False where the connection ends with it."""
        frame = _frame(client)
        name_end = _HEAD_BYTES + _NAME_AT + int.from_bytes(frame[_HEAD_BYTES + 4 : _HEAD_BYTES + _NAME_AT], "big")
        name = frame[_HEAD_BYTES + _NAME_AT : name_end].decode()
        self.calls.append(name)
        fault = next((fault for call, fault in self.script if call == name), None)
        if fault is not None:
            self.script.remove((name, fault))
        if fault is Fault.LOST_CALL:
            return False
        if fault is Fault.EXPIRED:
            for scanner_id in range(1000):
                with suppress(Exception):
                    self._service.scannerClose(scanner_id)
        server.sendall(frame)
        reply = _frame(server)
        if fault is Fault.CUT_REPLY:
            client.sendall(reply[: len(reply) // 2])
        elif fault is Fault.GARBAGE:
            client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        elif fault is Fault.WRONG_REPLY:
            sequence_at = name_end  # in a reply as in the call
            client.sendall(reply[:sequence_at] + b"\x7f\x00\x00\x00" + reply[sequence_at + 4 :])
        elif fault is Fault.NO_REPLY:
            self._ended.wait()
        elif fault is not Fault.LOST_REPLY:
            if fault is Fault.LATE_REPLY:
                self._ended.wait(LATE_S)
            client.sendall(reply)
            return fault is not Fault.CLOSED_AFTER
        return False


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


def _frame(link: socket.socket) -> bytes:
    head = _exactly(link, _HEAD_BYTES)
    return head + _exactly(link, int.from_bytes(head, "big"))


def _exactly(link: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = link.recv(size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data
