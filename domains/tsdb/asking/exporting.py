"""Stored points as records with names, in the order of their rows: of all series or of some.

Rows are read a batch at a time, so any number of points needs the memory of one batch. Annotations are not points: they
are left out and counted.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from shared.keys.cell_arrays import CellArrays
from shared.keys.ranges import RowRange
from shared.tables import BoundTable, InvalidRow

from ..records import Point, SeriesPoint
from ..storage.annotations import is_annotation
from ..storage.point_arrays import qualifier_in
from ..storage.qualifiers import HOUR_MS, Duplicates
from ..storage.uids import Uids
from .reading import key_of, raise_invalid, scan_rows, values_of_rows
from .selecting import Selection
from .series import Values


@attrs.define
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
    _report: Callable[[InvalidRow], object] = raise_invalid
    annotations: int = 0
    """How many annotations were left out so far."""

    def on_invalid(self, report: Callable[[InvalidRow], object]) -> "StoredPoints":
        """The same points, but rows and numbers that cannot be read are left out, and each is reported."""
        return attrs.evolve(self, report=report)

    @property
    def notes(self) -> list[str]:
        """How many annotations were left out; empty if none was."""
        return [f"annotations are not exported (found {self.annotations})"] if self.annotations else []

    def __iter__(self) -> Iterator[Point]:
        self.annotations = 0
        row_filter = None if self._selection is None else self._selection.row_filter
        for cells in scan_rows(self._points, self._ranges, row_filter):
            keys = {place: key for place, row in enumerate(cells.rows) if (key := self._key(row)) is not None}
            self.annotations += _count_annotations(cells, keys)
            yield from self._points_of(cells, keys)

    def _key(self, row: bytes) -> Any:
        """The key of a row; None if it is of another hour or of a series that is not selected, or cannot be read."""
        try:
            key = key_of(self._points, self._uids, row)
        except InvalidRow as error:
            self._report(error)
            return None
        is_of_period = self._since_ms - HOUR_MS < key.time_ms < self._until_ms
        return key if is_of_period and (self._selection is None or self._selection.has_uids(key.tag_uids)) else None

    def _points_of(self, cells: CellArrays, keys: Mapping[int, Any]) -> Iterator[Point]:
        name, selection = self._points.layout.name, self._selection
        values_of = {
            place: values.between(self._since_ms, self._until_ms)
            for place, values in values_of_rows(name, cells, keys, self._duplicates, self._report).items()
        }
        series = {(keys[place].metric_uid, keys[place].tag_uids) for place, values in values_of.items() if len(values)}
        named = self._uids.named(series)
        metrics = self._uids.metrics.names_of({metric for metric, _ in named})
        pairs = {pairs for _, pairs in named}
        tags_of = self._uids.names_of_tags(pairs) if selection is None else selection.matching(self._uids, pairs)
        for place, values in values_of.items():
            row, key = cells.rows[place], keys[place]
            if not len(values):
                continue
            if not key.tag_uids or (key.metric_uid, key.tag_uids) not in named:
                self._report(InvalidRow(name, row, "must have a tag, and a name for each UID"))
            elif (tags := tags_of.get(key.tag_uids)) is not None:
                yield from self._named(row, values, metrics[key.metric_uid], tuple(sorted(tags.items())))

    def _named(self, row: bytes, values: Values, metric: str, tags: tuple[tuple[str, str], ...]) -> Iterator[Point]:
        for time_ms, number in values.points():
            try:
                point = Point(metric, time_ms, number, tags)
            except ValueError as error:  # a number that is NaN or infinite
                self._report(InvalidRow.of(self._points.layout.name, row, error))
            else:
                yield point


def _count_annotations(cells: CellArrays, places: Collection[int]) -> int:
    """The annotations in these rows."""
    odd = np.flatnonzero(cells.column_lengths % 2)  # as is the qualifier, because the family adds two bytes
    return sum(is_annotation(qualifier_in(cells, cell)) for cell in odd.tolist() if cells.row_of_cell[cell] in places)
