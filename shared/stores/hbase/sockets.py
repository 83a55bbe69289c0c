"""Sockets to one gateway: each serves one call at a time; one that still owes a reply is closed, never reused."""

import os
import select
import socket
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Any

from thriftpy2 import transport as thriftpy2_transport
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TApplicationException, TMessageType
from thriftpy2.transport import TTransportException

from ...events import report
from ..thrift1.connection_errors import Unreachable
from ..thrift1.deadlines import has_passed, left_s
from .calls import Call
from .retries import AttemptFailed

# The gateway closes a socket after 60 s without a call: hbase.thrift.server.socket.read.timeout.
SOCKET_IDLE_S = 45.0

IDLE_SOCKETS = 8
"""Idle sockets that a connection keeps. Each occupies a thread of the gateway, which has 1,000 by default:
hbase.thrift.maxWorkerThreads."""

# A host that does not accept a connection by then will not: the first packet has been repeated three times.
CONNECT_S = 10.0

_transports: Any = thriftpy2_transport  # whose Cython classes have no types
_TRANSPORTS = {"buffered": _transports.TBufferedTransport, "framed": _transports.TFramedTransport}
_PROTOCOLS: dict[str, Any] = {"binary": TBinaryProtocol, "compact": TCompactProtocol}

CLOSED = "the connection is closed, open() opens it again"


class _LimitedSocket:
    """A socket as thriftpy2's transports use it, whose waits end after the timeout, or at an earlier deadline."""

    def __init__(self, connected: socket.socket, timeout_s: float) -> None:
        self._socket = connected
        self._timeout_s = timeout_s
        self._is_limited = False

    def read(self, size: int) -> bytes:
        """Some bytes."""
        self._limit()
        data = self._socket.recv(size)
        if not data:
            raise TTransportException(TTransportException.END_OF_FILE, "the gateway closed the socket")
        return data

    def write(self, data: bytes) -> None:
        """Sends all bytes."""
        self._limit()
        self._socket.sendall(data)

    def flush(self) -> None:
        """Does nothing: `write` has sent everything."""

    def _limit(self) -> None:
        deadline_s = left_s()
        if deadline_s == 0:
            raise TimeoutError("the deadline has passed")
        if deadline_s is not None or self._is_limited:
            self._is_limited = deadline_s is not None
            self._socket.settimeout(self._timeout_s if deadline_s is None else min(self._timeout_s, deadline_s))


class GatewaySocket:
    """One connected socket and the Thrift messages on it, one call after the other."""

    def __init__(self, connected: socket.socket, timeout_s: float, transport: str, protocol: str) -> None:
        self._socket = connected
        self._timeout_s = timeout_s
        self._transport = _TRANSPORTS[transport](_LimitedSocket(connected, timeout_s))
        self._protocol = _PROTOCOLS[protocol](self._transport, decode_response=False)
        self._poll = select.poll()
        self._poll.register(connected, select.POLLIN)
        self._sequence_id = 0
        self.is_open = True
        self.used_s = time.monotonic()

    def call(self, call: Call, message: Any) -> Any:
        """Sends a call and returns its result, or raises its declared exception.

        After any other exception the socket must be closed. AttemptFailed means that the network or the gateway failed,
        and says whether the whole call was sent. A value that cannot be encoded raises thriftpy2's own exception.
        """
        protocol = self._protocol
        self._sequence_id = sequence_id = (self._sequence_id + 1) & 0x7FFFFFFF
        try:
            protocol.write_message_begin(call.name, TMessageType.CALL, sequence_id)
            protocol.write_struct(message)
            protocol.write_message_end()
            self._transport.flush()
        except OSError as error:
            # The gateway has not received the last byte, and runs nothing without it.
            raise AttemptFailed(f"it could not be sent ({network_error_text(error)})", sent=False) from error
        result: Any = call.result()
        try:
            _, kind, replied_id = protocol.read_message_begin()
            if replied_id != sequence_id:
                raise TTransportException(message=f"reply {replied_id} to call {sequence_id}")
            if kind == TMessageType.EXCEPTION:
                result = TApplicationException()
            protocol.read_struct(result)
            protocol.read_message_end()
        except TimeoutError as error:
            limit = "before the deadline" if has_passed() else f"within {self._timeout_s:g} s"
            raise AttemptFailed(f"no reply {limit}", sent=True, in_time=False) from error
        except (OSError, EOFError, TTransportException) as error:
            raise AttemptFailed(f"the reply did not come ({network_error_text(error)})", sent=True) from error
        except MemoryError:
            raise  # the next reply would be as large
        except Exception as error:
            raise AttemptFailed(f"the reply cannot be read ({error!r:.100})", sent=True) from error
        if kind == TMessageType.EXCEPTION:
            raise TApplicationException(result.type, result.message and bytes(result.message).decode(errors="replace"))
        if call.has_success and result.success is not None:
            return result.success
        for name in call.errors:
            if getattr(result, name) is not None:
                raise getattr(result, name)
        if call.has_success:
            raise TApplicationException(TApplicationException.MISSING_RESULT)
        return None

    def is_usable(self) -> bool:
        """Whether a call may be sent: no unexpected bytes have arrived, nor the end of the stream."""
        return self.is_open and not self._poll.poll(0)

    def close(self) -> None:
        """Closes the socket; a call that another thread waits for fails at once."""
        if self.is_open:
            with suppress(OSError):  # the gateway may have closed it first
                self._socket.shutdown(socket.SHUT_RDWR)
        self.abandon()

    def abandon(self) -> None:
        """Closes this process's copy of the socket; the parent process keeps using it."""
        self.is_open = False
        self._socket.close()


