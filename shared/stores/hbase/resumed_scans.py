"""Scans that outlive their scanners: a new scanner replaces a lost one, after the last row that arrived.

A fetch is never sent twice, because it may have moved the scanner on. Instead a new scanner opens:

    forward     at the key right after the last row
    reversed    at the last row, which is dropped from the results if it is still stored

Not every scan can continue like that: see `_why_not_resumable`. A scan that has returned nothing yet starts again.

A fetch that returns fewer rows than it asked for has reached the end of the scan: its scanner is closed at once, and
the next fetch is answered without a call.
"""

import threading
from contextlib import AbstractContextManager
from itertools import count
from typing import Any

from attrs import define, field
from Hbase_thrift import IllegalArgument

from ...events import report
from ...keys.ranges import next_row
from ..outcomes.connection_errors import DeadlineExceeded, ScanBroken
from ..outcomes.deadlines import has_passed
from .calls import Call, description, table_of
from .helper_threads import Helpers
from .pool import Pool
from .retries import AttemptFailed
from .scan_sockets import GatewayScanner, ScanSockets
from .stateful_filters import keeps_state

# HBase: the gateway's error for a scanner that was not used for two minutes.
_INVALID_SCANNER = b"scanner ID is invalid"


@define(eq=False)
class _ResumedScan:
    """A scan as its caller knows it, and the scanner that it uses now."""

    call: Call
    opening: Any
    scanner: GatewayScanner | None
    last: bytes | None = None
    """The last row that arrived."""
    may_repeat: bool = False
    """Whether the scanner starts at the last row, so that its first result may repeat it."""
    ended: bool = False
    broken: ScanBroken | DeadlineExceeded | None = None
    lock: AbstractContextManager[bool] = field(factory=threading.RLock)


class ResumedScans:
    """The open scans of a connection, by ids that are its own."""

    def __init__(self, pool: Pool, helpers: Helpers | None) -> None:
        self._url = pool.url
        self._sockets = ScanSockets(pool, helpers)
        self._scans: dict[int, _ResumedScan] = {}
        self._ids = count()

    def open(self, call: Call, message: Any) -> int:
        """Opens a scan and returns its id. Raises AttemptFailed, after which it may be called again."""
        scan = _ResumedScan(call, _copy(message), self._sockets.open(call, message))
        scan_id = next(self._ids)
        self._scans[scan_id] = scan
        return scan_id

    def fetch(self, call: Call, message: Any) -> Any:
        """The next rows: TRowResults, or `CellArrays` of them.

        Raises AttemptFailed, after which it may be called again, or ScanBroken, which is final.
        """
        scan = self._scans.get(message.id)
        if scan is None:
            raise IllegalArgument(_INVALID_SCANNER)
        with scan.lock:
            if scan.broken:
                raise scan.broken
            rows = self._next_rows(scan, call, message)
            while rows and scan.may_repeat:
                scan.may_repeat = False
                if _row_at(rows, 0) == scan.last:
                    rows = _without_first(rows) or self._next_rows(scan, call, message)
            if rows:
                scan.last = _row_at(rows, -1)
            return rows

    def close(self, call: Call, message: Any) -> None:
        """Ends a scan and closes its scanner, if it still has one."""
        scan = self._scans.pop(message.id, None)
        if scan is None:
            raise IllegalArgument(_INVALID_SCANNER)
        with scan.lock:
            scan.ended = True
            if scan.scanner is not None:
                self._sockets.close(scan.scanner)

    def _next_rows(self, scan: _ResumedScan, call: Call, message: Any) -> Any:
        while not scan.ended:
            is_new = scan.scanner is None
            scanner = scan.scanner or self._reopen(scan)
            if scanner is None:
                break
            try:
                rows: Any = self._sockets.ask(scanner, call, _with_scanner_id(scanner, call, message))
                if len(rows) < _rows_asked_for(message):
                    scan.ended, scan.scanner = True, None
                    self._sockets.close(scanner)
                return rows
            except AttemptFailed as failure:
                self._drop_scanner(scan, scanner, failure.reason, failure.__cause__)
                if failure.sent or is_new:
                    raise
            except IllegalArgument as error:
                if _INVALID_SCANNER not in (error.message or b""):
                    raise
                reason = "the gateway dropped its scanner, which was idle"
                self._drop_scanner(scan, scanner, reason, error)
                raise AttemptFailed(reason, sent=True) from error
        return []

    def _drop_scanner(
        self, scan: _ResumedScan, scanner: GatewayScanner, reason: str, cause: BaseException | None
    ) -> None:
        """Drops a scanner that failed. Raises ScanBroken if no new one can replace it.

        After the deadline, it raises DeadlineExceeded.
        """
        scan.scanner = None
        self._sockets.close(scanner)
        if why := _why_not_resumable(scan):
            what = description(scan.call, scan.opening)
            kind = DeadlineExceeded if has_passed() else ScanBroken
            scan.broken = kind(f"{self._url}: {what}: ended after row {scan.last!r:.100}: {reason}; {why}")
            raise scan.broken from cause
        report("lost_scanner", call=scan.call.name, table=table_of(scan.opening) or "", reason=reason)

    def _reopen(self, scan: _ResumedScan) -> GatewayScanner | None:
        """Opens a scanner for the rest of the scan; None if nothing is left to read."""
        message = _copy(scan.opening)
        if scan.last is not None:
            start = _next_start(message.scan, scan.last)
            if start is None:
                scan.ended = True
                return None
            message.scan.startRow = start
        scan.scanner = self._sockets.open(scan.call, message)
        scan.may_repeat = scan.last is not None and bool(message.scan.reversed)
        return scan.scanner


