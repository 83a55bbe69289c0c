"""What a call answered, in a form that is equal on two stores where they did the same."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, TypeAlias

import happybase  # noqa: F401 - makes the module Hbase_thrift
from attrs import field, frozen
from Hbase_thrift import AlreadyExists, IllegalArgument, TCell, TRowResult
from thriftpy2.thrift import TApplicationException

from shared.stores.thrift1.idl import IOError
from tests.programs.compare.operations import CLOCK_MS

RAISED = (IOError, IllegalArgument, AlreadyExists, TApplicationException)
"""The exceptions that are answers; any other one is a failure of the run."""

Answer: TypeAlias = Any
"""None, a number, a boolean, cells, rows, or what was raised."""

_JAVA_CLASS = re.compile(r"(?:\w+\.)*(\w+)")

_AROUND_THE_CLOCK_MS = range(CLOCK_MS - 4 * 10**12, CLOCK_MS + 3 * 10**12)


@frozen
class Raised:
    """An exception by its class; an IOError also by the Java exception that its text names and by `canRetry`."""

    name: str
    java_class: str
    can_retry: bool | None
    text: str = field(eq=False)


@frozen
class Cell:
    """A value and its timestamp: a number as it was sent, or `t2`, the clock at the second write of the sequence."""

    value: bytes
    time: int | str


@frozen
class Row:
    """A row that was returned; its columns as a map or, where the call asked for order, as a list."""

    key: bytes
    cells: tuple[tuple[bytes, Cell], ...]
    in_order: bool


@frozen
class Reading:
    """How the answers of one store are read: its row prefix, and the clock when each write of the sequence began."""

    row_prefix: bytes
    writes_ms: Sequence[int]

    def answer(self, given: Any) -> Answer:
        """The answer without what may differ between stores that do the same."""
        match given:
            case TCell():
                return Cell(given.value, self._time(given.timestamp))
            case TRowResult():
                return self._row(given)
            case list():
                # A scan without a stop row goes on into the rows of other sequences.
                own = [
                    item for item in given if not isinstance(item, TRowResult) or item.row.startswith(self.row_prefix)
                ]
                return [self.answer(item) for item in own]
            case Exception():
                return _raised(given)
        return given

    def _row(self, row: TRowResult) -> Row:
        if row.sortedColumns is not None:
            cells = [(column.columnName, self.answer(column.cell)) for column in row.sortedColumns]
        else:
            cells = [(column, self.answer(cell)) for column, cell in sorted((row.columns or {}).items())]
        return Row(row.row.removeprefix(self.row_prefix), tuple(cells), row.sortedColumns is not None)

    def _time(self, timestamp: int) -> int | str:
        if timestamp not in _AROUND_THE_CLOCK_MS:
            return timestamp
        return f"t{bisect_right(self.writes_ms, timestamp)}"


def _raised(error: Any) -> Raised:
    text = error.message.decode(errors="replace") if isinstance(error.message, bytes) else str(error.message)
    named = _JAVA_CLASS.match(text) if isinstance(error, IOError) else None
    can_retry = getattr(error, "canRetry", None)
    return Raised(type(error).__name__, named[1] if named else "", can_retry, text.partition("\n")[0])
