"""Deletion of points: of a period, which may start and end inside an hour, or of a whole series.

OpenTSDB deletes the rows of all hours that a period touches (OpenTSDB#1939). Here only cells of points in the period
are deleted; annotations stay. If it covers an hour, all cells of points in its rows are, also damaged ones and those of
an offset after the hour. A compacted cell with points inside and outside of it is replaced. B is ten minutes
before the rows are read: no put that is under way was dated before B (`compaction.QUIET_MS`). The steps, each for many
rows:

    1. Read the clock, then the rows with the timestamps of their cells.
    2. Put, into rows with such a compacted cell, one cell with every point of the row outside the period, dated B.
    3. Read it back: a tombstone may hide it. If it is not there, the row stays as it is.
    4. Delete the other cells of points in these rows. Elsewhere, delete the cells whose points are all in the period.
       Cells dated before B are deleted up to B - 1 ms, younger ones up to their own timestamp.

What a reader sees if this dies: before step 4, all points. During it, each row either as it was or without the points
of the period, or with some of them if they are in several cells. The same call again deletes what it finds: nothing has
to be remembered. Numbers of a time that newer cells have replaced are deleted first, so none of them comes back.

Why no other point is lost, whatever others write meanwhile:

- The remaining points are deleted only after the cell that replaces them was seen.
- A row is rewritten only if all cells that it replaces were dated before B. A point that is stored meanwhile is dated
  later: it outlives the delete, and readers take its number rather than that of the rewritten cell.
- The rewritten cell is newer than all that is deleted. So no tombstone of these deletes, or of a compaction before,
  hides it. A `compact` that runs meanwhile puts its cell at the newest timestamp that it reads, so if it has read the
  rewritten cell, its own one outlives these deletes, too.

What others may undo: a `compact` or another deletion in the same row, which has read the points just before, may bring
them back in its cell, and so may a put that HBase executes after its caller has given up. The same call again, when the
others have ended, deletes them.

An OpenTSDB that compacts a row between steps 2 and 4 may lose the remaining points: it deletes cells without a
timestamp, and it keeps the old compacted cell if its own is equal. Set its `tsd.storage.enable_compaction` to false
while points are deleted inside of hours that are compacted.

What is stored later with a timestamp before B stays hidden, as after any delete, until HBase compacts all files. So do
points that are imported again into an OpenTSDB with `tsd.storage.use_otsdb_timestamp`, which dates cells by their
points.

A cell of appended points is deleted if all its points are in the period. If only some are, or if the row has a
compacted cell to replace, the row is reported and stays as it is: an append may arrive at any time, and HBase would
date what replaces the cell by its own clock, after numbers that are newer.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
import happybase
import numpy as np

from shared.queries import scan_in_batches
from shared.tables import InvalidRecord, InvalidRow, TableLayout
from shared.writes import CLOCK, WriterClock

from .compaction import KEYS_ONLY, MAX_QUALIFIER_BYTES, QUIET_MS, ROWS_AT_ONCE, rows_that_show
from .qualifiers import (
    APPENDED,
    FAMILY,
    HOUR_MS,
    Cells,
    Duplicates,
    cells_by_qualifier,
    column_of,
    is_of_points,
    read_points,
)
from .reading import Selection
from .records import SeriesPoint
from .uids import Uids


@attrs.frozen
class Deletion:
    """How the points of a period are deleted from one row."""

    deleted: Mapping[bytes, int]
    """The timestamps of the cells to delete, by qualifier."""
    rewritten: tuple[bytes, bytes] | None = None
    """Qualifier and value of the cell to put first; None if no compacted cell is to be replaced."""
    has_others: bool = True
    """Whether the row has other cells, which stay."""


@attrs.frozen
class DeletionResult:
    """What a call of `delete_points` or `delete_series` did."""

    changed: int
    """Rows in which something was deleted."""
    postponed: int
    """Rows that stay as they are, although a compacted cell is to be replaced: another cell is younger than ten
    minutes, or a tombstone hides the new cell. Call again ten minutes later."""
    failed: tuple[InvalidRow, ...]
    """Rows that cannot be read, or with appended points inside and outside of the period; they stay as they are."""


def deletion(cells: Cells, since_ms: int, until_ms: int, duplicates: Duplicates = "newest") -> Deletion | None:
    """How points are deleted whose offset in the hour is from `since_ms` up to but not at `until_ms`; None if none is.

    Raises InvalidRecord if the row must stay as it is.
    """
    of_points = {qualifier: cell for qualifier, cell in cells.items() if is_of_points(qualifier)}
    inside: dict[bytes, int] = {}
    is_split = False
    for qualifier, (value, written_ms) in cells.items():
        if qualifier not in of_points and qualifier != APPENDED:
            continue
        share = 1.0 if since_ms <= 0 and until_ms >= HOUR_MS else _share(qualifier, value, since_ms, until_ms)
        if share == 1:
            inside[qualifier] = written_ms
        elif share and qualifier == APPENDED:
            raise InvalidRecord("cell 05 00 00: appended points cannot be deleted in part")
        is_split = is_split or 0 < share < 1
    if not is_split:
        return Deletion(inside, None, len(inside) < len(cells)) if inside else None
    if APPENDED in cells:
        raise InvalidRecord("a compacted cell of a row with appended points cannot be replaced")
    points = read_points(of_points)
    remain = (points.offsets_ms < since_ms) | (points.offsets_ms >= until_ms)
    rewritten = points.taking(np.flatnonzero(remain)).merged(duplicates).compacted()
    if len(rewritten[0]) > MAX_QUALIFIER_BYTES:
        raise InvalidRecord(f"its qualifier must be at most {MAX_QUALIFIER_BYTES} bytes (got {len(rewritten[0])})")
    replaced = {qualifier: written_ms for qualifier, (_, written_ms) in of_points.items() if qualifier != rewritten[0]}
    return Deletion(replaced, rewritten)


def _share(qualifier: bytes, value: bytes, since_ms: int, until_ms: int) -> float:
    """The fraction of a cell's points that are in the period, 0 to 1."""
    if len(qualifier) == 2:
        return float(since_ms <= (qualifier[0] << 4 | qualifier[1] >> 4) * 1000 < until_ms)
    offsets_ms = read_points({qualifier: (value, 0)}).offsets_ms
    return float(np.mean((offsets_ms >= since_ms) & (offsets_ms < until_ms))) if len(offsets_ms) else 0.0


