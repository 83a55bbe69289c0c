"""What a scan read of a table, beside what it was to read: all rows in key order, as stretches with a label each."""

from collections.abc import Callable, Collection, Iterable
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from ..designs.metering import Measurement
from ..designs.ruler import show_value
from ..keys.ranges import RowRange
from ..tables import ItemCells, TableLayout

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")

LABELS_NAMED = 4
"""The most labels that are named in a sentence."""


@attrs.frozen
class Stretch:
    """Neighbouring rows of a table that have one label: all of them asked for or none, all of them read or none."""

    label: str
    is_wanted: bool
    is_read: bool
    rows: int


@attrs.frozen
class ScannedTable:
    """All rows of a table in key order, and which of them some scans read."""

    ranges: tuple[RowRange, ...]
    """What the store was asked for."""
    stretches: tuple[Stretch, ...]
    unit: str = "row"
    """What is counted: a row, or a record of a row that holds many."""

    @classmethod
    def of(
        cls, ranges: Iterable[RowRange], rows: Iterable[tuple[str, bool, bool]], unit: str = "row"
    ) -> "ScannedTable":
        """The table of these rows: the label of each, whether it was asked for, and whether it was read."""
        return cls(tuple(ranges), tuple(Stretch(*alike, sum(1 for _ in same)) for alike, same in groupby(rows)), unit)

    @property
    def stored(self) -> int:
        """Rows of the table."""
        return _rows(self.stretches)

    @property
    def read(self) -> int:
        """Rows that were read."""
        return sum(stretch.rows for stretch in self.stretches if stretch.is_read)

    @property
    def wanted(self) -> int:
        """Rows of the table that were asked for."""
        return sum(stretch.rows for stretch in self.stretches if stretch.is_wanted)

    @property
    def count(self) -> str:
        """`137 rows`."""
        return _counted(self.read, self.unit)

    @property
    def remark(self) -> str:
        """`88 of them of host12, host123`; `of host1` if all rows that were read are alike; then what is missing."""
        mistaken = [stretch for stretch in self.stretches if stretch.is_read and not stretch.is_wanted]
        missed = [stretch for stretch in self.stretches if stretch.is_wanted and not stretch.is_read]
        words: list[str] = []
        if mistaken:
            owners = self._labels(mistaken)
            some = "" if _rows(mistaken) == self.read else f"{_rows(mistaken):,} of them "
            words.append(some + (f"of {owners}" if owners else "not asked for"))
        elif self.read:
            owners = self._labels([stretch for stretch in self.stretches if stretch.is_read])
            words.append(f"of {owners}" if owners else "all asked for")
        if missed:
            read = {stretch.label for stretch in self.stretches if stretch.is_read}
            owners = "" if read & {stretch.label for stretch in missed} else self._labels(missed)
            words.append(f"{owners or _counted(_rows(missed), self.unit)} missing")
        return "; ".join(words)

    @property
    def words(self) -> str:
        """`137 rows, 88 of them of host12, host123`."""
        return ", ".join(filter(None, [self.count, self.remark]))

    def _labels(self, some: Collection[Stretch]) -> str:
        """`host12, host123`; empty if the labels are too many, or do not tell these rows from others."""
        labels = list(dict.fromkeys(stretch.label for stretch in some))
        wanted = {stretch.is_wanted for stretch in self.stretches if stretch.label in labels}
        return ", ".join(labels) if len(labels) <= LABELS_NAMED and len(wanted) == 1 else ""


def scanned_records(
    connection: "happybase.Connection",
    table: TableLayout[Any, R],
    ranges: Collection[RowRange],
    answer: Iterable[Any],
    label: Callable[[R], str],
    unit: str = "",
) -> ScannedTable:
    """The records of a table in key order: those of `ranges` were read, those of `answer` were asked for.

    If `unit` is omitted, it is a row; in a table whose rows hold many records, a cell.
    """
    is_wide = isinstance(table.cells, ItemCells)
    identity: Callable[[Any], Any] = (lambda record: record) if is_wide else table.row
    wanted = set(map(identity, answer))
    rows = [
        (label(record), identity(record) in wanted, any(row in range_ for range_ in ranges))
        for row, cells in connection.table(table.name).scan(columns=table.cells.columns)
        for record in table.records(row, cells)
    ]
    return ScannedTable.of(ranges, rows, unit or ("cell" if is_wide else "row"))


def scanned_by(
    connection: "happybase.Connection", tables: Iterable[TableLayout[Any, Any]], measurement: Measurement
) -> ScannedTable | None:
    """What the ranges of a query read, if it drops rows of theirs; None for another answer, or one with a next page."""
    explanation, page = measurement.explanation, measurement.answer
    drops_rows = measurement.is_server_filtered or bool(measurement.client_work)
    if explanation is None or not drops_rows or page is None or page.cursor is not None:
        return None
    layouts = [table for table in tables if connection.table(table.name).name == explanation.stored_in]
    of_records = (table for table in layouts if all(isinstance(record, table.cells.record) for record in page.records))
    table = next(of_records, layouts[0])
    return scanned_records(connection, table, explanation.ranges, page.records, _label_of(table, page.records))


def _label_of(table: TableLayout[Any, Any], answer: Iterable[Any]) -> Callable[[Any], str]:
    """Labels a record by the first part of its key that all of the answer do not share, or that it has otherwise.

    Parts from a time on differ in nearly every row, so they are no labels.
    """
    names = [part.name for part in table.key.parts]
    before = list(takewhile(lambda name: not name.endswith("_ms"), names)) or names
    keys = [table.key.decode(table.row(record)) for record in answer]
    shared = {name: values.pop() for name in before if len(values := {getattr(key, name) for key in keys}) == 1}

    def label(record: Any) -> str:
        key = table.key.decode(table.row(record))
        name = next((name for name in before if getattr(key, name) != shared.get(name)), before[-1])
        return show_value(name, getattr(key, name))

    return label


def _rows(stretches: Iterable[Stretch]) -> int:
    return sum(stretch.rows for stretch in stretches)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
