"""The records of one page: read, counted, decoded, and compared with the conditions of their question."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, Generic, TypeVar

import attrs

from ..keys.conditions import matcher
from ..keys.errors import InvalidKey, InvalidQuestion, shown
from ..keys.layout import KeyLayout
from ..keys.ranges import Plan, Stream
from ..tables.bound_table import BoundTable
from ..tables.cells import CountsRevisions
from ..tables.declarations import items_of
from ..tables.errors import InvalidRecord, InvalidRow
from ..tables.layouts import TableLayout
from ..tables.record_cells import RecordCells
from .scanning import BATCH_ROWS, CellPosition, in_batches, ranges_after, run_plan
from .server_filters import ServerFilter

R = TypeVar("R")

SKIPPING_BUFFER_ROWS = 100
"""Rows to buffer, at least, if the client compares rows: the `limit` of a page does not tell how many rows it needs."""

Stored = Generator[Any, None, None]
"""What a scan returns: rows, as row key and cells; or cells of rows with many records, as row key, qualifier, value."""


@attrs.frozen(eq=False)
class Request(Generic[R]):
    """One query on one table: all that reading it in pages needs."""

    table: BoundTable[Any, R]
    plan: Plan
    conditions: tuple[tuple[str, Any], ...]
    """What the client compares with every record: an attribute, and the condition that it must meet."""
    server: ServerFilter | None
    order: KeyLayout[Any] | None
    """The order into which the client sorts; None if the scan gives it."""
    reverse: bool
    as_of_ms: int | None = None
    """The time as of which records are read; None for the present."""

    @property
    def before_ms(self) -> int | None:
        """The timestamp of the calls that read: HBase reads cells dated before it."""
        return None if self.as_of_ms is None else self.as_of_ms + 1

    @property
    def reads_past(self) -> bool:
        """Whether rows are read as of a time and compared with the present ones, which count their changes."""
        return self.as_of_ms is not None and isinstance(self.layout.cells, CountsRevisions)

    @property
    def layout(self) -> TableLayout[Any, R]:
        """The layout of the table."""
        return self.table.layout

    @property
    def is_wide(self) -> bool:
        """Whether a row may hold any number of records, so that it is read in parts."""
        return items_of(self.layout.cells) is not None

    @property
    def has_own_cells(self) -> bool:
        """Whether the cells are of a domain's own class: a row holds any number of records, and is read whole."""
        return not (isinstance(self.layout.cells, RecordCells) or self.is_wide)