def whole_row(cells: Cells) -> Deletion:
    """How a row is deleted with all its cells, annotations too."""
    return Deletion({qualifier: written_ms for qualifier, (_, written_ms) in cells.items()}, None, has_others=False)


def delete(
    rows: happybase.Table,
    table: TableLayout[Any, SeriesPoint],
    uids: Uids,
    selection: Selection,
    period: tuple[int, int] | None,
    *,
    duplicates: Duplicates = "newest",
    clock: WriterClock = CLOCK,
) -> DeletionResult:
    """Deletes the points of some series in a period, or, without a period, their whole rows. It is safe to repeat.

    Costs: for each 100 rows 1 scan of their keys, 1 call that reads them, 1 put, 1 delete, 1 more delete for each
    different timestamp of the last ten minutes, and 1 call for each different qualifier of rewritten cells.
    """
    changed = postponed = 0
    failed: list[InvalidRow] = []
    columns = table.cells.columns
    keys_of_series = selection.filter_with(KEYS_ONLY.text)
    for range_ in selection.plan.ranges:
        for keys in scan_in_batches(rows, range_, ROWS_AT_ONCE, columns=columns, filter=keys_of_series):
            before_ms = clock.read_ms() - QUIET_MS  # before the cells are read: a scan may have taken minutes
            batch = rows.rows([row for row, _ in keys], columns=columns, include_timestamp=True)
            deletions: dict[bytes, Deletion] = {}
            for row, hour_ms, cells in _selected_rows(batch, table, uids, selection, failed):
                try:
                    found = _deletion_of(cells, hour_ms, period, duplicates)
                except ValueError as error:
                    failed.append(InvalidRow(table.name, row, str(error)))
                    continue
                if found is not None:
                    deletions[row] = found
            ready = _put_rewritten(rows, deletions, before_ms)
            _delete_cells(rows, {row: deletions[row] for row in ready}, before_ms)
            changed += len(ready)
            postponed += len(deletions) - len(ready)
    return DeletionResult(changed, postponed, tuple(failed))


def _selected_rows(
    batch: Iterable[tuple[bytes, Any]],
    table: TableLayout[Any, SeriesPoint],
    uids: Uids,
    selection: Selection,
    failed: list[InvalidRow],
) -> Iterator[tuple[bytes, int, Cells]]:
    """The rows of a selection: row, hour and cells. Adds those whose key cannot be read to `failed`."""
    keys: dict[bytes, Any] = {}
    for row, _ in batch:
        try:
            keys[row] = table.layout.decode(row)
        except ValueError as error:
            failed.append(InvalidRow(table.name, row, str(error)))
    series = {key.tag_uids for key in keys.values() if selection.has_uids(key.tag_uids)}
    meant = selection.matching(uids, series) if selection.filters else series
    for row, cells in batch:
        if row in keys and keys[row].tag_uids in meant:
            yield row, keys[row].time_ms, cells_by_qualifier(cells)


def _deletion_of(cells: Cells, hour_ms: int, period: tuple[int, int] | None, duplicates: Duplicates) -> Deletion | None:
    if period is None:
        return whole_row(cells)
    since_ms, until_ms = period
    return deletion(cells, since_ms - hour_ms, until_ms - hour_ms, duplicates)


def _put_rewritten(rows: happybase.Table, deletions: Mapping[bytes, Deletion], before_ms: int) -> list[bytes]:
    """Steps 2 and 3; returns the rows whose cells may be deleted."""
    puts = {
        row: planned.rewritten
        for row, planned in deletions.items()
        if planned.rewritten is not None and max(planned.deleted.values()) < before_ms
    }
    with rows.batch(timestamp=before_ms) as batch:
        for row, (qualifier, value) in puts.items():
            batch.put(row, {column_of(qualifier): value})
    return [*(row for row, planned in deletions.items() if planned.rewritten is None), *rows_that_show(rows, puts)]


def _delete_cells(rows: happybase.Table, deletions: Mapping[bytes, Deletion], before_ms: int) -> None:
    """Step 4."""
    columns: dict[int, dict[bytes, list[bytes]]] = {}
    for row, planned in deletions.items():
        are_old = {qualifier: written_ms < before_ms for qualifier, written_ms in planned.deleted.items()}
        if not planned.has_others and all(are_old.values()):
            columns.setdefault(before_ms - 1, {})[row] = [FAMILY.encode()]  # one tombstone for the row
            continue
        for qualifier, written_ms in planned.deleted.items():
            up_to_ms = before_ms - 1 if are_old[qualifier] else written_ms
            columns.setdefault(up_to_ms, {}).setdefault(row, []).append(column_of(qualifier))
    for up_to_ms, columns_by_row in sorted(columns.items()):  # an older number of a time before its newer one
        with rows.batch(timestamp=up_to_ms) as batch:
            for row, deleted in columns_by_row.items():
                batch.delete(row, deleted)
