"""Deletions that others must know of: a cell that compaction or another deletion puts may bring deleted points back.

Two processes that rewrite one row may both read it before either puts its cell. HBase is atomic only for one call,
and OpenTSDB's rows have no room for a lock. So each deletion is registered in `tsdb-rowbook`, and a process that
puts a cell in place of others looks there before and after:

    1. A deletion puts its selection, its period and the time S of its clock.
    2. Read the clock, then the deletions of the table, then a batch of rows with the timestamps of their cells.
    3. Leave out each point that a registered deletion covers and whose cell is dated before S - 3 minutes. Put the
       cells that replace others, unless 2 minutes (`BATCH_MS`) have passed since step 2: then begin again at 1.
    4. Read the deletions again. If a new one covers what step 3 has put, begin the batch again at 1: the point goes.
    5. Delete the cells that are replaced. If 2 minutes have passed since step 2, begin the batch again at 1.

Why no point comes back. Let X be the process that puts, and D a deletion that has read the row before X's put:

- D was registered before it read, so X sees it in step 4, or has seen it in step 2. Otherwise D reads X's cell.
- X's cell is dated eight minutes before the clock of its step 2: `QUIET_MS`, less the most that two clocks differ. If X
  did not know D then, its cell is dated 5 minutes before S or earlier, since D's put took one minute at most, and
  clocks differ by two. So D covers all of its points there.
- A point that is stored again after D is dated S - 2 minutes or later. So D covers none of these.

What is left to `recover`: X dies after its put, or the put is executed after X has given up. So a deletion stays
registered until it is twenty minutes old, `KEEP_MS`, and `recover` runs, which deletes what it covers once more, and
removes it. After these minutes no other process deletes what it covers, because the points may have been restored from
a backup since: compactions leave rows with such points as they are, and deletions put no cell in their place, because a
cell that `recover` does not cover would keep points that X brought back. A put that is executed after `recover` may
bring points back for good; so may a process that was stopped for longer between reading its clock and its put.
Costs: 1 put and 2 scans of the table's deletions for each batch of rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from os import urandom
from typing import Any

import attrs

from shared.keys import starting_with
from shared.queries import scan
from shared.tables import BoundTable, InvalidRow
from shared.writes import WriterClock
from shared.writes.clock import Moment
from shared.writes.server_clock import MAX_SKEW_MS, checked_moment

from ..asking.query_text import TagFilter
from ..asking.selecting import Selection, series_of_filters, series_of_tsuids
from ..keys import RowOfTable
from ..records import RegisteredDeletion, SeriesPoint
from ..storage.qualifiers import HOUR_MS
from ..storage.uids import Uids, UnknownUid
from .rewriting import ATTEMPTS, QUIET_MS, TooManyAttempts

KEEP_MS = 2 * QUIET_MS
"""How long a deletion stays registered at least: any put that was under way when it ended has been executed."""
SPARED_MS = 3 * MAX_SKEW_MS
"""A registered deletion does not cover cells that are dated later than this long before its start."""
CLOCK_CELL = {b"s:c": b"1"}
"""The cell, in the row of the settings of a table, that region servers date, to compare clocks."""


@attrs.frozen
class CoveredPeriod:
    """A period of a row whose points are deleted."""

    since_ms: int
    """Milliseconds from the start of the hour; may be below 0."""
    until_ms: int
    before_ms: int | None = None
    """Points of cells that are dated then or later stay; None if none do."""

    @property
    def is_whole_hour(self) -> bool:
        """Whether all points of the row are in it."""
        return self.since_ms <= 0 and self.until_ms >= HOUR_MS

    def covers(self, written_ms: int) -> bool:
        """Whether the points in the period are deleted, if they are of a cell with this timestamp."""
        return self.before_ms is None or written_ms < self.before_ms


@attrs.frozen
class DeletionRegistry:
    """The deletions of one table of points."""

    points: BoundTable[Any, SeriesPoint]
    deletions: BoundTable[RowOfTable, RegisteredDeletion]
    uids: Uids
    clock: WriterClock

    def check_clock(self) -> Moment:
        """The time now. Raises ClockSkew if the clock is too far off: its dates could hide points of others.

        Costs: 1 put and 1 get, once in ten minutes for each connection, and once more if the system's clock was set.
        """
        return checked_moment(self.deletions.connection, self.deletions.rows, self._clock_row, self.clock)

    def _clock_row(self) -> tuple[bytes, dict[bytes, bytes]]:
        return self.deletions.row(RowOfTable(self.points.layout.name)), CLOCK_CELL

    def new(self, **of_deletion: Any) -> RegisteredDeletion:
        """A deletion with these attributes, which is not yet registered."""
        return RegisteredDeletion(f"{self.points.layout.name}#{urandom(8).hex()}", 0, **of_deletion)

    def register(self, deletion: RegisteredDeletion) -> None:
        """Puts a deletion, or puts it again, with the time now. Raises ClockSkew and TooManyAttempts. Costs: 1 put."""
        for _ in range(ATTEMPTS):
            began = self.check_clock()
            started = attrs.evolve(deletion, started_ms=began.wall_ms)
            cells = self.deletions.layout.cells.pack(started)
            self.deletions.rows.put(self.deletions.row(started), cells, timestamp=began.wall_ms)
            if self.clock.elapsed_ms(began) <= MAX_SKEW_MS:  # otherwise others may have read since, without it
                return
        name = self.deletions.layout.name
        raise TooManyAttempts(f"{name}: a put must take {MAX_SKEW_MS} ms at most ({ATTEMPTS} took longer)")

    def registered(self) -> dict[str, RegisteredDeletion]:
        """All deletions that are registered, by their rows; those that cannot be read are left to `recover`.

        Costs: 1 scan.
        """
        return self.read([])

    def read(self, failed: list[InvalidRow]) -> dict[str, RegisteredDeletion]:
        """All deletions that are registered, by their rows; adds those that cannot be read to `failed`."""
        deletions: dict[str, RegisteredDeletion] = {}
        layout = self.deletions.layout
        plan = layout.plan(table=starting_with(f"{self.points.layout.name}#"))
        for row, cells in scan(self.deletions.rows, plan, columns=layout.cells.columns):
            try:
                deletion = layout.record(row, cells)
            except InvalidRow as error:
                failed.append(error)
            else:
                deletions[deletion.table] = deletion
        return deletions

    def remove(self, deletion: RegisteredDeletion) -> None:
        """Removes a deletion, unless it was registered again since it was read. Costs: 1 delete."""
        columns = list(self.deletions.layout.cells.columns)
        self.deletions.rows.delete(self.deletions.row(deletion), columns, timestamp=deletion.started_ms)

    def is_over(self, deletion: RegisteredDeletion, now_ms: int) -> bool:
        """Whether a deletion is left to `recover`."""
        return now_ms - deletion.started_ms >= KEEP_MS

    def selection(self, deletion: RegisteredDeletion) -> Selection | None:
        """The series of a deletion; None if one of their names, or of their UIDs, is unknown.

        Costs: that of names that are not remembered.
        """
        period = deletion.since_ms, deletion.until_ms
        if deletion.tsuid:
            with suppress(UnknownUid):
                return series_of_tsuids(self.points, self.uids, [deletion.tsuid], *period)
            return None
        filters = (TagFilter(tag, kind, text) for tag, kind, text in deletion.filters)
        return series_of_filters(self.points, self.uids, deletion.metric, filters, *period)

    def covered(
        self, deletions: Iterable[RegisteredDeletion], keys: Mapping[bytes, Any]
    ) -> dict[bytes, list[CoveredPeriod]]:
        """What these deletions cover in rows with these keys, by row.

        Costs: that of the names of filters and tags, if they are not remembered.
        """
        periods: dict[bytes, list[CoveredPeriod]] = {}
        for deletion in deletions:
            for row, hour_ms in self._rows_of(deletion, keys):
                periods.setdefault(row, []).append(covered_period(deletion, hour_ms))
        return periods

    def _rows_of(self, deletion: RegisteredDeletion, keys: Mapping[bytes, Any]) -> Iterator[tuple[bytes, int]]:
        """The rows among these that a deletion selects, with their hours."""
        selection = self.selection(deletion)
        if selection is None:
            return
        rows = {
            row: key
            for row, key in keys.items()
            if key.metric_uid == selection.metric_uid
            and deletion.since_ms - HOUR_MS < key.time_ms < deletion.until_ms
            and selection.has_uids(key.tag_uids)
        }
        series = {key.tag_uids for key in rows.values()}
        if selection.filters:  # a deletion that met a UID without a name has deleted nothing there
            named = self.uids.named((selection.metric_uid, pairs) for pairs in series)
            series = {*selection.matching(self.uids, (pairs for _, pairs in named))}
        yield from ((row, key.time_ms) for row, key in rows.items() if key.tag_uids in series)


def covered_period(deletion: RegisteredDeletion, hour_ms: int) -> CoveredPeriod:
    """The period that a registered deletion covers in a row of this hour."""
    before_ms = deletion.started_ms - SPARED_MS
    return CoveredPeriod(deletion.since_ms - hour_ms, deletion.until_ms - hour_ms, before_ms)