def _row_at(rows: Any, place: int) -> bytes:
    """The key of the first or the last row of a fetch."""
    key: bytes = rows.rows[place] if hasattr(rows, "without_first") else rows[place].row
    return key


def _without_first(rows: Any) -> Any:
    return rows.without_first() if hasattr(rows, "without_first") else rows[1:]


def _why_not_resumable(scan: _ResumedScan) -> str | None:
    """Why a new scanner could not continue after the last row; None if it can."""
    if scan.last is None:
        return None
    request = getattr(scan.opening, "scan", None)
    if request is None:
        return f"a new scanner cannot continue there, because {scan.call.name} opened it, not scannerOpenWithScan"
    if request.batchSize and request.batchSize > 0:
        return "a new scanner cannot continue there, because scan_batching may have split that row"
    if request.filterString is not None and keeps_state(request.filterString):
        return "a new scanner cannot continue there, because its filter depends on earlier rows"
    return None


def _next_start(request: Any, last: bytes) -> bytes | None:
    """The start row of a new scanner after the last row; None at the end of the scan.

    It must not be the stop row: HBase 2.6.1 would return that row.
    """
    stop = _encoded(request.stopRow or b"")
    if request.reversed:
        return last if last > stop or not stop else None
    start = next_row(last)
    return start if start is not None and (start < stop or not stop) else None


def _copy(message: Any) -> Any:
    """A copy of the arguments that opened a scan, because the caller may change its TScan."""
    copied = type(message)(**vars(message))
    if hasattr(copied, "scan"):
        copied.scan = type(copied.scan)(**vars(copied.scan))
    return copied


def _with_scanner_id(scanner: GatewayScanner, call: Call, message: Any) -> Any:
    """The arguments of a fetch, with the scanner's id in place of the scan's."""
    return call.arguments(**{**vars(message), "id": scanner.id})


def _rows_asked_for(fetch: Any) -> int:
    """The number of rows that a fetch asks for: `scannerGet` asks for one."""
    wanted: int | None = getattr(fetch, "nbRows", 1)
    return wanted or 0


def _encoded(value: bytes | str) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)
