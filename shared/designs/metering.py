"""What a call makes the store do, counted on the Thrift client."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import attrs
import happybase

from ..keys.errors import InvalidQuestion
from ..keys.questions import RowRange
from ..queries.pages import Page
from .patterns import AccessPattern


@attrs.frozen
class Read:
    """One get or scan, with what a statement of the HBase shell needs to read the same rows."""

    table: bytes
    rows: RowRange
    """The range of the question, its start inclusive and its stop exclusive, in a reverse scan too."""
    reverse: bool = False
    filter: bytes | None = None
    """The server-side filter, in HBase's filter language."""


@attrs.define
class Cost:
    """What a call made the store do, counted on the Thrift client."""

    rpcs: int = 0
    ranges: list[tuple[bytes, RowRange]] = attrs.field(factory=list[tuple[bytes, RowRange]])
    """Table and range of every get and every scan, as the store was asked for it."""
    reads: list[Read] = attrs.field(factory=list[Read])
    """The same gets and scans, as they are printed."""
    rows_fetched: int = 0
    key_bytes: int = 0
    """Bytes of the row keys in the replies, each counted once, however many cells repeat it in the store."""
    bytes_fetched: int = 0
    """Bytes of row keys, columns and values in the replies, without Thrift's framing."""
    rows_read: int | None = None
    """Rows that the store read to answer; None if the store does not count them (only the embedded store does)."""


class _MeteredClient:
    """A Thrift client that counts calls and replies."""

    def __init__(self, client: Any, cost: Cost) -> None:
        self._client = client
        self._cost = cost

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if not callable(call):
            return call

        def counted(*arguments: Any) -> Any:
            self._count_call(name, *arguments)
            answer: Any = call(*arguments)
            if name.startswith(("getRow", "scannerGet")):
                self._count_answer(answer)
            return answer

        return counted

    def _count_call(self, name: str, *arguments: Any) -> None:
        self._cost.rpcs += 1
        if name == "scannerOpenWithScan":
            table, scan = arguments[:2]
            low, high = scan.startRow, scan.stopRow
            of_question = RowRange(low or b"", high or None)
            if scan.reversed:  # reads (stop, start]
                of_question = RowRange(_start_above(high), low or None)
                low, high = (row and row + b"\x00" for row in (high, low))
            self._cost.ranges.append((table, RowRange(low or b"", high or None)))
            self._cost.reads.append(Read(table, of_question, bool(scan.reversed), scan.filterString))
        elif name.startswith("getRow"):
            table, rows = arguments[:2]
            for row in rows if name.startswith("getRows") else [rows]:
                self._cost.ranges.append((table, RowRange(row, row + b"\x00")))
                self._cost.reads.append(Read(table, RowRange(row, row + b"\x00")))

    def _count_answer(self, results: list[Any]) -> None:
        self._cost.rows_fetched += len(results)
        for result in results:
            self._cost.key_bytes += len(result.row)
            # A scan with sorted columns returns them in a list instead.
            sorted_cells = ((column.columnName, column.cell) for column in result.sortedColumns or ())
            cells = sorted_cells if result.columns is None else result.columns.items()
            self._cost.bytes_fetched += len(result.row) + sum(len(name) + len(cell.value) for name, cell in cells)


def _start_above(low: bytes | None) -> bytes:
    """The start of the range of a reverse scan that stops at `low`, which `queries.scanning` puts a little below it.

    61 -> 61 00    61 ff ff ff ff -> 62
    """
    if not low:
        return b""
    if low.endswith(b"\xff" * 4) and len(low) > 4 and low[-5] < 0xFF:
        return low[:-5] + bytes([low[-5] + 1])
    return low + b"\x00"


@contextmanager
def metered(connection: happybase.Connection) -> Generator[Cost]:
    """Counts all calls on `connection` while the block runs."""
    cost = Cost()
    client = connection.client
    read_before = getattr(client, "rows_read", None)
    connection.client = _MeteredClient(client, cost)
    try:
        yield cost
    finally:
        connection.client = client
        if read_before is not None:
            cost.rows_read = client.rows_read - read_before


@attrs.frozen
class Measurement:
    """An access pattern, its answer and what that cost; or why the tables cannot answer it."""

    pattern: AccessPattern
    answer: Any
    cost: Cost
    refused: str = ""
    """The reason for a refusal; empty if there is an answer."""

    @property
    def records(self) -> list[Any]:
        """The records of the answer, whether that is a page, a list, one record or none."""
        if isinstance(self.answer, Page):
            return [*self.answer.records]  # pyright: ignore[reportUnknownMemberType]  # of any record
        if isinstance(self.answer, list):
            return [*self.answer]  # pyright: ignore[reportUnknownMemberType]
        return [] if self.answer is None else [self.answer]

    @property
    def rows_read(self) -> int:
        """Rows that the store read; the rows in its replies if it does not count them."""
        return self.cost.rows_fetched if self.cost.rows_read is None else self.cost.rows_read

    @property
    def client_work(self) -> tuple[str, ...]:
        """Work that the ranges left to the client: the attributes that it compared, and `order` if it sorted."""
        if isinstance(self.answer, Page):
            return self.answer.client_work  # pyright: ignore[reportUnknownMemberType]  # of any record
        return ()

    @property
    def beyond_ranges(self) -> str:
        """What happens to the rows of the ranges, in words: `server filter on status; filtered by time_ms; sorted`."""
        compared = [name for name in self.client_work if name != "order"]
        words = [f"server filter on {', '.join(self.server_filtered)}"] if self.server_filtered else []
        words += [f"filtered by {', '.join(compared)}"] if compared else []
        return "; ".join([*words, "sorted"] if "order" in self.client_work else words)

    @property
    def server_filtered(self) -> tuple[str, ...]:
        """The attributes that a server-side filter compared."""
        if isinstance(self.answer, Page):
            return self.answer.server_filtered  # pyright: ignore[reportUnknownMemberType]  # of any record
        return ()


def measure(connection: happybase.Connection, repository: Any, patterns: Iterable[AccessPattern]) -> list[Measurement]:
    """Asks every pattern with its sample arguments."""
    return [_measure_pattern(connection, repository, pattern) for pattern in patterns]


def _measure_pattern(connection: happybase.Connection, repository: Any, pattern: AccessPattern) -> Measurement:
    with metered(connection) as cost:
        try:
            return Measurement(pattern, pattern.ask(repository, **pattern.sample), cost)
        except InvalidQuestion as error:
            return Measurement(pattern, None, cost, refused=str(error))
