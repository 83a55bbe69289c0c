"""Open scanners: the position of each, its next results, and when it expires."""

import threading
import time
from collections import OrderedDict
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, suppress
from copy import copy

from attrs import define, field
from Hbase_thrift import IllegalArgument, TCell, TRowResult, TScan

from ...keys.limits import LATEST_MS
from ..filters.cells import Cell, family_of
from ..filters.filtered_rows import FilteredRows
from ..filters.language import parse_filter, parsed_bytes
from ..thrift1.errors import illegal_argument, io_error
from ..thrift1.idl import IOError
from .columns import Selection, select_columns
from .engine import Engine
from .reads import newest_cells, ordered_parts, visible_versions
from .rules import check_row, last_read, table_name
from .sizes import VALUE_OBJECT_BYTES, results_bytes
from .stored_rows import ABOVE_ALL_ROWS, column_range, row_after, versions
from .stored_tables import StoredTable
from .table_calls import check_families, enabled_table
from .turns import Watch, let_others_in, turn_end_s

# HBase: the gateway drops a scanner that was not used for two lease periods.
SCANNER_IDLE_S = 120

# HBase has no limit: the gateway runs out of memory. This is enough for 250,000 scanners without columns and filters.
# Beyond that the least recently used scanner is closed, so that one client cannot keep others from opening theirs.
MAX_SCANNER_BYTES = 256 * 1024 * 1024
_SCANNER_BYTES = 1024

# The most rows that are passed to a filter between two turns with the engine.
_ROWS_AHEAD = 256


