"""Open scans: where each one stands, what it returns next, and which are still alive."""

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import closing, suppress
from copy import copy

from attrs import define, field
from Hbase_thrift import IllegalArgument, TCell, TRowResult, TScan

from ..filters.cells import Cell
from ..filters.filtered_rows import FilteredRows
from ..filters.language import parse_filter, parsed_bytes
from ..thrift1.errors import illegal_argument, io_error
from ..thrift1.idl import IOError
from .columns import Selection, select
from .engine import ABOVE_ALL_ROWS, Engine, Table, row_after
from .reads import newest_cells, ordered_parts, visible_versions
from .rules import check_row, last_read, table_name
from .sizes import VALUE_BYTES, results_bytes
from .table_calls import check_families, enabled_table
from .turns import Watch, let_others_in, turn_end_s

# HBase: the gateway drops a scanner that was not asked for two lease periods.
IDLE_S = 120

# HBase has no limit: the gateway runs out of memory. This many are 250,000 scanners without columns and filters. Beyond
# that the scanner that was used longest ago is closed, so that no client keeps others from opening one.
MAX_SCANNER_BYTES = 256 * 1024 * 1024
_SCANNER_BYTES = 1024

# A filter is shown no more rows than this between two turns with the engine.
_ROWS_AHEAD = 256


