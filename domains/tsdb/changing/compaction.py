"""Compaction: one cell instead of many for a row whose hour is over.

HBase stores row key, family, qualifier and timestamp again with every cell, so a compacted hour needs a tenth of the
bytes of 3,600 cells. OpenTSDB reads rows compacted here, and compacts in the same form. A row is compacted in four
steps, each for many rows at once:

    1. Read the rows with the timestamps of their cells. T is the newest timestamp of a row's cells of points.
    2. Put the compacted cell with the timestamp T, unless the row has it with that timestamp.
    3. Read it back: an older tombstone may hide it. If it is not there, the row stays as it is.
    4. Delete the cells that are in it, up to the timestamp T.

Why no point is lost, whatever others write, and wherever this process dies:

- A cell is deleted only after the cell that replaces it was seen.
- A put that overwrites a point meanwhile has a later timestamp than T: it outlives the delete, and it is newer than the
  compacted cell, so readers use its number. (OpenTSDB deletes without a timestamp, and loses that put.)
- Timestamps come from the clocks of writers and region servers, which may differ, and HBase may execute a put long
  after it was dated. So rows with a cell of the last ten minutes stay as they are, and so do rows whose hour ended less
  than a second ago.
- If the compacted cell is stored with a timestamp before T, it is put again at T: a deletion that read the old one may
  be about to delete it, after it has put the points that remain into a cell with the timestamp T; see `deleting.py`.
- It puts no point that a registered deletion covers; see `registry.py`, whose steps 2 to 5 contain these steps. A row
  in which it reads such a point is not compacted: the point is deleted, or left to `recover`.
- After a death between two steps, or if several processes compact one row, several cells may hold one time. The newest
  of them has its number.

Rows with appended points are left alone, as OpenTSDB leaves them: an append may arrive at any time.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from shared.keys import Plan
from shared.queries import KEYS_ONLY, scan
from shared.queries.scanning import in_batches
from shared.tables import InvalidRow
from shared.writes.clock import Moment

from ..storage.point_arrays import read_points
from ..storage.qualifiers import APPENDED, HOUR_MS, Cells, Duplicates, cells_by_qualifier, column_of, is_of_points
from .deleting import Deleter
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

CLOSED_AFTER_MS = HOUR_MS + 1000
"""How long after the start of its hour a row may be compacted; OpenTSDB waits as long."""


@attrs.frozen
class Compacted:
    """The cell that replaces a row's cells of points."""

    qualifier: bytes
    """Empty if no points remain, so that no cell replaces the others."""
    value: bytes
    written_ms: int
    """The newest timestamp of the cells that are in it, which becomes its own."""
    is_stored: bool
    """Whether the row has this cell already with that timestamp, left by a compaction that died before its deletes."""
    sources: tuple[bytes, ...]
    """The qualifiers of the other cells of points."""


def compacted(cells: Cells, duplicates: Duplicates = "newest") -> Compacted | None:
    """The compacted cell of a row; None if the row stays as it is. Raises InvalidRecord."""
    of_points = {qualifier: cell for qualifier, cell in cells.items() if is_of_points(qualifier)}
    if APPENDED in cells or not of_points:
        return None
    qualifier, value = read_points(of_points).merged(duplicates).compacted()
    written_ms = max(written_ms for _, written_ms in of_points.values())
    is_stored = of_points.get(qualifier) == (value, written_ms)
    sources = tuple(source for source in of_points if source != qualifier)
    if (is_stored and not sources) or len(qualifier) > MAX_QUALIFIER_BYTES:
        return None
    return Compacted(qualifier, value, written_ms, is_stored, sources)


@attrs.frozen
class CompactionResult:
    """The result of one call of `compact`."""

    compacted: int
    """Rows whose points are in one cell now."""
    left: int
    """Rows that have one cell already, hold appended points, are too young or too large, or have points covered by a
    registered deletion that is left to `recover`."""
    failed: tuple[InvalidRow, ...]
    """Rows that cannot be read; they stay as they are."""
    cleaned: int = 0
    """Rows from which points covered by a registered deletion were deleted; the next call compacts them."""


def compact(deleter: Deleter, plan: Plan) -> CompactionResult:
    """Compacts the rows of a plan. It is safe to repeat the call, after a crash and while other processes run.

    Raises ClockSkew and TooManyAttempts. Costs: one scan of the row keys; for each 100 rows 1 call that reads them, 1
    scan of the registered deletions before and 1 after they are put, 1 put and 1 delete for each different T, and 1
    call for each different qualifier of compacted cells.
    """
    done = left = cleaned = 0
    failed: list[InvalidRow] = []
    keys = (
        row for row, _ in scan(deleter.points.rows, plan, filter=KEYS_ONLY, columns=deleter.points.layout.cells.columns)
    )
    for batch in in_batches(keys, ROWS_AT_ONCE):
        result = compact_rows(deleter, batch, _of_quiet_row(deleter.duplicates))
        done += result.compacted
        left += result.left
        failed += result.failed
        cleaned += result.cleaned
    return CompactionResult(done, left, tuple(failed), cleaned)


