"""The records of one page: read, counted, decoded, and compared with the conditions of their question."""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs

from ..keys.codecs import utf8
from ..keys.conditions import AnyOf, Between, is_one_value, matcher, values_of
from ..keys.errors import InvalidKey, InvalidQuestion, message_of, shown
from ..keys.layout import KeyLayout
from ..keys.ranges import Plan, Stream
from ..keys.reference import ReferenceLayout
from ..tables.bound_table import BoundTable
from ..tables.declared_types import type_check, words_for
from ..tables.errors import InvalidRecord, InvalidRow
from ..tables.item_cells import ItemCells
from ..tables.layouts import TableLayout
from ..tables.record_cells import RecordCells
from .scanning import ranges_after, run_plan
from .server_filters import ServerFilter
from .wide_rows import CHUNK_CELLS, CellPosition, CellReader

R = TypeVar("R")

Stored = Generator[Any, None, None]
"""What a scan returns: rows, as row key and cells; or cells of rows with many records, as row key, qualifier, value."""


@attrs.frozen(eq=False)
class Question(Generic[R]):
    """What one query asks of one table; reading it in pages needs nothing else."""

    table: BoundTable[Any, R]
    plan: Plan
    conditions: tuple[tuple[str, Any], ...]
    """What the client compares with every record: an attribute, and the condition that it must meet."""
    server: ServerFilter | None
    order: KeyLayout[Any] | None
    """The order into which the client sorts; None if the scan gives it."""
    reverse: bool

    @property
    def layout(self) -> TableLayout[Any, R]:
        """The layout of the table."""
        return self.table.layout

    @property
    def is_wide(self) -> bool:
        """Whether a row may hold any number of records, so that it is read in parts."""
        return isinstance(self.layout.cells, ItemCells)

    @property
    def has_own_cells(self) -> bool:
        """Whether the cells are of a domain's own class: a row holds any number of records, and is read whole."""
        return not isinstance(self.layout.cells, (RecordCells, ItemCells))


class RecordReader(Generic[R]):
    """Reads the rows or cells of a question, and makes records of those that match."""

    def __init__(self, question: Question[R], on_invalid: Callable[[InvalidRow], None] | None) -> None:
        self.question = question
        self._rows = question.table.rows
        self.on_invalid = on_invalid
        self.read = 0
        """Rows read so far; in rows with many records, cells."""
        cells = question.layout.cells
        self._has_one = isinstance(cells, RecordCells)
        self._record = question.layout.record
        self._item = cells.item if isinstance(cells, ItemCells) else None
        self._keys: dict[bytes, object] = {}
        """The last rows decoded, one for each stream: cells of rows that are merged alternate. None is not a key."""
        self._matchers = [(name, wanted, matcher(wanted)) for name, wanted in question.conditions]
        self.may_skip = bool(question.conditions) or on_invalid is not None or question.has_own_cells
        """Whether a page may have to read more than it returns records."""
        self.takes_all_rows = self._has_one and not self.may_skip
        """Whether every row is one record of the answer, and an invalid one is raised."""

    def stored(self, after: Sequence[bytes] | None, limit: int | None, wanted: int, reverse: bool) -> Stored:
        """The rows or cells of the question from the start, or after a position, in the order of the scan.

        At most `limit` rows are read. `wanted` is about how many will be: it sets the size of batches.
        """
        question, cells = self.question, self.question.layout.cells
        positions = None if after is None else _positions(question.plan, after, reverse)
        if isinstance(cells, ItemCells):
            wanted = max(wanted, CHUNK_CELLS) if self.may_skip else wanted
            reader = CellReader(self._rows, cells, wanted, reverse, question.plan.qualifiers)
            return reader.read(question.plan, [None] * len(question.plan.streams) if positions is None else positions)
        plan = question.plan if positions is None else _plan_after(question.plan, positions, reverse)
        return run_plan(self._rows, plan, limit, reverse, wanted, question.server, cells.columns)

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
            else:
                records = self.question.layout.records(*stored)
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
            if len(self._keys) >= len(self.question.plan.streams):
                del self._keys[next(iter(self._keys))]
            self._keys[row] = None
            self._keys[row] = self.question.layout.key.decode(row)
        key = self._keys[row]
        return [] if key is None or self._item is None else [self._item(key, qualifier, value)]

    def report(self, stored: Any, error: ValueError) -> None:
        """Calls `on_invalid` with the error of a row or cell, or raises it."""
        if isinstance(error, InvalidRow):
            invalid = error
        else:
            is_cell = self._item is not None and not isinstance(error, InvalidKey)  # otherwise it is the row key
            column = self.question.layout.cells.columns[0] + b":" + stored[1] if is_cell else None
            invalid = InvalidRow(self.question.layout.name, stored[0], message_of(error), column)
            if not isinstance(error, InvalidKey | InvalidRecord):
                invalid.__cause__ = error
        if self.on_invalid is None:
            raise invalid from invalid.__cause__
        self.on_invalid(invalid)

    def _matches(self, record: R) -> bool:
        for name, wanted, matches in self._matchers:
            try:
                if not matches(getattr(record, name)):
                    return False
            except (TypeError, AttributeError, RecursionError):
                raise _incomparable(record, name, wanted) from None
        return True

    def position(self, stored: Any) -> tuple[bytes, bytes, bytes]:
        """The position of a row or cell: the row without the prefix of its stream, the qualifier, and the stream."""
        row, qualifier = stored[0], b"" if self._item is None else stored[1]
        streams = self.question.plan.streams
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
    return Plan(tuple(streams), question=plan.question, residual=plan.residual, layout=plan.layout, table=plan.table)


