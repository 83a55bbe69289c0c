"""A proxy on the loopback between Thrift clients and a gateway; what goes wrong on the way is a plan's choice."""

import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from struct import pack
from typing import Self

from shared.stores.server.messages import BrokenMessage, ClientGone, Stream
from tests.programs.faults.gateways import Gateway
from tests.programs.faults.messages import closes_scanner_of, is_undeclared, name_of, take_call, take_reply
from tests.programs.faults.plans import Fault, Kind, Plan

# How long no port listens while a gateway restarts.
DOWN_S = 0.02

# A client may close sooner than the gateway does what it has not used for so long; helpers' sockets after 5 s.
RETIRED_S = 4

_LOOPBACK = "127.0.0.1"
_LOOK_S = 0.005
_PIECE_BYTES = 64 * 1024


class Proxy:
    """Forwards each call to the gateway and each reply back, unless the plan has a fault for the call.

    It listens at `host` and `port` as long as it is open, and counts what it sees.
    """

    def __init__(self, gateway: Gateway, plan: Plan) -> None:
        self.gateway = gateway
        self.plan = plan
        self.calls = 0
        self.connections = 0
        self.dropped = 0
        """Connections that a client closed soon after a reply, although all was well."""
        self.kept = 0
        """Calls on connections whose last reply was an exception that its call does not declare."""
        self.faults: Counter[Kind] = Counter()
        self._ended = 0  # of the faults
        self._guard = threading.Lock()
        self._restarting = threading.Lock()
        self._links: set[_Link] = set()
        self._settling = 0
        self._expected_to_leave = False
        self._door = _Door()
        self.host, self.port = _LOOPBACK, self._door.port
        self._acceptor = threading.Thread(target=self._accept, name="faults accept", daemon=True)

    def __enter__(self) -> Self:
        self._acceptor.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.clients_leave()
        self._door.lock()
        self._acceptor.join()
        for link in self._all_links():
            link.cut(reset=False)
            link.thread.join()

    def calm(self) -> int | None:
        """A number that stays the same while nothing goes wrong; None while something does."""
        with self._guard:
            return self._ended if self._ended == self.faults.total() else None

    def settle(self) -> None:
        """Waits until no call that a client has sent so far can still reach the gateway; late requests go at once."""
        with self._guard:
            self._settling += 1
        while self._door.has_guests():
            time.sleep(_LOOK_S)
        for link in self._all_links():
            seen = link.calls
            while not link.is_quiet() and link.calls < seen + 2 and link in self._links:
                time.sleep(_LOOK_S / 10)
        with self._guard:
            self._settling -= 1

    def clients_leave(self) -> None:
        """From now on clients may close what they like."""
        with self._guard:
            self._expected_to_leave = True

    # Connections

    def _accept(self) -> None:
        while (client := self._door.accept()) is not None:
            link = _Link(client, self.gateway.address)
            link.thread = threading.Thread(target=self._serve, args=(link,), name="faults link", daemon=True)
            with self._guard:
                self.connections += 1
                self._links.add(link)
            link.thread.start()

    def _all_links(self) -> list["_Link"]:
        with self._guard:
            return list(self._links)

    def _serve(self, link: "_Link") -> None:
        try:
            while True:
                self._answer(link, take_call(link.stream))
        except ClientGone:
            with self._guard:
                self.dropped += link.is_healthy() and not self._expected_to_leave
        except (OSError, BrokenMessage, _GatewayGone):
            pass
        finally:
            link.cut(reset=False)
            link.close()
            with self._guard:
                self._links.discard(link)

    # Calls

    def _answer(self, link: "_Link", call: bytes) -> None:
        with self._guard:
            number, self.calls = self.calls, self.calls + 1
            self.kept += link.was_undeclared
        link.begin()
        fault = self.plan.fault(number, name_of(call))
        if fault is None:
            link.finish(link.ask(call))
            return
        with self._guard:
            self.faults[fault.kind] += 1
        try:
            self._go_wrong(link, call, fault)
        finally:
            with self._guard:
                self._ended += 1

    def _go_wrong(self, link: "_Link", call: bytes, fault: Fault) -> None:
        match fault.kind:
            case Kind.LATE_REPLY | Kind.STALLED_REPLY:
                reply = link.ask(call)
                early = 0 if fault.kind == Kind.LATE_REPLY else _within(reply, fault.share)
                link.send(reply[:early])
                link.wait()  # for the client to go on, which then finds the answer to this call
                link.send(reply[early:])
            case Kind.CUT_REPLY:
                reply = link.ask(call)
                link.send(reply[: _within(reply, fault.share)])
                link.cut(fault.reset)
            case Kind.CUT_BEFORE | Kind.CUT_AFTER:
                if fault.kind == Kind.CUT_AFTER:
                    link.ask(call)
                link.cut(fault.reset)
            case Kind.NO_REPLY | Kind.NO_REQUEST | Kind.LATE_REQUEST:
                if fault.kind == Kind.LATE_REQUEST:
                    link.hold(lambda: self._settling > 0)
                if fault.kind != Kind.NO_REQUEST:
                    link.ask(call)
                link.swallow()
            case Kind.IDLE_CLOSE:
                link.send_and_end(link.ask(call))
            case Kind.RESTART:
                self._restart(lambda: None)
            case Kind.RESTART_AFTER:
                reply = link.ask(call)
                self._restart(lambda: link.send_and_end(reply), keep=link)
            case Kind.EXPIRED:
                link.ask(closes_scanner_of(call))
                link.finish(link.ask(call))

    def _restart(self, when_down: Callable[[], None], keep: "_Link | None" = None) -> None:
        with self._restarting:
            self._door.shut()
            for link in self._all_links():
                if link is not keep:
                    link.cut(reset=False)
            self.gateway.restart()
            try:
                when_down()
            finally:
                time.sleep(DOWN_S)
                self._door.open()


