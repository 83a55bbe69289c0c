"""A store of a few rows that can be a member of a set: HBase's cells, tombstones and compaction, for the explorer.

It knows the calls with which rows are written here. A test holds it against the embedded store.

A column keeps its newest put and its newest tombstone, as `Held`: no read returns an older put once a newer one is
there or was deleted, because a delete hides every put up to its timestamp. A scan reads all its rows at one moment and
ignores filters, so those that decide what a writer does must be asked again by the writer.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import attrs
import happybase
from Hbase_thrift import BatchMutation, Mutation, TCell, TRowResult, TScan

Key: TypeAlias = tuple[bytes, bytes, bytes]
"""Table, row and column."""
NEVER = -1
FAR_MS = 10**15
"""Longer than any tombstone is dated ahead."""


class Held(NamedTuple):
    """What a column holds."""

    put_ms: int
    value: bytes
    tombstone_ms: int

    @property
    def is_visible(self) -> bool:
        return self.put_ms > self.tombstone_ms


EMPTY = Held(NEVER, b"", NEVER)
Cells: TypeAlias = Mapping[Key, Held]
Row: TypeAlias = tuple[bytes, tuple[tuple[bytes, bytes, int], ...]]
"""A row that was read, and its cells: column, value and timestamp."""


# ---- calls


@attrs.frozen
class Get:
    """Reads rows, each in a step of its own."""

    table: bytes
    rows: tuple[bytes, ...]
    columns: frozenset[bytes] | None


@attrs.frozen
class Scan:
    """Reads a range of rows, all in one step."""

    table: bytes
    start: bytes
    stop: bytes
    columns: frozenset[bytes] | None
    is_reverse: bool

    rows = (b"",)


@attrs.frozen
class Change:
    """Puts and deletes cells, each row in a step of its own. A value of None deletes all puts up to the timestamp."""

    table: bytes
    rows: tuple[bytes, ...]
    changes: tuple[tuple[tuple[bytes, bytes | None], ...], ...]
    time_ms: int | None


@attrs.frozen
class CheckAndPut:
    """Puts a cell if it has the expected value; None if it must be missing."""

    table: bytes
    rows: tuple[bytes]
    column: bytes
    expected: bytes | None
    value: bytes


Call: TypeAlias = Get | Scan | Change | CheckAndPut


def touched(call: Call) -> set[tuple[str, bytes, bytes | None]]:
    """Whether a call reads or changes: the table, and each row; None for a range of rows."""
    rows = (None,) if isinstance(call, Scan) else call.rows
    kinds = ("change",) if isinstance(call, Change) else ("read",)
    kinds = ("read", "change") if isinstance(call, CheckAndPut) else kinds
    return {(kind, call.table, row) for kind in kinds for row in rows}


def answered(cells: Cells, call: Call, step: int, now_ms: int) -> tuple[Cells, Any]:
    """The cells after one step of a call, and what the step answers. Steps are those of its rows."""
    match call:
        case Get(table, rows, columns):
            return cells, _row(cells, table, rows[step], columns)
        case Scan():
            return cells, _scanned(cells, call)
        case Change(table, rows, changes, time_ms):
            changed = dict(cells)
            for column, value in changes[step]:
                key = (table, rows[step], column)
                changed[key] = _changed(cells.get(key, EMPTY), now_ms if time_ms is None else time_ms, value)
            return changed, None
        case CheckAndPut(table, (row,), column, expected, value):
            held = cells.get((table, row, column), EMPTY)
            if (held.value if held.is_visible else None) != expected:
                return cells, False
            time_ms = now_ms if expected is None else max(now_ms, held.put_ms)  # HBase: never below the one it replaces
            return {**cells, (table, row, column): _changed(held, time_ms, value)}, True


def _changed(held: Held, time_ms: int, value: bytes | None) -> Held:
    if value is None:
        return held._replace(tombstone_ms=max(held.tombstone_ms, time_ms))
    return held if time_ms < held.put_ms else held._replace(put_ms=time_ms, value=value)


def _row(cells: Cells, table: bytes, row: bytes, columns: frozenset[bytes] | None) -> Row | None:
    found = [
        (key[2], held.value, held.put_ms)
        for key, held in cells.items()
        if key[1] == row and key[0] == table and held.is_visible and (columns is None or _selects(columns, key[2]))
    ]
    return (row, tuple(sorted(found))) if found else None


def _selects(columns: frozenset[bytes], column: bytes) -> bool:
    return column in columns or column.partition(b":")[0] in columns


def _scanned(cells: Cells, scan: Scan) -> tuple[Row, ...]:
    rows = {key[1] for key in cells if key[0] == scan.table}
    if scan.start and scan.start == scan.stop:  # HBase reads this row
        rows &= {scan.start}
    elif scan.is_reverse:
        rows = {row for row in rows if (not scan.start or row <= scan.start) and row > scan.stop}
    else:
        rows = {row for row in rows if row >= scan.start and (not scan.stop or row < scan.stop)}
    ordered = sorted(rows, reverse=scan.is_reverse)
    found = [row for name in ordered if (row := _row(cells, scan.table, name, scan.columns)) is not None]
    return tuple(found)


def compacted(cells: Cells, keep_tombstones_ms: int, now_ms: int) -> Cells:
    """The cells after a major compaction of all tables, which keep their tombstones for so long."""
    oldest_ms = now_ms - keep_tombstones_ms if keep_tombstones_ms else now_ms + FAR_MS
    return {key: left for key, held in cells.items() if (left := _compacted(held, oldest_ms)) != EMPTY}


def _compacted(held: Held, oldest_ms: int) -> Held:
    put = (held.put_ms, held.value) if held.is_visible else (NEVER, b"")
    return Held(*put, held.tombstone_ms if held.tombstone_ms >= oldest_ms else NEVER)


# ---- a happybase connection

Perform: TypeAlias = Callable[[Call], Any]
"""Makes a call; returns the list of what its steps answer."""


class SmallConnection(happybase.Connection):
    """A happybase connection whose calls somebody else makes."""

    def __init__(self, perform: Perform) -> None:
        self._perform = perform
        super().__init__(autoconnect=False)

    def _refresh_thrift_client(self) -> None:
        self.client = SmallClient(self._perform)

    def close(self) -> None:
        pass


class SmallClient:
    """The calls of Thrift1 that the writing code makes."""

    def __init__(self, perform: Perform) -> None:
        self._perform = perform
        self._scans: dict[int, list[TRowResult]] = {}

    def getTableNames(self) -> list[bytes]:  # noqa: N802
        return []  # so that no table has a layout to compare, which would cost a read that nobody changes

    def getRowWithColumns(self, table: bytes, row: bytes, columns: Any, _attributes: Any) -> list[TRowResult]:  # noqa: N802
        return self._get(table, [row], columns)

    def getRowsWithColumns(self, table: bytes, rows: Any, columns: Any, _attributes: Any) -> list[TRowResult]:  # noqa: N802
        return self._get(table, rows, columns)

    def _get(self, table: bytes, rows: Iterable[bytes], columns: Iterable[bytes] | None) -> list[TRowResult]:
        return _results(self._perform(Get(table, tuple(rows), _names(columns))))

    def scannerOpenWithScan(self, table: bytes, scan: TScan, _attributes: Any) -> int:  # noqa: N802
        call = Scan(table, scan.startRow or b"", scan.stopRow or b"", _names(scan.columns), bool(scan.reversed))
        (rows,) = self._perform(call)
        self._scans[len(self._scans)] = _results(rows)
        return len(self._scans) - 1

    def scannerGetList(self, scanner: int, count: int) -> list[TRowResult]:  # noqa: N802
        rows = self._scans[scanner]
        self._scans[scanner] = rows[count:]
        return rows[:count]

    def scannerClose(self, _scanner: int) -> None:  # noqa: N802
        pass

    def mutateRows(self, table: bytes, batches: list[BatchMutation], _attributes: Any) -> None:  # noqa: N802
        self._change(table, batches, None)

    def mutateRowsTs(self, table: bytes, batches: list[BatchMutation], time_ms: int, _attributes: Any) -> None:  # noqa: N802
        self._change(table, batches, time_ms)

    def _change(self, table: bytes, batches: list[BatchMutation], time_ms: int | None) -> None:
        changes = tuple(tuple(map(_change, batch.mutations)) for batch in batches)
        self._perform(Change(table, tuple(batch.row for batch in batches), changes, time_ms))

    def checkAndPut(  # noqa: N802
        self, table: bytes, row: bytes, column: bytes, expected: bytes | None, put: Mutation, _attributes: Any
    ) -> bool:
        (is_stored,) = self._perform(CheckAndPut(table, (row,), column, expected, put.value))
        return bool(is_stored)


def _change(mutation: Mutation) -> tuple[bytes, bytes | None]:
    column = mutation.column if isinstance(mutation.column, bytes) else mutation.column.encode()
    if b":" not in column:
        raise NotImplementedError("deletes of families")
    return column, None if mutation.isDelete else mutation.value


def _names(columns: Iterable[bytes | str] | None) -> frozenset[bytes] | None:
    names = [column if isinstance(column, bytes) else column.encode() for column in columns or ()]
    return frozenset(names) or None


def _results(rows: Iterable[Row | None]) -> list[TRowResult]:
    return [
        TRowResult(row=row[0], columns={column: TCell(value=value, timestamp=ms) for column, value, ms in row[1]})
        for row in rows
        if row is not None
    ]


class SmallStore:
    """A store that makes each call at once, for what comes before and after an exploration."""

    def __init__(self, cells: Cells, now_ms: int) -> None:
        self.cells = cells
        self.now_ms = now_ms
        self.connection = SmallConnection(self.perform)

    def perform(self, call: Call) -> list[Any]:
        answers: list[Any] = []
        for step in range(len(call.rows)):
            self.cells, answer = answered(self.cells, call, step, self.now_ms)
            answers.append(answer)
        return answers