class RecordReader(Generic[R]):
    """Reads the rows or cells of a request, and makes records of those that match."""

    def __init__(
        self,
        request: Request[R],
        on_invalid: Callable[[InvalidRow], None] | None,
        on_unknown: Callable[[InvalidRow], None] | None = None,
    ) -> None:
        self.request = request
        self._rows = request.table.rows
        if request.server is not None:  # it may compare columns of another layout, such as computed ones
            from ..tables.recorded_layouts import check_filled

            check_filled(request.table.connection, request.layout, request.server.columns)
        self._layout = request.table.layout
        self.on_invalid = on_invalid
        self.on_unknown = on_unknown
        """Gets the rows of a later release, if `on_invalid` is None; None raises them like all that are invalid."""
        self._has_unknown = False
        self.read = 0
        """Rows read so far; in rows with many records, cells."""
        cells = self._layout.cells
        self._has_one = isinstance(cells, RecordCells)
        self._record = self._layout.record
        items = items_of(cells)
        self._item = items.item if items else None
        self._keys: dict[bytes, object] = {}
        """The last decoded keys, one for each stream, because cells of merged rows alternate. None is not a key."""
        self._matchers = [(name, wanted, matcher(wanted)) for name, wanted in request.conditions]
        self.may_skip = bool(request.conditions) or on_invalid is not None or request.has_own_cells
        """Whether a page may have to read more than it returns records."""
        self._takes_all_rows = self._has_one and not self.may_skip
        """Whether every row is one record of the answer, and an invalid one is raised."""

    def in_key_order(
        self, position: Sequence[bytes] | None, limit: int, read_at_most: int, buffer_rows: int
    ) -> tuple[list[R], tuple[bytes, ...] | None]:
        """The next `limit` records after `position`, and the position of the last one read if more may follow."""
        if self._takes_all_rows:
            return self._all_rows(position, limit, min(limit + 1, buffer_rows))
        records: list[R] = []
        # One more than the limit tells whether there is a next page.
        read_limit = None if self.may_skip else limit + 1
        wanted = min(max(limit + 1, SKIPPING_BUFFER_ROWS if self.request.conditions else 1), buffer_rows)
        if self.may_skip:
            wanted = min(wanted, read_at_most + 1)
        last: Any = None
        with closing(self.stored(position, read_limit, wanted, self.request.reverse)) as read:
            for stored in read:
                if len(records) >= limit or (self.read >= read_at_most and (self.may_skip or self._has_unknown)):
                    return records, None if last is None else self.position(last)
                last = stored
                records += self.matching(stored)
        return records, None

    def _all_rows(
        self, position: Sequence[bytes] | None, limit: int, wanted: int
    ) -> tuple[list[R], tuple[bytes, ...] | None]:
        """What `in_key_order` returns, in less time for each row, if every row is a record of the answer."""
        records: list[R] = []
        stored: Any = None
        with closing(self.stored(position, limit + 1, wanted, self.request.reverse)) as rows:
            for self.read, stored in enumerate(islice(rows, limit), 1):
                row, cells = stored
                try:
                    records.append(self._record(row, cells))
                except ValueError as error:
                    self.report(stored, error)
            return records, None if next(rows, None) is None else self.position(stored)

    def stored(self, after: Sequence[bytes] | None, limit: int | None, wanted: int, reverse: bool) -> Stored:
        """The rows or cells of the question from the start, or after a position, in the order of the scan.

        At most `limit` rows are read. `wanted` is about how many will be: it sets the size of batches.
        """
        request, cells = self.request, self._layout.cells
        positions = None if after is None else _positions(request.plan, after, reverse)
        if items := items_of(cells):
            from .wide_rows import CHUNK_CELLS, CellReader  # rows of one record do not need it

            wanted = max(wanted, CHUNK_CELLS) if self.may_skip else wanted
            reader = CellReader(self._rows, items, wanted, reverse, request.plan.qualifiers, request.before_ms)
            return reader.read(request.plan, [None] * len(request.plan.streams) if positions is None else positions)
        plan = request.plan if positions is None else _plan_after(request.plan, positions, reverse)
        if request.as_of_ms is not None and isinstance(cells, CountsRevisions):
            return self._past(cells, plan, reverse, wanted, request.as_of_ms)
        return run_plan(self._rows, plan, limit, reverse, wanted, request.server, cells.columns, request.before_ms)

    def _past(self, cells: CountsRevisions, plan: Plan, reverse: bool, wanted: int, as_of_ms: int) -> Stored:
        """The rows that a plan finds now, as they were at a time."""
        from .past_rows import rows_as_of

        dated: Any = run_plan(self._rows, plan, None, reverse, wanted, None, cells.columns, include_timestamp=True)
        with closing(dated):
            for batch in in_batches(dated, min(wanted, BATCH_ROWS)):
                yield from rows_as_of(self._rows, self._layout, cells, batch, as_of_ms)

    def matching(self, stored: Any) -> list[R]:
        """The records of a row or cell that match: at most one, except in a domain's own cells.

        A row or cell that is invalid is reported, and has none.
        """
        self.read += 1
        try:
            if self._has_one:
                records = [self._record(*stored)]
            elif self._item is not None:
                records = self._of_cell(*stored)
            elif isinstance(stored[1], InvalidRow):
                raise stored[1]
            else:
                records = self._layout.records(*stored)
        except ValueError as error:
            self.report(stored, error)
            return []
        if not self._matchers:
            return records
        if self._has_one:
            return records if self._matches(records[0]) else []
        return [record for record in records if self._matches(record)]

    def _of_cell(self, row: bytes, qualifier: bytes, value: bytes) -> list[R]:
        """The record of a cell; none if its row key is invalid, which was reported with the first cell of the row."""
        if row not in self._keys:
            if len(self._keys) >= len(self.request.plan.streams):
                del self._keys[next(iter(self._keys))]
            self._keys[row] = None
            self._keys[row] = self._layout.key.decode(row)
        key = self._keys[row]
        return [] if key is None or self._item is None else [self._item(key, qualifier, value)]

    def report(self, stored: Any, error: ValueError) -> None:
        """Calls `on_invalid`, or `on_unknown`, with the error of a row or cell, or raises it. Skips expired records."""
        if self._has_one and self._layout.has_expired(stored[1]):
            return
        if isinstance(error, InvalidRow):
            invalid = error
        else:
            is_cell = self._item is not None and not isinstance(error, InvalidKey)  # otherwise it is the row key
            column = self._layout.cells.columns[0] + b":" + stored[1] if is_cell else None
            invalid = InvalidRow.of(self._layout.name, stored[0], error, column)
            if not isinstance(error, InvalidKey | InvalidRecord):
                invalid.__cause__ = error
        take = self.on_unknown if self.on_invalid is None and invalid.is_unknown else self.on_invalid
        if take is None:
            raise invalid from invalid.__cause__
        self._has_unknown = self._has_unknown or invalid.is_unknown
        take(invalid)

    def _matches(self, record: R) -> bool:
        for name, wanted, matches in self._matchers:
            try:
                if not matches(getattr(record, name)):
                    return False
            except (TypeError, AttributeError, ArithmeticError, RecursionError):
                raise _incomparable(record, name, wanted) from None
        return True

    def position(self, stored: Any) -> tuple[bytes, bytes, bytes]:
        """The position of a row or cell: the row without the prefix of its stream, the qualifier, and the stream."""
        row, qualifier = stored[0], b"" if self._item is None else stored[1]
        streams = self.request.plan.streams
        number = _stream_of(streams, row) if len(streams) > 1 else 0
        numbered = number.to_bytes(2, "big") if len(streams) > 1 else b""
        return row[streams[number].prefix_bytes :], qualifier, numbered


