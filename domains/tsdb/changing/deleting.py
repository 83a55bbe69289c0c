"""Deletion of points: of a period, which may start and end inside an hour, or of a whole series.

OpenTSDB deletes the rows of all hours that a period touches (OpenTSDB#1939). Here only cells of points in the period
are deleted; annotations stay. If the period covers an hour, all cells of points in its rows are deleted, also damaged
ones and those of an offset after the hour. A compacted cell with points inside and outside of the period is replaced. B
is ten minutes before the rows are read: no put that is under way was dated before B (`QUIET_MS`). If a cell to be
replaced is up to two minutes younger, such as one from a deletion whose clock is ahead, B is a millisecond after it.
The steps, each for many rows:

    1. Register the deletion, read the clock, then the rows with the timestamps of their cells.
    2. Put, into rows with such a compacted cell, one cell with every point of the row outside the period, dated B.
       Younger points stay in their own cells.
    3. Read it back: a tombstone may hide it. If it is not there, the row stays as it is.
    4. Delete the other cells of points in these rows. Elsewhere, delete the cells whose points are all in the period.
       Cells dated before B are deleted up to B - 1 ms, younger ones up to their own timestamp.

What a reader sees if this process dies: before step 4, all points. During it, each row either as it was or without the
points of the period, or with some of them if they are in several cells. Repeating the call deletes what it finds; so
does `recover`, except for cells of the last minutes before the call. If a newer cell has replaced the number of a time,
the old number is deleted first, so it does not come back.

Why no other point is lost, whatever others write meanwhile:

- The remaining points are deleted only after the cell that replaces them was seen.
- All cells that it replaces were dated before B. A point that is stored meanwhile is dated later: it outlives the
  delete, and readers use its number rather than that of the rewritten cell.
- The rewritten cell is newer than all that is deleted. So no tombstone of these deletes, or of a compaction before,
  hides it. A `compact` that runs meanwhile puts its cell at the newest timestamp that it reads, so if it has read the
  rewritten cell, its own one outlives these deletes, too.

Why no deleted point comes back, if a `compact` or another deletion has read the row just before, and what is left to
`recover`: see `registry.py`, whose steps 2 to 5 contain these steps.

An OpenTSDB that compacts a row between steps 2 and 4 may lose the remaining points: it deletes cells without a
timestamp, and it keeps the old compacted cell if its own is equal. Set its `tsd.storage.enable_compaction` to false
while points are deleted inside of hours that are compacted.

Points that are stored later with a timestamp before B stay hidden, as after any delete, until HBase compacts all files.
So do points that are imported again into an OpenTSDB with `tsd.storage.use_otsdb_timestamp`, which dates cells by their
points. So does a point in place of a deleted cell that was dated B or later, if it is dated as that cell or before: its
writer's clock is behind that of the cell's writer. A put does not read, so `store` returns, and the point is lost. Two
clocks that are right to a minute differ by two minutes at most: what is stored two minutes after the deletion is seen.

A cell of appended points is deleted if all its points are in the period. If only some are, or if the row has a
compacted cell to replace, the row is reported and stays as it is: an append may arrive at any time, and HBase would
date the replacing cell by its own clock, after newer numbers.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from shared.queries import KEYS_ONLY
from shared.queries.scanning import scan_in_batches
from shared.tables import BoundTable, InvalidRecord, InvalidRow
from shared.writes import WriterClock
from shared.writes.clock import Moment
from shared.writes.server_clock import MAX_SKEW_MS

from ..asking.selecting import Selection
from ..records import RegisteredDeletion, SeriesPoint
from ..storage.point_arrays import PointArrays, read_points
from ..storage.qualifiers import APPENDED, FAMILY, Cells, Duplicates, cells_by_qualifier, column_of, is_of_points
from ..storage.uids import Uids
from .registry import CoveredPeriod, DeletionRegistry, covered_period
from .rewriting import (
    ATTEMPTS,
    BATCH_MS,
    MAX_QUALIFIER_BYTES,
    QUIET_MS,
    ROWS_AT_ONCE,
    TooManyAttempts,
    rows_that_show,
)

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class Deletion:
    """How the points of some periods are deleted from one row."""

    deleted: Mapping[bytes, int]
    """The timestamps of the cells to delete, by qualifier."""
    before_ms: int
    """Cells dated before this are deleted up to the millisecond before it; others up to their own timestamp."""
    rewritten: tuple[bytes, bytes] | None = None
    """Qualifier and value of the cell to put first, dated `before_ms`; None if no compacted cell is to be replaced."""
    is_postponed: bool = False
    """Whether a compacted cell is too young to be replaced."""
    has_others: bool = True
    """Whether the row has other cells, which stay."""


@attrs.frozen
class DeletionResult:
    """The result of one call of `delete_points` or `delete_series`."""

    changed: int
    """Rows in which something was deleted."""
    postponed: int
    """Rows that stay as they are, although a compacted cell is to be replaced: it is younger than ten minutes, or a
    tombstone or a younger cell hides the new cell; call again ten minutes later. Or a registered deletion that is
    twenty minutes old covers other points in them; first `recover` or `cancel` that deletion."""
    failed: tuple[InvalidRow, ...]
    """Rows that cannot be read, or with appended points inside and outside of the period; they stay as they are."""

    @property
    def unfinished(self) -> str:
        """What is left to do; empty text if nothing is."""
        return "postponed rows need the same deletion again, ten minutes later" if self.postponed else ""


def deletion(
    cells: Cells,
    own: CoveredPeriod | None,
    of_others: Sequence[CoveredPeriod],
    before_ms: int,
    duplicates: Duplicates = "newest",
) -> Deletion | None:
    """How points are deleted that are in a period of the deletion, or of others; None if there are none.

    `before_ms` is ten minutes ago. Periods of others spare appended points, which cannot be restored. Raises
    InvalidRecord if the row must stay as it is.
    """
    inside: dict[bytes, int] = {}
    split: list[int] = []
    for qualifier, (value, written_ms) in cells.items():
        if not is_of_points(qualifier) and qualifier != APPENDED:
            continue
        periods = [] if own is None else [own]
        periods += of_others if qualifier != APPENDED else ()
        share = _share(qualifier, value, [period for period in periods if period.covers(written_ms)])
        if share == 1:
            inside[qualifier] = written_ms
        elif share and qualifier == APPENDED:
            raise InvalidRecord("cell 05 00 00: appended points cannot be deleted in part")
        elif share:
            split.append(written_ms)
    if not split:
        return Deletion(inside, before_ms, has_others=len(inside) < len(cells)) if inside else None
    if APPENDED in cells:
        raise InvalidRecord("a compacted cell of a row with appended points cannot be replaced")
    # Another deletion whose clock is ahead dates its cell later than `before_ms`; the youngest cells are points.
    young_ms = before_ms + 2 * MAX_SKEW_MS
    of_points = {qualifier: cell for qualifier, cell in cells.items() if is_of_points(qualifier) and cell[1] < young_ms}
    before_ms = max([before_ms, *(written_ms + 1 for _, written_ms in of_points.values())])
    points = read_points(of_points)
    covered = _are_covered(points, [*of_others] if own is None else [own, *of_others])
    rewritten = points.taking(np.flatnonzero(~covered)).merged(duplicates).compacted()
    if len(rewritten[0]) > MAX_QUALIFIER_BYTES:
        raise InvalidRecord(f"its qualifier must be at most {MAX_QUALIFIER_BYTES} bytes (got {len(rewritten[0])})")
    replaced = inside | {qualifier: written_ms for qualifier, (_, written_ms) in of_points.items()}
    replaced.pop(rewritten[0], None)
    return Deletion(replaced, before_ms, rewritten, is_postponed=max(split) >= young_ms)


def _share(qualifier: bytes, value: bytes, periods: Sequence[CoveredPeriod]) -> float:
    """The fraction of a cell's points that are in one of these periods, 0 to 1."""
    if not periods or any(period.is_whole_hour for period in periods):
        return float(len(periods) > 0)
    if len(qualifier) == 2:
        offset_ms = (qualifier[0] << 4 | qualifier[1] >> 4) * 1000
        return float(any(period.since_ms <= offset_ms < period.until_ms for period in periods))
    points = read_points({qualifier: (value, -1)})
    return int(_are_covered(points, periods).sum()) / len(points) if len(points) else 0.0


