"""Differences between the embedded store and HBase that are known, each as narrow as it can be said.

A rule is asked only where answers differ. What it explains is counted apart and does not fail; README.md of the stores
says what users see of it.
"""

from bisect import bisect_right
from collections.abc import Callable
from typing import TypeAlias

from attrs import frozen

from tests.compare.answers import Answer, Cell, Raised, Row
from tests.compare.filters import Single, names
from tests.compare.operations import CLOCK_MS, LATEST_MS, Moment, Operation, Operations, written
from tests.compare.places import Kind
from tests.compare.running import Answered

Explains: TypeAlias = Callable[[Operations, Answered, Kind], bool]
"""Whether a rule covers what an operation after some others was answered, on a kind of table."""


@frozen
class Known:
    """A known difference: a name, why it is there, and whether it covers a case."""

    name: str
    why: str
    explains: Explains
    lasts: bool = False
    """Whether the stores hold different cells from then on, so that the rest of the sequence says nothing."""


def _asked(before: Operations, operation: Operation) -> Operation:
    """The operation itself, or the one that opened the scanner from which it fetches."""
    name = operation.arguments.get("id")
    return next((each for each in reversed(before) if name is not None and each.opens == name), operation)


_SEEKING = {"ColumnPrefixFilter", "MultipleColumnPrefixFilter", "ColumnRangeFilter"}


def _seeks_past_a_tombstone(before: Operations, answered: Answered, kind: Kind) -> bool:
    """Only where a row has a deleted family and a cell of it with an empty qualifier, and the filter seeks.

    HBase then shows more; but filters that ask such a one may show less for it, and so may one fetch of several.
    """
    asked = _asked(before, answered.operation)
    filter = asked.filter
    if filter is None or isinstance(filter, bytes) or _SEEKING.isdisjoint(names(filter)):
        return False
    if (
        isinstance(filter, Single)
        and asked is answered.operation
        and not _cells(answered.reference) > _cells(answered.candidate)
    ):
        return False
    families = [name.encode() for name in kind.families]
    writes = [each for operation in before for each in written(operation)]
    deleted = {(each.row, family) for each in writes if each.is_whole_family for family in each.families(families)}
    unnamed = {(each.row, each.column[:-1]) for each in writes if each.column and each.column.endswith(b":")}
    return not deleted.isdisjoint(unnamed)


def _cells(answer: Answer) -> set[tuple[bytes, bytes, Cell]]:
    """All cells of rows, or of portions of them."""
    if isinstance(answer, Row):
        return {(answer.key, column, cell) for column, cell in answer.cells}
    return {cell for each in answer for cell in _cells(each)} if isinstance(answer, list) else set()


_COMPUTING = ("atomicIncrement", "increment", "incrementRows", "append")


def _is_dated_last(before: Operations, answered: Answered, kind: Kind) -> bool:
    """Only where a cell was dated 2^63-2 and something was computed from a cell of its row."""
    dated = {
        each.row
        for operation in before
        if operation.arguments.get("timestamp") == LATEST_MS - 1
        for each in written(operation)
        if not each.is_delete
    }
    computing = [operation for operation in (*before, answered.operation) if operation.call in _COMPUTING]
    return not dated.isdisjoint(each.row for operation in computing for each in written(operation))


_ENDING = {"WHILE", "ColumnCountGetFilter"}


def _skips_a_store(before: Operations, answered: Answered, kind: Kind) -> bool:
    """Only where a row may end a filter, and below a timestamp nothing was written to a family of a region."""
    asked = _asked(before, answered.operation)
    timestamp = (asked.arguments.get("scan") or {}).get("timestamp")
    if timestamp is None or asked.filter is None or isinstance(asked.filter, bytes):
        return False
    if _ENDING.isdisjoint(names(asked.filter)):
        return False
    has_cells: dict[tuple[int, bytes], bool] = {}
    for operation in before:
        is_below = _is_below(operation.arguments.get("timestamp"), timestamp)
        for each in written(operation):
            for family in each.families([name.encode() for name in kind.families]):
                store = bisect_right(kind.splits, each.row), family
                has_cells[store] = has_cells.get(store, False) or is_below
    return not all(has_cells.values())


def _is_below(put: int | Moment | None, read: int | Moment) -> bool:
    """Whether a read at a timestamp may see what was put at one; None is the server's clock."""
    at, bound = (each if isinstance(each, int) and each != LATEST_MS else CLOCK_MS for each in (put, read))
    return at < bound or (at == bound == CLOCK_MS)


def _is_a_pattern_of_javas(before: Operations, answered: Answered, kind: Kind) -> bool:
    """Only where the embedded store refuses a pattern that HBase takes; it never takes one otherwise than HBase."""
    refuses = isinstance(answered.candidate, Raised) and "regular expression" in answered.candidate.text
    return refuses and not isinstance(answered.reference, Raised)


KNOWN = (
    Known(
        "a filter seeks past the tombstone of a family",
        "ColumnPrefixFilter, MultipleColumnPrefixFilter and ColumnRangeFilter show deleted cells in HBase 2.6.1",
        _seeks_past_a_tombstone,
    ),
    Known(
        "a store without cells in the time range is not looked at",
        "a row that has only later cells of it then ends no filter; seen where no other sequence writes to the region",
        _skips_a_store,
    ),
    Known(
        "a regular expression is not carried over",
        "the embedded store refuses what Python's patterns cannot say",
        _is_a_pattern_of_javas,
    ),
    Known(
        "a cell is dated 2^63-1",
        "HBase does so with what it computes from one of 2^63-2, and then shows it only to reads without columns",
        _is_dated_last,
        lasts=True,
    ),
)


def explanation(before: Operations, answered: Answered, kind: Kind) -> Known | None:
    """The rule that covers a difference after some operations."""
    return next((known for known in KNOWN if known.explains(before, answered, kind)), None)
