"""What lint looks at: a table layout, the sample records in its table, and what questions ask of it."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import attrs

from ...designs.design import Design, Variant
from ...designs.metering import Measurement, measure_pattern
from ...keys import InvalidKey, InvalidQuestion
from ...keys.conditions import Between
from ...keys.ranges import RowRange
from ...tables import InvalidRow, ItemCells, TableLayout
from ..comparison import stored_bytes
from ..heat_tables import Records, sample_records, stored, tells_order

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class Cell:
    """One stored cell: its row, its column, and the bytes of its value."""

    row: bytes
    column: bytes
    value: bytes

    @property
    def name_bytes(self) -> int:
        """Bytes of family and qualifier; HBase stores no colon between them."""
        return len(self.column) - 1


@attrs.frozen(slots=False)
class Samples:
    """Sample records as a table stores them."""

    keys: Sequence[Any] = ()
    """The decoded row key of every write, in the order in which they are written."""
    cells: Sequence[Cell] = ()
    """The cells, in row-key order."""
    records: Sequence[Any] = ()
    """The records that a reader gets of these cells."""
    replaced: int = 0
    """The sample records whose cells a different sample record overwrites."""
    corrected: int = 0
    """Those of them that differ from the other record only in what the cells hold, not in the key."""
    is_in_order: bool = True
    """Whether the records tell when they are written; if not, their order means nothing: a file may be sorted."""

    @cached_property
    def rows(self) -> list[bytes]:
        """The row keys, each once, in their order."""
        return [row for row, _cells in groupby(self.cells, key=lambda cell: cell.row)]

    @property
    def key_bytes(self) -> int:
        """The bytes of all row keys, each once."""
        return sum(map(len, self.rows))

    @property
    def repeated_key_bytes(self) -> int:
        """The bytes of row keys that a row's second and later cells store again."""
        return sum(len(cell.row) for cell in self.cells) - self.key_bytes

    @property
    def name_bytes(self) -> int:
        """The bytes of the families and qualifiers of all cells."""
        return sum(cell.name_bytes for cell in self.cells)

    @property
    def value_bytes(self) -> int:
        """The bytes of all values."""
        return sum(len(cell.value) for cell in self.cells)

    @property
    def stored_bytes(self) -> int:
        """All bytes of the cells as HBase stores them, before compression."""
        return sum(stored_bytes(cell.row, cell.column, cell.value) for cell in self.cells)


@attrs.frozen
class Asked:
    """What one question asks of a table."""

    question: str
    bound: frozenset[str]
    """The parts of the row key that its ranges bind."""
    conditions: Mapping[str, Any] = attrs.field(factory=dict[str, Any], hash=False)
    """Its conditions by part, whether its ranges bind them or the client compares them."""
    rows_read: int = 0
    """Rows that the store reads for its first page, in all tables; 0 if the design says why these are many."""
    returned: int = 0
    """Records on that page."""
    ranges: int = 0
    """Ranges of the table that are read for it."""

    @property
    def given(self) -> frozenset[str]:
        """The parts that have a condition."""
        return self.bound | self.conditions.keys()


@attrs.frozen
class Refused:
    """A question that the variant refuses, and why."""

    question: str
    reason: InvalidQuestion
    arguments: Mapping[str, Any] = attrs.field(factory=dict[str, Any], hash=False)


@attrs.frozen(slots=False)
class LintedTable:
    """A layout of a table, with what samples and questions there are."""

    layout: TableLayout[Any, Any]
    samples: Samples = Samples()
    asked: Sequence[Asked] = ()
    """The questions that read the table."""
    refused: Sequence[Refused] = ()
    """The questions that its variant refuses, whatever their table."""
    all_refused: bool = False
    """Whether the variant refuses every question."""
    of_records: Sequence[TableLayout[Any, Any]] = ()
    """All tables that hold the same records; `lint` adds them."""
    is_filled: bool = True
    """Whether records fill the table; otherwise it takes few rows, such as one for each day that is closed."""

    @cached_property
    def new_rows(self) -> list[bytes]:
        """The row keys of the samples in the order in which they are first written."""
        return list(dict.fromkeys(map(self.layout.key.encode, self.samples.keys)))


