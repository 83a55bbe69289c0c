"""The embedded store as a Thrift server on TCP, for happybase in other processes and clients in other languages."""

import logging
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from typing import Any, Literal, Self, TypeAlias, cast

from attrs import frozen
from Hbase_thrift import TCell, TRowResult
from thriftpy2 import transport as thriftpy2_transport
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TApplicationException, TProcessor
from thriftpy2.transport import TTransportException

from ..embedded.connection import InProcessClient
from ..embedded.service import ThriftService
from ..embedded.sizes import VALUE_OBJECT_BYTES
from ..embedded.thrift2_service import Thrift2Service
from ..thrift1.errors import io_error
from ..thrift1.idl import Thrift1
from ..thrift2.idl import idl
from .memory import MAX_BUFFERED_BYTES, BufferFull, Buffers, ClientBuffers
from .messages import BinaryWalk, BrokenMessage, ClientGone, CompactWalk, Stream, Walk

# HBase: hbase.thrift.server.socket.read.timeout
CLIENT_IDLE_S = 60.0

# HBase: hbase.thrift.maxWorkerThreads; further clients wait until another one leaves.
MAX_CLIENTS = 1000

# How long a server that stops lets calls finish before it interrupts them.
STOP_S = 3.0
_BREAK_OFF_S = 1.0

_WAITING_CLIENTS = 128
_NO_FILES_LEFT_S = 0.1
_CLOSED_S = 0.5

_PIECE_BYTES = 128 * 1024

Transport: TypeAlias = Literal["buffered", "framed"]
Protocol: TypeAlias = Literal["binary", "compact"]
Version: TypeAlias = Literal["Thrift1", "Thrift2"]

_WALKS: dict[str, Callable[[Stream], Walk]] = {"binary": BinaryWalk, "compact": CompactWalk}
_PROTOCOLS: dict[str, Callable[..., Any]] = {
    "binary": partial(TBinaryProtocol, decode_response=False, strict_read=False),
    "compact": partial(TCompactProtocol, decode_response=False),
}
_transports: Any = thriftpy2_transport  # its Cython classes have no types

_log = logging.getLogger(__name__)


