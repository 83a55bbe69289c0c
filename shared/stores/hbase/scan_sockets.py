"""Sockets for scanners: each stays on the one where it was opened, and a thread's scanners share theirs.

A scanner belongs to the gateway that opened it, and its id is a small number: behind a load balancer another gateway
would answer with somebody else's scan. A socket of its own for each would occupy a thread of the gateway for each:
with a merge of sixteen ranges, sixty clients would occupy all of its 1,000.
"""

import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from attrs import define, field, frozen

from .calls import CALLS, DECLARED, Call
from .outcomes import Lost
from .sockets import Line, Pool

_CLOSE = CALLS["scannerClose"]


@define(eq=False)
class _Shared:
    """A socket with scanners on it, for one call at a time."""

    line: Line
    scanners: int = 1
    lock: threading.Lock = field(factory=threading.Lock)
    leaving: deque[int] = field(factory=deque[int])
    """Ids of scanners to be closed once the socket is free."""


@frozen(eq=False)
class Scanner:
    """A scanner on the gateway."""

    shared: _Shared
    id: int


class ScanSockets:
    """Opens, asks and closes scanners."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._thread = threading.local()

    def open(self, call: Call, message: Any) -> Scanner:
        """Opens a scanner on the socket where this thread has others, or on one of its own. Raises Lost."""
        shared = self._place()
        try:
            with self._using(shared) as line:
                return Scanner(shared, line.call(call, message))
        except BaseException:
            self._give_up(shared)
            raise

    def ask(self, scanner: Scanner, call: Call, message: Any) -> Any:
        """The answer to a call about a scanner. Raises Lost, not `sent` where its socket was closed meanwhile."""
        with self._using(scanner.shared) as line:
            if not self._pool.is_usable(line):
                raise Lost("its socket was closed meanwhile", sent=False)
            return line.call(call, message)

    def close(self, scanner: Scanner) -> None:
        """Closes a scanner, if it still is there, and quietly: its scan has already had its end, or its error."""
        scanner.shared.leaving.append(scanner.id)
        self._close_leaving(scanner.shared)

    def _place(self) -> _Shared:
        shared: _Shared | None = getattr(self._thread, "shared", None)
        if shared is not None:
            with self._using(shared) as line:
                if shared.scanners and self._pool.is_usable(line):
                    shared.scanners += 1
                    return shared
        shared = self._thread.shared = _Shared(self._pool.take())
        return shared

    @contextmanager
    def _using(self, shared: _Shared) -> Generator[Line]:
        try:
            with shared.lock:
                try:
                    yield shared.line
                except DECLARED:
                    raise
                except BaseException:
                    self._pool.drop(shared.line)
                    raise
        finally:
            self._close_leaving(shared)

    def _give_up(self, shared: _Shared) -> None:
        with self._using(shared):
            self._leave(shared)

    def _close_leaving(self, shared: _Shared) -> None:
        # A garbage collection may end a scan in the middle of a call on the same socket, in the very thread that waits
        # for its reply. Whoever has the lock closes what is leaving when it is done.
        while shared.leaving and shared.lock.acquire(blocking=False):
            try:
                if shared.leaving:
                    self._close_one(shared, shared.leaving.popleft())
            finally:
                shared.lock.release()

    def _close_one(self, shared: _Shared, scanner_id: int) -> None:
        try:
            if self._pool.is_usable(shared.line):
                shared.line.call(_CLOSE, _CLOSE.arguments(scanner_id))
            else:
                self._pool.drop(shared.line)
        except DECLARED:
            pass  # it has expired
        except BaseException as error:
            self._pool.drop(shared.line)
            if not isinstance(error, Exception):
                raise
        finally:
            self._leave(shared)

    def _leave(self, shared: _Shared) -> None:
        shared.scanners -= 1
        if not shared.scanners:
            self._pool.give(shared.line)
