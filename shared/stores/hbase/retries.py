"""Network failures of a call: another attempt while that is safe, otherwise an error that says what is known.

A library for retries cannot know which calls of HBase may be sent twice, and what a lost reply leaves open.
"""

import random
import time
from typing import Any, Protocol

from ...events import report
from ..outcomes.connection_errors import DeadlineExceeded, OutcomeUnknown, Unreachable
from ..outcomes.deadlines import left_s
from .calls import Call, description, table_of

# The pause between two attempts is random; its upper bound starts at twice the shortest pause and doubles each time.
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 2.0

# How many attempts a call makes at a gateway that has never answered a call and closes the socket on each.
HOPELESS_ATTEMPTS = 5


class AttemptFailed(Exception):
    """An attempt that the network or the gateway failed.

    `sent` says whether the gateway may have run the call, `in_time` whether the attempt failed before its timeout, and
    `reached` whether the gateway was sent anything, if only a greeting before the call.
    """

    def __init__(self, reason: str, *, sent: bool, in_time: bool = True, reached: bool | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        self.in_time = in_time
        self.reached = sent if reached is None else reached


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
        self._call = call
        self._message = message
        self._gateway = gateway
        self._retry_s = retry_s
        self._started_s = started_s
        self.count = 1
        self._sent = 0

    def pause(self, failure: AttemptFailed) -> None:
        """Waits after a failed attempt, or raises the error that ends the call."""
        self._sent += failure.sent
        waited_s, deadline_s = time.monotonic() - self._started_s, left_s()
        is_late = deadline_s is not None and deadline_s <= SHORTEST_PAUSE_S
        why_once = self._call.why_once(self._message) if failure.sent else None
        if waited_s >= self._retry_s or is_late or why_once or self._is_hopeless(failure):
            raise self._error(failure, waited_s, why_once, is_late=is_late) from failure.__cause__
        names = {"call": self._call.name, "table": table_of(self._message) or ""}
        report("retry", **names, attempt=self.count, waited_ms=round(waited_s * 1000), reason=failure.reason)
        longest_s = min(LONGEST_PAUSE_S, SHORTEST_PAUSE_S * 2**self.count)
        pause_s = min(random.uniform(SHORTEST_PAUSE_S, longest_s), self._retry_s - waited_s)
        time.sleep(pause_s if deadline_s is None else min(pause_s, deadline_s / 2))  # an attempt needs time, too
        self.count += 1

    def _is_hopeless(self, failure: AttemptFailed) -> bool:
        never_answers = failure.reached and failure.in_time and not self._gateway.answered
        return (never_answers and self.count >= HOPELESS_ATTEMPTS) or not self._gateway.is_open()

    def _error(
        self, failure: AttemptFailed, waited_s: float, why_once: str | None, *, is_late: bool
    ) -> ConnectionError:
        what = f"{self._gateway.url}: {description(self._call, self._message)}"
        tried = f"{self.count} attempt{'s' * (self.count > 1)} in {waited_s:.1f} s"
        hint = ""
        if failure.reached and not self._gateway.answered:
            hint = f"; it has never answered: is it a {self._gateway.settings}?"
        if not (self._call.is_write and self._sent):
            if is_late:
                return DeadlineExceeded(f"{what}: no answer before the deadline, {tried}: {failure.reason}{hint}")
            return Unreachable(f"{what}: no answer after {tried}: {failure.reason}{hint}")
        again = f"not sent again, because {why_once}" if why_once else f"{tried}, {self._sent} of them sent"
        return OutcomeUnknown(f"{what}: outcome unknown: {failure.reason}; {again}{hint}")