def linted_tables(design: Design, variant: Variant) -> list[LintedTable]:
    """The tables of a variant with the samples stored in them, and all questions asked."""
    records = sample_records(design)
    exemptions = (*design.exemptions, *variant.exemptions)
    explained = [pattern for exemption in exemptions if exemption.fact == "rows" for pattern in exemption.patterns]
    with stored(variant, records) as (connection, repository, cost):
        answered: list[Measurement] = []
        refused: list[Refused] = []
        for pattern in design.patterns:
            try:
                answered.append(measure_pattern(connection, repository, pattern, pattern.sample, pattern.limit))
            except InvalidQuestion as error:
                refused.append(Refused(pattern.question, error, pattern.sample))
        tables: list[LintedTable] = []
        for layout in variant.record_tables:
            samples = _samples(connection, layout, cost.rows_written[layout.name.encode()], records)
            asked = [
                _question_of(layout, samples.rows, measurement, is_explained=measurement.pattern in explained)
                for measurement in answered
            ]
            of_table = [question for question in asked if question is not None]
            is_filled = layout not in variant.unfilled
            tables.append(LintedTable(layout, samples, of_table, refused, not answered, is_filled=is_filled))
        return tables


def _samples(
    connection: "happybase.Connection", layout: TableLayout[Any, Any], written: Iterable[bytes], made: Records
) -> Samples:
    keys: list[Any] = []
    for row in written:
        with suppress(InvalidKey):  # of another layout of the same table
            keys.append(layout.key.decode(row))
    cells: list[Cell] = []
    records: list[Any] = []
    for row, cells_of_row in connection.table(layout.name).scan(columns=layout.cells.columns):
        with suppress(InvalidRow):
            records += layout.records(row, cells_of_row)
        cells += [Cell(row, column, value) for column, value in sorted(cells_of_row.items())]
    given = [record for _load, record in made if isinstance(record, layout.cells.record)]
    return Samples(keys, cells, records, *_replaced(layout, given), tells_order(made))


def _replaced(layout: TableLayout[Any, Any], records: Iterable[Any]) -> tuple[int, int]:
    """How many records a different one overwrites, and how many of these differ from it only in the cells."""
    names = [*layout.key.part_named]
    taken: dict[tuple[bytes, frozenset[bytes]], Any] = {}
    replaced = corrected = 0
    for record in records:
        items = layout.cells.pack(record) if isinstance(layout.cells, ItemCells) else ()
        cells = layout.row(record), frozenset(items)
        earlier = taken.get(cells, record)
        replaced += earlier != record
        corrected += earlier != record and all(getattr(earlier, name) == getattr(record, name) for name in names)
        taken[cells] = record
    return replaced, corrected


def _question_of(
    layout: TableLayout[Any, Any], rows: Sequence[bytes], measurement: Measurement, *, is_explained: bool
) -> Asked | None:
    """What a question asks of a table; None if it does not read the table."""
    ranges = [read.rows for read in measurement.reads if read.table == layout.name.encode()]
    scans = sum(not read.is_get and read.table == layout.name.encode() for read in measurement.reads)
    if not ranges:
        return None
    bound = frozenset(name for range_ in ranges for name in _bound(layout, rows, range_))
    explanation = measurement.explanation
    conditions: dict[str, Any] = {}
    if explanation is not None and explanation.stored_in == layout.name.encode():
        no_condition = Between(None, None)
        conditions = {name: is_ for name, is_ in explanation.conditions.items() if is_ != no_condition}
    rows_read = 0 if is_explained else measurement.cost.rows_read or 0
    return Asked(measurement.pattern.question, bound, conditions, rows_read, len(measurement.records), scans)


def _bound(table: TableLayout[Any, Any], rows: Sequence[bytes], range_: RowRange) -> Iterator[str]:
    """The parts that a range binds: its start or its stop has bytes of them. None if no row is in the range.

    A range of a whole bucket binds no part, and a reverse scan of all rows stops at the row 00.
    """
    at = bisect_left(rows, range_.start)
    if at == len(rows) or rows[at] not in range_ or range_.start == b"\0":
        return
    layout = table.key
    of_prefix = [*[None] * len(layout.spread), *([layout.time_bucket.of] if layout.time_bucket else [])]
    ends = max(len(range_.start), len(range_.stop or b""))
    offset = 0
    for number, segment in enumerate(layout.segments(rows[at])):
        name = of_prefix[number] if number < len(of_prefix) else segment.name
        if name is not None and ends > offset:
            yield name
        offset += len(segment.data)
