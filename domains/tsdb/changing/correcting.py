"""Corrections: points that replace what the table holds for their times, whatever its form.

A number of another type or width has another qualifier, and so has a whole second that OpenTSDB got in milliseconds
(`f0 00 00 00` instead of `00 00`). Stored beside it, the new number counts for readers here, and for an OpenTSDB with
`fix_duplicates`. Any other OpenTSDB then refuses every question about that hour. A correction leaves one cell for each
time. These are its steps, for up to a hundred rows at once:

    1. Put the points, dated W.
    2. Read the rows with the timestamps of their cells.
    3. Delete the other cells of one point that have these times and are dated before W, each up to its own timestamp.
       If a row has appended points, first append the new ones, and then delete their own cells, too: of the appended
       points of one time the last one counts.
    4. If a compacted cell, dated T before W, has some of these times: put its other points as one cell dated T, read it
       back, and delete the old one up to T.

Step 4 consists of the steps of `compaction.py`, and heeds deletions like them. Its cell only repeats numbers of the old
one with the same date, so it never hides a point that is stored meanwhile. After any error, repeating the call
completes it; until then the newest number counts.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import attrs
import numpy as np

from shared.queries.scanning import in_batches

from ..storage.point_arrays import PointArrays, read_points
from ..storage.qualifiers import APPENDED, HOUR_MS, Cells, cells_by_qualifier, column_of, is_of_points, offset_of
from .compaction import Compacted, compact_rows
from .deleting import Deleter
from .rewriting import ROWS_AT_ONCE, append_points

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class CorrectionResult:
    """The result of one call of `correct`."""

    stored: int
    """Points that are stored."""
    left: int
    """Rows in which a time may still have a second cell: several compacted cells overlap, or a tombstone hides the
    rewritten one. Readers use the new number. `compact` mends both, unless the row has appended points."""


def correct_rows(deleter: Deleter, times_by_row: Mapping[bytes, Collection[int]], before_ms: int) -> int:
    """Steps 2 to 4 for rows in which points of these times are stored, dated `before_ms`.

    Returns the number of rows in which a time may still have a second cell. Raises InvalidRecord, ClockSkew and
    TooManyAttempts. Costs: for each 100 rows 1 call that reads them, and 1 delete for each different timestamp of the
    cells; for each row with appended points 1 append, and for rows with a compacted cell those of `compaction.compact`.
    """
    left = 0
    rows = deleter.points.rows
    columns = deleter.points.layout.cells.columns
    offsets_by_row = {row: {time_ms % HOUR_MS for time_ms in times_ms} for row, times_ms in times_by_row.items()}
    for batch in in_batches(offsets_by_row, ROWS_AT_ONCE):
        deletes: dict[int, dict[bytes, list[bytes]]] = {}
        compacted: list[bytes] = []
        for row, cells in rows.rows(batch, columns=columns, include_timestamp=True):
            by_qualifier = cells_by_qualifier(cells)
            of_times = {
                qualifier: cell
                for qualifier, cell in by_qualifier.items()
                if offset_of(qualifier) in offsets_by_row[row]
            }
            last_ms = before_ms - 1
            if APPENDED in by_qualifier:
                last_ms = before_ms
                new = [qualifier + value for qualifier, (value, put_ms) in of_times.items() if put_ms == before_ms]
                if new:
                    append_points(rows, row, b"".join(new))
            for qualifier, (_, written_ms) in of_times.items():
                if written_ms <= last_ms:
                    deletes.setdefault(written_ms, {}).setdefault(row, []).append(column_of(qualifier))
            if _compacted(by_qualifier, offsets_by_row[row], before_ms):
                compacted.append(row)
        _delete(rows, deletes)
        if compacted:

            def plan(row: bytes, _hour_ms: int, cells: Cells, _now_ms: int) -> Compacted | None:
                return _without(cells, offsets_by_row[row], before_ms)

            result = compact_rows(deleter, compacted, plan)
            left += len(compacted) - result.compacted - result.cleaned
    return left


def _compacted(cells: Cells, offsets: Collection[int], before_ms: int) -> dict[bytes, PointArrays]:
    """The points of each compacted cell that is dated before, and has one of these times, by qualifier."""
    found: dict[bytes, PointArrays] = {}
    for qualifier, cell in cells.items():
        if is_of_points(qualifier) and offset_of(qualifier) is None and cell[1] < before_ms:
            points = read_points({qualifier: cell})
            if np.isin(points.offsets_ms, list(offsets)).any():
                found[qualifier] = points
    return found


def _without(cells: Cells, offsets: Collection[int], before_ms: int) -> Compacted | None:
    """The cell that replaces the one compacted cell with some of these times, and holds its points of other times."""
    found = _compacted(cells, offsets, before_ms)
    if len(found) != 1:
        return None
    ((source, points),) = found.items()
    written_ms = cells[source][1]
    rest = points.taking(np.flatnonzero(~np.isin(points.offsets_ms, list(offsets))))
    qualifier, value = rest.compacted() if len(rest) else (b"", b"")
    is_stored = not qualifier or cells.get(qualifier) == (value, written_ms)
    return Compacted(qualifier, value, written_ms, is_stored, (source,))


def _delete(rows: "happybase.Table", deletes: Mapping[int, Mapping[bytes, list[bytes]]]) -> None:
    for written_ms, columns_by_row in deletes.items():
        with rows.batch(timestamp=written_ms) as batch:
            for row, columns in columns_by_row.items():
                batch.delete(row, columns)