RowPlan: TypeAlias = Callable[[bytes, int, Cells, int], Compacted | None]
"""The cell that replaces others, of a row, its hour, its cells and the time now; None if the row stays as it is."""


def _of_quiet_row(duplicates: Duplicates) -> RowPlan:
    def plan(_row: bytes, hour_ms: int, cells: Cells, now_ms: int) -> Compacted | None:
        result = compacted(cells, duplicates)
        is_quiet = result is not None and now_ms - result.written_ms > QUIET_MS
        return result if is_quiet and now_ms - hour_ms > CLOSED_AFTER_MS else None

    return plan


def compact_rows(deleter: Deleter, rows: Sequence[bytes], plan: RowPlan) -> CompactionResult:
    """Steps 1 to 4 for some rows, again if another deletion was registered meanwhile; see `registry.py`."""
    for _ in range(ATTEMPTS):
        began = deleter.registry.check_clock()
        now_ms = began.wall_ms
        deletions = deleter.registry.registered()
        read = dict(
            deleter.points.rows.rows([*rows], columns=deleter.points.layout.cells.columns, include_timestamp=True)
        )
        covered = deleter.covered(read, deletions, now_ms - QUIET_MS)
        failed: list[InvalidRow] = []
        replaced = _planned(
            deleter, {row: cells for row, cells in read.items() if row not in covered}, plan, now_ms, failed
        )
        if not _put(deleter, replaced, began):
            continue
        if replaced:
            now_registered = deleter.registry.registered()
            if deleter.covered(read, now_registered, now_ms - QUIET_MS) != covered:
                continue
        seen = _delete_sources(deleter.points.rows, replaced)
        cleaned = deleter.clean([*covered]).changed if covered else 0
        return CompactionResult(len(seen), len(read) - len(failed) - len(seen) - cleaned, tuple(failed), cleaned)
    raise TooManyAttempts(
        f"{deleter.points.layout.name}: {len(rows)} rows must be compacted in {BATCH_MS} ms, undisturbed"
    )


def _planned(
    deleter: Deleter, read: Mapping[bytes, Any], plan: RowPlan, now_ms: int, failed: list[InvalidRow]
) -> dict[bytes, Compacted]:
    """The cells that replace others in these rows; adds rows that cannot be read to `failed`."""
    replaced: dict[bytes, Compacted] = {}
    for row, cells in read.items():
        try:
            key = deleter.points.layout.key.decode(row)
            result = plan(row, key.time_ms, cells_by_qualifier(cells), now_ms)
        except ValueError as error:
            failed.append(InvalidRow(deleter.points.layout.name, row, str(error)))
            continue
        if result is not None:
            replaced[row] = result
    return replaced


def _put(deleter: Deleter, replaced: Mapping[bytes, Compacted], began: Moment) -> bool:
    """Step 2; returns whether there was time to put all of them."""
    puts: dict[int, dict[bytes, dict[bytes, bytes]]] = {}
    for row, result in replaced.items():
        if not result.is_stored:
            puts.setdefault(result.written_ms, {})[row] = {column_of(result.qualifier): result.value}
    for written_ms, cells_by_row in puts.items():
        if deleter.clock.elapsed_ms(began) > BATCH_MS:
            return False
        with deleter.points.rows.batch(timestamp=written_ms) as batch:
            for row, cells in cells_by_row.items():
                batch.put(row, cells)
    return True


def _delete_sources(rows: "happybase.Table", replaced: Mapping[bytes, Compacted]) -> list[bytes]:
    """Steps 3 and 4; returns the rows in which the compacted cell was seen."""
    shown = {row: (result.qualifier, result.value) for row, result in replaced.items() if result.qualifier}
    seen = rows_that_show(rows, shown) + [row for row in replaced if row not in shown]
    deletes: dict[int, list[bytes]] = {}
    for row in seen:
        if replaced[row].sources:
            deletes.setdefault(replaced[row].written_ms, []).append(row)
    for written_ms, rows_of_time in deletes.items():
        with rows.batch(timestamp=written_ms) as batch:
            for row in rows_of_time:
                batch.delete(row, [column_of(source) for source in replaced[row].sources])
    return seen