def _are_covered(points: PointArrays, periods: Sequence[CoveredPeriod]) -> NDArray[np.bool_]:
    """Which of these points are deleted, by the timestamps of their cells."""
    covered = np.zeros(len(points), np.bool_)
    for period in periods:
        inside = (points.offsets_ms >= period.since_ms) & (points.offsets_ms < period.until_ms)
        covered |= inside if period.before_ms is None else inside & (points.written_ms < period.before_ms)
    return covered


def whole_row(cells: Cells, period: CoveredPeriod, before_ms: int) -> Deletion | None:
    """How a row is deleted with all its cells, including annotations, as far as the period covers their timestamps."""
    deleted = {qualifier: written_ms for qualifier, (_, written_ms) in cells.items() if period.covers(written_ms)}
    return Deletion(deleted, before_ms, has_others=len(deleted) < len(cells)) if deleted else None


_Batch = Mapping[bytes, tuple[Any, Cells]]
"""Key and cells of rows."""


@attrs.frozen
class Deleter:
    """Deletes points of a table: those of its own deletion, and those that registered deletions cover."""

    points: BoundTable[Any, SeriesPoint]
    uids: Uids
    registry: DeletionRegistry
    duplicates: Duplicates
    clock: WriterClock

    def delete(self, own: RegisteredDeletion, *, settles: bool = False) -> DeletionResult:
        """Deletes the points of a deletion, or, if it names a TSUID, whole rows. It is safe to repeat.

        With `settles`, the deletion was registered by another call: cells that are dated later are not deleted.
        Raises ClockSkew, TooManyAttempts and UnknownUid. Costs: for each 100 rows 1 scan of their keys, 1 put and 1
        scan that registers and reads deletions, 1 call that reads the rows, 1 delete, and 1 more for each different
        timestamp of the last ten minutes; if compacted cells are replaced, 1 put, 1 scan, and 1 call for each different
        qualifier.
        """
        selection = self.registry.selection(own)
        if selection is None:
            return DeletionResult(0, 0, ())
        results: list[DeletionResult] = []
        keys_of_series = selection.filter_with(KEYS_ONLY.text)
        columns = self.points.layout.cells.columns
        for range_ in selection.plan.ranges:
            for keys in scan_in_batches(self.points.rows, range_, ROWS_AT_ONCE, columns=columns, filter=keys_of_series):
                step = _Step(self, [row for row, _ in keys], selection, own, settles)
                results.append(step.run())
        return DeletionResult(
            sum(result.changed for result in results),
            sum(result.postponed for result in results),
            tuple(failure for result in results for failure in result.failed),
        )

    def clean(self, rows: Sequence[bytes]) -> DeletionResult:
        """Deletes from these rows the points that open deletions cover. Costs: those of `delete`, without its put."""
        return _Step(self, rows).run()

    def covered(
        self, batch: Mapping[bytes, Any], deletions: Mapping[str, RegisteredDeletion], before_ms: int
    ) -> dict[bytes, Deletion]:
        """How the points that any of these deletions cover are deleted, by row; only rows that have such points.

        Rows that cannot be read are left out. Costs: those of names that are not remembered.
        """
        return _Step(self, [*batch], settles=True).planned(self.read_keys(batch, []), deletions, before_ms, [])

    def read_keys(self, batch: Mapping[bytes, Any], failed: list[InvalidRow]) -> _Batch:
        """The keys and cells of rows; adds those whose key cannot be read to `failed`."""
        read: dict[bytes, tuple[Any, Cells]] = {}
        for row, cells in batch.items():
            try:
                read[row] = self.points.layout.key.decode(row), cells_by_qualifier(cells)
            except ValueError as error:
                failed.append(InvalidRow(self.points.layout.name, row, str(error)))
        return read


