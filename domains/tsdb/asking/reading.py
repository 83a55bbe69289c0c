"""Reads rows of series as arrays: their points, by time.

A batch of rows is one reply of the gateway; numpy decodes the cells of all its rows at once.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from shared.keys.cell_arrays import CellArrays
from shared.keys.ranges import RowRange
from shared.queries.scanning import scan_cells
from shared.tables import BoundTable, InvalidRecord, InvalidRow

from ..records import SeriesPoint
from ..storage.codecs import Seconds
from ..storage.point_arrays import read_cells
from ..storage.qualifiers import Duplicates
from ..storage.uids import Uids
from .selecting import Selection
from .series import Series, Values

ROWS_AT_ONCE = 250
"""Rows in a batch of a scan: an hour of a point a second is about 100 KB before it is compacted."""


def scan_rows(
    points: BoundTable[Any, SeriesPoint], ranges: Sequence[RowRange], row_filter: bytes | None
) -> Generator[CellArrays]:
    """The rows of some ranges with their cells, a batch at a time."""
    return scan_cells(
        points.rows, ranges, columns=points.layout.cells.columns, filter=row_filter, batch_rows=ROWS_AT_ONCE
    )


@attrs.frozen
class _UnusualKey:
    """The parts of a row key that OpenTSDB does not write, but answers: see `key_of`."""

    metric_uid: bytes
    time_ms: int
    tag_uids: bytes


def key_of(points: BoundTable[Any, SeriesPoint], uids: Uids, row: bytes) -> Any:
    """The key of a row. Raises InvalidRow.

    As in OpenTSDB, its time may be within an hour, its tags may be in any order, or missing, and any salt will do.
    """
    try:
        return points.layout.key.decode(row)
    except ValueError as error:
        unsalted = row[points.layout.key.prefix_bytes :]
        time_at = uids.metrics.id_bytes
        time, pairs = unsalted[time_at : time_at + 4], unsalted[time_at + 4 :]
        if len(time) < 4 or len(pairs) % uids.pair_bytes:
            raise InvalidRow(points.layout.name, row, str(error)) from None
        return _UnusualKey(unsalted[:time_at], Seconds.decode(time), pairs)


def read_series(
    points: BoundTable[Any, SeriesPoint],
    uids: Uids,
    selection: Selection,
    since_ms: int,
    until_ms: int,
    duplicates: Duplicates,
) -> list[Series]:
    """The series of a selection that have a point in the period, by the salt and the UIDs of their tags.

    Raises InvalidRow and UnknownUid.
    """
    hours: dict[bytes, list[Values]] = {}
    salts: dict[bytes, bytes] = {}
    salt_bytes = points.layout.key.prefix_bytes
    for cells in scan_rows(points, selection.plan.ranges, selection.row_filter):
        keys = {place: key_of(points, uids, row) for place, row in enumerate(cells.rows)}
        wanted = {place: key for place, key in keys.items() if selection.has_uids(key.tag_uids)}
        for place, values in values_of_rows(points.layout.name, cells, wanted, duplicates).items():
            pairs = wanted[place].tag_uids
            hours.setdefault(pairs, []).append(values)
            salts.setdefault(pairs, cells.rows[place][:salt_bytes])
    with_points: list[Series] = []
    named = selection.matching(uids, hours)
    for pairs in sorted(named, key=lambda pairs: (salts[pairs], pairs)):
        values = _joined(hours[pairs]).between(since_ms, until_ms)
        if len(values):
            with_points.append(Series(selection.metric, named[pairs], (), values, (selection.tsuid(pairs),)))
    return with_points


def raise_invalid(row: InvalidRow) -> None:
    """Raises the error of a row that cannot be read."""
    raise row


def values_of_rows(
    table: str,
    cells: CellArrays,
    keys: Mapping[int, Any],
    duplicates: Duplicates,
    report: Callable[[InvalidRow], object] = raise_invalid,
) -> dict[int, Values]:
    """The points by time of each row with a key, by the place of the row in `cells.rows`.

    A row that cannot be read raises InvalidRow, or is left out if `report` does not raise it.
    """
    of_keys = cells if len(keys) == len(cells.rows) else cells.taking(np.isin(cells.row_of_cell, [*keys]))
    try:
        points = read_cells(of_keys).merged(duplicates)
    except InvalidRecord:
        readable = {place: key for place, key in keys.items() if _is_readable(table, cells, place, duplicates, report)}
        if len(readable) == len(keys):
            raise
        return values_of_rows(table, cells, readable, duplicates)
    hours_ms = np.zeros(len(cells.rows), np.int64)
    hours_ms[[*keys]] = [key.time_ms for key in keys.values()]
    ints, floats = points.numbers()
    values = Values(hours_ms[points.rows] + points.offsets_ms, floats, ints, points.are_floats)
    starts = np.searchsorted(points.rows, np.arange(len(cells.rows) + 1)).tolist()
    return {place: values.taking(slice(starts[place], starts[place + 1])) for place in keys}


def _is_readable(
    table: str, cells: CellArrays, place: int, duplicates: Duplicates, report: Callable[[InvalidRow], object]
) -> bool:
    try:
        read_cells(cells.taking(cells.cells_of(place))).merged(duplicates)
    except InvalidRecord as error:
        report(InvalidRow.of(table, cells.rows[place], error))
        return False
    return True


def _joined(hours: list[Values]) -> Values:
    """The points of several rows, by time. Rows overlap if one has points after its hour; then the first row counts."""
    if len(hours) == 1:
        return hours[0]
    values = Values(
        np.concatenate([hour.times_ms for hour in hours]),
        np.concatenate([hour.numbers for hour in hours]),
        np.concatenate([hour.ints for hour in hours]),
        np.concatenate([hour.are_floats for hour in hours]),
    )
    if (values.times_ms[1:] > values.times_ms[:-1]).all():
        return values
    return values.taking(np.unique(values.times_ms, return_index=True)[1])