class ThriftServer:
    """Serves a store's calls on a TCP port, to many clients at once, each in a thread of its own.

    It listens as soon as it is constructed, at `host` and `port` (0 chooses a free port; the attribute `port` has it),
    and answers between `start` and `stop`, during `serve`, or as a context manager. Raises OSError for an address that
    it cannot listen on.

    Like the Java server, it sends an exception of a call to the client and continues. It closes the connection, with a
    warning in the log, if a client sends anything but messages of this transport and protocol, or a message beyond the
    limits in `messages.py`.

    It closes a connection after `idle_s` seconds without a byte. 60 s is HBase's own time: happybase has no keep-alive,
    so a client that pauses for longer has to reconnect to HBase too, and should notice that here first. That also ends
    the threads of clients that disappeared. Scans do not end with their connection: any other one may continue them.

    Unanswered messages and unread replies of all clients together need at most `max_buffered_bytes`, see `memory.py`.

    With `version` Thrift2 it serves the calls of `Thrift2Service`; to serve both, run two servers on one service, the
    second one `beside` the first, whose memory it shares.
    """

    def __init__(
        self,
        service: ThriftService,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        transport: Transport = "buffered",
        protocol: Protocol = "binary",
        idle_s: float = CLIENT_IDLE_S,
        max_buffered_bytes: int = MAX_BUFFERED_BYTES,
        version: Version = "Thrift1",
        beside: "ThriftServer | None" = None,
    ) -> None:
        self._framed = transport == "framed"
        self._walk = _WALKS[protocol]
        self._protocol = _PROTOCOLS[protocol]
        self._service = service
        if version == "Thrift1":
            # The in-process client replaces arguments that were not sent as the Java side does.
            self._processor = _Processor(Thrift1, InProcessClient(service), Thrift1.thrift_services)
        else:
            names = [name for name in idl().THBaseService.thrift_services if hasattr(Thrift2Service, name)]
            self._processor = _Processor(idl().THBaseService, Thrift2Service(service), names)
        self._idle_s = idle_s
        self._buffers: Buffers = Buffers(max_buffered_bytes) if beside is None else beside._buffers
        self._clients: dict[threading.Thread, socket.socket] = {}
        self._guard = threading.Lock()  # over `_clients` and `_stopping`
        self._stopping = False
        self._breaking_off = False
        self._places = threading.Semaphore(MAX_CLIENTS)
        self._acceptor = threading.Thread(target=self._accept_clients, name="rowbook accept", daemon=True)
        self._listener = _listen(host, port)
        self.host: str = self._listener.getsockname()[0]
        self.port: int = self._listener.getsockname()[1]
        self.address = _address(self.host, self.port)
        self._wake, self._woken = socket.socketpair()

    # Starting and stopping

    def start(self) -> None:
        """Answers clients from now on, in threads of its own."""
        self._acceptor.start()

    def serve(self) -> None:
        """Answers clients until another thread calls `stop`."""
        self.start()
        self._acceptor.join()

    def stop(self) -> None:
        """Finishes the calls that run, sends their replies and closes every socket; within 5 seconds.

        After STOP_S seconds it interrupts calls that still run: their clients get an error or no reply. Their writes
        are undone, except parts of a large batch that are already stored. A second stop does nothing.
        """
        with self._guard:
            if self._stopping:
                return
            self._stopping = True
        self._wake.send(b"\0")
        self._places.release()
        if self._acceptor.ident is not None:
            self._acceptor.join()
        for open_socket in (self._listener, self._wake, self._woken):
            open_socket.close()
        # A thread that waits for a message then reads the end of the stream; one within a call can still reply.
        if not self._end_clients(socket.SHUT_RD, STOP_S):
            self._breaking_off = True
            self._service.engine.interrupt(_BREAK_OFF_S + _CLOSED_S)
            self._end_clients(socket.SHUT_RD, _BREAK_OFF_S)
        self._end_clients(socket.SHUT_RDWR, _CLOSED_S)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # Clients

    def _accept_clients(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while self._places.acquire():
                selector.select()
                if self._stopping:
                    return
                if not self._accept_client():
                    self._places.release()

    def _accept_client(self) -> bool:
        """Accepts a client and starts its thread; returns whether both succeeded."""
        try:
            client, address = self._listener.accept()
        except BlockingIOError:  # the client has disconnected already
            return False
        except OSError as error:
            _log.warning("a client could not be accepted: %s", error)
            time.sleep(_NO_FILES_LEFT_S)
            return False
        name = _address(*address[:2])
        thread = threading.Thread(target=self._serve_client, args=(client, name), name=f"rowbook {name}", daemon=True)
        try:
            client.settimeout(self._idle_s)
            # Otherwise the last piece of a reply waits for the client's delayed acknowledgement: 40 ms.
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._guard:
                self._clients[thread] = client
            thread.start()
        except (OSError, RuntimeError) as error:  # no thread can be started
            _log.warning("%s: closed: %s", name, error)
            self._leave(thread, client)
            return False
        return True

    def _serve_client(self, client: socket.socket, name: str) -> None:
        client_buffers = ClientBuffers(self._buffers)
        stream = Stream(client.recv, self._framed, client_buffers.hold_message)
        try:
            with self._service.watched(partial(self._watch, client_buffers)):
                while not self._stopping:
                    self._answer(client, stream, client_buffers)
        except (BrokenMessage, BufferFull) as error:
            _log.warning("%s: closed: %s", name, error)
        except (ClientGone, OSError, TTransportException) as error:
            _log.debug("%s: left: %r", name, error)
        except Exception:
            _log.exception("%s: closed", name)
        finally:
            client_buffers.release()
            self._leave(threading.current_thread(), client)
            self._places.release()

    def _answer(self, client: socket.socket, stream: Stream, client_buffers: ClientBuffers) -> None:
        """Waits for a message and sends the reply; releases the memory of both before the next one."""
        walk = self._walk(stream)
        end = walk.message()
        client_buffers.hold_message(len(stream.data) + walk.values * VALUE_OBJECT_BYTES)
        pieces = self._reply(stream.take(end))
        unsent_bytes = sum(map(len, pieces))
        client_buffers.hold_message(len(stream.data))
        client_buffers.hold_reply(unsent_bytes)
        if self._framed:
            _send(client, unsent_bytes.to_bytes(4, "big"))
        while pieces:
            unsent_bytes -= len(pieces[0])
            _send(client, pieces.popleft())
            client_buffers.hold_reply(unsent_bytes)

    def _leave(self, thread: threading.Thread, client: socket.socket) -> None:
        client.close()
        with self._guard:
            self._clients.pop(thread, None)

    def _end_clients(self, how: int, within_s: float) -> bool:
        """Shuts down every client's socket and waits for its thread; returns whether all ended in time."""
        until_s = time.monotonic() + within_s
        with self._guard:
            clients = [*self._clients.items()]
        for _, client in clients:
            with suppress(OSError):  # it may have closed meanwhile
                client.shutdown(how)
        for thread, _ in clients:
            thread.join(max(until_s - time.monotonic(), 0))
        return not any(thread.is_alive() for thread, _ in clients)

    def _reply(self, message: bytes) -> deque[bytes]:
        """The reply to a message, in pieces; every call of this service has one."""
        read = _transports.TBufferedTransport(BytesIO(message))
        written = _ReplyTransport()
        self._processor.process(self._protocol(read), self._protocol(written))
        return written.pieces

    def _watch(self, client_buffers: ClientBuffers, results: Sequence[TRowResult | TCell]) -> None:
        """Ends a call whose reply is too large, or which still runs when the server stops."""
        if self._breaking_off:
            raise io_error("DoNotRetryIOException", "the server is stopping")
        try:
            client_buffers.grow_reply(results)
        except BufferFull as error:
            raise io_error("DoNotRetryIOException", str(error)) from None


class _Pieces(deque[bytes]):
    """The pieces of a reply, as a file to which thriftpy2 writes."""

    write = deque[bytes].append

    def flush(self) -> None:
        """All is written already."""


class _ReplyTransport(_transports.TBufferedTransport):  # type: ignore[misc]
    """A reply in pieces, which take only its size in memory; one growing buffer would take up to four times as much."""

    def __init__(self) -> None:
        self.pieces = _Pieces()
        super().__init__(self.pieces, _PIECE_BYTES)  # pyright: ignore[reportUnknownMemberType]

    def clean(self) -> None:
        """Forgets all that was written."""
        super().clean()  # pyright: ignore[reportUnknownMemberType]
        self.pieces.clear()


@frozen
class _Call:
    """A call of the IDL: the structs of its message and its reply, and the exceptions it may raise."""

    name: str
    arguments: type[Any]
    names: list[str]
    result: type[Any]
    raises: tuple[type[Exception], ...]


def _idl_call(service: Any, name: str) -> _Call:
    arguments, result = getattr(service, f"{name}_args"), getattr(service, f"{name}_result")
    names = [field[1] for field in arguments.thrift_spec.values()]
    declared = [field[2] for field in result.thrift_spec.values() if field[1] != "success"]
    return _Call(name, arguments, names, result, (TApplicationException, TTransportException, *declared))


class _Processor(TProcessor):
    """thriftpy2's processor with the exceptions of the Java server: every call gets an answer."""

    def __init__(self, service: Any, handler: object, names: Iterable[str]) -> None:
        super().__init__(service, handler)
        self._calls = {name: _idl_call(service, name) for name in names}

    def process_in(self, iprot: Any) -> tuple[Any, int, Any, Callable[[], Any] | None]:
        """Reads a call: returns its name, sequence id, empty result, and the function that runs it."""
        name, _, sequence_id = iprot.read_message_begin()
        if isinstance(name, bytes):  # as the compact protocol has it
            name = name.decode(errors="backslashreplace")
        call = self._calls.get(name)
        if call is None:
            error = TApplicationException(TApplicationException.UNKNOWN_METHOD, f"Invalid method name: '{name}'")
            return name, sequence_id, error, None
        arguments = call.arguments()
        _read_all(arguments, iprot)
        return call.name, sequence_id, call.result(), lambda: self._run(call, arguments)

    def _run(self, call: _Call, arguments: Any) -> Any:
        try:
            return getattr(self._handler, call.name)(*[getattr(arguments, name) for name in call.names])
        except call.raises:
            raise
        except Exception as error:
            _log.warning("%s failed: %r", call.name, error, exc_info=_log.isEnabledFor(logging.DEBUG))
            raise _internal_error(call.name, error) from error

    def send_result(self, oprot: Any, api: str, result: Any, seqid: int) -> None:
        """Writes a reply, or an error if it cannot be written: thriftpy2 cannot write more than 1 GiB."""
        for field in cast(dict[str, object], result.__dict__).values():
            if isinstance(field, Exception):
                # Frames refer to the result and the message: a cycle that would keep both.
                field.__traceback__ = field.__cause__ = field.__context__ = None
        try:
            super().send_result(oprot, api, result, seqid)
        except Exception as error:
            _log.warning("%s: its reply cannot be sent: %r", api, error)
            oprot.trans.clean()
            self.send_exception(oprot, api, _internal_error(api, error), seqid)


def _read_all(struct: Any, iprot: Any) -> None:
    """Reads a struct that must end where its message ends."""
    try:
        struct.read(iprot)
    except Exception as error:
        raise BrokenMessage(f"{type(struct).__name__}: cannot be decoded ({error!r})") from error
    with suppress(TTransportException):
        iprot.trans.read(1)
        raise BrokenMessage(f"{type(struct).__name__}: must end where its message ends")


def _internal_error(name: str, error: Exception) -> TApplicationException:
    return TApplicationException(TApplicationException.INTERNAL_ERROR, f"Internal error processing {name}: {error!r}")


def _listen(host: str, port: int) -> socket.socket:
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    # IPv4 first, because happybase does not support IPv6.
    family, *_, address = min(addresses, key=lambda info: info[0] != socket.AF_INET)
    listener = socket.create_server(address[:2], family=family, backlog=_WAITING_CLIENTS)
    listener.setblocking(False)
    return listener


def _send(client: socket.socket, piece: bytes) -> None:
    """Sends a piece of a reply; each part that the client accepts restarts its idle time."""
    unsent = memoryview(piece)
    while unsent:
        unsent = unsent[client.send(unsent) :]


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
