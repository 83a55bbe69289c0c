"""A load whose outcome is known: writers that count what was acknowledged, scanners, and the comparison with both."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeAlias

import happybase
from attrs import define, field

from shared.keys import Plan
from shared.keys.ranges import RowRange, Stream
from shared.queries import scan

Cells: TypeAlias = Mapping[bytes, bytes]

BATCH = 20
SIXTEENTHS = Plan(
    tuple(Stream((RowRange(b"%x" % digit, b"%x" % (digit + 1) if digit < 15 else None),)) for digit in range(16))
)
"""The whole table, by the first digit of its rows."""
_SPREAD = 40503
"""Odd, so that 65,536 numbers in a row have 65,536 beginnings, and those of a batch lie far apart."""


def row_of(writer: int, number: int) -> bytes:
    """A row of a writer; those of one batch are spread over the whole table."""
    return b"%04x-%d-%d" % (number * _SPREAD % 65536, writer, number)


def rows_of(writer: int, batch: int) -> list[bytes]:
    """The rows that a writer puts in one of its batches."""
    return [row_of(writer, number) for number in range(batch * BATCH, (batch + 1) * BATCH)]


def cells_of(row: bytes) -> Cells:
    """What a row holds; each row is written once."""
    return {b"d:a": b"a of " + row, b"d:b": b"b of " + row}


def put_rows(batch: happybase.Batch, rows: Iterable[bytes]) -> None:
    """Adds the puts of some rows to a batch."""
    for row in rows:
        batch.put(row, cells_of(row))


@define
class Comparison:
    """What a scan found."""

    rows: int = 0
    faults: list[str] = field(factory=list[str])


def compare(scan: Iterable[tuple[bytes, Cells]], acknowledged: Mapping[int, int]) -> Comparison:
    """Whether a scan has all rows of so many batches of each writer, once and in order, and no row with other cells."""
    expected = {
        row for writer, batches in acknowledged.items() for batch in range(batches) for row in rows_of(writer, batch)
    }
    comparison = Comparison()
    before = b""
    for row, cells in scan:
        comparison.rows += 1
        if row <= before:
            comparison.faults.append(f"{row!r} came after {before!r}")
        if cells != cells_of(row):
            comparison.faults.append(f"{row!r} holds {cells}")
        expected.discard(row)
        before = row
    comparison.faults += [f"{row!r} was acknowledged and is missing" for row in sorted(expected)]
    return comparison


class Worker(Thread):
    """Does the same again and again until the load stops, or until it fails."""

    def __init__(self, name: str, table: happybase.Table, stopped: Event) -> None:
        super().__init__(name=name, daemon=True)
        self.longest_s = 0.0
        """The longest that a batch took, or that a scan waited for its next row."""
        self.failure: Exception | None = None
        self._table = table
        self._stopped = stopped

    def run(self) -> None:
        try:
            while not self._stopped.is_set():
                self.work()
        except Exception as error:
            self.failure = error

    @contextmanager
    def timed(self) -> Iterator[None]:
        began_s = time.monotonic()
        yield
        self.longest_s = max(self.longest_s, time.monotonic() - began_s)

    def work(self) -> None:
        """What is done again and again."""
        raise NotImplementedError


class Writer(Worker):
    """Puts batch after batch with timestamps."""

    def __init__(self, number: int, table: happybase.Table, stopped: Event) -> None:
        super().__init__(f"writer {number}", table, stopped)
        self.number = number
        self.acknowledged = 0
        """How many batches have returned."""

    def work(self) -> None:
        with self.timed(), self._table.batch(timestamp=1) as batch:
            put_rows(batch, rows_of(self.number, self.acknowledged))
        self.acknowledged += 1


class Scanner(Worker):
    """Scans the table again and again, and compares with what was acknowledged when each scan began.

    Every other scan reads sixteen ranges side by side.
    """

    def __init__(self, table: happybase.Table, writers: list[Writer], stopped: Event) -> None:
        super().__init__("scanner", table, stopped)
        self.scans = self.rows = 0
        self.faults: list[str] = []
        self._writers = writers

    def work(self) -> None:
        side_by_side = self.scans % 2 == 1
        comparison = compare(
            self._timed_rows(side_by_side), {writer.number: writer.acknowledged for writer in self._writers}
        )
        kind = "side by side" if side_by_side else "one range"
        self.faults += [f"scan {self.scans}, {kind}: {fault}" for fault in comparison.faults]
        self.scans += 1
        self.rows += comparison.rows

    def _timed_rows(self, side_by_side: bool) -> Iterator[tuple[bytes, Cells]]:
        rows = scan(self._table, SIXTEENTHS, buffer_rows=3200) if side_by_side else self._table.scan(batch_size=200)
        while True:
            with self.timed():
                row = next(rows, None)
            if row is None:
                return
            yield row


class Load:
    """Writers, one for each of some tables, and scanners; a context manager that ends with all of them.

    `hasty` are tables whose timeout is so short that batches are sent again while HBase still works on them. A late one
    overwrites rows that are there already, and HBase may hide such rows from a scan whose region moves meanwhile. So
    only the last scan must have what was written through them.
    """

    def __init__(
        self, written: list[happybase.Table], scanned: list[happybase.Table], hasty: Sequence[happybase.Table] = ()
    ) -> None:
        self._stopped = Event()
        self.writers = [Writer(number, table, self._stopped) for number, table in enumerate([*written, *hasty])]
        patient = self.writers[: len(written)]
        self.scanners = [Scanner(table, patient, self._stopped) for table in scanned]

    @property
    def acknowledged(self) -> dict[int, int]:
        """How many batches of each writer have returned."""
        return {writer.number: writer.acknowledged for writer in self.writers}

    @property
    def longest_s(self) -> float:
        """The longest that a batch took."""
        return max(writer.longest_s for writer in self.writers)

    def faults(self, table: happybase.Table) -> list[str]:
        """Every error and every wrong row, of the load and of one more scan of its table.

        Only what that last scan lacks is lost; what a scan of the load lacks alone was hidden from it.
        """
        workers = (*self.writers, *self.scanners)
        errors = [f"{worker.name}: {worker.failure!r}" for worker in workers if worker.failure]
        during = [fault for scanner in self.scanners for fault in scanner.faults]
        at_last = [f"the last scan: {fault}" for fault in compare(table.scan(), self.acknowledged).faults]
        return [*errors, *during, *at_last]

    def __str__(self) -> str:
        rows, scans = sum(scanner.rows for scanner in self.scanners), sum(scanner.scans for scanner in self.scanners)
        wait_s = max(scanner.longest_s for scanner in self.scanners)
        return (
            f"{sum(self.acknowledged.values()) * BATCH} rows acknowledged, longest batch {self.longest_s:.1f} s; "
            f"{rows} rows in {scans} scans, longest wait {wait_s:.1f} s"
        )

    def go_on(self, batches: int = 10, within_s: float = 600) -> None:
        """Returns when each writer has had so many more batches acknowledged, or has failed."""
        target = {number: count + batches for number, count in self.acknowledged.items()}
        latest_s = time.monotonic() + within_s
        while any(writer.is_alive() and writer.acknowledged < target[writer.number] for writer in self.writers):
            assert time.monotonic() < latest_s, f"the load stands still at {self.acknowledged}"
            time.sleep(0.05)

    def __enter__(self) -> "Load":
        for thread in (*self.writers, *self.scanners):
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in (*self.writers, *self.scanners):
            thread.join()
