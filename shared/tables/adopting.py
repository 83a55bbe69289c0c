"""Recording the layouts of tables that were made without a record: by an earlier release, or in the HBase shell.

Rows alone do not prove their layout. So some rows of every bucket are compared with the declared layout, and other
layouts that these rows would fit are reported: a row that fits 8 buckets fits 32 one time in four, and rows at midnight
fit slices of an hour and of a day. Swapped parts of one codec are not reported, because every such row fits both ways.
"""

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import attrs

from ..keys import InvalidKey, KeyLayout, Modulo, Salt
from ..keys.errors import listed, shown_bytes
from ..keys.prefixes import Prefix
from ..keys.ranges import RowRange
from .creation import create_records
from .item_cells import ItemCells
from .layouts import PhysicalTable, TableLayout, physical_tables
from .recorded_layouts import (
    LayoutMismatch,
    Recorded,
    json_of,
    merged_layouts,
    read_cell,
    recorded_in,
    replace_cell,
)

if TYPE_CHECKING:
    import happybase

ROWS_AT_EACH_END = 100
"""Rows that are compared at the start and at the end of each bucket."""
COLUMNS_OF_ROW = 100
"""Columns of a row that are compared."""
_KEYS_ONLY = f"KeyOnlyFilter() AND ColumnPaginationFilter({COLUMNS_OF_ROW}, 0)".encode()
_MULTIPLES = (2, 3, 4, 6, 8, 12, 15, 24, 30, 60, 168)
"""How much longer or shorter another slice may be: days and hours, hours and minutes, weeks."""

SHOWN = 12
"""The most other numbers of buckets, or lengths of slices, that are listed."""


@attrs.frozen
class Adopted:
    """The result of adopting one table."""

    table: str
    rows: int
    """Number of rows that were compared."""
    also_fits: tuple[str, ...]
    """Other layouts that would make the compared rows."""
    is_new: bool = True
    """Whether this call recorded the layouts; False if they are recorded already."""


def adopt_tables(connection: "happybase.Connection", tables: Iterable[TableLayout[Any, Any]]) -> list[Adopted]:
    """Records the layouts of tables that exist, after comparing some of their rows.

    A record of other layouts is replaced if the table has no row. Raises LayoutMismatch if it has rows, for a row that
    is not of the declared layout, and if no row has a cell of the declared columns. Costs: two scans of up to 100 row
    keys for each bucket.
    """
    adopted = [_compared(connection, table) for table in physical_tables(tables)]
    create_records(connection)
    return [_record(connection, table, result) for table, result in adopted if result is not None]


def _compared(connection: "happybase.Connection", table: PhysicalTable) -> tuple[PhysicalTable, Adopted | None]:
    samples = [_Sample(layout) for layout in table.layouts if layout.is_recorded]
    for sample in samples:
        for row, columns in _sampled_rows(connection.table(table.name), sample.table):
            sample.compare(row, columns)
    fits = dict.fromkeys(fit for sample in samples for fit in sample.also_fits())
    rows = max((sample.rows for sample in samples), default=0)
    if samples and not rows and not _is_empty(connection, table):
        wanted = listed(column.decode() for layout in table.layouts for column in layout.cells.columns)
        raise LayoutMismatch(f"table {table.name}: has rows, but none has a cell of {wanted}")
    return table, Adopted(table.name, rows, tuple(fits)) if samples else None


def _record(connection: "happybase.Connection", table: PhysicalTable, adopted: Adopted) -> Adopted:
    layouts = [layout for layout in table.layouts if layout.is_recorded]
    while True:
        cell = read_cell(connection, table.name)
        recorded: Recorded = () if cell is None else recorded_in(cell)
        try:
            merged = merged_layouts(table.name, recorded, layouts)
        except LayoutMismatch:
            if adopted.rows or not _is_empty(connection, table):
                raise
            merged = merged_layouts(table.name, (), layouts)
        new = json_of(merged, is_created=True)
        if new == cell:
            return attrs.evolve(adopted, is_new=False)
        if replace_cell(connection, table.name, cell, new):
            return adopted


def _is_empty(connection: "happybase.Connection", table: PhysicalTable) -> bool:
    return next(connection.table(table.name).scan(filter=b"FirstKeyOnlyFilter()", limit=1), None) is None