@attrs.frozen
class _Step:
    """The deletion of points from some rows at once: of those that a deletion selects, or of all."""

    deleter: Deleter
    keys: Sequence[bytes]
    selection: Selection | None = None
    own: RegisteredDeletion | None = None
    settles: bool = False

    def run(self) -> DeletionResult:
        """All steps, again if they took too long or if another deletion was registered meanwhile."""
        deleter, rows = self.deleter, self.deleter.points.rows
        changed: set[bytes] = set()
        for _ in range(ATTEMPTS):
            if self.own is not None and not self.settles:
                deleter.registry.register(self.own)
            began = deleter.registry.check_clock()
            before_ms = began.wall_ms - QUIET_MS
            deletions = deleter.registry.registered()
            read = dict(rows.rows([*self.keys], columns=deleter.points.layout.cells.columns, include_timestamp=True))
            failed: list[InvalidRow] = []
            batch = self._selected(deleter.read_keys(read, failed))
            planned = self.planned(batch, deletions, before_ms, failed)
            puts = _puts(planned)
            if not self._put(puts, began):
                continue
            if puts:
                now_registered = deleter.registry.registered()
                if self.planned(batch, now_registered, before_ms, []) != planned:
                    continue
            ready = [row for row, plan in planned.items() if plan.rewritten is None]
            for cells in puts.values():
                ready += rows_that_show(rows, cells)
            _delete_cells(rows, {row: planned[row] for row in ready})
            changed.update(ready)
            if deleter.clock.elapsed_ms(began) <= BATCH_MS:
                return DeletionResult(len(changed), len(planned.keys() - ready), tuple(failed))
        raise TooManyAttempts(
            f"{deleter.points.layout.name}: {len(self.keys)} rows must be changed in {BATCH_MS} ms, undisturbed"
        )

    def _put(self, puts: Mapping[int, Mapping[bytes, tuple[bytes, bytes]]], began: Moment) -> bool:
        """Puts cells by timestamp and row; returns whether there was time for all of them."""
        for written_ms, cells in puts.items():
            if self.deleter.clock.elapsed_ms(began) > BATCH_MS:
                return False
            with self.deleter.points.rows.batch(timestamp=written_ms) as batch:
                for row, (qualifier, value) in cells.items():
                    batch.put(row, {column_of(qualifier): value})
        return True

    def planned(
        self,
        batch: _Batch,
        deletions: Mapping[str, RegisteredDeletion],
        before_ms: int,
        failed: list[InvalidRow],
    ) -> dict[bytes, Deletion]:
        """How points are deleted from each row that has some. Adds those that must stay as they are to `failed`."""
        registry = self.deleter.registry
        own_row = None if self.own is None else self.own.table
        others = [other for other in deletions.values() if other.table != own_row]
        over = [] if self.settles else [other for other in others if registry.is_over(other, before_ms + QUIET_MS)]
        keys = {row: key for row, (key, _) in batch.items()}
        of_others = registry.covered((other for other in others if other not in over), keys)
        left_to_recover = registry.covered(over, keys)
        planned: dict[bytes, Deletion] = {}
        for row, (key, cells) in batch.items():
            own = self._own_period(key.time_ms)
            try:
                if own is not None and self.own is not None and self.own.tsuid:
                    plan = whole_row(cells, own, before_ms)
                else:
                    periods = of_others.get(row, [])
                    plan = deletion(cells, own, periods, before_ms, self.deleter.duplicates)
                    if row in left_to_recover and plan is not None and plan.rewritten is not None:
                        with_these = deletion(
                            cells, own, periods + left_to_recover[row], before_ms, self.deleter.duplicates
                        )
                        plan = attrs.evolve(plan, is_postponed=plan.is_postponed or with_these != plan)
            except ValueError as error:
                failed.append(InvalidRow(self.deleter.points.layout.name, row, str(error)))
                continue
            if plan is not None:
                planned[row] = plan
        return planned

    def _own_period(self, hour_ms: int) -> CoveredPeriod | None:
        if self.own is None:
            return None
        period = covered_period(self.own, hour_ms)
        return period if self.settles else attrs.evolve(period, before_ms=None)

    def _selected(self, batch: _Batch) -> _Batch:
        """The rows that the deletion selects. Raises UnknownUid."""
        if self.selection is None:
            return batch
        series = {key.tag_uids for key, _ in batch.values() if self.selection.has_uids(key.tag_uids)}
        meant = self.selection.matching(self.deleter.uids, series) if self.selection.filters else series
        return {row: (key, cells) for row, (key, cells) in batch.items() if key.tag_uids in meant}


