"""The result of `recover`, and the loop over the rows that it settles."""

from collections.abc import Callable, Iterable
from itertools import chain

import attrs

from ..events import report
from ..keys.errors import InvalidQuestion, message_of, shown, shown_bytes
from ..tables import InvalidRow


@attrs.frozen
class Recovery:
    """The result of one call of `recover`."""

    settled: int
    """Number of items that were completed: writes, deliveries, fan-outs, folded days, deletions, erasures."""
    waiting: int
    """Number of younger items, whose processes are probably at work."""
    failed: tuple[str, ...]
    """One message for each item that failed, with its table and row; those items are kept."""

    @classmethod
    def of_all(cls, recoveries: Iterable["Recovery"]) -> "Recovery":
        """The results of several calls together."""
        recoveries = [*recoveries]
        return cls(
            sum(recovery.settled for recovery in recoveries),
            sum(recovery.waiting for recovery in recoveries),
            tuple(chain.from_iterable(recovery.failed for recovery in recoveries)),
        )

    def with_invalid(self, rows: Iterable[InvalidRow]) -> "Recovery":
        """The same, with rows that cannot be read among the failed."""
        return attrs.evolve(self, failed=(*self.failed, *map(str, rows)))


def check_age(older_than_ms: int | None) -> None:
    """Raises InvalidQuestion for an age of work that is not an int, or is negative."""
    if older_than_ms is not None and (type(older_than_ms) is not int or older_than_ms < 0):
        raise InvalidQuestion(f"older_than_ms: must be 0 or more (got {shown(older_than_ms)})")


def settle_each(rows: Iterable[bytes], settle: Callable[[bytes], bool | None], table: str) -> Recovery:
    """Settles the work of some rows of a table; a row that fails does not stop the others.

    `settle` returns whether the work is settled: False if it has to wait, None if there was nothing to do.
    """
    settled = waiting = 0
    failed: list[str] = []
    for row in rows:
        try:
            is_settled = settle(row)
        except Exception as error:
            failed.append(f"{table}: row {shown_bytes(row)}: {message_of(error)}")
            report("failed_recovery", table=table, reason=f"row {shown_bytes(row)}: {message_of(error)}")
            continue
        settled += is_settled is True
        waiting += is_settled is False
    report("recovery", table=table, settled=settled, waiting=waiting, failed=len(failed))
    return Recovery(settled, waiting, tuple(failed))