@define
class Scanner:
    """A scan between two calls: the rows from `low` (inclusive) to `high` (exclusive) are still to come.

    It holds no statement and no lock, only bounds: each turn with the engine seeks to them anew. A filter is shown the
    rows between the turns, so that other calls go on however long it takes.
    """

    table_name: bytes
    low: bytes
    high: bytes
    reverse: bool
    selection: Selection | None
    up_to: int
    batch: int
    in_order: bool
    filter_text: bytes | None
    caching: int
    """Rows that HBase's gateway asks a region for at a time, 0 for any number."""
    kept_bytes: int
    """About what it holds between two calls, without `left_over`."""
    left_over: list[TRowResult] = field(factory=list[TRowResult])
    """The parts of a row that were read and not asked for yet."""
    left_over_bytes: int = 0
    counted_bytes: int = 0
    """What it stands for in the memory of all scanners."""
    used_s: float = field(factory=time.monotonic)
    failed: Exception | None = None
    """What went wrong in a fetch, which may have passed rows that nobody got: the scan cannot go on."""
    _filtered: FilteredRows | None = None
    _region_end: bytes | None = None
    _in_reply: int = 0
    _ahead: int = 1
    _in_use: threading.Lock = field(factory=threading.Lock)

    def fetch(self, engine: Engine, count: int, watch: Watch) -> list[TRowResult]:
        """The next `count` results; fewer where the scan ends. HBase: what is wrong with a scan shows here first."""
        if not count:
            return []
        with self._in_use:
            if self.failed:
                raise copy(self.failed)
            with engine.lock:
                table = self._table(engine)
            if self.filter_text is not None and self._filtered is None:
                # Raises what is wrong with it, even if there is no row to read.
                self._new_filter(table, self.filter_text)
            try:
                return self._fetch(engine, count, watch)
            except Exception as error:
                self.failed = copy(error)  # without the traceback, which would keep all that was read
                self.left_over.clear()
                self.left_over_bytes = 0
                raise

    def _table(self, engine: Engine) -> Table:
        table = enabled_table(engine, self.table_name)
        if self.selection:
            check_families(table, self.selection.families)
        return table

    def _fetch(self, engine: Engine, count: int, watch: Watch) -> list[TRowResult]:
        results = self.left_over
        has_read = len(results) < count
        self._ahead = min(count, _ROWS_AHEAD)
        while len(results) < count and self.low < self.high:
            before = len(results)
            if self.filter_text is None:
                results += self._next_rows(engine, count - before)
            else:
                results += self._next_filtered(engine, self.filter_text, count - before)
            watch(results[before:])
            if len(results) < count and self.low < self.high:
                let_others_in()
        self.left_over = results[count:]
        if has_read or not self.left_over:  # otherwise a long rest would be counted at every fetch
            self.left_over_bytes = results_bytes(self.left_over)
        return results[:count]

    def _next_rows(self, engine: Engine, wanted: int) -> list[TRowResult]:
        """About `wanted` results, or fewer: the scan goes on to where its turn ends."""
        picks = self.selection and self.selection.picks
        clock_s, passed = time.monotonic, 0
        read: list[tuple[bytes, dict[bytes, TCell]]] = []
        with engine.lock:
            end_s = turn_end_s()
            table = self._table(engine)
            low, high = self.low, self.high
            has_tombstones = engine.has_tombstones(table)
            if has_tombstones:
                low, high = engine.near_tombstones(table, low, high, down=self.reverse)
            begin = high if self.reverse else low
            scan = engine.scan(table, low, high, down=self.reverse, up_to=self.up_to, newest=True)
            with closing(scan) as rows:
                for row, stored in rows:
                    if stored:
                        passed += 1
                        cells = newest_cells(table, filter(picks, stored) if picks else stored)
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
        if self.batch or self.in_order:
            return [part for row, cells in read for part in ordered_parts(row, cells, self.batch, self.in_order)]
        return [TRowResult(row, cells) for row, cells in read]

    def _next_filtered(self, engine: Engine, filter_text: bytes, wanted: int) -> list[TRowResult]:
        """Results of the region that comes next, from the rows that one turn has time for.

        HBase: each region starts with a fresh filter. A filter that lets nothing more through ends its region only, and
        the whole scan if the region's reply to the gateway is empty then: what comes back depends on the regions and on
        `caching`.
        """
        with engine.lock:
            table = self._table(engine)
            low, high = self._in_region(table)
            ahead, region_ends = self._rows_ahead(engine, table, low, high)
        region_end = low if self.reverse else high
        if self._filtered is None or self._region_end != region_end:
            self._filtered, self._in_reply = self._new_filter(table, filter_text), 0
        self._region_end, filtered = region_end, self._filtered
        results: list[TRowResult] = []
        judged = 0
        for row, stored, columns in ahead:
            self._pass_row(row)
            judged += 1
            if self.selection and not self.selection.touches(columns):
                continue
            cells = filtered.cells_of(row, visible_versions(table, self._picked(stored)), columns)
            if cells:
                parts = ordered_parts(row, newest_cells(table, cells), self.batch, self.in_order)
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

    def _rows_ahead(
        self, engine: Engine, table: Table, low: bytes, high: bytes
    ) -> tuple[list[tuple[bytes, Sequence[Cell], list[bytes]]], bool]:
        """The next rows of the range, at first no more than are wanted, and whether they are the last ones."""
        ahead: list[tuple[bytes, Sequence[Cell], list[bytes]]] = []
        end_s = turn_end_s()
        most, self._ahead = self._ahead, min(2 * self._ahead, _ROWS_AHEAD)
        with closing(engine.scan_marked(table, low, high, down=self.reverse, up_to=self.up_to)) as rows:
            for row in rows:
                ahead.append(row)
                if len(ahead) == most or time.monotonic() > end_s:
                    return ahead, False
        return ahead, True

    def _new_filter(self, table: Table, filter_text: bytes) -> FilteredRows:
        filter = parse_filter(filter_text)
        if self.batch and filter.has_row_filter():
            text = "Cannot set batch on a scan using a filter that returns true for filter.hasFilterRow"
            raise io_error("client.RetriesExhaustedException", f"filter.IncompatibleFilterException: {text}")
        families = self.selection.families if self.selection else dict.fromkeys(table.families)
        return FilteredRows(filter, reverse=self.reverse, families=families)

    def _picked(self, stored: Sequence[Cell]) -> Sequence[Cell]:
        return list(filter(self.selection.picks, stored)) if self.selection else stored

    def _in_region(self, table: Table) -> tuple[bytes, bytes]:
        """What is still to come of the region that comes next."""
        if self.reverse:
            return max([self.low, *(split for split in table.splits if split < self.high)]), self.high
        return self.low, min([self.high, *(split for split in table.splits if split > self.low)])

    def _pass_row(self, row: bytes) -> None:
        """Leaves what comes after `row` in the direction of the scan."""
        self._pass(row, row_after(row))

    def _pass(self, low: bytes, high: bytes) -> None:
        """Leaves what comes after this range in the direction of the scan."""
        if self.reverse:
            self.high = low
        else:
            self.low = high


