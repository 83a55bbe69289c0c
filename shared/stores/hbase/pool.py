"""The sockets of a connection: which are idle, which are lent, and what a fork leaves to the parent."""

import os
import socket
import threading
import time
from collections import deque
from weakref import WeakSet

from ...events import report
from ..outcomes.connection_errors import DeadlineExceeded, Unreachable
from ..outcomes.deadlines import has_passed, left_s
from .helper_threads import HELPER_IDLE_S, is_helper
from .retries import AttemptFailed
from .sockets import GatewaySocket, network_error_text

# The gateway closes a socket after 60 s without a call: hbase.thrift.server.socket.read.timeout.
SOCKET_IDLE_S = 45.0

# A host that does not accept a connection by then will not: the first packet has been repeated three times.
CONNECT_S = 10.0

CLOSED = "the connection is closed, open() opens it again"

IDLE_SOCKETS = 12
"""Idle sockets that a connection keeps: three for each of four threads. Each occupies a thread of the gateway, which
has 1,000 by default: hbase.thrift.maxWorkerThreads."""


class Pool:
    """The open sockets to a gateway; happybase calls it the transport.

    Each call takes the most recently used socket for itself, and gives it back after the reply. It never waits for the
    reply that an idle socket owes: it takes another one. A socket that was idle for `SOCKET_IDLE_S`, or that the
    gateway has closed, is replaced before anything is sent. Helpers have sockets of their own, of which at most
    `helper_sockets` are kept, for some seconds. A forked process opens sockets of its own. `answered` says whether any
    call was ever answered. `service` is the name of the Thrift service, for messages.
    """

    def __init__(
        self,
        host: str,
        port: int,
        timeout_s: float,
        transport: str,
        protocol: str,
        idle_sockets: int,
        helper_sockets: int = 0,
        service: str = "Thrift1",
    ) -> None:
        self.url = f"hbase://[{host}]:{port}" if ":" in host else f"hbase://{host}:{port}"
        self.answered = False
        self.settings = f"{service} gateway with transport={transport} and protocol={protocol}"
        self._address = host, port
        self._timeout_s = timeout_s
        self._kind = transport, protocol
        self._idle_sockets = idle_sockets
        self._helper_sockets = helper_sockets
        self._is_open = False
        self._connected: set[GatewaySocket] = set()
        self._idle: deque[GatewaySocket] = deque()  # the most recently used one last
        self._idle_of_helpers: deque[GatewaySocket] = deque()  # the same
        # Reentrant, since a garbage collection may end a scan or close a connection inside any of these methods.
        self._guard = threading.RLock()
        _pools.add(self)

    def is_open(self) -> bool:
        """Whether calls are possible: between `open` and `close`."""
        return self._is_open

    def open(self) -> None:
        """Connects once, so that an unreachable gateway is an error at once."""
        self._is_open = True
        try:
            gateway_socket = self._connect()
        except AttemptFailed as failure:
            self._is_open = False
            error = DeadlineExceeded if has_passed() else Unreachable
            raise error(f"{self.url}: {failure.reason}") from failure.__cause__
        with self._guard:
            self._idle.append(gateway_socket)

    def close(self) -> None:
        """Closes all sockets, those in use too; calls that wait for a reply fail."""
        with self._guard:
            self._is_open = False
            gateway_sockets = [*self._connected]
            self._connected.clear()
            self._idle.clear()
            self._idle_of_helpers.clear()
        for gateway_socket in gateway_sockets:
            gateway_socket.close()

    def take(self) -> GatewaySocket:
        """A socket for one call, to give back or drop afterwards. Raises AttemptFailed if it cannot connect."""
        while True:
            with self._guard:
                if not self._is_open:
                    raise AttemptFailed(CLOSED, sent=False)
                idle = self._idle_of_helpers if is_helper() else self._idle
                gateway_socket = next(filter(GatewaySocket.is_free, reversed(idle)), None)
                if gateway_socket is not None:
                    idle.remove(gateway_socket)
            if gateway_socket is None:
                return self._connect()
            try:
                reason = self._why_unusable(gateway_socket)
            except BaseException:
                self.drop(gateway_socket)
                raise
            if reason is None:
                return gateway_socket
            self.drop(gateway_socket)
            report("reconnect", url=self.url, reason=reason)

    def _why_unusable(self, gateway_socket: GatewaySocket) -> str | None:
        """Why an idle socket must be replaced; None if a call may be sent."""
        if time.monotonic() - gateway_socket.used_s >= SOCKET_IDLE_S:
            return f"it was idle for {SOCKET_IDLE_S:g} s"
        try:
            gateway_socket.settle(waits=False)
        except AttemptFailed as failure:
            return failure.reason
        return None if gateway_socket.is_usable() else "the gateway closed it"

    def give(self, gateway_socket: GatewaySocket) -> None:
        """Takes back a socket after the reply to its call."""
        self.answered = True
        gateway_socket.used_s = now_s = time.monotonic()
        surplus: GatewaySocket | None = None
        is_of_helpers = gateway_socket.is_of_helpers
        idle = self._idle_of_helpers if is_of_helpers else self._idle
        most = self._helper_sockets if is_of_helpers else self._idle_sockets
        with self._guard:
            if gateway_socket in self._connected:
                idle.append(gateway_socket)
            if idle and (len(idle) > most or now_s - idle[0].used_s > SOCKET_IDLE_S):
                surplus = idle.popleft()
        if surplus is not None:
            self.drop(surplus)

    def close_idle_of_helpers(self) -> None:
        """Closes the sockets that no helper has used for some seconds."""
        used_s = time.monotonic() - HELPER_IDLE_S
        with self._guard:
            old = [gateway_socket for gateway_socket in self._idle_of_helpers if gateway_socket.used_s <= used_s]
            for gateway_socket in old:
                self._idle_of_helpers.remove(gateway_socket)
        for gateway_socket in old:
            self.drop(gateway_socket)

    def drop(self, gateway_socket: GatewaySocket) -> None:
        """Closes a socket."""
        with self._guard:
            self._connected.discard(gateway_socket)
        gateway_socket.close()

    def is_usable(self, gateway_socket: GatewaySocket) -> bool:
        """Whether a call may be sent on a socket that was not given back: see `GatewaySocket.is_usable`."""
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

    def leave_to_parent(self) -> None:
        """In a forked process, leaves the sockets to the parent: otherwise each would read the other's replies."""
        self._guard = threading.RLock()
        for gateway_socket in self._connected:
            gateway_socket.abandon()
        self._connected.clear()
        self._idle.clear()
        self._idle_of_helpers.clear()


def _leave_sockets_to_parent() -> None:
    for pool in _pools:
        pool.leave_to_parent()


_pools: WeakSet[Pool] = WeakSet()
os.register_at_fork(after_in_child=_leave_sockets_to_parent)