class Pool:
    """The open sockets to a gateway; happybase calls it the transport.

    Each call takes the most recently used socket for itself, and gives it back after the reply. A socket that was idle
    for `SOCKET_IDLE_S`, or that the gateway has closed, is replaced before anything is sent. A forked process opens
    sockets of its own. `answered` says whether any call was ever answered.
    """

    def __init__(
        self,
        host: str,
        port: int,
        timeout_s: float,
        transport: str,
        protocol: str,
        idle_sockets: int,
        service: str = "Thrift1",
    ) -> None:
        self.url = f"hbase://[{host}]:{port}" if ":" in host else f"hbase://{host}:{port}"
        self.answered = False
        self.settings = f"{service} gateway with transport={transport} and protocol={protocol}"
        self._address = host, port
        self._timeout_s = timeout_s
        self._kind = transport, protocol
        self._idle_sockets = idle_sockets
        self._is_open = False
        self._connected: set[GatewaySocket] = set()
        self._idle: deque[GatewaySocket] = deque()  # the most recently used one last
        # Reentrant, since a garbage collection may end a scan or close a connection inside any of these methods.
        self._guard = threading.RLock()
        self._process = os.getpid()

    def is_open(self) -> bool:
        """Whether calls are possible: between `open` and `close`."""
        return self._is_open

    def open(self) -> None:
        """Connects once, so that an unreachable gateway is an error at once."""
        self._enter_process()
        self._is_open = True
        try:
            gateway_socket = self._connect()
        except AttemptFailed as failure:
            self._is_open = False
            raise Unreachable(f"{self.url}: {failure.reason}") from failure.__cause__
        with self._guard:
            self._idle.append(gateway_socket)

    def close(self) -> None:
        """Closes all sockets, those in use too; calls that wait for a reply fail."""
        self._enter_process()
        with self._guard:
            self._is_open = False
            gateway_sockets = [*self._connected]
            self._connected.clear()
            self._idle.clear()
        for gateway_socket in gateway_sockets:
            gateway_socket.close()

    def take(self) -> GatewaySocket:
        """A socket for one call, to give back or drop afterwards. Raises AttemptFailed if it cannot connect."""
        self._enter_process()
        while True:
            with self._guard:
                if not self._is_open:
                    raise AttemptFailed(CLOSED, sent=False)
                gateway_socket = self._idle.pop() if self._idle else None
            if gateway_socket is None:
                return self._connect()
            is_recent = time.monotonic() - gateway_socket.used_s < SOCKET_IDLE_S
            if is_recent and gateway_socket.is_usable():
                return gateway_socket
            self.drop(gateway_socket)
            reason = "the gateway closed it" if is_recent else f"it was idle for {SOCKET_IDLE_S:g} s"
            report("reconnect", url=self.url, reason=reason)

    def give(self, gateway_socket: GatewaySocket) -> None:
        """Takes back a socket whose reply has arrived."""
        self.answered = True
        gateway_socket.used_s = now_s = time.monotonic()
        surplus: GatewaySocket | None = None
        with self._guard:
            if gateway_socket in self._connected:
                self._idle.append(gateway_socket)
            if self._idle and (len(self._idle) > self._idle_sockets or now_s - self._idle[0].used_s > SOCKET_IDLE_S):
                surplus = self._idle.popleft()
        if surplus is not None:
            self.drop(surplus)

    def drop(self, gateway_socket: GatewaySocket) -> None:
        """Closes a socket."""
        with self._guard:
            self._connected.discard(gateway_socket)
        gateway_socket.close()

    def is_usable(self, gateway_socket: GatewaySocket) -> bool:
        """Whether a call may be sent on a socket that was not given back: see `GatewaySocket.is_usable`."""
        self._enter_process()
        return gateway_socket.is_usable()

    def _connect(self) -> GatewaySocket:
        limits_s = self._timeout_s, CONNECT_S, left_s()
        try:
            connected = socket.create_connection(self._address, min(s for s in limits_s if s is not None))
        except (OSError, UnicodeError) as error:  # UnicodeError: an invalid host name
            raise AttemptFailed(f"cannot connect ({network_error_text(error)})", sent=False) from error
        connected.settimeout(self._timeout_s)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        gateway_socket = GatewaySocket(connected, self._timeout_s, *self._kind)
        with self._guard:
            if self._is_open:
                self._connected.add(gateway_socket)
                return gateway_socket
        gateway_socket.close()
        raise AttemptFailed(CLOSED, sent=False)

    def _enter_process(self) -> None:
        """In a forked process, leaves the sockets to the parent: otherwise each would read the other's replies."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._guard = threading.RLock()
            for gateway_socket in self._connected:
                gateway_socket.abandon()
            self._connected.clear()
            self._idle.clear()


def network_error_text(error: Exception) -> str:
    """The message of a network error, in one line."""
    if isinstance(error, TTransportException) and error.type == TTransportException.END_OF_FILE:
        return "the gateway closed the socket"
    text = getattr(error, "strerror", None) or getattr(error, "message", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())