def _stream_of(streams: Sequence[Stream], row: bytes) -> int:
    return next(number for number, stream in enumerate(streams) for range_ in stream.ranges if row in range_)


def _positions(plan: Plan, after: Sequence[bytes], reverse: bool) -> list[CellPosition]:
    """The place in each stream from which to continue.

    If several streams have the same row and qualifier, the first stream comes first; in reverse, the last.
    """
    rest, qualifier, numbered = after
    last = int.from_bytes(numbered, "big")
    positions: list[CellPosition] = []
    for number, stream in enumerate(plan.streams):
        row = stream.ranges[0].start[: stream.prefix_bytes] + rest
        positions.append(CellPosition(row, qualifier, number < last if reverse else number > last))
    return positions


def _plan_after(plan: Plan, positions: Sequence[CellPosition], reverse: bool) -> Plan:
    """The part of a plan after these positions; streams keep their places, and some may have no range left."""
    streams: list[Stream] = []
    for stream, after in zip(plan.streams, positions, strict=True):
        if ranges := ranges_after(stream.ranges, after.row, reverse, inclusive=after.inclusive):
            streams.append(Stream(ranges, stream.prefix_bytes))
    return Plan(
        tuple(streams), conditions=plan.conditions, residual=plan.residual, layout=plan.layout, table=plan.table
    )


def _incomparable(record: object, name: str, wanted: Any) -> InvalidQuestion:
    if not hasattr(record, name):
        return without_attribute(type(record), name)
    given = shown(getattr(record, name))  # its type is not that of the interval or the prefix
    return InvalidQuestion(f"where: {name} is {given}, which cannot be compared with {shown(wanted)}")


def without_attribute(record: type[Any], name: object) -> InvalidQuestion:
    """The error for a condition on an attribute that the record lacks."""
    return InvalidQuestion(f"where: {record.__name__} has no attribute {name}")
