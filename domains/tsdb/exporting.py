"""All stored points, or those of some series, as records with names, in the order of their rows.

Rows are read a batch at a time, so memory is that of one batch, however many points there are.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import attrs

from shared.keys import InvalidQuestion, RowRange, shown
from shared.queries import in_batches
from shared.tables import BoundTable, InvalidRecord, InvalidRow

from .annotations import is_global_row
from .qualifiers import HOUR_MS, Duplicates
from .query_text import SubQuery, parse_query
from .reading import ROWS_AT_ONCE, Selection, TimedCells, values_of_rows
from .records import Point, SeriesPoint
from .uids import Uids, UnknownUid

EVERY_ROW = (RowRange(b"", None),)
"""The whole table, with rows that are in no bucket of its salt."""

Row: TypeAlias = tuple[bytes, Any, TimedCells]
"""A row, its key, and its cells."""


def parse_series(m: str) -> SubQuery:
    """Series of a metric in OpenTSDB's query text, such as `requests` or `requests{host=web-1}`: only filters.

    Raises InvalidQuestion.
    """
    series = parse_query(m)
    if not series.metric or series != SubQuery(series.metric, filters=series.filters):
        raise InvalidQuestion(f"m: must be a metric, maybe with filters: requests{{host=web-1}} (got {shown(m)})")
    return series


def _raise(row: InvalidRow) -> None:
    raise row


@attrs.frozen
class StoredPoints:
    """The stored points of a period, row after row; see `TsdbRepository.export`."""

    _points: BoundTable[Any, SeriesPoint]
    _uids: Uids
    _ranges: Sequence[RowRange]
    _selection: Selection | None
    """The series of one metric; None for all series in these ranges."""
    _since_ms: int
    _until_ms: int
    _duplicates: Duplicates
    _report: Callable[[InvalidRow], object] = _raise

    def on_invalid(self, report: Callable[[InvalidRow], object]) -> "StoredPoints":
        """The same points; rows and numbers that cannot be read are left out, and each is reported."""
        return attrs.evolve(self, report=report)

    def __iter__(self) -> Iterator[Point]:
        for batch in in_batches(self._rows(), ROWS_AT_ONCE):
            try:
                points = self._points_of(batch)
            except InvalidRecord:  # of one of the rows
                points = [point for row in batch for point in self._points_of_one(row)]
            yield from points

    def _rows(self) -> Iterator[Row]:
        """The rows of the hours of the period; of the selected series, and perhaps some of others."""
        layout, selection = self._points.layout, self._selection
        first_ms = self._since_ms - self._since_ms % HOUR_MS
        for range_ in self._ranges:
            for row, cells in self._points.rows.scan(
                range_.start,
                range_.stop,
                columns=layout.cells.columns,
                filter=None if selection is None else selection.row_filter,
                include_timestamp=True,
                batch_size=ROWS_AT_ONCE,
            ):
                if is_global_row(row, self._uids.metrics.id_bytes, layout.key.prefix_bytes):
                    continue
                try:
                    key = layout.key.decode(row)
                except ValueError as error:
                    self._report(InvalidRow.of(layout.name, row, error))
                    continue
                if first_ms <= key.time_ms < self._until_ms and (selection is None or selection.has_uids(key.tag_uids)):
                    yield row, key, cells

    def _points_of_one(self, row: Row) -> Iterable[Point]:
        try:
            return self._points_of([row])
        except InvalidRow as error:
            self._report(error)
        except InvalidRecord as error:  # of a UID
            self._report(InvalidRow.of(self._points.layout.name, row[0], error))
        return ()

    def _points_of(self, rows: Sequence[Row]) -> list[Point]:
        """The points of some rows. Raises InvalidRecord for a row that cannot be read."""
        name = self._points.layout.name
        metrics = self._uids.metrics.names_of({key.metric_uid for _, key, _ in rows})
        pairs = {key.tag_uids for _, key, _ in rows}
        selection = self._selection
        tags_of = self._uids.names_of_tags(pairs) if selection is None else selection.matching(self._uids, pairs)
        points: list[Point] = []
        unreadable: list[InvalidRow] = []
        for (row, key, _), values in zip(rows, values_of_rows(name, rows, self._duplicates), strict=True):
            if (metric := metrics.get(key.metric_uid)) is None:
                raise UnknownUid(
                    f"{self._uids.metrics.kind}: must be a UID with a name (got {key.metric_uid.hex(' ')})"
                )
            if (tags := tags_of.get(key.tag_uids)) is None:
                continue
            in_order = tuple(sorted(tags.items()))
            for time_ms, number in values.between(self._since_ms, self._until_ms).points():
                try:
                    points.append(Point(metric, time_ms, number, in_order))
                except ValueError as error:  # a number that is NaN or infinite
                    unreadable.append(InvalidRow.of(name, row, error))
        for invalid in unreadable:  # after the last row, because a row that cannot be read repeats the others
            self._report(invalid)
        return points
