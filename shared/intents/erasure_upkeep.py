"""Erasing people: their records are deleted at once, the remaining traces 42 minutes later; see `erasing.py`."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from ..tables import InvalidRow
from ..upkeep.combined import no_progress
from ..upkeep.findings import NOTHING_TOLD, Finding, Instructions, reason_told
from ..upkeep.recovery import Recovery, settle_each
from .erasing import Erasure, Erasures
from .intent_rows import CLOCKS_APART_MS


class PersonErasures:
    """Erases people, and is the part of an upkeep that finishes their erasures.

    `rows_of(name, until_ms)` returns the rows of the sources that name a person, for each writer; if a time is given,
    without those of later records. It may first remove the name from records that stay. `delete_lines(erasure,
    on_kept)` deletes lines that name an erased person and that no record needs; it returns how many other lines name
    the person, and calls `on_kept` with the reason that keeps a line. `design` is the design's name in commands. If two
    erasures of one name overlap, the one that began later ends both.

    An erasure whose next step is ten minutes late is unsettled: `erase` died, or `recover` did not run. If `ends_dead`,
    `recover` completes the erasure of a dead process, and spares records that are dated more than two minutes
    (`CLOCKS_APART_MS`) later. The record of a host whose clock is ahead may be dated so long after an eraser whose
    clock is behind; so what a person stores who comes back in the minutes after such a death is erased, too. Otherwise
    records from before the erasure cannot be told from those of a person who came back, so only calling `erase` again
    completes it.
    """

    def __init__(
        self,
        erasures: Erasures,
        rows_of: Callable[[str, int | None], Sequence[Collection[bytes]]],
        delete_lines: Callable[[Erasure, Callable[[InvalidRow], None]], int],
        design: str,
        *,
        ends_dead: bool,
    ) -> None:
        self._erasures = erasures
        self._rows_of = rows_of
        self._delete_lines = delete_lines
        self._ends_dead = ends_dead
        again = f"rowbook recover {design} ends it" if ends_dead else "call it again"
        self._not_ended = f"erase has not ended; if it is not running, {again}"
        self._remains = f"rows of an erased person remain; rowbook recover {design} removes them, or says why not"

    def erase(self, name: str) -> int:
        """Deletes all that names a person; returns how many rows remain for now."""
        return self._delete_all(self._erasures.begin(name), None)

    def _delete_all(self, begun: Erasure, until_ms: int | None) -> int:
        rows = self._rows_of(begun.name, until_ms)
        self._erasures.delete_records(rows)
        erasure = self._erasures.end(begun.name, rows, begun)
        remaining = self._erasures.forget(erasure, _ignore) + self._delete_lines(erasure, _ignore)
        if erasure.is_ended and remaining == 0:
            self._erasures.remove(erasure)
        return remaining

    # ---- upkeep

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Removes what erasures have left over, 42 minutes after `erase` has returned.

        For its first 10 minutes, whatever `older_than_ms` is, an erasure that has not ended counts as waiting; then it
        is completed, or is among the failed. A row that must go and cannot is among the failed, too.
        Costs: one scan of the erasures. For each that is due: its sources are read and deleted, and all lists that may
        name the person are scanned.
        """
        invalid: list[InvalidRow] = []
        table = self._erasures.table
        erasures = {table.row(erasure): erasure for erasure in self._erasures.stored(invalid.append)}
        settle = partial(self._settle, erasures, invalid.append)
        return settle_each(erasures, settle, table.name).with_invalid(invalid)

    def _settle(
        self, erasures: dict[bytes, Erasure], on_invalid: Callable[[InvalidRow], None], row: bytes
    ) -> bool | None:
        erasure = erasures[row]
        self._erasures.check_sources(erasure)
        if erasure.is_ended:
            return True if self._finish(erasure, on_invalid) else None
        if not self._erasures.is_overdue(erasure):
            return False
        if not self._ends_dead:
            raise RuntimeError(self._not_ended)
        self._delete_all(erasure, erasure.at_ms + CLOCKS_APART_MS)
        return True

    def _finish(self, erasure: Erasure, on_invalid: Callable[[InvalidRow], None]) -> bool:
        """Deletes what an erasure has left over, if it is due; returns whether it is over.

        It is not over while a row stays that must go: calls `on_invalid` with the reason.
        """
        if not self._erasures.is_due(erasure) or self._erasures.forget(erasure, on_invalid):
            return False
        kept: dict[tuple[str, bytes], InvalidRow] = {}

        def keep(invalid: InvalidRow) -> None:
            kept.setdefault((invalid.table, invalid.row), invalid)

        self._delete_lines(erasure, keep)
        for invalid in kept.values():
            on_invalid(invalid)
        if not kept:
            self._erasures.remove(erasure)
        return not kept

    def verify(self, progress: Callable[[], object] = no_progress) -> Iterator[Finding]:
        """The erasures whose next step is ten minutes late, and those that cannot be read. Costs: one scan of them."""
        yield from self._unsettled(())

    def repair(
        self, progress: Callable[[], object] = no_progress, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Recovers; yields the erasures that are not over, with the reason. Removes those that cannot be read, if told.

        Their names are then lost: erase the person again.
        """
        failed = self.recover(older_than_ms=0).failed
        for finding in self._unsettled(failed):
            is_read = finding.kind != "undecodable"
            yield finding, not is_read and instructions.discards(finding) and self._erasures.discard(finding.row)

    def _unsettled(self, failed: Collection[str]) -> Iterator[Finding]:
        table, damaged = self._erasures.table, list[InvalidRow]()
        for erasure in self._erasures.stored(damaged.append):
            reason = reason_told(failed, table.name, table.row(erasure))
            if reason or self._erasures.is_overdue(erasure):
                otherwise = self._remains if erasure.is_ended else self._not_ended
                yield Finding("unsettled", table.name, table.row(erasure), None, reason or otherwise)
        for invalid in damaged:
            yield Finding("undecodable", invalid.table, invalid.row, None, invalid.reason)


def _ignore(_invalid: InvalidRow) -> None:
    """Ignores why a row is kept, because `recover` reports it."""
