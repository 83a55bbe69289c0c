"""Points in a wide table, where a row holds a slice of time, and what a plain list of them answers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import happybase
import pytest

from shared.keys import Descending, EscapedText, Int32, KeyLayout, Prefixed, Rest, Salt, Slice, TimeBucket, UInt24
from shared.keys.codecs import Codec
from shared.keys.conditions import AnyOf, matcher
from shared.queries import Page, Query, wide_rows
from shared.tables import Column, ItemCells, RecordCells, TableLayout
from tests.shared.queries.paging import all_pages
from tests.shared.specimens import key_class


@attrs.frozen(order=True)
class Point:
    metric: str
    at_s: int
    value: int = 0


@attrs.frozen
class Shape:
    """How the wide table divides time, and in which direction and buckets it keeps its rows."""

    width: int
    descending: bool = False
    buckets: int = 0
    time_slices: int = 0
    """The length of time slices before the parts; none if 0. A multiple of the width."""

    def _turned(self, codec: Codec[int]) -> Codec[int]:
        return Descending(codec) if self.descending else codec

    def _prefixes(self) -> list[Salt | TimeBucket]:
        prefixes: list[Salt | TimeBucket] = [Salt(of="metric", buckets=self.buckets)] if self.buckets else []
        return [*prefixes, TimeBucket("at_s", self.time_slices, Int32)] if self.time_slices else prefixes

    def tall(self) -> TableLayout[Any, Point]:
        """The same points in rows of their own."""
        one_point = key_class("OnePoint", metric=EscapedText, at_s=self._turned(Int32))
        cells = RecordCells(Point, {"value": Column("f:v")})
        return TableLayout("tall", "a point", KeyLayout(one_point, *self._prefixes()), cells)

    def wide(self, label: str = "") -> TableLayout[Any, Point]:
        """Points whose qualifiers start with a label, if there is one."""
        rest: Codec[int] = Prefixed(label, UInt24) if label else UInt24
        slice_of_metric = key_class("SliceOfMetric", metric=EscapedText, at_s=self._turned(Slice(Int32, self.width)))
        within_slice = key_class("WithinSlice", at_s=self._turned(Rest(rest, self.width)))
        cells = ItemCells(Point, "p", KeyLayout(within_slice), value="value")
        return TableLayout("wide", "a slice of a metric", KeyLayout(slice_of_metric, *self._prefixes()), cells)


Question = dict[str, Any]


def plan_of(table: TableLayout[Any, Any], question: Question) -> Any:
    return table.plan(**question) if question else table.key.whole_table()


def answer(shape: Shape, points: Iterable[Point], question: Question, newest_first: bool | None) -> list[Point]:
    """What a plain list answers to a question, in the order in which a table of this shape returns it."""
    metric, at_s = question.get("metric"), question.get("at_s")
    merged = isinstance(metric, AnyOf) and metric.merged
    first_is_time = merged or isinstance(metric, str)
    table = shape.wide()

    def place(point: Point) -> tuple[Any, ...]:
        time = -point.at_s if shape.descending else point.at_s
        if merged:  # points of one time come in the order of their streams
            return time, table.row(point)[: shape.buckets > 0], point.metric
        return point.metric, time

    matching = [
        point
        for point in points
        if all(matcher(condition)(getattr(point, name)) for name, condition in question.items())
    ]
    reverse = newest_first is not None and newest_first != (shape.descending and first_is_time)
    if isinstance(at_s, int) and first_is_time:
        reverse = False  # the question leaves nothing open
    return sorted(matching, key=place, reverse=reverse)


def put(rows: happybase.Table, table: TableLayout[Any, Any], points: Iterable[Point]) -> None:
    with rows.batch(batch_size=10_000) as batch:
        for point in points:
            batch.put(table.row(point), table.cells.pack(point))


def delete(rows: happybase.Table, table: TableLayout[Any, Any], point: Point) -> None:
    rows.delete(table.row(point), list(table.cells.pack(point)))


def pages_of(query: Query[Any], limit: int, between_pages: Any = None) -> list[Page[Any]]:
    """All pages of a query."""
    return all_pages(lambda cursor: query.page(limit, cursor), between_pages)


@contextmanager
def chunks_of(cells: int, first_rows: int) -> Iterator[None]:
    """Wide rows are read in chunks of so few cells that their borders are met."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(wide_rows, "CHUNK_CELLS", cells)
        changed.setattr(wide_rows, "REVERSE_CHUNK_CELLS", 2 * cells)
        changed.setattr(wide_rows, "FIRST_ROWS", first_rows)
        yield