def _sampled_rows(rows: "happybase.Table", table: TableLayout[Any, Any]) -> Iterator[tuple[bytes, list[bytes]]]:
    """The first and last rows of each bucket, and of the ranges outside all buckets, with some of their columns."""
    columns = table.cells.columns
    for range_ in _whole_ranges(table.key):
        seen: set[bytes] = set()
        for reverse in (False, True):
            first, last = (range_.stop or b"", range_.start or None) if reverse else (range_.start, range_.stop)
            sampled = rows.scan(
                first, last, columns=columns, filter=_KEYS_ONLY, limit=ROWS_AT_EACH_END, reverse=reverse
            )
            for row, cells in sampled:
                if row in range_ and row not in seen:  # a reverse scan of Thrift1 returns the end of the range, too
                    seen.add(row)
                    yield row, sorted(cells)


def _whole_ranges(layout: KeyLayout[Any]) -> Iterator[RowRange]:
    """The ranges of a whole table's buckets, and the ranges between and after them, which should be empty."""
    start: bytes | None = b""
    for range_ in sorted(layout.whole_table().ranges, key=lambda range_: range_.start):
        if start is not None and start < range_.start:
            yield RowRange(start, range_.start)
        yield range_
        start = range_.stop
    if start is not None:
        yield RowRange(start, None)


class _Sample:
    """Some rows of one layout, and the other numbers of buckets and lengths of slices that they also fit."""

    def __init__(self, table: TableLayout[Any, Any]) -> None:
        self.table = table
        self.rows = 0
        self._others = {prefix: _other_buckets(prefix) for prefix in table.key.prefixes}
        self._starts = dict.fromkeys(table.key.slices, 0)
        """The greatest common divisor of the starts of slices, by part."""
        self._rests = dict.fromkeys(table.key.slices, 0)
        """The largest rest within a slice, by part."""

    def compare(self, row: bytes, columns: list[bytes]) -> None:
        layout = self.table.key
        try:
            segments = layout.segments(row)
            self._compare_qualifiers(columns)
        except InvalidKey as error:
            raise LayoutMismatch(
                f"table {self.table.name}: row {shown_bytes(row)} is not of {self.table.format}: {error}"
            ) from None
        self.rows += 1
        prefixes = segments[: len(layout.prefixes)]
        parts = {segment.name: segment for segment in segments[len(layout.prefixes) :]}
        for prefix, segment in zip(layout.prefixes, prefixes, strict=True):
            of = [parts[name] for name in ((prefix.of,) if isinstance(prefix.of, str) else prefix.of)]
            values, encoded = [part.value for part in of], [part.data for part in of]
            others: Any = self._others[prefix]
            self._others[prefix] = [other for other in others if other.encode(values, encoded) == segment.data]
        for name in self._starts:
            self._starts[name] = math.gcd(self._starts[name], parts[name].value)

    def _compare_qualifiers(self, columns: list[bytes]) -> None:
        cells = self.table.cells
        if not isinstance(cells, ItemCells):
            return
        start = cells.columns[0] + b":"
        for column in columns:
            if column.startswith(start + cells.label):
                item = cells.qualifier.decode(column[len(start) :])
                for name in self._rests.keys() & cells.qualifier.part_named.keys():
                    self._rests[name] = max(self._rests[name], getattr(item, name))

    def also_fits(self) -> Iterator[str]:
        """Other layouts that would make the compared rows, in words."""
        if not self.rows:
            return
        for prefix, others in self._others.items():
            if others:
                yield f"{prefix} with {_listed([getattr(other, _COUNTS[type(prefix)]) for other in others])}"
        for name, codec in self.table.key.slices.items():
            lengths = [codec.every // factor for factor in _MULTIPLES if codec.every % factor == 0]
            lengths += [codec.every * factor for factor in _MULTIPLES]
            fitting = [length for length in lengths if self._starts[name] % length == 0 and length > self._rests[name]]
            if fitting:
                yield f"slices of {name} of {_listed(fitting)} instead of {codec.every}"


_COUNTS: dict[type[Any], str] = {Salt: "buckets", Modulo: "by"}


def _other_buckets(prefix: Prefix) -> list[Any]:
    """The same prefix with every other number of buckets."""
    if type(prefix) not in _COUNTS:
        return []
    any_prefix: Any = prefix
    count = _COUNTS[type(prefix)]
    return [attrs.evolve(any_prefix, **{count: n}) for n in range(1, 257) if n != getattr(prefix, count)]


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, sorted(numbers)[:SHOWN]))
    return shown if len(numbers) <= SHOWN else f"{shown} and {len(numbers) - SHOWN} others"
