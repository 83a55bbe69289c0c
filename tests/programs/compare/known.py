"""Differences between the embedded store and HBase that are known, each as narrow as it can be said.

A rule is asked only where answers differ. What it explains is counted apart and does not fail; README.md of the stores
says what users see of it.
"""

from bisect import bisect_right
from collections.abc import Callable
from typing import TypeAlias

from tests.programs.compare.answers import Raised
from tests.programs.compare.filters import names
from tests.programs.compare.operations import CLOCK_MS, LATEST_MS, Moment, Operation, Operations, written
from tests.programs.compare.places import Kind
from tests.programs.compare.running import Answered

Explains: TypeAlias = Callable[[Operations, Answered, Kind], bool]
"""Whether a rule covers what an operation after some others was answered, on a kind of table."""


def _asked(before: Operations, operation: Operation) -> Operation:
    """The operation itself, or the one that opened the scanner from which it fetches."""
    name = operation.arguments.get("id")
    return next((earlier for earlier in reversed(before) if name is not None and earlier.opens == name), operation)


_ENDING = {"WHILE", "ColumnCountGetFilter"}


def _skips_a_store(before: Operations, answered: Answered, kind: Kind) -> bool:
    """A row that has only later cells of a store ends no filter; seen where nobody else writes to the region."""
    request = _asked(before, answered.operation)
    timestamp = (request.arguments.get("scan") or {}).get("timestamp")
    if timestamp is None or request.filter is None or isinstance(request.filter, bytes):
        return False
    if _ENDING.isdisjoint(names(request.filter)):
        return False
    has_cells: dict[tuple[int, bytes], bool] = {}
    for operation in before:
        is_below = _is_below(operation.arguments.get("timestamp"), timestamp)
        for write in written(operation):
            for family in write.families([name.encode() for name in kind.families]):
                store = bisect_right(kind.splits, write.row), family
                has_cells[store] = has_cells.get(store, False) or is_below
    return not all(has_cells.values())


def _is_below(put: int | Moment | None, read: int | Moment) -> bool:
    """Whether a read at a timestamp may see what was put at one; None is the server's clock."""
    times = (time if isinstance(time, int) and time != LATEST_MS else CLOCK_MS for time in (put, read))
    put_ms, read_ms = times
    return put_ms < read_ms or (put_ms == read_ms == CLOCK_MS)


def _is_a_pattern_of_javas(before: Operations, answered: Answered, kind: Kind) -> bool:
    """The embedded store refuses patterns that Python cannot express; it never takes one otherwise than HBase."""
    refuses = isinstance(answered.candidate, Raised) and "regular expression" in answered.candidate.text
    return refuses and not isinstance(answered.reference, Raised)


KNOWN: dict[str, Explains] = {
    "a store without cells in the time range is not looked at": _skips_a_store,
    "a regular expression is not supported": _is_a_pattern_of_javas,
}


def explanation(before: Operations, answered: Answered, kind: Kind) -> str | None:
    """The name of the rule that covers a difference after some operations."""
    return next((name for name, explains in KNOWN.items() if explains(before, answered, kind)), None)
