"""Published mistakes as code: the wrong way and the right way, run on the same rows."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from ..designs.counting import metered
from ..designs.ruler import show_value
from ..designs.scratch import scratch_table
from .scanned import ScannedTable

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")


@attrs.frozen
class Outcome:
    """What both ways of a trap returned, in words and numbers that were counted."""

    task: str
    """What both ways had to do."""
    wrong: str
    """What the wrong way returned or stored."""
    right: str
    """What the right way returned or stored."""
    scans: tuple[ScannedTable, ScannedTable] | None = None
    """What both ways scanned, if the mistake is one of a scan."""

    @classmethod
    def of_scans(cls, task: str, wrong: ScannedTable, right: ScannedTable) -> "Outcome":
        """What both ways scanned, and the same in words."""
        return cls(task, wrong.words, right.words, (wrong, right))


@attrs.frozen
class Trap:
    """A mistake that is published."""

    name: str
    published_as: str
    """The key or the code, as its source has it."""
    run: Callable[[Any], Outcome]
    """Runs both ways on stores in memory; takes the `Design`, for its samples."""


TRAP_COLUMNS = ("trap", "published as", "asked for", "what it gives", "the right way gives")


def trap_row(trap: Trap, design: Any) -> tuple[str, ...]:
    """A trap of a `Design` and its outcome as one row of text, under `TRAP_COLUMNS`."""
    outcome = trap.run(design)
    return (trap.name, trap.published_as, outcome.task, outcome.wrong, outcome.right)


@attrs.frozen
class ScanTask(Generic[R]):
    """Records, and which of them a scan has to return."""

    records: Sequence[R]
    is_wanted: Callable[[R], bool]
    label: Callable[[R], str]
    """What tells records apart that a reader may mistake for each other, such as their host."""

    @property
    def wanted(self) -> int:
        """The records that a scan has to return."""
        return sum(map(self.is_wanted, self.records))

    def run(
        self, row: Callable[[R], bytes], scan: Callable[["happybase.Table"], Iterable[tuple[bytes, Any]]]
    ) -> ScannedTable:
        """What a scan returns of a `scratch_table` that has these records under their row keys."""
        record_of = {row(record): record for record in self.records}
        table = scratch_table(record_of)
        with metered(table.connection) as cost:
            returned = {key for key, _cells in scan(table)}
        stored = ((key, record_of[key]) for key, _cells in table.scan())
        rows = ((show_value("", self.label(record)), self.is_wanted(record), key in returned) for key, record in stored)
        return ScannedTable.of((range_ for _table, range_ in cost.ranges), rows)