class _GatewayGone(Exception):
    """The gateway closed its connection."""


class _Link:
    """A client's connection, and the one to the gateway that belongs to it."""

    def __init__(self, client: socket.socket, address: tuple[str, int]) -> None:
        self.thread: threading.Thread
        self.calls = 0
        self.was_undeclared = False
        """Whether the last reply was an exception that its call does not declare."""
        self.stream = Stream(self._receive, framed=False)
        self._client = client
        self._address = address
        self.send = client.sendall
        self._gateway: socket.socket | None = None
        self._waits = False
        self._asked_s = 0.0
        self._healthy = False
        self._was_cut = False
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def begin(self) -> None:
        """A call has come."""
        self.calls += 1
        self.was_undeclared = self._healthy = False
        self._asked_s = time.monotonic()

    def finish(self, reply: bytes) -> None:
        """Sends the reply as it should come."""
        self.was_undeclared = is_undeclared(reply)
        self.send(reply)
        self._healthy = not self.was_undeclared

    def is_healthy(self) -> bool:
        """Whether the last reply came as it should, and not too long ago to be used again."""
        recent = time.monotonic() - self._asked_s < RETIRED_S
        return self._healthy and not self._was_cut and not self.stream.data and recent

    def is_quiet(self) -> bool:
        """Whether nothing that the client has sent is still on its way to the gateway."""
        # In this order: what is read between the two questions is waited for.
        return not has_more(self._client, 0) and self._waits

    def ask(self, call: bytes) -> bytes:
        """The gateway's reply."""
        if self._gateway is None:
            self._gateway = socket.create_connection(self._address)
            self._gateway.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._gateway.sendall(call)
        return take_reply(self._receive_from_gateway)

    def send_and_end(self, reply: bytes) -> None:
        """Sends a reply and then closes the stream, so that the client receives both at once."""
        self._client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)  # the end goes with the last bytes
        self._client.sendall(reply)
        self.cut(reset=False)

    def wait(self) -> None:
        """Waits until the client sends something more; raises ClientGone where it leaves."""
        if self.stream.data:  # which came with the call
            return
        self._waits = True
        has_more(self._client, None)
        if not self._client.recv(1, socket.MSG_PEEK):
            raise ClientGone
        self._waits = False

    def hold(self, let_go: Callable[[], bool]) -> None:
        """Waits until the client leaves, sends something more, or `let_go`."""
        while not self.stream.data and not has_more(self._client, _LOOK_S) and not let_go():
            pass

    def swallow(self) -> None:
        """Reads what the client sends, until it leaves."""
        self._waits = True
        while self._client.recv(_PIECE_BYTES):
            pass
        raise ClientGone

    def cut(self, reset: bool) -> None:
        """Ends the connection, from any thread; its own thread then finds the end."""
        self._was_cut = True
        with suppress(OSError):  # the client was faster
            if reset:
                self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
                self._client.close()
            else:
                self._client.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            if self._gateway is not None:
                self._gateway.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Gives both sockets back."""
        self._client.close()
        if self._gateway is not None:
            self._gateway.close()

    def _receive(self, size: int) -> bytes:
        self._waits = True
        has_more(self._client, None)
        self._waits = False
        return self._client.recv(size)

    def _receive_from_gateway(self, size: int) -> bytes:
        assert self._gateway is not None
        piece = self._gateway.recv(size)
        if not piece:
            raise _GatewayGone
        return piece


class _Door:
    """A port that stays reserved while no server listens on it."""

    def __init__(self) -> None:
        self._holder = self._bound(0)
        self.port: int = self._holder.getsockname()[1]
        self._guard = threading.Lock()
        self._listener: socket.socket | None = None
        self._locked = False
        self._waits = True
        self.open()

    def open(self) -> None:
        """Listens."""
        with self._guard:
            if not self._locked:
                self._listener = self._bound(self.port)
                self._listener.listen(128)
                self._listener.setblocking(False)

    def shut(self) -> None:
        """Does not listen: clients are refused."""
        with self._guard:
            if self._listener is not None:
                self._listener.shutdown(socket.SHUT_RDWR)
                self._listener.close()
                self._listener = None

    def lock(self) -> None:
        """Shuts for good."""
        with self._guard:
            self._locked = True
        self.shut()
        self._holder.close()

    def accept(self) -> socket.socket | None:
        """The next client, or None once the door is locked."""
        while not self._locked:
            self._waits = True  # clients that were accepted before are registered by now
            listener = self._listener
            if listener is None:
                time.sleep(_LOOK_S / 10)
            elif has_more(listener, _LOOK_S):
                self._waits = False
                with suppress(OSError):  # shut meanwhile, or the client is gone
                    return listener.accept()[0]
        return None

    def has_guests(self) -> bool:
        """Whether a client waits to be accepted, or was accepted and is not registered yet."""
        # In this order: who is accepted between the two questions is waited for.
        with self._guard:
            knocks = self._listener is not None and has_more(self._listener, 0)
        return knocks or not self._waits

    def _bound(self, port: int) -> socket.socket:
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((_LOOPBACK, port))
        return made


def _within(reply: bytes, share: float) -> int:
    """A position inside a reply: at least one byte before it and one after it."""
    return 1 + int(share * (len(reply) - 1))


def has_more(ready: socket.socket, timeout_s: float | None) -> bool:
    """Whether there is something to read, be it the end; waits so long for it."""
    try:
        return bool(select.select([ready], [], [], timeout_s)[0])
    except (OSError, ValueError):  # closed by another thread
        return True
