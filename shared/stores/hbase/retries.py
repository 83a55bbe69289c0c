"""Network failures of a call: another attempt while that is safe, otherwise an error that says what is known."""

import random
import time
from typing import Any, Protocol

from ..thrift1.connection_errors import OutcomeUnknown, Unreachable
from .calls import Call, description

# The pause between two attempts is random; its upper bound starts at twice the shortest pause and doubles each time.
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 2.0

# How many attempts a call makes at a gateway that has never answered a call and closes the socket on each.
HOPELESS_ATTEMPTS = 5


class AttemptFailed(Exception):
    """An attempt that the network or the gateway failed.

    `sent` says whether the gateway may have run the call, `in_time` whether the attempt failed before its timeout.
    """

    def __init__(self, reason: str, *, sent: bool, in_time: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        self.in_time = in_time


class Gateway(Protocol):
    """The gateway that a call was sent to, and whether it ever answered."""

    url: str
    settings: str
    answered: bool

    def is_open(self) -> bool:
        """Whether the connection is open: the caller has not closed it."""
        ...


class Attempts:
    """The attempts of one call: decides when the next one begins, or with which error the call ends."""

    def __init__(self, call: Call, message: Any, gateway: Gateway, retry_s: float, started_s: float) -> None:
        self._what = f"{gateway.url}: {description(call, message)}"
        self._is_write = call.is_write
        self._why_once = call.why_once(message)
        self._gateway = gateway
        self._retry_s = retry_s
        self._started_s = started_s
        self._count = 1
        self._sent = 0

    def pause(self, failure: AttemptFailed) -> None:
        """Waits after a failed attempt, or raises the error that ends the call."""
        self._sent += failure.sent
        waited_s = time.monotonic() - self._started_s
        if waited_s >= self._retry_s or (failure.sent and self._why_once) or self._is_hopeless(failure):
            raise self._error(failure, waited_s) from failure.__cause__
        longest_s = min(LONGEST_PAUSE_S, SHORTEST_PAUSE_S * 2**self._count)
        time.sleep(min(random.uniform(SHORTEST_PAUSE_S, longest_s), self._retry_s - waited_s))
        self._count += 1

    def _is_hopeless(self, failure: AttemptFailed) -> bool:
        never_answers = failure.sent and failure.in_time and not self._gateway.answered
        return (never_answers and self._count >= HOPELESS_ATTEMPTS) or not self._gateway.is_open()

    def _error(self, failure: AttemptFailed, waited_s: float) -> ConnectionError:
        tried = f"{self._count} attempt{'s' * (self._count > 1)} in {waited_s:.1f} s"
        hint = ""
        if failure.sent and not self._gateway.answered:
            hint = f"; it has never answered: is it a Thrift1 gateway with {self._gateway.settings}?"
        if not (self._is_write and self._sent):
            return Unreachable(f"{self._what}: no answer after {tried}: {failure.reason}{hint}")
        again = f"not sent again, because {self._why_once}" if self._why_once else f"{tried}, {self._sent} of them sent"
        return OutcomeUnknown(f"{self._what}: outcome unknown: {failure.reason}; {again}{hint}")
