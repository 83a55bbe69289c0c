"""Sockets for scanners: a scanner stays on the socket that opened it, and the scanners of a thread share one socket.

A scanner belongs to the gateway that opened it, and its id is a small number: behind a load balancer another gateway
would answer with another client's scan. A socket for each scanner would occupy a gateway thread each: with a merge of
sixteen ranges, sixty clients would occupy all 1,000 of them.
"""

import os
import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import Context
from typing import Any
from weakref import WeakSet

from attrs import define, field, frozen

from ..outcomes.deadlines import has_passed, left_s
from .calls import CALLS, DECLARED, Call
from .helper_threads import Helpers
from .pool import Pool
from .retries import AttemptFailed
from .sockets import GatewaySocket

_CLOSE = CALLS["scannerClose"]


@define(eq=False)
class _SharedSocket:
    """A socket with scanners on it, for one call at a time."""

    gateway_socket: GatewaySocket
    scanners: int = 1
    lock: threading.Lock = field(factory=threading.Lock)
    to_close: deque[int | None] = field(factory=deque[int | None])
    """Ids of scanners to close once the socket is free; None for one that could not be opened."""

    def __attrs_post_init__(self) -> None:
        _all_shared.add(self)


_all_shared: WeakSet[_SharedSocket] = WeakSet()


def _replace_locks() -> None:
    for shared in _all_shared:  # a thread that only the parent has may hold them
        shared.lock = threading.Lock()


os.register_at_fork(after_in_child=_replace_locks)


@frozen(eq=False)
class GatewayScanner:
    """A scanner on the gateway."""

    shared: _SharedSocket
    id: int


class ScanSockets:
    """Opens, asks and closes scanners."""

    def __init__(self, pool: Pool, helpers: Helpers | None) -> None:
        self._pool = pool
        self._helpers = helpers
        self._thread = threading.local()

    def open(self, call: Call, message: Any) -> GatewayScanner:
        """Opens a scanner on the socket that this thread's scanners share, or on another. Raises AttemptFailed."""
        shared = self._socket_of_thread()
        try:
            with self._using(shared) as gateway_socket:
                return GatewayScanner(shared, gateway_socket.call(call, message))
        except BaseException:
            self._close_when_free(shared, None)
            raise

    def ask(self, scanner: GatewayScanner, call: Call, message: Any) -> Any:
        """The answer to a call about a scanner. Raises AttemptFailed; if its socket was closed before, not `sent`."""
        with self._using(scanner.shared) as gateway_socket:
            if not self._pool.is_usable(gateway_socket):
                raise AttemptFailed("its socket was closed meanwhile", sent=False)
            return gateway_socket.call(call, message)

    def close(self, scanner: GatewayScanner) -> None:
        """Closes a scanner, if it is still open, without a wait for the reply to that call.

        Raises nothing: the scan has already ended or raised its error.
        """
        self._close_when_free(scanner.shared, scanner.id)

    def _socket_of_thread(self) -> _SharedSocket:
        shared: _SharedSocket | None = getattr(self._thread, "shared", None)
        if shared is not None and shared.lock.acquire(blocking=False):  # else another thread waits for a reply on it
            with self._having(shared) as gateway_socket:
                if shared.scanners and self._pool.is_usable(gateway_socket) and gateway_socket.is_free():
                    gateway_socket.settle(waits=False)
                    shared.scanners += 1
                    return shared
        shared = self._thread.shared = _SharedSocket(self._pool.take())
        return shared

    @contextmanager
    def _using(self, shared: _SharedSocket) -> Generator[GatewaySocket]:
        deadline_s = left_s()
        if not shared.lock.acquire(timeout=-1 if deadline_s is None else deadline_s):
            raise AttemptFailed("its socket served another call until the deadline", sent=False, in_time=False)
        with self._having(shared) as gateway_socket:
            yield gateway_socket

    @contextmanager
    def _having(self, shared: _SharedSocket) -> Generator[GatewaySocket]:
        """Releases the lock, which this thread has acquired."""
        try:
            yield shared.gateway_socket
        except DECLARED:
            raise
        except BaseException:
            self._pool.drop(shared.gateway_socket)
            raise
        finally:
            shared.lock.release()
            self._close_waiting(shared)

    def _close_when_free(self, shared: _SharedSocket, scanner_id: int | None) -> None:
        shared.to_close.append(scanner_id)
        self._close_waiting(shared)

    def _close_waiting(self, shared: _SharedSocket) -> None:
        # A garbage collection may end a scan during a call on the same socket, in the very thread that waits for the
        # reply. Then the thread that has the lock closes the scanner after its call. After a deadline a helper does, or
        # without helpers the next call on the socket.
        if self._helpers is not None and shared.to_close and has_passed():
            self._helpers.begin(lambda: Context().run(self._close_waiting, shared))
        while shared.to_close and not has_passed() and shared.lock.acquire(blocking=False):
            try:
                if shared.to_close:
                    self._close_scanner(shared, shared.to_close.popleft())
            finally:
                shared.lock.release()

    def _close_scanner(self, shared: _SharedSocket, scanner_id: int | None) -> None:
        try:
            if scanner_id is None:
                pass
            elif self._pool.is_usable(shared.gateway_socket):
                shared.gateway_socket.send(_CLOSE, _CLOSE.arguments(scanner_id))
            else:
                self._pool.drop(shared.gateway_socket)
        except BaseException as error:
            self._pool.drop(shared.gateway_socket)
            if not isinstance(error, Exception):
                raise
        finally:
            self._forget_scanner(shared)

    def _forget_scanner(self, shared: _SharedSocket) -> None:
        shared.scanners -= 1
        if not shared.scanners:
            self._pool.give(shared.gateway_socket)