def _puts(planned: Mapping[bytes, Deletion]) -> dict[int, dict[bytes, tuple[bytes, bytes]]]:
    """The cells to put, by timestamp and row."""
    puts: dict[int, dict[bytes, tuple[bytes, bytes]]] = {}
    for row, plan in planned.items():
        if plan.rewritten is not None and not plan.is_postponed:
            puts.setdefault(plan.before_ms, {})[row] = plan.rewritten
    return puts


def _delete_cells(rows: "happybase.Table", deletions: Mapping[bytes, Deletion]) -> None:
    """Step 4."""
    columns: dict[int, dict[bytes, list[bytes]]] = {}
    for row, plan in deletions.items():
        are_old = {qualifier: written_ms < plan.before_ms for qualifier, written_ms in plan.deleted.items()}
        if not plan.has_others and all(are_old.values()):
            columns.setdefault(plan.before_ms - 1, {})[row] = [FAMILY.encode()]  # one tombstone for the row
            continue
        for qualifier, written_ms in plan.deleted.items():
            up_to_ms = plan.before_ms - 1 if are_old[qualifier] else written_ms
            columns.setdefault(up_to_ms, {}).setdefault(row, []).append(column_of(qualifier))
    for up_to_ms, columns_by_row in sorted(columns.items()):  # an older number of a time before its newer one
        with rows.batch(timestamp=up_to_ms) as batch:
            for row, deleted in columns_by_row.items():
                batch.delete(row, deleted)
