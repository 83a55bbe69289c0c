"""Compaction: one cell instead of many for a row whose hour is over.

HBase stores row key, family, qualifier and timestamp again with every cell, so a compacted hour needs a tenth of the
bytes of 3,600 cells. OpenTSDB reads what is compacted here, and compacts in the same form. A row is compacted in four
steps, each for many rows at once:

    1. Read the rows with the timestamps of their cells. T is the newest timestamp of a row's cells of points.
    2. Put the compacted cell with the timestamp T, unless the row has it with that timestamp.
    3. Read it back: an older tombstone may hide it. If it is not there, the row stays as it is.
    4. Delete the cells that are in it, up to the timestamp T.

Why no point is lost, whatever others write or wherever this dies:

- A cell is deleted only after the cell that replaces it was seen.
- A put that overwrites a point meanwhile has a later timestamp than T: it outlives the delete, and it is newer than the
  compacted cell, so readers take its number. (OpenTSDB deletes without a timestamp, and loses that put.)
- Timestamps come from the clocks of writers and region servers, which may differ, and HBase may execute a put long
  after it was dated. So rows with a cell of the last ten minutes stay as they are, and so do rows whose hour ended less
  than a second ago.
- If the compacted cell is stored with a timestamp before T, it is put again at T: a deletion that read the old one may
  be about to delete it, after it has put the points that remain into a cell with the timestamp T; see `deleting.py`.
- After a death between two steps, or if several processes compact one row, several cells may hold a time. The newest of
  them has its number.

Rows with appended points are left alone, as OpenTSDB leaves them: an append may arrive at any time.
"""

from collections.abc import Mapping
from typing import Any

import attrs
import happybase

from shared.keys import Plan
from shared.queries import ServerFilter, in_batches, scan
from shared.tables import InvalidRow, TableLayout
from shared.writes import CLOCK, WriterClock

from .qualifiers import (
    APPENDED,
    HOUR_MS,
    Cells,
    Duplicates,
    cells_by_qualifier,
    column_of,
    is_of_points,
    read_points,
)
from .records import SeriesPoint

QUIET_MS = 600_000
"""Rows with a younger cell are left alone. More than the clocks of two writers may differ by and a put may be under way
together: a client repeats it for a minute unless told otherwise, and a region that moves delays it."""
CLOSED_AFTER_MS = HOUR_MS + 1000
"""How long after the start of its hour a row may be compacted; OpenTSDB waits as long."""
MAX_QUALIFIER_BYTES = 65_536
"""Rows that need a longer qualifier are left alone: region servers hang on those of 128 KB (OpenTSDB#490)."""
ROWS_AT_ONCE = 100

KEYS_ONLY = ServerFilter((), b"FirstKeyOnlyFilter() AND KeyOnlyFilter()")


@attrs.frozen
class Compacted:
    """What replaces the cells of points of a row."""

    qualifier: bytes
    value: bytes
    written_ms: int
    """The newest timestamp of the cells that are in it, which becomes its own."""
    is_stored: bool
    """Whether the row has this cell already with that timestamp, left by a compaction that died before its deletes."""
    sources: tuple[bytes, ...]
    """The qualifiers of the other cells of points."""


def compacted(cells: Cells, duplicates: Duplicates = "newest") -> Compacted | None:
    """What compaction makes of a row; None if the row stays as it is. Raises InvalidRecord."""
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
    """What a call of `compact` did."""

    compacted: int
    """Rows whose points are in one cell now."""
    left: int
    """Rows that have one cell already, that hold appended points, or that are too young or too large."""
    failed: tuple[InvalidRow, ...]
    """Rows that cannot be read; they stay as they are."""


def compact(
    rows: happybase.Table,
    table: TableLayout[Any, SeriesPoint],
    plan: Plan,
    *,
    duplicates: Duplicates = "newest",
    clock: WriterClock = CLOCK,
) -> CompactionResult:
    """Compacts the rows of a plan. It is safe to repeat the call, after a crash and beside other processes.

    Costs: one scan of the row keys; for each 100 rows 1 call that reads them, 1 put and 1 delete for each different T,
    and 1 call for each different qualifier of compacted cells.
    """
    done = left = 0
    failed: list[InvalidRow] = []
    keys = (row for row, _ in scan(rows, plan, filter=KEYS_ONLY, columns=table.cells.columns))
    for batch in in_batches(keys, ROWS_AT_ONCE):
        now_ms = clock.read_ms()
        replaced: dict[bytes, Compacted] = {}
        for row, cells in rows.rows(batch, columns=table.cells.columns, include_timestamp=True):
            try:
                key = table.layout.decode(row)
                result = compacted(cells_by_qualifier(cells), duplicates)
            except ValueError as error:
                failed.append(InvalidRow(table.name, row, str(error)))
                continue
            if result is not None and now_ms - result.written_ms > QUIET_MS and now_ms - key.time_ms > CLOSED_AFTER_MS:
                replaced[row] = result
            else:
                left += 1
        replacing = _replace(rows, replaced)
        done += replacing
        left += len(replaced) - replacing
    return CompactionResult(done, left, tuple(failed))


def _replace(rows: happybase.Table, replaced: Mapping[bytes, Compacted]) -> int:
    """Steps 2 to 4 for some rows; returns in how many the compacted cell was seen."""
    puts: dict[int, dict[bytes, dict[bytes, bytes]]] = {}
    for row, result in replaced.items():
        if not result.is_stored:
            puts.setdefault(result.written_ms, {})[row] = {column_of(result.qualifier): result.value}
    for written_ms, cells_by_row in puts.items():
        with rows.batch(timestamp=written_ms) as batch:
            for row, cells in cells_by_row.items():
                batch.put(row, cells)
    seen = rows_that_show(rows, {row: (result.qualifier, result.value) for row, result in replaced.items()})
    deletes: dict[int, list[bytes]] = {}
    for row in seen:
        if replaced[row].sources:
            deletes.setdefault(replaced[row].written_ms, []).append(row)
    for written_ms, rows_of_time in deletes.items():
        with rows.batch(timestamp=written_ms) as batch:
            for row in rows_of_time:
                batch.delete(row, [column_of(source) for source in replaced[row].sources])
    return len(seen)


def rows_that_show(rows: happybase.Table, cells: Mapping[bytes, tuple[bytes, bytes]]) -> list[bytes]:
    """The rows in which a cell, given by qualifier and value, is visible with this value."""
    by_qualifier: dict[bytes, list[bytes]] = {}
    for row, (qualifier, _) in cells.items():
        by_qualifier.setdefault(qualifier, []).append(row)
    shown: list[bytes] = []
    for qualifier, wanted in by_qualifier.items():  # the same one for all series that are measured at the same times
        column = column_of(qualifier)
        shown += [row for row, stored in rows.rows(wanted, columns=[column]) if stored[column] == cells[row][1]]
    return shown
