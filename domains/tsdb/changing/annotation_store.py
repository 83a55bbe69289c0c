"""Annotations in the store. As with OpenTSDB, one is replaced only if it has not changed since its editor read it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from shared.keys import successor
from shared.keys.ranges import RowRange
from shared.tables import BoundTable, InvalidRecord, InvalidRow, put_if

from ..asking.reading import key_of, scan_rows
from ..asking.selecting import FOREVER_MS, Selection, check_period, whole_hours
from ..records import SeriesPoint
from ..storage.annotations import (
    ANNOTATION,
    Annotation,
    annotation_qualifier,
    global_row,
    is_annotation,
    is_global_row,
    pack_annotation,
    read_annotation,
    tsuid_bytes,
)
from ..storage.point_arrays import qualifier_in
from ..storage.qualifiers import column_of
from ..storage.uids import Uids

_ONLY_ANNOTATIONS = b"QualifierFilter(=, 'binaryprefix:%c')" % ANNOTATION
"""Qualifiers of some points start with this byte, too: the client compares them again."""


@attrs.frozen
class AnnotationStore:
    """The annotations of a data table."""

    points: BoundTable[Any, SeriesPoint]
    uids: Uids

    def store(self, annotation: Annotation, replaced: Annotation | None) -> bool:
        """Puts an annotation in place of `replaced` (None: of no annotation); returns whether it is stored."""
        row, column = self._place(annotation)
        rows = self.points.rows
        stored = rows.row(row, columns=[column]).get(column)
        value = pack_annotation(annotation)
        if stored == value:
            return True
        if (None if stored is None else self._read(row, stored)) != replaced:
            return False
        return put_if(rows, row, column, stored, value)

    def delete(self, annotation: Annotation) -> bool:
        """Deletes an annotation, but not one that differs from it; returns whether there is none now."""
        row, column = self._place(annotation)
        stored = self.points.rows.row(row, columns=[column], include_timestamp=True).get(column)
        if stored is None:
            return True
        if self._read(row, stored[0]) != annotation:
            return False
        self.points.rows.delete(row, [column], timestamp=stored[1])  # one that is stored meanwhile is newer, and stays
        return True

    def of_series(self, selection: Selection, since_ms: int, until_ms: int) -> list[Annotation]:
        """The annotations of a selection that start in the period."""
        by_series: dict[bytes, list[Annotation]] = {}
        for row, cells in self._rows(selection.plan.ranges, selection.filter_with(_ONLY_ANNOTATIONS)):
            pairs = key_of(self.points, self.uids, row).tag_uids
            if selection.has_uids(pairs):
                for annotation in self._started(row, cells, since_ms, until_ms):
                    by_series.setdefault(pairs, []).append(annotation)
        return _by_start(
            annotation for pairs in selection.matching(self.uids, by_series) for annotation in by_series[pairs]
        )

    def of_all(self, since_ms: int, until_ms: int) -> list[Annotation]:
        """The annotations of all series that start in the period."""
        check_period(since_ms, until_ms)
        first_ms, end_ms = whole_hours(since_ms, until_ms)
        widths = self.uids.metrics.id_bytes, self.points.layout.key.prefix_bytes
        start = global_row(widths[0], first_ms, widths[1])
        stop = successor(bytes(sum(widths))) if end_ms == FOREVER_MS else global_row(widths[0], end_ms, widths[1])
        return _by_start(
            annotation
            for row, cells in self._rows([RowRange(start, stop)])
            if is_global_row(row, *widths)
            for annotation in self._started(row, cells, since_ms, until_ms)
        )

    def _rows(
        self, ranges: Sequence[RowRange], row_filter: bytes | None = None
    ) -> Iterator[tuple[bytes, Mapping[bytes, bytes]]]:
        """The rows of some ranges, with their values by qualifier."""
        for cells in scan_rows(self.points, ranges, row_filter):
            for place, row in enumerate(cells.rows):
                yield row, {qualifier_in(cells, cell): cells.value(cell) for cell in cells.cells_of(place)}

    def _place(self, annotation: Annotation) -> tuple[bytes, bytes]:
        """Row and column of an annotation. Raises InvalidKey for a TSUID that is not one."""
        column, metric_bytes = column_of(annotation_qualifier(annotation.start_time)), self.uids.metrics.id_bytes
        if not annotation.tsuid:
            return global_row(metric_bytes, annotation.start_ms, self.points.layout.key.prefix_bytes), column
        uids = tsuid_bytes(annotation.tsuid)
        key = self.points.layout.key.key_class(uids[:metric_bytes], annotation.start_ms, uids[metric_bytes:])
        return self.points.row(key), column

    def _started(self, row: bytes, cells: Mapping[bytes, bytes], since_ms: int, until_ms: int) -> Iterator[Annotation]:
        for qualifier, value in cells.items():
            if is_annotation(qualifier):
                annotation = self._read(row, value)
                if since_ms <= annotation.start_ms < until_ms:
                    yield annotation

    def _read(self, row: bytes, value: bytes) -> Annotation:
        try:
            return read_annotation(value)
        except InvalidRecord as error:
            raise InvalidRow(self.points.layout.name, row, str(error)) from None


def _by_start(annotations: Iterator[Annotation]) -> list[Annotation]:
    return sorted(annotations, key=lambda annotation: (annotation.start_ms, annotation.tsuid))
