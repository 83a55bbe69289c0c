"""Threads that make calls for another thread, so that several requests of one query or batch are under way at once.

A helper waits for the gateway in place of the thread that asked for its work, and never for another helper. If no
helper has begun a piece of work when its result is needed, the thread that needs it does it itself: so nested queries
cannot wait for each other, and neither a query nor a batch needs any helper.
"""

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from ..outcomes.connection_errors import DeadlineExceeded, ScanBroken
from ..outcomes.deadlines import end_s, left_s
from .stateful_filters import keeps_state

T = TypeVar("T")

HELPER_IDLE_S = 5.0
"""How long a helper without work waits for more; then it ends, and the sockets that helpers have used are closed."""

_LOOK_S = 0.001

_here = threading.local()


def is_helper() -> bool:
    """Whether this thread is a helper."""
    return getattr(_here, "is_helper", False)


class Work(Generic[T]):
    """A piece of work, which one thread does: a helper, or the one that needs its result."""

    def __init__(self, action: Callable[[], T]) -> None:
        self._action = action
        self._context = copy_context()  # with the deadline of the block
        self._end_s = end_s()
        self._process = os.getpid()
        self._first = threading.Lock()  # who acquires it does the work
        self._done = threading.Event()
        self._result: T
        self._error: BaseException | None = None

    def do(self) -> None:
        """Does the work, unless a thread has begun it."""
        if self._first.acquire(blocking=False):
            try:
                self._result = self._context.run(self._action)
            except BaseException as error:
                self._error = error
            self._done.set()

    def result(self) -> T:
        """The result, for which it does the work if no other thread has begun it. Raises the error of the work.

        Raises DeadlineExceeded at the deadline of this thread's block, which may be earlier than that of the work; and
        ScanBroken in a process that was forked while a helper of its parent did the work.
        """
        self.do()
        if not self._done.is_set():
            if self._process != os.getpid():
                raise ScanBroken("a helper of the parent process was reading this scan when the process was forked")
            wanted_s = end_s()
            ends_in_time = wanted_s is None or (self._end_s is not None and self._end_s <= wanted_s)
            if not self._done.wait(None if ends_in_time else left_s()):
                raise DeadlineExceeded("no answer before the deadline to a request that was sent earlier")
        if self._error is not None:
            raise self._error
        return self._result


class Helpers:
    """At most `most` helpers, which begin when there is work and end after some seconds without.

    `when_idle` is called by each that ends. A forked process has helpers of its own.
    """

    def __init__(self, most: int, when_idle: Callable[[], None]) -> None:
        self.most = most
        self._when_idle = when_idle
        self.begin_anew()
        _all_helpers.add(self)

    def reads_ahead(self, filter: bytes | None) -> bool:
        """Whether a scan with this filter can continue if its scanner has expired while its reader did not read."""
        return filter is None or not keeps_state(filter)

    def begin(self, action: Callable[[], T]) -> Work[T]:
        """Gives the action to a helper, in the order of calls; a new one begins if all are at work.

        While Python shuts down, no helper runs: then the work is left to the caller of `result`, if there is one.
        """
        work = Work(action)
        if sys.is_finalizing():
            return work
        with self._changed:
            self._waiting.append(work)
            if len(self._waiting) <= self._idle:
                self._changed.notify()
            elif self._running < self.most:
                self._start_helper()
            if not self._running:  # no thread can be started
                self._waiting.remove(work)
                work.do()
        return work

    def _start_helper(self) -> None:
        self._running += 1
        try:
            threading.Thread(target=self._help, name="rowbook helper", daemon=True).start()
        except RuntimeError:
            self._running -= 1

    def finish(self, within_s: float) -> None:
        """Waits until all work is done, but not longer."""
        end_s = time.monotonic() + within_s
        while self._waiting or self._idle < self._running:
            if is_helper() or time.monotonic() > end_s:
                return
            time.sleep(_LOOK_S)

    def begin_anew(self) -> None:
        """Has neither helpers nor work, as in a new process."""
        self._waiting: deque[Work[Any]] = deque()
        self._running = self._idle = 0
        # Reentrant: a garbage collection may end a query, and so begin work, inside any of these methods.
        self._changed = threading.Condition(threading.RLock())

    def _help(self) -> None:
        _here.is_helper = True
        while (work := self._next()) is not None:
            work.do()
            del work  # and all that its action holds
        self._when_idle()

    def _next(self) -> Work[Any] | None:
        """The next work; None after some seconds without any, when the helper has to end."""
        with self._changed:
            if not self._waiting:
                self._idle += 1
                self._changed.wait_for(lambda: self._waiting, HELPER_IDLE_S)
                self._idle -= 1
            if self._waiting:
                return self._waiting.popleft()
            self._running -= 1
            return None


_all_helpers: WeakSet[Helpers] = WeakSet()


def _begin_anew() -> None:
    for helpers in _all_helpers:
        helpers.begin_anew()


os.register_at_fork(after_in_child=_begin_anew)