def _incomparable(record: object, name: str, wanted: Any) -> InvalidQuestion:
    if not hasattr(record, name):
        return _no_attribute(type(record), name)
    given = shown(getattr(record, name))  # of another type than the interval or the prefix
    return InvalidQuestion(f"where: {name} is {given}, which cannot be compared with {shown(wanted)}")


def _no_attribute(record: type[Any], name: object) -> InvalidQuestion:
    return InvalidQuestion(f"where: {record.__name__} has no attribute {name}")


def check_same_table(table: TableLayout[Any, Any], plan: Plan) -> None:
    """Raises InvalidQuestion for a plan that another layout made."""
    if plan.table is not None:
        if plan.table != table.name:
            raise InvalidQuestion(f"plan: must be one of table {table.name} (got one of table {plan.table})")
    elif plan.layout is not None and not _makes_same_keys(plan.layout, table.key):
        raise InvalidQuestion(f"plan: must be one of {table.key} (got one of {plan.layout})")


def _makes_same_keys(first: ReferenceLayout[Any], second: ReferenceLayout[Any]) -> bool:
    return first is second or (first.key_class is second.key_class and first.prefixes == second.prefixes)


def conditions_of(record: type[Any], plan: Plan, where: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """What the client compares: the residual of the plan, and `where`; each has a `repr`, for a cursor's digest.

    Raises InvalidQuestion for an attribute that the record lacks, for a value that it cannot have, and for an interval
    whose ends are out of order.
    """
    if not isinstance(where, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise InvalidQuestion(f"where: must be conditions by attribute, such as a dict (got {shown(where)})")
    if not (where or plan.residual):
        return ()
    for name in where:
        if not (type(name) is str and hasattr(record, name)) and name not in attrs.fields_dict(record):
            raise _no_attribute(record, name)
    for name, condition in where.items():
        _check_values(record, name, condition)
    conditions = sorted([*plan.residual.items(), *where.items()], key=lambda condition: condition[0])
    for name, wanted in conditions:
        try:
            repr(wanted)
        except (ValueError, RecursionError):
            raise InvalidQuestion(
                f"where: {name}: must be a value that a cursor can hold (got {shown(wanted)})"
            ) from None
        if isinstance(wanted, Between):
            _check_ends(name, wanted)
    return tuple(conditions)


def _check_values(record: type[Any], name: str, condition: Any) -> None:
    """Raises InvalidQuestion for a value that no stored record has: of another type, or text that is not Unicode.

    An attribute without a declared type, such as a property, may have any value.
    """
    field = attrs.fields_dict(attrs.resolve_types(record)).get(name)
    if field is None or not (is_one_value(condition) or isinstance(condition, AnyOf)):
        return
    fits = type_check(field.type)
    for value in values_of(condition):
        if not fits(value):
            raise InvalidQuestion(f"where: {name}: must be {words_for(field.type)} (got {shown(value)})")
        try:
            _ = utf8(value) if type(value) is str else b""
        except InvalidKey as error:
            raise InvalidQuestion(f"where: {name}: {error}") from None


def _check_ends(name: str, interval: Between) -> None:
    """Raises InvalidQuestion for an interval whose start is above its end, or cannot be compared with it."""
    since, until = interval.since, interval.until
    if since is None or until is None:
        return
    ends = f"{shown(since)} and {shown(until)}"
    try:
        is_turned = bool(since > until)
    except (TypeError, RecursionError):
        raise InvalidQuestion(f"where: {name}: since cannot be compared with until (got {ends})") from None
    if is_turned:
        raise InvalidQuestion(f"where: {name}: since must not be above until (got {ends})")
