"""What a call ends with when the network fails: another attempt while that is safe, or one line of what is known."""

import random
import time
from typing import Any, Protocol

from .calls import Call, described

# Between two attempts: at least the first, at most the second, with an upper bound that doubles from twice the first.
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 2.0

# Of calls to a gateway that never answered any, and closes the socket on each.
HOPELESS_ATTEMPTS = 5


class Unreachable(ConnectionError):
    """No gateway answered; a write was not sent at all."""


class OutcomeUnknown(ConnectionError):
    """A write was sent and no reply came: it may have been stored or not."""


class ScanBroken(ConnectionError):
    """A scan lost its scanner and cannot go on with another one."""


class Lost(Exception):
    """One attempt that failed in the network.

    `sent` says whether the gateway may have run it, `in_time` whether that was known before the timeout.
    """

    def __init__(self, reason: str, *, sent: bool, in_time: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        self.in_time = in_time


class Gateway(Protocol):
    """What is known about the other side."""

    url: str
    settings: str
    answered: bool

    def is_open(self) -> bool:
        """Whether the caller has not closed it."""
        ...


class Attempts:
    """The attempts of one call: when the next one begins, and the error if there is none."""

    def __init__(self, call: Call, message: Any, gateway: Gateway, retry_s: float, started_s: float) -> None:
        self._what = f"{gateway.url}: {described(call, message)}"
        self._is_write = call.is_write
        self._why_once = call.why_once(message)
        self._gateway = gateway
        self._retry_s = retry_s
        self._started_s = started_s
        self._count = 1
        self._sent = 0

    def pause(self, lost: Lost) -> None:
        """Waits after an attempt that failed, or raises what the call ends with."""
        self._sent += lost.sent
        waited_s = time.monotonic() - self._started_s
        if waited_s >= self._retry_s or (lost.sent and self._why_once) or self._is_hopeless(lost):
            raise self._error(lost, waited_s) from lost.__cause__
        longest_s = min(LONGEST_PAUSE_S, SHORTEST_PAUSE_S * 2**self._count)
        time.sleep(min(random.uniform(SHORTEST_PAUSE_S, longest_s), self._retry_s - waited_s))
        self._count += 1

    def _is_hopeless(self, lost: Lost) -> bool:
        never_answers = lost.sent and lost.in_time and not self._gateway.answered
        return (never_answers and self._count >= HOPELESS_ATTEMPTS) or not self._gateway.is_open()

    def _error(self, lost: Lost, waited_s: float) -> ConnectionError:
        tried = f"{self._count} attempt{'s' * (self._count > 1)} in {waited_s:.1f} s"
        hint = ""
        if lost.sent and not self._gateway.answered:
            hint = f"; nothing was ever answered here: is it a Thrift1 gateway with {self._gateway.settings}?"
        if not (self._is_write and self._sent):
            return Unreachable(f"{self._what}: no answer after {tried}: {lost.reason}{hint}")
        again = f"not sent again, as {self._why_once}" if self._why_once else f"{tried}, {self._sent} of them sent"
        return OutcomeUnknown(f"{self._what}: outcome unknown: {lost.reason}; {again}{hint}")
