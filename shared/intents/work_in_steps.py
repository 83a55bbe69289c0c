"""Work in steps: the source of a record counts the steps that are done, and a list names the records under way."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Generic, TypeVar

from ..queries import Query
from ..queries.scanning import in_batches
from ..tables import BoundTable, InvalidRow
from ..upkeep.findings import Finding, Instructions, Mendable, reason_told
from ..upkeep.parts import Upkeep
from ..upkeep.recovery import Recovery, check_age, settle_each
from .intent_rows import is_young
from .times import WINDOW_MS
from .writer import IntentWriter

R = TypeVar("R")


class UnfinishedWork(Upkeep, Generic[R]):
    """The upkeep of work in steps, such as deliveries and fan-outs.

    `lines` is the moving list of the records whose work has not ended. `is_unfinished` returns whether a record's work
    has not ended, and `go_on` completes the work of a source row. If the source has not changed for ten minutes, its
    worker counts as dead: `recover` continues the work, and `verify` reports it as unsettled, with `advice` as the
    reason. The same holds for a source whose date no right clock shows yet.
    """

    def __init__(
        self,
        writer: IntentWriter[R],
        lines: BoundTable[Any, Any],
        is_unfinished: Callable[[R], bool],
        go_on: Callable[[bytes], object],
        advice: str,
    ) -> None:
        self._writer = writer
        self._lines = BoundTable(lines.connection, lines.layout, is_for_upkeep=True)
        self._is_unfinished = is_unfinished
        self._go_on = go_on
        self._advice = advice

    def rows(self, on_invalid: Callable[[InvalidRow], None] = lambda _invalid: None) -> Iterator[bytes]:
        """The rows of sources whose work may not have ended; rows of the list that are not keys are reported."""
        lines = Query(self._lines, self._lines.whole_table()).on_invalid(on_invalid)
        return map(self._writer.source.row, lines)

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Continues work that has not moved for `older_than_ms`, 10 minutes if omitted.

        Costs: one scan of the list and a get for each of its lines; then those of the remaining steps.
        """
        check_age(older_than_ms)
        age_ms = WINDOW_MS if older_than_ms is None else older_than_ms
        invalid: list[InvalidRow] = []
        settle = partial(self._settle, age_ms=age_ms)
        return settle_each(self.rows(invalid.append), settle, self._writer.source.name).with_invalid(invalid)

    def _settle(self, row: bytes, age_ms: int) -> bool | None:
        source = self._writer.reader.read(row)
        if source.record is None or not self._is_unfinished(source.record):
            return None
        if age_ms > 0 and is_young(self._writer.check_clock().wall_ms - source.time_ms, age_ms):
            return False
        self._go_on(row)
        return True

    def found(self, progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """The work that has not moved for ten minutes: its worker died, and `recover` has not run.

        `repair` first recovers all; the work that could not continue is found with the reason. Sources that cannot be
        read are skipped: the writer's upkeep finds them.
        Costs: one scan of the list, and a call for each 1,000 lines.
        """
        failed = () if told is None else self.recover(older_than_ms=0).failed
        table = self._writer.source.name
        for rows in in_batches(self.rows()):
            now_ms = self._writer.check_clock().wall_ms
            for row, source in self._writer.reader.read_each(rows).items():
                if isinstance(source, InvalidRow) or source.record is None or not self._is_unfinished(source.record):
                    continue
                reason = reason_told(failed, table, row)
                if reason or not is_young(now_ms - source.time_ms, WINDOW_MS):
                    yield Mendable(Finding("unsettled", table, row, None, reason or self._advice))
            progress()
