"""Differences between the embedded store and HBase that are known, each as narrow as it can be said.

A rule is asked only where answers differ. What it explains is counted apart and does not fail; README.md of the stores
says what users see of it.
"""

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import TypeAlias

from tests.programs.compare.answers import Answer, Cell, Raised, Row
from tests.programs.compare.filters import Filter, Single, names
from tests.programs.compare.operations import CLOCK_MS, LATEST_MS, Moment, Operation, Operations, family_of, written
from tests.programs.compare.places import Kind
from tests.programs.compare.running import Answered

Explains: TypeAlias = Callable[[Operations, Answered, Kind], bool]
"""Whether a rule covers what an operation after some others was answered, on a kind of table."""


def _asked(before: Operations, operation: Operation) -> Operation:
    """The operation itself, or the one that opened the scanner from which it fetches."""
    name = operation.arguments.get("id")
    return next((earlier for earlier in reversed(before) if name is not None and earlier.opens == name), operation)


_SEEKING = {"ColumnPrefixFilter", "MultipleColumnPrefixFilter", "ColumnRangeFilter"}

# Of filters in bytes, which were meant to be broken, HBase takes some.
_NAME = re.compile(rb"\w+")
_ALONE = re.compile(rb"\s*\w+\s*\([^()]*\)\s*")

Time: TypeAlias = tuple[float, float]
"""When a cell or a tombstone is dated: the timestamp, and among those of the clock the number of the write."""
_NEVER = (math.inf, 0.0)


def _seeks_past_a_tombstone(before: Operations, answered: Answered, kind: Kind) -> bool:
    """In HBase 2.6.1 filters that seek show deleted cells: in rows with the fault's very state, see `_seekable`.

    The filter alone shows cells that such a tombstone hides, and nothing else differs. Below other filters, and in a
    fetch of some rows, what comes after the row may differ too: a page is full sooner, a WHILE ends.
    """
    request = _asked(before, answered.operation)
    filter = request.filter
    if filter is None or _SEEKING.isdisjoint(_names(filter)):
        return False
    here, there = _rows(answered.candidate), _rows(answered.reference)
    if here is None or there is None:
        return False
    seekable = _seekable(before, [name.encode() for name in kind.families])
    is_alone = _ALONE.fullmatch(filter) if isinstance(filter, bytes) else isinstance(filter, Single)
    if is_alone and request is answered.operation:
        more = _cells(there) - _cells(here)
        return bool(more) and _cells(here) < _cells(there) and all(map(partial(_is_hidden, seekable), more))
    is_reversed = bool((request.arguments.get("scan") or {}).get("reversed"))
    first = _first_difference(here, there, is_reversed)
    rows = [row for row, _ in seekable]
    return first is not None and any(row >= first if is_reversed else row <= first for row in rows)


def _names(filter: Filter | bytes) -> Iterator[str]:
    return (name.decode() for name in _NAME.findall(filter)) if isinstance(filter, bytes) else names(filter)


def _rows(answer: Answer) -> list[Row] | None:
    """The rows of an answer, whatever its portions; None if it has anything else, such as an exception."""
    if not isinstance(answer, list):
        return [answer] if isinstance(answer, Row) else None
    rows: list[Row] = []
    for part in answer:
        inner = _rows(part)
        if inner is None:
            return None
        rows += inner
    return rows


def _cells(rows: list[Row]) -> set[tuple[bytes, bytes, Cell]]:
    return {(row.key, column, cell) for row in rows for column, cell in row.cells}


def _first_difference(here: list[Row], there: list[Row], is_reversed: bool) -> bytes | None:
    """The first row, in the order of the scan, in which two lists of rows differ."""
    for here_row, there_row in zip_longest(here, there):
        if here_row != there_row:
            keys = [row.key for row in (here_row, there_row) if row]
            return max(keys) if is_reversed else min(keys)
    return None


def _seekable(before: Operations, families: Sequence[bytes]) -> dict[tuple[bytes, bytes], Time]:
    """Rows and families with the state in which a filter seeks past the family's tombstone, and the latest such one.

    HBase keeps that tombstone among the cells with an empty qualifier, by its time: a filter that seeks on from a newer
    one of them never sees the tombstone. It shows only where there are older cells that it hides.
    """
    deleted, unnamed, named = (defaultdict[tuple[bytes, bytes], list[Time]](list) for _ in range(3))
    writing = [operation for operation in before if operation.is_write]
    for number, operation in enumerate(writing):
        time = _written_at(operation, number)
        for write in written(operation) if operation.table is None else ():
            for family in write.families(families):
                place = (write.row, family)
                if write.is_whole_family:
                    deleted[place].append(time)
                elif not write.is_delete and write.column == family + b":":
                    # What is computed from a cell is dated after it, even ahead of the clock.
                    is_computed = operation.call in _COMPUTING_FROM_CELLS
                    unnamed[place].append((float(LATEST_MS), 0.0) if is_computed else time)
                elif not write.is_delete and write.column and b":" in write.column:
                    named[place].append(time)
    seekable: dict[tuple[bytes, bytes], Time] = {}
    for place, times in deleted.items():
        passed = [
            time for time in times if min(named[place], default=_NEVER) <= time < max(unnamed[place], default=time)
        ]
        if passed:
            seekable[place] = max(passed)
    return seekable


def _written_at(operation: Operation, writes: int) -> Time:
    """When an operation dates what it writes, after so many other writes."""
    timestamp = operation.arguments.get("timestamp")
    if isinstance(timestamp, Moment):
        return (CLOCK_MS, max(writes - 1 - timestamp.back, 0) - 0.5) if writes else (5, 0)
    return (CLOCK_MS, writes) if timestamp is None or timestamp == LATEST_MS else (timestamp, 0)


def _is_hidden(seekable: dict[tuple[bytes, bytes], Time], shown: tuple[bytes, bytes, Cell]) -> bool:
    """Whether a cell is one that the tombstone hides past which a filter seeks."""
    row, column, cell = shown
    latest = seekable.get((row, family_of(column)))
    time = (cell.time, 0) if isinstance(cell.time, int) else (CLOCK_MS, int(cell.time[1:]) - 1)
    return latest is not None and time <= latest


_COMPUTING = ("atomicIncrement", "increment", "incrementRows", "append")
_COMPUTING_FROM_CELLS = (*_COMPUTING, "checkAndPut")


def _is_dated_last(before: Operations, answered: Answered, kind: Kind) -> bool:
    """What HBase computes from a cell of 2^63-2 it dates 2^63-1, and then shows only to reads without columns."""
    dated = {
        write.row
        for operation in before
        if operation.arguments.get("timestamp") == LATEST_MS - 1
        for write in written(operation)
        if not write.is_delete
    }
    computing = [operation for operation in (*before, answered.operation) if operation.call in _COMPUTING]
    return not dated.isdisjoint(write.row for operation in computing for write in written(operation))


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
    "a filter seeks past the tombstone of a family": _seeks_past_a_tombstone,
    "a store without cells in the time range is not looked at": _skips_a_store,
    "a regular expression is not supported": _is_a_pattern_of_javas,
    "a cell is dated 2^63-1": _is_dated_last,
}
LASTING = {"a cell is dated 2^63-1"}
"""After these the stores hold different cells, so that the rest of the sequence says nothing."""


def explanation(before: Operations, answered: Answered, kind: Kind) -> str | None:
    """The name of the rule that covers a difference after some operations."""
    return next((name for name, explains in KNOWN.items() if explains(before, answered, kind)), None)
