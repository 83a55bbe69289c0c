"""Open scans: where each one stands, and which are still alive."""

import time

from attrs import define, field
from Hbase_thrift import TRowResult

from ..keys import MAX_ROW_BYTES
from .columns import Selection
from .rules import illegal_argument

# HBase: the gateway drops a scanner that was not asked for two lease periods.
IDLE_S = 120

_ABOVE_ALL_ROWS = b"\xff" * (MAX_ROW_BYTES + 1)


@define
class Scanner:
    """A scan between two calls: the rows from `low` (inclusive) to `high` (exclusive) are still to come.

    It holds no statement and no lock, only bounds: each call seeks to them anew.
    """

    table_name: bytes
    low: bytes
    high: bytes
    down: bool
    selection: Selection | None
    before: int | None
    batch: int
    in_order: bool
    left_over: list[TRowResult] = field(factory=list[TRowResult])
    used_s: float = field(factory=time.monotonic)

    def pass_row(self, row: bytes) -> None:
        """Leaves what comes after `row` in the direction of the scan."""
        if self.down:
            self.high = row
        else:
            self.low = row_after(row)

    def finish(self) -> None:
        """Leaves nothing."""
        self.low = self.high


class Scanners:
    """The open scanners of a service by their ids, small ints from 0."""

    def __init__(self) -> None:
        self._scanners: dict[int, Scanner] = {}
        self._next_id = 0

    def add(self, scanner: Scanner) -> int:
        """Keeps a scanner under the id returned, and drops those that idled."""
        latest_s = time.monotonic() - IDLE_S
        self._scanners = {key: each for key, each in self._scanners.items() if each.used_s > latest_s}
        scanner_id = self._next_id
        self._next_id += 1
        self._scanners[scanner_id] = scanner
        return scanner_id

    def get(self, scanner_id: int) -> Scanner:
        """The scanner, if it did not idle; its time starts anew."""
        now_s = time.monotonic()
        scanner = self._scanners.get(scanner_id)
        if scanner is None or scanner.used_s <= now_s - IDLE_S:
            raise illegal_argument("scanner ID is invalid")
        scanner.used_s = now_s
        return scanner

    def remove(self, scanner_id: int) -> None:
        """Forgets a scanner. HBase: closing twice is an error."""
        self.get(scanner_id)
        del self._scanners[scanner_id]


def row_after(row: bytes) -> bytes:
    """The smallest row above `row`."""
    return row + b"\0"


def row_bounds(start: bytes, stop: bytes, down: bool) -> tuple[bytes, bytes]:
    """The half-open range that a scan reads. HBase: start is inclusive and stop exclusive in both directions."""
    if start and start == stop:
        return start, row_after(start)  # HBase 2.6.1 answers like a get; later versions with nothing
    if down:
        return row_after(stop) if stop else b"", row_after(start) if start else _ABOVE_ALL_ROWS
    return start, stop or _ABOVE_ALL_ROWS