@define
class Scanner:
    """A scan between two calls: it has yet to read the rows from `low` (inclusive) to `high` (exclusive).

    It holds no statement and no lock, only these bounds: each turn with the engine seeks to them again. A filter gets
    the rows between the turns, so that a slow filter does not block other calls. Only a streaming filter, which is
    fast, gets the cells within the turn, while they are read: so cells that it does not need are not read.
    """

    table_name: bytes
    low: bytes
    high: bytes
    reverse: bool
    selection: Selection | None
    up_to: int
    batch: int
    sorts_columns: bool
    filter_text: bytes | None
    caching: int
    """How many rows HBase's gateway requests from a region at a time; 0 is no limit."""
    kept_bytes: int
    """About how much memory it needs between two calls, without `pending_parts`."""
    pending_parts: list[TRowResult] = field(factory=list[TRowResult])
    """Parts of a row that were read but not fetched yet."""
    pending_bytes: int = 0
    counted_bytes: int = 0
    """The bytes counted for it in the memory of all scanners."""
    used_s: float = field(factory=time.monotonic)
    error: Exception | None = None
    """The error of a failed fetch, which may have lost rows: the scan cannot continue."""
    _filtered: FilteredRows | None = None
    _region_end: bytes | None = None
    _in_reply: int = 0
    _rows_to_read: int = 1
    _in_use: threading.Lock = field(factory=threading.Lock)

    def fetch(self, engine: Engine, count: int, watch: Watch) -> list[TRowResult]:
        """The next `count` results; fewer at the end of the scan. HBase: this raises a scan's errors, not `open`."""
        if not count:
            return []
        with self._in_use:
            if self.error:
                raise copy(self.error)
            with engine.lock:
                table = self._table(engine)
            if self.filter_text is not None and self._filtered is None:
                # Raises for an invalid filter, even if there is no row to read.
                self._filtered = self._new_filter(table, self.filter_text)
            try:
                return self._fetch(engine, count, watch)
            except Exception as error:
                self.error = copy(error)  # without the traceback, which would keep everything that was read in memory
                self.pending_parts.clear()
                self.pending_bytes = 0
                raise

    def _table(self, engine: Engine) -> StoredTable:
        table = enabled_table(engine, self.table_name)
        if self.selection:
            check_families(table, self.selection.families)
        return table

    def _fetch(self, engine: Engine, count: int, watch: Watch) -> list[TRowResult]:
        results = self.pending_parts
        has_read = len(results) < count
        self._rows_to_read = min(count, _ROWS_AHEAD)
        while len(results) < count and self.low < self.high:
            before = len(results)
            if self.filter_text is None or (self._filtered and self._filtered.first_column is not None):
                results += self._next_rows(engine, count - before)
            else:
                results += self._next_filtered(engine, self.filter_text, count - before)
            watch(results[before:])
            if len(results) < count and self.low < self.high:
                let_others_in()
        self.pending_parts = results[count:]
        if has_read or not self.pending_parts:  # otherwise every fetch would count a long list again
            self.pending_bytes = results_bytes(self.pending_parts)
        return results[:count]

    def _next_rows(self, engine: Engine, wanted: int) -> list[TRowResult]:
        """About `wanted` results, or fewer if the turn ends first; without a filter or with a streaming one."""
        choose, filtered = self.selection and self.selection.chosen, self._filtered
        clock_s, passed = time.monotonic, 0
        read: list[tuple[bytes, dict[bytes, TCell]]] = []
        with engine.lock:
            end_s = turn_end_s()
            table = self._table(engine)
            low, high = self.low, self.high
            has_tombstones = engine.has_tombstones(table)
            if has_tombstones:
                low, high = engine.range_of_turn(table, low, high, down=self.reverse)
            begin = high if self.reverse else low
            with closing(self._rows(engine, table, low, high)) as rows:
                for row, stored in rows:
                    if stored or filtered:
                        passed += 1
                        if filtered:
                            chosen: Iterable[Cell] = filtered.cells_of(row, self._visible(table, stored))
                        else:
                            chosen = choose(stored) if choose else stored
                        cells = newest_cells(table, chosen)
                        if cells:
                            read.append((row, cells))
                            wanted -= -(-len(cells) // self.batch) if self.batch else 1  # the parts, rounded up
                    if wanted <= 0 or clock_s() > end_s:
                        self._pass_row(row)
                        break
                else:
                    self._pass(low, high)
            engine.rows_read += passed
            if has_tombstones:
                engine.count_deleted(table, *((self.high, begin) if self.reverse else (begin, self.low)))
        if self.batch or self.sorts_columns:
            return [part for row, cells in read for part in ordered_parts(row, cells, self.batch, self.sorts_columns)]
        return [TRowResult(row, cells) for row, cells in read]

    def _rows(
        self, engine: Engine, table: StoredTable, low: bytes, high: bytes
    ) -> Generator[tuple[bytes, Iterable[Cell]], None, None]:
        """The rows of a range; wide rows come without the cells that the scan does not select or its filter skips."""
        columns = None
        if self._filtered and self._filtered.first_column is not None:
            first = self._filtered.first_column
            columns = [(first, column_range(family_of(first))[1])]
        elif self.selection and self.up_to == LATEST_MS:  # otherwise such a row might have no version in time
            columns = sorted(self.selection.ranges)
        newest, down, up_to = not self._filtered, self.reverse, self.up_to
        if columns is None:
            return engine.scan(table, low, high, down=down, up_to=up_to, newest=newest)
        return engine.scan_columns(table, low, high, columns, down=down, up_to=up_to, newest=newest)

    def _next_filtered(self, engine: Engine, filter_text: bytes, wanted: int) -> list[TRowResult]:
        """Results of the next region, from as many rows as fit in one turn.

        HBase: each region starts with a fresh filter. A filter that is done ends its region only, or the whole scan if
        the region's reply to the gateway is then empty: so the results depend on the regions and on `caching`.
        """
        with engine.lock:
            table = self._table(engine)
            low, high = self._in_region(table)
            rows, region_ends = self._read_rows(engine, table, low, high)
        region_end = low if self.reverse else high
        if self._filtered is None or self._region_end != region_end:
            self._filtered, self._in_reply = self._new_filter(table, filter_text), 0
        self._region_end, filtered = region_end, self._filtered
        results: list[TRowResult] = []
        judged = 0
        for row, stored, columns in rows:
            self._pass_row(row)
            judged += 1
            if self.selection and not self.selection.covers_any(columns):
                continue
            cells = filtered.cells_of(row, visible_versions(table, self._selected(stored)), columns)
            if cells:
                parts = ordered_parts(row, newest_cells(table, cells), self.batch, self.sorts_columns)
                results += parts
                self._in_reply += len(parts)
            if filtered.done:
                region_ends = True
                break
            if self.caching and self._in_reply >= self.caching:
                self._in_reply = 0
            if len(results) >= wanted:
                region_ends = False
                break
        if region_ends:
            if filtered.ends_scan and not self._in_reply:
                low, high = self.low, self.high
            self._pass(low, high)
        with engine.lock:
            engine.rows_read += judged
        return results

    def _read_rows(
        self, engine: Engine, table: StoredTable, low: bytes, high: bytes
    ) -> tuple[list[tuple[bytes, Sequence[Cell], list[bytes]]], bool]:
        """The next rows of the range, with their cells and columns, and whether they are the last ones.

        The first turn of a fetch reads no more rows than the client wants; each further turn reads twice as many.
        """
        read: list[tuple[bytes, Sequence[Cell], list[bytes]]] = []
        end_s = turn_end_s()
        most, self._rows_to_read = self._rows_to_read, min(2 * self._rows_to_read, _ROWS_AHEAD)
        with closing(engine.scan_with_tombstones(table, low, high, down=self.reverse, up_to=self.up_to)) as rows:
            for row in rows:
                read.append(row)
                if len(read) == most or time.monotonic() > end_s:
                    return read, False
        return read, True

    def _new_filter(self, table: StoredTable, filter_text: bytes) -> FilteredRows:
        filter = parse_filter(filter_text)
        if self.batch and filter.has_row_filter():
            text = "Cannot set batch on a scan using a filter that returns true for filter.hasFilterRow"
            raise io_error("client.RetriesExhaustedException", f"filter.IncompatibleFilterException: {text}")
        families = self.selection.families if self.selection else dict.fromkeys(table.families)
        return FilteredRows(filter, reverse=self.reverse, families=families)

    def _visible(self, table: StoredTable, stored: Iterable[Cell]) -> Iterable[Cell]:
        """The cells of one row that a streaming filter sees; those of a wide row are read when it gets to them."""
        if isinstance(stored, Sequence):
            return visible_versions(table, self._selected(stored))
        return (cell for kept in versions(table, stored) for cell in kept)

    def _selected(self, stored: Sequence[Cell]) -> Sequence[Cell]:
        return list(self.selection.chosen(stored)) if self.selection else stored

    def _in_region(self, table: StoredTable) -> tuple[bytes, bytes]:
        """The range still to read in the next region."""
        if self.reverse:
            return max([self.low, *(split for split in table.splits if split < self.high)]), self.high
        return self.low, min([self.high, *(split for split in table.splits if split > self.low)])

    def _pass_row(self, row: bytes) -> None:
        """Moves the scan past a row, in its direction."""
        self._pass(row, row_after(row))

    def _pass(self, low: bytes, high: bytes) -> None:
        """Moves the scan past a range, in its direction."""
        if self.reverse:
            self.high = low
        else:
            self.low = high


class Scanners:
    """The open scanners of a service by their ids, small ints from 0; from any thread."""

    def __init__(self) -> None:
        self._scanners: OrderedDict[int, Scanner] = OrderedDict()  # the most recently used one last
        self._next_id = 0
        self._bytes = 0
        self._guard = threading.Lock()

    def open(self, name: bytes, scan: TScan) -> int:
        """Opens a scanner and returns its id; drops idle ones."""
        scanner = _new_scanner(name, scan)
        with self._guard:
            self._drop_idle()
            self._count(scanner)
            scanner_id = self._next_id
            self._next_id += 1
            self._scanners[scanner_id] = scanner
        return scanner_id

    def get(self, scanner_id: int) -> Scanner:
        """The scanner, unless it was idle for too long; restarts its idle time."""
        now_s = time.monotonic()
        with self._guard:
            scanner = self._scanners.get(scanner_id)
            if scanner is None or scanner.used_s <= now_s - SCANNER_IDLE_S:
                raise illegal_argument("scanner ID is invalid")
            scanner.used_s = now_s
            self._scanners.move_to_end(scanner_id)
        return scanner

    def remove(self, scanner_id: int) -> None:
        """Closes a scanner. HBase: closing twice is an error."""
        scanner = self.get(scanner_id)
        with self._guard:
            if self._scanners.pop(scanner_id, None):
                self._bytes -= scanner.counted_bytes

    def recount(self, scanner_id: int) -> None:
        """Updates the memory counted for a scanner after a fetch; closes it if it needs too much."""
        try:
            with self._guard:
                if scanner_id in self._scanners:  # it may have been closed during the fetch
                    self._scanners.move_to_end(scanner_id)
                    self._count(self._scanners[scanner_id])
        except IOError:
            with suppress(IllegalArgument):
                self.remove(scanner_id)
            raise

    def _count(self, scanner: Scanner) -> None:
        """Counts a scanner's memory; closes the least recently used scanners if all together need too much."""
        counted_bytes = scanner.kept_bytes + scanner.pending_bytes
        if counted_bytes > MAX_SCANNER_BYTES:
            text = f"a scanner must keep at most {MAX_SCANNER_BYTES} bytes (got {counted_bytes}): ask for less of a row"
            raise io_error("DoNotRetryIOException", text)
        self._bytes += counted_bytes - scanner.counted_bytes
        scanner.counted_bytes = counted_bytes
        while self._bytes > MAX_SCANNER_BYTES:
            self._drop_first()

    def _drop_idle(self) -> None:
        latest_s = time.monotonic() - SCANNER_IDLE_S
        while self._scanners and next(iter(self._scanners.values())).used_s <= latest_s:
            self._drop_first()

    def _drop_first(self) -> None:
        self._bytes -= self._scanners.popitem(last=False)[1].counted_bytes


def _new_scanner(name: bytes, scan: TScan) -> Scanner:
    """A scanner for a scan. HBase: opening checks the arguments only; the first fetch checks table and families."""
    table_name(name)
    up_to = last_read(scan.timestamp)
    start, stop = scan.startRow or b"", scan.stopRow or b""
    for row in (start, stop):
        if row:
            check_row(row)
    filter_bytes = parsed_bytes(scan.filterString) if scan.filterString is not None else 0
    column_bytes = sum(VALUE_OBJECT_BYTES + len(column) for column in scan.columns or ())
    reverse = bool(scan.reversed)
    low, high = _row_bounds(start, stop, reverse)
    return Scanner(
        table_name=name,
        low=low,
        high=high,
        reverse=reverse,
        selection=select_columns(scan.columns) if scan.columns else None,
        up_to=up_to,
        batch=max(scan.batchSize or 0, 0),
        sorts_columns=bool(scan.sortColumns),
        filter_text=scan.filterString,
        caching=max(scan.caching or 0, 0),
        kept_bytes=_SCANNER_BYTES + len(start) + len(stop) + filter_bytes + column_bytes,
    )


def _row_bounds(start: bytes, stop: bytes, reverse: bool) -> tuple[bytes, bytes]:
    """The half-open range that a scan reads. HBase: start is inclusive and stop exclusive in both directions."""
    if start and start == stop:
        return start, row_after(start)  # HBase 2.6.1 answers like a get; later versions with nothing
    if reverse:
        return row_after(stop) if stop else b"", row_after(start) if start else ABOVE_ALL_ROWS
    return start, stop or ABOVE_ALL_ROWS
