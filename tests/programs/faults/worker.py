"""A worker: calls through the proxy, and each time looks past it whether the client told the truth."""

import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import happybase
from attrs import Factory, define, field, frozen
from Hbase_thrift import AlreadyExists, IllegalArgument, IOError

from shared.stores import OutcomeUnknown, ScanBroken
from tests.programs.faults.proxy import Proxy
from tests.programs.faults.rows import NO_FAMILY, Cells, OwnRows
from tests.programs.faults.tally import Broken, Tally

DECLARED = (AlreadyExists, IllegalArgument, IOError)


@frozen
class Ended:
    """How a call ended: with an answer, or with an exception."""

    answer: Any = None
    error: Exception | None = None


@define
class Worker:
    """One thread's place in a run: what it calls with, what it believes of its rows, what it has seen."""

    number: int
    connection: happybase.Connection
    """Through the proxy."""
    direct: happybase.Table
    """Past the proxy."""
    proxy: Proxy
    tally: Tally
    timeout_s: float
    """The client's."""
    own: OwnRows = field(default=Factory(lambda worker: OwnRows(worker.number), takes_self=True))
    dice: Random = field(factory=Random)
    serial: int = 0
    believed: dict[bytes, Cells] = field(factory=dict[bytes, Cells])
    """What is in its own rows, as far as it was told."""

    @property
    def table(self) -> happybase.Table:
        """The table through the proxy."""
        return self.connection.table(self.direct.name)

    @property
    def timestamp(self) -> int:
        """Later than that of every operation before."""
        return 1_000_000 + self.serial

    def begin(self, serial: int) -> None:
        """The next operation, whose dice do not depend on how the ones before it went."""
        self.serial = serial
        self.dice = Random(f"{self.proxy.plan.seed} {self.number} {serial}")
        self.tally.add(operations=1)

    def attempt(self, call: str, action: Callable[[], Any], *, may_raise: tuple[type[Exception], ...] = ()) -> Ended:
        """Calls; notes an exception that may not be."""
        calm, began_s = self.proxy.calm(), time.monotonic()
        try:
            answer = action()
        except Exception as error:
            gave_up = self._timeouts_since(began_s) > 0
            went_wrong = gave_up or calm is None or self.proxy.calm() != calm
            self._judge(call, error, may_raise, gave_up=gave_up, went_wrong=went_wrong)
            return Ended(error=error)
        self._timeouts_since(began_s)
        return Ended(answer)

    def read(self, call: str, action: Callable[[], Any], expected: Any) -> None:
        """A call that must answer as expected."""
        ended = self.attempt(call, action)
        if ended.error is None and ended.answer != expected:
            self.note(Broken.WRONG_ANSWER, f"{call}: {ended.answer!r} instead of {expected!r}")

    def read_both(self, call: str, action: Callable[[happybase.Table], Any]) -> None:
        """A call that must answer as the same call past the proxy."""
        self.read(call, lambda: action(self.table), expected=action(self.direct))

    def fail(
        self,
        call: str,
        action: Callable[[], Any],
        raises: tuple[type[Exception], ...],
        on_success: Broken = Broken.WRONG_ANSWER,
        names: bytes = b"",
    ) -> None:
        """A call that must raise one of these; a declared exception must have `names` in its message."""
        ended = self.attempt(call, action, may_raise=raises)
        if ended.error is None:
            self.note(on_success, f"{call}: {ended.answer!r} instead of an exception")
        elif isinstance(ended.error, DECLARED) and names not in ended.error.message:
            self.note(Broken.WRONG_ANSWER, f"{call}: the exception of another call: {ended.error.message!r}")

    def write(
        self,
        call: str,
        action: Callable[[], Any],
        after: Mapping[bytes, Cells],
        *,
        answers: Any = None,
        may_be_unknown: bool = False,
    ) -> Ended:
        """A call that must make own rows what is given as `after`, and answer so; or each row stays as it was."""
        before = {row: self.believed.get(row, {}) for row in after}
        ended = self.attempt(call, action, may_raise=(OutcomeUnknown,) if may_be_unknown else ())
        if ended.error is not None:
            self.proxy.settle()
        stored = self.stored(after)
        if ended.error is None:
            if ended.answer != answers:
                self.note(Broken.WRONG_ANSWER, f"{call}: {ended.answer!r} instead of {answers!r}")
            if stored != after:
                self.proxy.settle()
                stored, too_early = self.stored(after), stored
                if stored == after:
                    self.note(Broken.EARLY_SUCCESS, f"{call}: {too_early!r} at first instead of {after!r}")
                elif all(stored[row] in (before[row], after[row]) for row in after):
                    self.note(Broken.FALSE_SUCCESS, f"{call}: {stored!r} instead of {after!r}")
        if any(stored[row] not in (before[row], after[row]) for row in after):
            self.note(Broken.WRONG_STATE, f"{call}: {stored!r} instead of {before!r} or {after!r}")
        self.believed.update(stored)
        return ended

    def stored(self, rows: Mapping[bytes, Any]) -> dict[bytes, Cells]:
        """What the store has in these rows."""
        stored = dict(self.direct.rows(list(rows)))
        return {row: stored.get(row, {}) for row in rows}

    def note(self, broken: Broken, example: str) -> None:
        """Counts a broken promise of the current operation."""
        self.tally.note(broken, f"worker {self.number}, operation {self.serial}: {example}")

    def _timeouts_since(self, began_s: float) -> int:
        """How often the client may have given up in a call that began then."""
        timeouts = int((time.monotonic() - began_s) / self.timeout_s)
        self.tally.add(timeouts=timeouts)
        return timeouts

    def _judge(
        self, call: str, error: Exception, may_raise: tuple[type[Exception], ...], *, gave_up: bool, went_wrong: bool
    ) -> None:
        """Notes an exception that may not be; `gave_up` after a timeout, be it that the machine was slow."""
        example = f"{call}: {type(error).__name__}: {getattr(error, 'message', error)!r}"[:300]
        unknown, scan_broken = isinstance(error, OutcomeUnknown), isinstance(error, ScanBroken)
        needless = not went_wrong or (unknown and not gave_up and not self.proxy.plan.hides_outcomes)
        if (unknown or scan_broken) and (needless or not isinstance(error, may_raise)):
            self.note(Broken.UNKNOWN, example)
        elif isinstance(error, may_raise):
            self.tally.add(unknown=unknown, scans_broken=scan_broken)
        elif isinstance(error, DECLARED) and NO_FAMILY in error.message:
            self.note(Broken.WRONG_ANSWER, f"the exception of another call: {example}")
        else:
            self.note(Broken.ERROR, example)