class Scanners:
    """The open scanners of a service by their ids, small ints from 0; from any thread."""

    def __init__(self) -> None:
        self._scanners: OrderedDict[int, Scanner] = OrderedDict()  # the one used last comes last
        self._next_id = 0
        self._bytes = 0
        self._guard = threading.Lock()

    def open(self, name: bytes, scan: TScan) -> int:
        """Keeps a new scanner under the id returned, and drops those that idled."""
        scanner = _opened(name, scan)
        with self._guard:
            self._drop_idle()
            self._count(scanner)
            scanner_id = self._next_id
            self._next_id += 1
            self._scanners[scanner_id] = scanner
        return scanner_id

    def get(self, scanner_id: int) -> Scanner:
        """The scanner, if it did not idle; its time starts anew."""
        now_s = time.monotonic()
        with self._guard:
            scanner = self._scanners.get(scanner_id)
            if scanner is None or scanner.used_s <= now_s - IDLE_S:
                raise illegal_argument("scanner ID is invalid")
            scanner.used_s = now_s
            self._scanners.move_to_end(scanner_id)
        return scanner

    def remove(self, scanner_id: int) -> None:
        """Forgets a scanner. HBase: closing twice is an error."""
        scanner = self.get(scanner_id)
        with self._guard:
            if self._scanners.pop(scanner_id, None):
                self._bytes -= scanner.counted_bytes

    def recount(self, scanner_id: int) -> None:
        """Counts anew what a scanner keeps after a fetch; one that keeps too much is closed."""
        try:
            with self._guard:
                if scanner_id in self._scanners:  # or it was closed meanwhile
                    self._scanners.move_to_end(scanner_id)
                    self._count(self._scanners[scanner_id])
        except IOError:
            with suppress(IllegalArgument):
                self.remove(scanner_id)
            raise

    def _count(self, scanner: Scanner) -> None:
        """Counts what a scanner keeps; if that is too much for all, those that were used longest ago are closed."""
        counted_bytes = scanner.kept_bytes + scanner.left_over_bytes
        if counted_bytes > MAX_SCANNER_BYTES:
            text = f"a scanner must keep at most {MAX_SCANNER_BYTES} bytes (got {counted_bytes}): ask for less of a row"
            raise io_error("DoNotRetryIOException", text)
        self._bytes += counted_bytes - scanner.counted_bytes
        scanner.counted_bytes = counted_bytes
        while self._bytes > MAX_SCANNER_BYTES:
            self._drop_first()

    def _drop_idle(self) -> None:
        latest_s = time.monotonic() - IDLE_S
        while self._scanners and next(iter(self._scanners.values())).used_s <= latest_s:
            self._drop_first()

    def _drop_first(self) -> None:
        self._bytes -= self._scanners.popitem(last=False)[1].counted_bytes


def _opened(name: bytes, scan: TScan) -> Scanner:
    """HBase: opening looks at the arguments only; a missing table or family shows at the first fetch."""
    table_name(name)
    up_to = last_read(scan.timestamp)
    start, stop = scan.startRow or b"", scan.stopRow or b""
    for row in (start, stop):
        if row:
            check_row(row)
    filter_bytes = parsed_bytes(scan.filterString) if scan.filterString is not None else 0
    column_bytes = sum(VALUE_BYTES + len(column) for column in scan.columns or ())
    reverse = bool(scan.reversed)
    low, high = _row_bounds(start, stop, reverse)
    return Scanner(
        table_name=name,
        low=low,
        high=high,
        reverse=reverse,
        selection=select(scan.columns) if scan.columns else None,
        up_to=up_to,
        batch=max(scan.batchSize or 0, 0),
        in_order=bool(scan.sortColumns),
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
