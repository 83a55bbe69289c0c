"""The upkeep of deletions: registered deletions are repeated once more, and then removed; see `registry.py`."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from shared.tables import BoundTable, InvalidRow
from shared.upkeep import Finding, Instructions, Mendable, UnreadableRows, Upkeep
from shared.upkeep.findings import reason_told
from shared.upkeep.recovery import Recovery, settle_each

from ..records import RegisteredDeletion, Settings
from .deleting import Deleter
from .registry import KEEP_MS, DeletionRegistry


class DeletionUpkeep(Upkeep):
    """Completes deletions whose writers died, and deletes again what writers restored before they died."""

    def __init__(self, registry: DeletionRegistry, deleter: Deleter, settings: BoundTable[Any, Settings]) -> None:
        self._registry = registry
        self._deleter = deleter
        self._unreadable = UnreadableRows(settings, registry.deletions)

    def pending(self) -> list[RegisteredDeletion]:
        """The deletions that are registered, the oldest first: still under way, or not yet removed by `recover`.

        Costs: 1 scan.
        """
        return sorted(self._registry.registered().values(), key=_started)

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Repeats the registered deletions, and removes those that are twenty minutes old.

        Repeats those that are `older_than_ms`, twenty minutes if omitted; younger ones stay registered.
        Raises ClockSkew. Costs: 1 scan; for each deletion those of `Deleter.delete`, and 1 delete.
        """
        invalid: list[InvalidRow] = []
        return self._recovered(self._registry.read(invalid), older_than_ms).with_invalid(invalid)

    def _recovered(self, registered: Mapping[str, RegisteredDeletion], older_than_ms: int | None) -> Recovery:
        """The result of `recover` for these deletions."""
        age_ms = KEEP_MS if older_than_ms is None else older_than_ms
        now_ms = self._registry.check_clock().wall_ms
        invalid: list[InvalidRow] = []
        deletions = {self._registry.deletions.row(deletion): deletion for deletion in registered.values()}

        def settle(row: bytes) -> bool | None:
            deletion = deletions[row]
            if 0 < age_ms > now_ms - deletion.started_ms:
                return False
            result = self._deleter.delete(deletion, settles=True)
            invalid.extend(result.failed)
            if result.failed:
                return None
            if result.postponed or not self._registry.is_over(deletion, now_ms):
                return False
            self._registry.remove(deletion)
            return True

        return settle_each(deletions, settle, self._registry.deletions.layout.name).with_invalid(invalid)

    def found(self, _progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """The registered deletions and settings that cannot be read; no row shows what should have been deleted.

        `repair` first recovers all deletions; those that failed are found with the reason.
        """
        registered = {} if told is None else self._registry.registered()
        failed = self._recovered(registered, older_than_ms=0).failed if told is not None else ()
        yield from self._unreadable.found(lambda: None, told)  # a few rows: no progress
        table = self._registry.deletions
        for row in map(table.row, sorted(registered.values(), key=_started)):
            if reason := reason_told(failed, table.layout.name, row):
                yield Mendable(Finding("unsettled", table.layout.name, row, None, reason))


def _started(deletion: RegisteredDeletion) -> int:
    return deletion.started_ms
