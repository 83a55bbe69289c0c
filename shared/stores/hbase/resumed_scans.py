"""Scans that outlive their scanners: one that is lost is replaced by another behind the last row that arrived.

A fetch is never sent twice, since it may have moved the scanner on. Instead a new scanner opens:

    forward     at the very next key above the last row
    reversed    at the last row, which is dropped if it still is there

Not every scan can go on like that: see `_why_stuck`. One that has returned nothing yet just starts anew.
"""

import threading
from contextlib import AbstractContextManager
from itertools import count
from typing import Any

from attrs import define, field
from Hbase_thrift import IllegalArgument

from ...keys import next_row
from ..filters.combined import Combined, Skip, While
from ..filters.filters import ColumnCountGetFilter, Filter, InclusiveStopFilter, PageFilter
from ..filters.language import parse_filter
from ..thrift1.errors import UncheckedError
from .calls import Call, described
from .outcomes import Lost, ScanBroken
from .scan_sockets import Scanner, ScanSockets
from .sockets import Pool

# HBase: how a gateway refuses a scanner that nobody asked for two minutes.
_GONE = b"scanner ID is invalid"

_REMEMBERING = (PageFilter, While, InclusiveStopFilter, ColumnCountGetFilter)


@define(eq=False)
class _Scan:
    """A scan as its caller knows it, and the scanner that it has now."""

    call: Call
    opening: Any
    scanner: Scanner | None
    last: bytes | None = None
    """The last row that arrived."""
    may_repeat: bool = False
    """The scanner starts at the last row."""
    ended: bool = False
    broken: ScanBroken | None = None
    lock: AbstractContextManager[bool] = field(factory=threading.RLock)


class Scans:
    """The open scans of a connection, under ids of its own."""

    def __init__(self, pool: Pool) -> None:
        self._url = pool.url
        self._sockets = ScanSockets(pool)
        self._scans: dict[int, _Scan] = {}
        self._ids = count()

    def open(self, call: Call, message: Any) -> int:
        """Opens a scan and returns its id. Raises Lost, after which it may be called again."""
        scan = _Scan(call, _copied(message), self._sockets.open(call, message))
        scan_id = next(self._ids)
        self._scans[scan_id] = scan
        return scan_id

    def fetch(self, call: Call, message: Any) -> list[Any]:
        """The next rows. Raises Lost, after which it may be called again, and ScanBroken for good."""
        scan = self._scans.get(message.id)
        if scan is None:
            raise IllegalArgument(_GONE)
        with scan.lock:
            if scan.broken:
                raise scan.broken
            rows = self._fetched(scan, call, message)
            while rows and scan.may_repeat:
                scan.may_repeat = False
                if rows[0].row == scan.last:
                    rows = rows[1:] or self._fetched(scan, call, message)
            if rows:
                scan.last = rows[-1].row
            return rows

    def close(self, call: Call, message: Any) -> None:
        """Forgets a scan and closes its scanner, if it still has one."""
        scan = self._scans.pop(message.id, None)
        if scan is None:
            raise IllegalArgument(_GONE)
        with scan.lock:
            scan.ended = True
            if scan.scanner is not None:
                self._sockets.close(scan.scanner)

    def _fetched(self, scan: _Scan, call: Call, message: Any) -> list[Any]:
        while not scan.ended:
            is_new = scan.scanner is None
            scanner = scan.scanner or self._reopened(scan)
            if scanner is None:
                break
            try:
                rows: list[Any] = self._sockets.ask(scanner, call, _about(scanner, call, message))
                return rows
            except Lost as lost:
                self._lose(scan, scanner, lost.reason, lost.__cause__)
                if lost.sent or is_new:
                    raise
            except IllegalArgument as error:
                if _GONE not in (error.message or b""):
                    raise
                reason = "the gateway dropped its scanner, which was idle"
                self._lose(scan, scanner, reason, error)
                raise Lost(reason, sent=True) from error
        return []

    def _lose(self, scan: _Scan, scanner: Scanner, reason: str, cause: BaseException | None) -> None:
        """Leaves a scanner that failed. Raises ScanBroken if no other can take its place."""
        scan.scanner = None
        self._sockets.close(scanner)
        if why := _why_stuck(scan):
            what = described(scan.call, scan.opening)
            scan.broken = ScanBroken(f"{self._url}: {what}: ended after row {scan.last!r:.100}: {reason}; {why}")
            raise scan.broken from cause

    def _reopened(self, scan: _Scan) -> Scanner | None:
        """Opens a scanner for what is left; None where nothing is."""
        message = _copied(scan.opening)
        if scan.last is not None:
            start = _next_start(message.scan, scan.last)
            if start is None:
                scan.ended = True
                return None
            message.scan.startRow = start
        scan.scanner = self._sockets.open(scan.call, message)
        scan.may_repeat = scan.last is not None and bool(message.scan.reversed)
        return scan.scanner


def _why_stuck(scan: _Scan) -> str | None:
    """Why another scanner could not go on after the last row; None if it can."""
    if scan.last is None:
        return None
    asked = getattr(scan.opening, "scan", None)
    if asked is None:
        return f"another cannot go on there, as {scan.call.name} opened it and not scannerOpenWithScan"
    if asked.batchSize and asked.batchSize > 0:
        return "another cannot go on there, as scan_batching may have split that row"
    if asked.filterString is not None and _keeps_state(asked.filterString):
        return "another cannot go on there, as its filter remembers what came before"
    return None


def _keeps_state(text: bytes | str) -> bool:
    """Whether what a filter lets through depends on earlier rows; so does what cannot be parsed."""
    try:
        return _remembers(parse_filter(_as_bytes(text)))
    except UncheckedError:
        return True


def _remembers(filter: Filter) -> bool:
    if isinstance(filter, Combined):
        return any(map(_remembers, filter.filters))
    return isinstance(filter, _REMEMBERING) or (isinstance(filter, Skip) and _remembers(filter.filter))


def _next_start(asked: Any, last: bytes) -> bytes | None:
    """Where a new scanner starts after the last row; None at the scan's end.

    It must not start at the stop: HBase 2.6.1 would return that row.
    """
    stop = _as_bytes(asked.stopRow or b"")
    if asked.reversed:
        return last if last > stop or not stop else None
    start = next_row(last)
    return start if start is not None and (start < stop or not stop) else None


def _copied(message: Any) -> Any:
    """The arguments of an opening, safe from what the caller does to its TScan."""
    copied = type(message)(**vars(message))
    if hasattr(copied, "scan"):
        copied.scan = type(copied.scan)(**vars(copied.scan))
    return copied


def _about(scanner: Scanner, call: Call, message: Any) -> Any:
    """The fetch, with the id of the scanner in place of the scan's."""
    return call.arguments(**{**vars(message), "id": scanner.id})


def _as_bytes(value: bytes | str) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)
